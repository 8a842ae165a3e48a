// How citations look: as numbers, or with the names of their sources where the screen is wide.

import { KeptChoice } from "./kept_choice.js";

export const citationStyle = new KeptChoice("chat-ui-citations", ["numbers", "names"]);

const show = () => {
  document.documentElement.dataset.citations = citationStyle.value;
};

if (globalThis.document) {
  show();
  citationStyle.listen(show);
}
