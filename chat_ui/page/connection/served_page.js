// The page as the server has it now: of which build it is, and whether the one that is open may be loaded anew.

import { stays } from "../shared/loading.js";

const TIMEOUT = 2000;
const RELOADED_FOR = "chat-ui-reloaded-for";
const BUILD = /\/manifest-[\w-]+\.js/;
/** A page that is not ours answers, such as one to sign in. */
export const FOREIGN = "foreign";

const KEEPS =
  "[role=dialog], [role=alertdialog], [role=menu], .stage, .side-panel, .attached, [data-answering=true], [data-reading], .dictate[aria-pressed=true]";
const TYPED = "textarea, input:not([type=checkbox], [type=radio], [type=file], [type=range], [type=hidden])";

/** @type {any} */
const { __reactRouterManifest: manifest } = globalThis;
/** The build of the open page; undefined where the page is not built. */
export const ownBuild = BUILD.exec(manifest?.url ?? "")?.[0];

/** Ask the server with a time limit; a page's own cookies go along. */
export const asked = (address, options) =>
  fetch(address, { credentials: "same-origin", signal: AbortSignal.timeout(TIMEOUT), ...options });

/**
 * Fetch the page, which gives a browser without a valid cookie a new one. The result is its build, `FOREIGN`, or "" where
 * there is no server now.
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

/** Whether something would be lost, or a person disturbed, if the page were loaded anew now. */
const isInUse = () =>
  document.querySelector(KEEPS) !== null ||
  window.speechSynthesis?.speaking === true ||
  getSelection()?.isCollapsed === false ||
  /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll(TYPED)]).some(({ value }) => value.trim());

/**
 * Load the page anew, once in this tab for each `build`: two servers may have two of them. False where that was done, or
 * would lose something.
 */
export function loadAnew(build) {
  try {
    const builds = sessionStorage.getItem(RELOADED_FOR) ?? "";
    if (isInUse() || builds.includes(build)) return false;
    sessionStorage.setItem(RELOADED_FOR, builds + build);
  } catch {
    // Where nothing can be noted, it might be loaded for ever.
    return false;
  }
  window.location.reload();
  return true;
}
