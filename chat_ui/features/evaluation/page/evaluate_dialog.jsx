// The dialog with the command that evaluates the backend in use.

import { t } from "../../../page/languages/language.js";
import { CopyText } from "../../../page/shared/copy_text.jsx";
import { FramedDialog } from "../../../page/shared/framed_dialog.jsx";

export function EvaluateDialog({ command, onClose }) {
  return (
    <FramedDialog
      className="evaluate"
      maxWidth="36rem"
      title={t("Evaluate this backend")}
      description={t("Run this command in a terminal, with a file of questions. A key is not part of it.")}
      after={<CopyText text={command} words={t("Copy command")} isPrimary />}
      onClose={onClose}
    >
      <textarea
        className="input"
        dir="ltr"
        rows={4}
        style={{ fieldSizing: "content" }}
        readOnly
        spellCheck={false}
        aria-label={t("Command")}
        value={command}
        onFocus={(event) => event.target.select()}
      />
    </FramedDialog>
  );
}
