import { expect, test } from "bun:test";
import { onEnd, tellEnd } from "../../chat_ui/page/thread/answer_ends.js";

test("a listener is told the end of its answer until it unsubscribes", () => {
  const heard = [];
  const forget = onEnd("/answers/one", (status) => heard.push(status));
  tellEnd("/answers/other", "failed");
  tellEnd("/answers/one", "interrupted");
  tellEnd("/answers/one", "finished");
  forget();
  tellEnd("/answers/one", "stopped");
  expect(heard).toEqual(["interrupted", "finished"]);
});
