// The foot of the list: exports, imports, and the deletion of everything, which load when they are first opened.

import { useState } from "react";
import { t } from "../languages/language.js";

export function ArchiveTools(props) {
  const [opened, setOpened] = useState(0);
  const [Archive, setArchive] = useState(null);
  const [isMissing, setMissing] = useState(false);
  const toggled = ({ currentTarget }) => {
    if (!currentTarget.open) return;
    setOpened((times) => times + 1);
    setMissing(false);
    import("./archive.jsx").then(
      (loaded) => setArchive(() => loaded.Archive),
      () => setMissing(true),
    );
  };
  return (
    <details className="taking" onToggle={toggled}>
      <summary>{t("Export, import, delete")}</summary>
      {Archive && <Archive {...props} revision={opened} />}
      {isMissing && <p role="alert">{t("That could not be loaded. Try again in a little while.")}</p>}
    </details>
  );
}
