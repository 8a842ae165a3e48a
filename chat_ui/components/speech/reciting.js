// The reading of an answer to screen readers while it is made, which loads with the first answer that is. Without it an
// answer is silent.

import { needed } from "../shared/loading.js";

/** Begin to read the answer under `root`; each act waits for what is being loaded. */
export function beginRecital(root) {
  let isOver = false;
  const begun = needed(() => import("./recital.js")).then((loaded) =>
    isOver || !loaded ? undefined : new loaded.Recital(root),
  );
  return {
    goOn: () => begun.then((recital) => recital?.goOn()),
    end: (status) => begun.then((recital) => recital?.end(status)),
    leave: () => {
      isOver = true;
      begun.then((recital) => recital?.leave());
    },
  };
}
