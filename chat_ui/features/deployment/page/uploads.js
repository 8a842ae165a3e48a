// Uploads of a person's files, two at a time. They continue while their dialog is closed.

import { useSyncExternalStore } from "react";
import { announce } from "../../../page/announcing/announcer.jsx";
import { sizeOf, t } from "../../../page/languages/language.js";
import { Listeners } from "../../../page/shared/hearing.js";

/**
 * `state` is `asking` before a replacement, `waiting`, `sending` with the bytes `sent`, `indexing`, `failed`, or
 * `unlisted` if stored. A failed one has `words`, and if it was sent, `cancel`.
 * @typedef {{ key: number, address: string, file: File, state: string, sent: number, words: string,
 *   cancel?: () => void }} Upload
 */

// As on the server, where further ones would wait.
const AT_ONCE = 2;
// Names that the service leaves out of its list.
const UNLISTED = /images|\.(png|jpe?g|bmp|PNG|JPE?G|BMP)$/;
// The service stores files of other types without indexing them.
export const TYPES = ".pdf,.docx,.xlsx,.pptx,.txt,.md,.csv,.json,.html,.png,.jpg,.jpeg,.bmp,.heic,.tiff";

let store = { uploads: /** @type {Upload[]} */ ([]), ended: 0 };
let keys = 0;
const { listen, tell } = new Listeners();

function keep(uploads, ended = 0) {
  store = { uploads, ended: store.ended + ended };
  tell();
}
const change = ({ key }, changed) => keep(store.uploads.map((one) => (one.key === key ? { ...one, ...changed } : one)));
const remove = ({ key }) => keep(store.uploads.filter((one) => one.key !== key));

/** All uploads, and the number of those that have ended, after which the list may be another. */
export const useUploads = () => useSyncExternalStore(listen, () => store);
export const reload = () => keep(store.uploads, 1);

/** The sent part of an upload in words. @param {Upload} upload */
export const sentOf = ({ sent, file }) => t("{sent} of {size}", { sent: sizeOf(sent), size: sizeOf(file.size) });

function fail(upload, words) {
  change(upload, { state: "failed", words });
  announce(`${upload.file.name}: ${words}`);
}

function answered(upload, { status, responseText }, isText) {
  const { name } = upload.file;
  if (status >= 200 && status < 300) {
    if (UNLISTED.test(name)) change(upload, { state: "unlisted" });
    else remove(upload);
    announce(t("{name} is uploaded.", { name }));
  } else fail(upload, isText ? responseText : t("The answer did not arrive. Look at the list in a few minutes."));
}

function send(upload) {
  const { file, address } = upload;
  // `fetch` does not tell the bytes that were sent.
  const request = new XMLHttpRequest();
  request.open("POST", `${address}&name=${encodeURIComponent(file.name)}`);
  request.upload.onprogress = ({ loaded }) => change(upload, { sent: loaded });
  request.upload.onload = () => change(upload, { state: "indexing" });
  request.onload = () => answered(upload, request, request.getResponseHeader("Content-Type")?.startsWith("text/plain"));
  request.onerror = () => fail(upload, t("The file could not be sent. Check your connection, then try again."));
  request.onloadend = () => {
    reload();
    begin();
  };
  announce(t("Uploading {name}.", { name: file.name }));
  change(upload, { state: "sending", sent: 0, cancel: () => request.abort() });
  request.send(file);
}

function begin() {
  const next = store.uploads.find(({ state }) => state === "waiting");
  if (!next || store.uploads.filter(({ state }) => ["sending", "indexing"].includes(state)).length >= AT_ONCE) return;
  send(next);
  begin();
}

/** Remove an upload, and cancel it; the service may have the file already. @param {Upload} upload */
export function drop(upload) {
  remove(upload);
  upload.cancel?.();
}

/** Begin an upload when its turn comes. @param {Upload} upload */
export function start(upload) {
  change(upload, { state: "waiting" });
  begin();
}

function refusalOf({ name, size }, most) {
  if (size === 0) return t("The file is empty.");
  if (size > most) return t("The file is larger than {size}, the limit here.", { size: sizeOf(most) });
  if (TYPES.split(",").includes(name.slice(name.lastIndexOf(".")).toLowerCase())) return "";
  return t("Files of this type cannot be searched. Choose a PDF, an Office file, a text or a picture.");
}

/** Upload files of at most `most` bytes, after a question for each that would replace one of the known `names`. */
export function add(address, files, { names, most }) {
  for (const file of files) {
    const { name } = file;
    const others = store.uploads.filter((one) => one.address === address && one.file.name === name);
    const isKnown = names.includes(name) || others.some(({ state }) => state !== "failed");
    const words = refusalOf(file, most);
    const state = words ? "failed" : isKnown ? "asking" : "waiting";
    const left = store.uploads.filter((one) => one.state !== "failed" || !others.includes(one));
    keep([...left, { key: keys++, address, file, state, sent: 0, words }]);
    if (words) announce(`${name}: ${words}`);
    if (state === "asking") announce(t("{name} is already stored. Replace it?", { name }));
  }
  begin();
}
