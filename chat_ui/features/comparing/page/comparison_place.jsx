// The place of the comparison below two columns, loaded with the first comparison.

import { useEffect, useState } from "react";
import { t } from "../../../page/languages/language.js";
import { needed } from "../../../page/shared/loading.js";
import { announce } from "../../../page/announcing/announcer.jsx";

export function Comparison(props) {
  const [Loaded, setLoaded] = useState(null);
  useEffect(() => {
    let isOver = false;
    needed(() => import("./comparison.jsx")).then((loaded) => {
      if (isOver) return;
      if (loaded) setLoaded(() => loaded.Comparison);
      else announce(t("Loading failed. Try again in a moment."));
    });
    return () => {
      isOver = true;
    };
  }, []);
  return Loaded && <Loaded {...props} />;
}
