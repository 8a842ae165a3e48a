// The tab says that an answer is coming and, to a reader who is elsewhere, that it has come.

import { useEffect, useRef, useState } from "react";

const SIDE = 32;
const DOT = 9;
const COLOURS = { coming: "#e5920b", come: "#2a9d5c" };
const COME = "Answered: ";

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
    // An icon that cannot be drawn stays as it is; the title says the same.
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

export function TabSigns({ live }) {
  const [hasCome, setCome] = useState(false);
  const wasLive = useRef(false);

  useEffect(() => {
    if (wasLive.current && !live && document.hidden) setCome(true);
    wasLive.current = live;
  }, [live]);
  useEffect(() => {
    const look = () => document.hidden || setCome(false);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  useEffect(() => {
    if (!hasCome) return undefined;
    document.title = COME + document.title;
    return () => {
      if (document.title.startsWith(COME)) document.title = document.title.slice(COME.length);
    };
  }, [hasCome]);
  useIcon(live ? "coming" : hasCome ? "come" : "");
  return null;
}
