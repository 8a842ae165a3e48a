// Where the differences between claims and their passages are shown: in conversations, in presentations too, or not.

import { StoredChoice } from "./stored_choice.js";

export const claimMarks = new StoredChoice("chat-ui-claims", ["reading", "always", "never"]);

const show = () => {
  document.documentElement.dataset.claims = claimMarks.value;
};

if (globalThis.document) {
  show();
  claimMarks.listen(show);
}
