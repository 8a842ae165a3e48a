// The button that has a person choose the file of a recording.

import { useRef } from "react";
import { t } from "../languages/language.js";
import { useTakenFile } from "./taken_file.js";

export function RecordingFile({ address, onTaken }) {
  const input = useRef(null);
  const { words, isProblem, isTaking, take, forget } = useTakenFile(address, onTaken);
  return (
    <div className="recording-file">
      <button type="button" className="button" onClick={() => input.current.click()}>
        {t("Open a recording…")}
      </button>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.json,application/jsonl"
        hidden
        aria-label={t("File of a recording")}
        onChange={(event) => {
          if (event.target.files[0]) take(event.target.files[0]);
          event.target.value = "";
        }}
      />
      <p role={isProblem ? "alert" : "status"} className={isProblem ? "field-error" : "field-help"}>
        {words}
      </p>
      {isTaking && (
        <button type="button" className="button" onClick={forget}>
          {t("Cancel")}
        </button>
      )}
    </div>
  );
}
