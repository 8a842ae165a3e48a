// Requests that change a conversation on the server.

// Statuses of refusals for which the server has words for the person; a proxy in between answers with a page of its own.
const SAY_WHY = [409, 422, 429, 507];
const refused = (response) =>
  SAY_WHY.includes(response.status) && response.headers.get("Content-Type")?.startsWith("text/plain")
    ? response.text().then((words) => Promise.reject(words))
    : Promise.reject(response.status);

/** Ask for `method` at `address`; rejects with the server's words where it says why, else with its status. */
export const request = (address, method, body = undefined, options = {}) =>
  fetch(address, {
    ...options,
    method,
    credentials: "same-origin",
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body && JSON.stringify(body),
  }).then((response) => (response.ok ? response : refused(response)));

/** The words for the person in `why` a request was refused, where there are any. */
export const wordsOf = (why) => (typeof why === "string" ? why : undefined);

/** Have the browser keep the file at `address`. */
export function download(address) {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
