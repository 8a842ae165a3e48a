// The server's current page: its build, and whether the open page may be reloaded.

import { stays } from "../shared/loading.js";

const TIMEOUT = 2000;
const RELOADED_FOR = "chat-ui-reloaded-for";
const BUILD = /\/manifest-[\w-]+\.js/;
/** Another site's page answers, such as a sign-in. */
export const FOREIGN = "foreign";

const KEEPS =
  "[role=dialog], [role=alertdialog], [role=menu], .stage, .side-panel, .attached, [data-answering=true], [data-reading], .dictate[aria-pressed=true]";
const TYPED = "textarea, input:not([type=checkbox], [type=radio], [type=file], [type=range], [type=hidden])";

/** @type {any} */
const { __reactRouterManifest: manifest } = globalThis;
/** The build of the open page; undefined in development. */
export const ownBuild = BUILD.exec(manifest?.url ?? "")?.[0];

/** Ask the server with a timeout and the page's cookies. */
export const asked = (address, options) =>
  fetch(address, { credentials: "same-origin", signal: AbortSignal.timeout(TIMEOUT), ...options });

/**
 * Fetch the page, which replaces an invalid cookie. The result is its build, `FOREIGN`, or "" if the server is
 * unavailable.
 */
export async function servedBuild() {
  try {
    const { pathname, search } = window.location;
    const response = await asked(pathname + search, { cache: "no-cache", redirect: "manual" });
    const build = BUILD.exec(await response.text())?.[0];
    return build ?? (response.ok || response.type === "opaqueredirect" || stays(response.status) ? FOREIGN : "");
  } catch {
    return "";
  }
}

/** Whether a reload would now lose something or disturb a person. */
const isInUse = () =>
  document.querySelector(KEEPS) !== null ||
  window.speechSynthesis?.speaking === true ||
  getSelection()?.isCollapsed === false ||
  /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll(TYPED)]).some(({ value }) => value.trim());

/**
 * Reload the page, once in this tab for each `build`, as two servers may have different builds. False if already
 * reloaded, or if a reload would lose something.
 */
export function loadAnew(build) {
  try {
    const builds = sessionStorage.getItem(RELOADED_FOR) ?? "";
    if (isInUse() || builds.includes(build)) return false;
    sessionStorage.setItem(RELOADED_FOR, builds + build);
  } catch {
    // Without storage, it might reload forever.
    return false;
  }
  window.location.reload();
  return true;
}
