// Requests that change a conversation on the server.

// The status of a refusal for want of room, which comes with words for the person.
const NO_ROOM = 507;
const refused = (response) =>
  response.status === NO_ROOM
    ? response.text().then((words) => Promise.reject(words))
    : Promise.reject(response.status);

/** Ask for `method` at `address`; rejects with the server's words where it has no room, else with its status. */
export const request = (address, method, body) =>
  fetch(address, {
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
