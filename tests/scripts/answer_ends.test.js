import { expect, test } from "bun:test";
import { onEnd, tellEnd } from "../../chat_ui/page/thread/answer_ends.js";

test("who listens to an answer hears how that one ended, until the listening is over", () => {
  const heard = [];
  const forget = onEnd("/answers/one", (status) => heard.push(status));
  tellEnd("/answers/other", "failed");
  tellEnd("/answers/one", "interrupted");
  tellEnd("/answers/one", "finished");
  forget();
  tellEnd("/answers/one", "stopped");
  expect(heard).toEqual(["interrupted", "finished"]);
});
