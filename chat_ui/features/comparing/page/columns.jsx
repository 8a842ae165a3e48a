// Two columns side by side, or as tabs on a narrow screen. Without a comparison the elements do not affect the layout,
// so that the first column keeps its position and text when a second one appears.

import { X } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useCommand } from "../../../page/commands/commands.js";
import { t } from "../../../page/languages/language.js";
import { hear } from "../../../page/shared/hearing.js";
import { IconButton } from "../../../page/shared/button.jsx";
import { useLoaded } from "../../../page/shared/loading.js";
import { Tabs } from "../../../page/shared/tabs.jsx";

// As in the stylesheet.
const NARROW = "(max-width: 48rem)";

const nameOf = (column) => (column === "first" ? t("Left") : t("Right"));

const isNow = () => matchMedia(NARROW).matches;
const whenNarrowChanges = (changed) => hear(matchMedia(NARROW), { change: changed });
const useNarrow = () => useSyncExternalStore(whenNarrowChanges, isNow, () => false);

export function Columns({ comparing, leftLive, rightLive, onEnd, children }) {
  const [shown, setShown] = useState("first");
  const isNarrow = useNarrow();
  useEffect(() => setShown("first"), [comparing]);
  useCommand("end-comparison", comparing ? onEnd : undefined, { entry: t("End comparison"), place: 20 });
  const answering = <span className="column-live">{t("is answering")}</span>;
  const tabs = [
    { name: "first", label: nameOf("first"), content: leftLive && answering },
    { name: "second", label: nameOf("second"), content: rightLive && answering },
  ];
  return (
    <div className={comparing ? "compared compared-two" : "compared"} data-shown={comparing ? shown : undefined}>
      {comparing && isNarrow && (
        <Tabs
          prefix="column"
          label={t("Columns of the comparison")}
          tabs={tabs}
          chosen={shown}
          panelOf={(column) => `column-${column}`}
          onTab={setShown}
        />
      )}
      {children}
      {comparing && (
        <IconButton label={t("End comparison")} sign={X} size={18} className="end-comparison" onClick={onEnd} />
      )}
    </div>
  );
}

const load = () => import("./comparison.jsx");

/** The comparison below both columns, loaded with the first one. */
export function Comparison(props) {
  const { value } = useLoaded(load, []);
  return value && <value.Comparison {...props} />;
}

export function Column({ column, comparing, children }) {
  const named = useNarrow()
    ? { role: "tabpanel", "aria-labelledby": `column-tab-${column}` }
    : { role: "region", "aria-label": nameOf(column) };
  return (
    <div
      className="column"
      id={`column-${column}`}
      data-column={comparing ? column : undefined}
      {...(comparing ? named : {})}
    >
      {children}
    </div>
  );
}
