// The file of a recording, dropped anywhere on the page. Images are the message box's.

import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { allows } from "../branding/branding.js";
import { t } from "../languages/language.js";
import { IconButton } from "../shared/icon_button.jsx";
import { useTakenFile } from "./taken_file.js";

const ENDINGS = /\.jsonl?$/i;

// While something is dragged, a browser tells the type of a file and not its name.
const mayBeRecording = ({ items, types }) =>
  types.includes("Files") && [...items].some(({ kind, type }) => kind === "file" && !type.startsWith("image/"));

/** Call `onFile` with a file that is dropped on the page; whether one is over the page. */
function useDrop(onFile) {
  const latest = useRef(onFile);
  latest.current = onFile;
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!allows("drop")) return undefined;
    const over = (event) => {
      if (!mayBeRecording(event.dataTransfer)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event) => !event.relatedTarget && setOver(false);
    const drop = (event) => {
      setOver(false);
      const file = [...event.dataTransfer.files].find(({ name }) => ENDINGS.test(name));
      if (!file) return;
      event.preventDefault();
      // The message box would take it for an image.
      event.stopPropagation();
      latest.current(file);
    };
    const listeners = { dragover: over, dragleave: leave, drop };
    for (const [type, listener] of Object.entries(listeners))
      document.addEventListener(type, listener, { capture: true });
    return () => {
      for (const [type, listener] of Object.entries(listeners))
        document.removeEventListener(type, listener, { capture: true });
    };
  }, []);
  return isOver;
}

export function DroppedRecording({ address, onTaken }) {
  const { words, take, forget, isProblem, isTaking } = useTakenFile(address, onTaken);
  const isOver = useDrop(take);
  return (
    <>
      {isOver && (
        <p className="drop-here" aria-hidden="true">
          {t("Drop the file of a recording to show it")}
        </p>
      )}
      {words && (
        <div className="callout dropped-recording">
          <p role={isProblem ? "alert" : undefined}>{words}</p>
          {isTaking && (
            <button type="button" className="button" onClick={forget}>
              {t("Cancel")}
            </button>
          )}
          {isProblem && (
            <IconButton label={t("Close")} onClick={forget}>
              <X size={16} aria-hidden />
            </IconButton>
          )}
        </div>
      )}
    </>
  );
}
