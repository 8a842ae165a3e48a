// The button that has a person choose the file of a recording.

import { t } from "../languages/language.js";
import { FileButton } from "../shared/file_button.jsx";
import { useTakenFile } from "./taken_file.js";

export function RecordingFile({ address, onTaken }) {
  const { words, isProblem, isTaking, take, forget } = useTakenFile(address, onTaken);
  return (
    <div className="recording-file">
      <FileButton accept=".jsonl,.json,application/jsonl" name={t("File of a recording")} onFile={take}>
        {t("Open a recording…")}
      </FileButton>
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
