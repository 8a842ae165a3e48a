// A remote image is a link and a button until its reader requests it. The server then fetches it: the browser never
// connects to its host.

import { t } from "../languages/language.js";
import { element } from "../shared/element.js";
import { announce } from "../announcing/announcer.jsx";

const damaged = () => t("This image is damaged and cannot be shown.");

async function fetched(address) {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(await response.text());
  const image = new Image();
  // The blob lives as long as the page, as a reader may open or save the image.
  image.src = URL.createObjectURL(await response.blob());
  await image.decode().catch(() => Promise.reject(new Error(damaged())));
  return image;
}

// Shows the image of the pressed button, in the answer at `address` or a part of it; ignores other clicks.
export async function showRemoteImage(event, address) {
  const button = event.target.closest("[data-image]");
  if (!button || button.ariaDisabled) return;
  const place = button.closest(".remote-image");
  const link = place.querySelector("a");
  // A growing answer compares its updates with this element, not with the image in its place.
  place.sentAs ??= place.cloneNode(true);
  place.querySelector("[role=alert]")?.remove();
  button.ariaDisabled = "true";
  announce(t("Loading the image."));
  const asked = new URLSearchParams({ url: link.getAttribute("href") });
  try {
    const image = await fetched(`${address.replace(/\/(?:sources|thoughts|pictures)\b.*/, "")}/image?${asked}`);
    Object.assign(image, { alt: link.textContent, tabIndex: -1, sentAs: place.sentAs });
    const hadFocus = document.activeElement === button;
    place.replaceWith(image);
    if (hadFocus) image.focus();
    announce(t("The image is shown."));
  } catch (error) {
    button.ariaDisabled = null;
    const words = error instanceof TypeError ? t("The server could not be reached. Try again.") : error.message;
    place.append(element("span", { role: "alert" }, words));
  }
}
