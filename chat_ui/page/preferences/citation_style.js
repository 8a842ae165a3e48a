// The style of citations: numbers, or on wide screens the names of their sources.

import { StoredChoice } from "./stored_choice.js";

export const citationStyle = new StoredChoice("chat-ui-citations", ["numbers", "names"]);

const show = () => {
  document.documentElement.dataset.citations = citationStyle.value;
};

if (globalThis.document) {
  show();
  citationStyle.listen(show);
}
