// The button that opens the dialog Evaluate, which loads then.

import { useState } from "react";
import { allows } from "../branding/branding.js";
import { t } from "../languages/language.js";
import { needed } from "../shared/loading.js";
import { announce } from "../speech/announcer.jsx";

export function Evaluating(props) {
  const [Dialog, setDialog] = useState(null);
  const open = async () => {
    const loaded = await needed(() => import("./evaluation_dialog.jsx"));
    if (loaded) setDialog(() => loaded.EvaluationDialog);
    else announce(t("That could not be loaded. Try again in a little while."));
  };
  if (!allows("evaluate")) return null;
  return (
    <>
      <button type="button" className="button" onClick={open}>
        {t("How well does it answer?")}
      </button>
      {Dialog && <Dialog {...props} onClose={() => setDialog(null)} />}
    </>
  );
}
