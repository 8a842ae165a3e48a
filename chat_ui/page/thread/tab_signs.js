// The tab shows that an answer is streaming, that an agent waits and, to a reader elsewhere, that the answer is complete.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { hear } from "../shared/hearing.js";
import { useProvided } from "../shared/provided.js";

const SIDE = 32;
const DOT = 9;
const COLOURS = { coming: "#e5920b", come: "#2a9d5c", waiting: "#d6409f" };
const FINISHED = "finished";

// The address of the page's icon with a dot of this colour.
async function dotted(address, colour) {
  const icon = new Image();
  icon.src = address;
  await icon.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: SIDE, height: SIDE });
  const drawing = canvas.getContext("2d");
  drawing.drawImage(icon, 0, 0, SIDE, SIDE);
  drawing.fillStyle = colour;
  drawing.beginPath();
  drawing.arc(SIDE - DOT, SIDE - DOT, DOT, 0, 2 * Math.PI);
  drawing.fill();
  return canvas.toDataURL();
}

function useIcon(sign) {
  useEffect(() => {
    const link = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel="icon"]'));
    if (!link || !sign) return undefined;
    const own = link.href;
    let isOver = false;
    // If the icon cannot be drawn it is unchanged; the title has the same information.
    const show = (address) => {
      if (!isOver) link.href = address;
    };
    dotted(own, COLOURS[sign]).then(show, () => {});
    return () => {
      isOver = true;
      link.href = own;
    };
  }, [sign]);
}

/** While `isOn`, apply `words` to the page's title, even when the page changes it. */
export function useTitle(isOn, words) {
  useLayoutEffect(() => {
    if (!isOn) return undefined;
    let [plain, told] = ["", ""];
    const tell = () => {
      if (document.title === told) return;
      plain = document.title;
      told = words(plain);
      document.title = told;
    };
    const changed = new MutationObserver(tell);
    tell();
    changed.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => {
      changed.disconnect();
      if (document.title === told) document.title = plain;
    };
  }, [isOn]);
}

export function TabSigns({ answer, live, status, waits }) {
  const [hasCome, setCome] = useState(false);
  const awaited = useRef("");

  useEffect(() => {
    const isOver = awaited.current === answer && status === FINISHED;
    setCome(!live && isOver && document.hidden);
    awaited.current = live ? answer : "";
  }, [answer, live, status]);
  useEffect(() => hear(document, { visibilitychange: () => document.hidden || setCome(false) }), []);
  const isPresenting = useProvided("presenting");
  const isWaiting = waits && !live && !isPresenting;
  useTitle(hasCome && !isWaiting && !isPresenting, (title) => t("Answered: {title}", { title }));
  useTitle(isWaiting, (title) => t("Waiting for you: {title}", { title }));
  useIcon(live ? "coming" : isWaiting ? "waiting" : hasCome ? "come" : "");
  return null;
}
