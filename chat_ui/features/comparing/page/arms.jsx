// Two arms side by side, or one behind the other where the screen is narrow. Without a comparison the elements here take no
// part in the layout, so that the first arm keeps its place and its text when a second one comes.

import { createContext, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { t } from "../../../page/languages/language.js";
import { hear } from "../../../page/shared/hearing.js";
import { Tabs } from "../../../page/shared/tabs.jsx";

// As in the stylesheet.
const NARROW = "(max-width: 48rem)";

const Shown = createContext({ shown: "first", isNarrow: false });

const nameOf = (arm) => (arm === "first" ? t("Left") : t("Right"));

const query = () => matchMedia(NARROW);
const whenNarrowChanges = (changed) => hear(query(), { change: changed });

export function Arms({ comparing, leftLive, rightLive, children }) {
  const [shown, setShown] = useState("first");
  const isNarrow = useSyncExternalStore(
    whenNarrowChanges,
    () => query().matches,
    () => false,
  );
  useEffect(() => setShown("first"), [comparing]);
  const answering = <span className="arm-live">{t("is answering")}</span>;
  const tabs = [
    { name: "first", label: nameOf("first"), content: leftLive && answering },
    { name: "second", label: nameOf("second"), content: rightLive && answering },
  ];
  return (
    <Shown.Provider value={{ shown, isNarrow }}>
      <div className={comparing ? "arms arms-two" : "arms"} data-shown={comparing ? shown : undefined}>
        {comparing && isNarrow && (
          <Tabs
            prefix="arm"
            label={t("Arms of the comparison")}
            tabs={tabs}
            chosen={shown}
            panelOf={(arm) => `arm-${arm}`}
            onTab={setShown}
          />
        )}
        {children}
      </div>
    </Shown.Provider>
  );
}

export function Arm({ arm, comparing, children }) {
  const { isNarrow } = useContext(Shown);
  const named = isNarrow
    ? { role: "tabpanel", "aria-labelledby": `arm-tab-${arm}` }
    : { role: "region", "aria-label": nameOf(arm) };
  return (
    <div className="arm" id={`arm-${arm}`} data-arm={comparing ? arm : undefined} {...(comparing ? named : {})}>
      {children}
    </div>
  );
}
