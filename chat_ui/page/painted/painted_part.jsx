// A part of the page that the server writes, once, or that the backend in use has of its own. The server escapes the
// operator's words and checks the values of stylesheets.

import { painted, partOf } from "./options.js";

export function PaintedPart({ part, own }) {
  return <div className="painted-part" dangerouslySetInnerHTML={{ __html: own || partOf(part) }} />;
}

/** The stylesheet of the backend in use, after that of the document. */
export function PaintedStyle({ rules }) {
  return <style dangerouslySetInnerHTML={{ __html: painted("style", rules) }} />;
}

/** Its children; at the first paint, what the server writes in their place. */
export const Painted = ({ name, children }) => painted(name, children);
