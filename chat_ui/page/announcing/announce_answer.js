import { needed } from "../shared/loading.js";

/**
 * Announce the answer at `address` that streams under `root`. The announcing script loads with the first such answer;
 * calls wait for it.
 */
export function announceAnswer(root, address) {
  let isOver = false;
  const begun = needed(() => import("./announced_answer.js")).then((loaded) =>
    isOver || !loaded ? undefined : new loaded.AnnouncedAnswer(root, address),
  );
  return {
    goOn: () => begun.then((answer) => answer?.goOn()),
    end: (status) => begun.then((answer) => answer?.end(status)),
    leave: () => {
      isOver = true;
      begun.then((answer) => answer?.leave());
    },
  };
}
