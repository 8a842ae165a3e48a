// A part of the page that the server writes, once, or that the backend in use has of its own.

import { partOf } from "./branding.js";

export function BrandingPart({ part, own }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the server escapes the operator's words.
  return <div className="branding-part" dangerouslySetInnerHTML={{ __html: own || partOf(part) }} />;
}

/** The stylesheet of the backend in use, after that of the document. */
export function BrandingStyle({ css }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the server made it of checked values.
  return <style data-branding="own" dangerouslySetInnerHTML={{ __html: css }} />;
}
