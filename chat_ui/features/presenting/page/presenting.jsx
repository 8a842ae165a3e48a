// Presentation mode for every page: its commands, and the lazily loaded presentation and dialog.

import { useEffect, useState } from "react";
import { useCommand } from "../../../page/commands/commands.js";
import { useDialogs } from "../../../page/commands/dialogs.jsx";
import { t } from "../../../page/languages/language.js";
import { needed } from "../../../page/shared/loading.js";
import { announce } from "../../../page/announcing/announcer.jsx";
import { useTitle } from "../../../page/thread/tab_signs.js";
import { fillScreen } from "./full_screen.js";
import { heldKeys, holdKeys } from "./held_keys.js";
import { useProvide } from "../../../page/shared/provided.js";
import { become, begin, end, usePresentation } from "./presentation.js";

// Milliseconds to wait for the lock of the tab's former page.
const TIMEOUT = 1500;
const TAKEN = "another tab has this";

// A duplicated tab has the presentation of the first one, and must not ask its questions too. The first tab holds a
// lock while open; after a reload it gets the lock once its former page has released it.
function useOnlyTab(id) {
  useEffect(() => {
    if (!navigator.locks || !id) return undefined;
    const over = new AbortController();
    const late = setTimeout(() => over.abort(TAKEN), TIMEOUT);
    const hold = () => {
      clearTimeout(late);
      return new Promise((_, leave) => over.signal.addEventListener("abort", leave));
    };
    navigator.locks.request(`chat-ui-presenting-${id}`, { signal: over.signal }, hold).catch(() => {
      if (over.signal.reason === TAKEN) become();
    });
    return () => {
      clearTimeout(late);
      over.abort();
    };
  }, [id]);
}

export function Presenting(props) {
  const { id, isOn } = usePresentation();
  useProvide("presenting", isOn);
  const [PresentationView, setView] = useState(null);
  const present = () => {
    // Browsers allow it only during a press.
    fillScreen();
    begin();
  };

  useTitle(isOn, () => props.title);
  useOnlyTab(id);
  useEffect(() => (isOn && !PresentationView ? holdKeys() : undefined), [isOn, PresentationView]);
  useCommand("present", !isOn && present, { entry: t("Present"), place: 21 });
  const [dialog, open] = useDialogs(() => import("./script_dialog.jsx"), { ...props, onPresent: present });
  useCommand("script", () => open("ScriptDialog"), { entry: t("Presentation script…"), place: 22 });
  useEffect(() => {
    if (!isOn || PresentationView) return;
    needed(() => import("./presentation_view.jsx")).then((loaded) => {
      if (loaded) {
        setView(() => loaded.PresentationView);
        return;
      }
      end();
      // Drop the keys, so that a later presentation does not take them.
      heldKeys();
      for (const sign of ["data-presenting", "data-blank"]) document.documentElement.removeAttribute(sign);
      announce(t("Loading failed. Try again in a moment."));
    });
  }, [isOn]);
  return (
    <>
      {isOn && PresentationView && <PresentationView {...props} />}
      {dialog}
    </>
  );
}
