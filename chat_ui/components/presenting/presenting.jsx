// Presenting, as far as every page has it: the commands, and the stage and the dialog that load when they are needed.

import { useEffect, useState } from "react";
import { useCommand } from "../commands/commands.js";
import { t } from "../languages/language.js";
import { needed } from "../shared/loading.js";
import { announce } from "../speech/announcer.jsx";
import { fillScreen } from "./full_screen.js";
import { begin, end, useShowing } from "./showing.js";

export function Presenting(props) {
  const { isOn } = useShowing();
  const [Stage, setStage] = useState(null);
  const [Dialog, setDialog] = useState(null);
  const notLoaded = () => announce(t("That could not be loaded. Try again in a little while."));
  const present = () => {
    // Browsers allow it only in the moment of a press.
    fillScreen();
    begin();
  };

  useCommand("present", !isOn && present);
  useCommand("script", async () => {
    const loaded = await needed(() => import("./script_dialog.jsx"));
    if (loaded) setDialog(() => loaded.ScriptDialog);
    else notLoaded();
  });
  useEffect(() => {
    if (!isOn || Stage) return;
    needed(() => import("./stage.jsx")).then((loaded) => {
      if (loaded) {
        setStage(() => loaded.Stage);
        return;
      }
      end();
      document.documentElement.removeAttribute("data-presenting");
      notLoaded();
    });
  }, [isOn]);
  return (
    <>
      {isOn && Stage && <Stage {...props} />}
      {Dialog && <Dialog {...props} onPresent={present} onClose={() => setDialog(null)} />}
    </>
  );
}
