// The language that a person has chosen, in a cookie that the server reads (`chat_ui/server/middleware/request_language.py`).

const COOKIE = "chat_ui_language";
const YEAR = 31536000;

// A frame of another site has cookies of its own, if any.
const isFramed = () => window.top !== window;

const rules = (age) => {
  const site = isFramed() ? "SameSite=None; Secure; Partitioned" : "SameSite=Lax";
  const secure = !isFramed() && window.location.protocol === "https:" ? "; Secure" : "";
  return `Path=/; Max-Age=${age}; ${site}${secure}`;
};

/** The tag of the chosen language, or nothing. */
export function chosenLanguage() {
  const cookies = document.cookie.split("; ").map((cookie) => cookie.split("="));
  return cookies.find(([name]) => name === COOKIE)?.[1] ?? "";
}

/** Have the page in the language of a tag from now on; without one, as the server chooses. */
export function chooseLanguage(tag) {
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API
  document.cookie = `${COOKIE}=${tag}; ${rules(tag ? YEAR : 0)}`;
  window.location.reload();
}
