// The foot of the list: exports, imports, and the deletion of everything, which load when first opened.

import { useState } from "react";
import { allows } from "../painted/options.js";
import { t } from "../languages/language.js";
import { needed } from "../shared/loading.js";

export function ArchiveTools({ feedback, ...props }) {
  const [Archive, setArchive] = useState(null);
  const [isMissing, setMissing] = useState(false);
  const toggled = async ({ currentTarget }) => {
    if (!currentTarget.open) return;
    const loaded = await needed(() => import("./archive.jsx"));
    setMissing(!loaded);
    if (loaded) setArchive(() => loaded.Archive);
  };
  return (
    <details className="archive-tools" onToggle={toggled}>
      <summary>{t("Export, import, delete")}</summary>
      {Archive && (
        <Archive
          {...props}
          canExport={allows("exporting")}
          canShare={allows("shared_links")}
          feedback={allows("feedback") && feedback}
        />
      )}
      {isMissing && <p role="alert">{t("Loading failed. Try again in a moment.")}</p>}
    </details>
  );
}
