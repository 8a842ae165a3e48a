// Requests that change a conversation on the server.

// Statuses of refusals with a text of the server for the person; a proxy in between has its own pages.
const SAY_WHY = [409, 422, 429, 507];
const refused = (response) =>
  SAY_WHY.includes(response.status) && response.headers.get("Content-Type")?.startsWith("text/plain")
    ? response.text().then((words) => Promise.reject(words))
    : Promise.reject(response.status);

/** Send a request with `method` to `address`; rejects with the server's text if available, else with its status. */
export const request = (address, method, body = undefined, options = {}) =>
  fetch(address, {
    ...options,
    method,
    credentials: "same-origin",
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body && JSON.stringify(body),
  }).then((response) => (response.ok ? response : refused(response)));

/** The text for the person in the error `why`, if any. */
export const wordsOf = (why) => (typeof why === "string" ? why : undefined);

/** Have the browser download the file at `address`. */
export function download(address) {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
