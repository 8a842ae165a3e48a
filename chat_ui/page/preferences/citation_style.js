// How citations look: as numbers, or with the names of their sources where the screen is wide.

import { StoredChoice } from "./stored_choice.js";

export const citationStyle = new StoredChoice("chat-ui-citations", ["numbers", "names"]);

const show = () => {
  document.documentElement.dataset.citations = citationStyle.value;
};

if (globalThis.document) {
  show();
  citationStyle.listen(show);
}
