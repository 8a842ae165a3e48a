// The choice of the page's language. A button applies it and reloads the page.

import { Languages } from "lucide-react";
import { useId, useState } from "react";
import { allows, languages, usual } from "../painted/options.js";
import { t } from "../languages/language.js";
import { Button } from "../shared/button.jsx";

// The cookie is read by the server (`chat_ui/server/middleware/request_language.py`).
const COOKIE = "chat_ui_language";
const YEAR = 31536000;

// A frame of another site has separate cookies, if any.
const isFramed = () => window.top !== window;

const rules = (age) => {
  const site = isFramed() ? "SameSite=None; Secure; Partitioned" : "SameSite=Lax";
  const secure = !isFramed() && window.location.protocol === "https:" ? "; Secure" : "";
  return `Path=/; Max-Age=${age}; ${site}${secure}`;
};

/** The tag of the chosen language, or empty. */
function chosenLanguage() {
  const cookies = document.cookie.split("; ").map((cookie) => cookie.split("="));
  return cookies.find(([name]) => name === COOKIE)?.[1] ?? "";
}

/** Set the page's language by its tag; without a tag, the server chooses. */
function chooseLanguage(tag) {
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API
  document.cookie = `${COOKIE}=${tag}; ${rules(tag ? YEAR : 0)}`;
  window.location.reload();
}

const known = (tag) => languages.find((one) => one.tag === tag);

export function LanguageChoice({ ref }) {
  const id = useId();
  const [tag, setTag] = useState(() => known(chosenLanguage())?.tag ?? "");
  const isUnconfirmed = allows("unconfirmed");
  return (
    <div className="field">
      <label className="field-label language-label" htmlFor={id}>
        <Languages size={16} aria-hidden />
        {t("Language")}
      </label>
      <div className="dialog-buttons language-choice">
        <select
          ref={ref}
          id={id}
          className="input"
          value={tag}
          aria-describedby={isUnconfirmed ? `${id}-help` : undefined}
          onChange={(event) => setTag(event.target.value)}
        >
          <option value="">
            {usual ? t("Default here: {language}", { language: known(usual).name }) : t("Browser default")}
          </option>
          {languages.map((one) => (
            <option key={one.tag} value={one.tag} lang={one.tag} dir={one.dir}>
              {one.name}
            </option>
          ))}
        </select>
        <Button onClick={() => chooseLanguage(tag)}>{t("Apply")}</Button>
      </div>
      {isUnconfirmed && (
        <p id={`${id}-help`} className="field-help">
          {t("This translation was made by a machine and has not been reviewed yet.")}
        </p>
      )}
    </div>
  );
}
