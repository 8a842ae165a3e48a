// What this reader wants to hear of an answer while it is made: its sentences, only that it begins and ends, or nothing.
// Errors and what the page itself has to say are always said.

import { KeptChoice } from "../preferences/kept_choice.js";
import { hush } from "./announcer.jsx";

export const announcements = new KeptChoice("chat-ui-announcements", ["sentences", "ends", "nothing"]);

announcements.listen(() => {
  if (announcements.value === "sentences") return;
  for (const arm of ["", "first", "second"]) hush(arm);
});
