// A part of the page, written by the server or replaced by the current backend's. The server escapes the operator's
// texts and checks the values of stylesheets.

import { painted, partOf } from "./options.js";

export function PaintedPart({ part, own }) {
  return <div className="painted-part" dangerouslySetInnerHTML={{ __html: own || partOf(part) }} />;
}

/** The stylesheet of the current backend, after the document's. */
export function PaintedStyle({ rules }) {
  return <style dangerouslySetInnerHTML={{ __html: painted("style", rules) }} />;
}

/** Children; at the first paint, the server's HTML. */
export const Painted = ({ name, children }) => painted(name, children);
