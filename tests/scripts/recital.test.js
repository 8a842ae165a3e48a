import { expect, test } from "bun:test";
import { Recital } from "../../chat_ui/components/speech/recital.js";

test("an error behind an open sheet is announced, and is no alert any more when the sheet is closed", async () => {
  document.body.innerHTML = `<div id="announcements"></div><div inert><article>
    <div class="answer-text"></div><div role="alert"><p>The model is asleep.</p><button>Try again</button></div>
  </article></div>`;
  const recital = new Recital(document.querySelector(".answer-text"));
  await recital.end("failed");
  recital.leave();
  expect(document.getElementById("announcements").textContent).toContain("The model is asleep.");
  expect(document.querySelectorAll("[role=alert]").length).toBe(0);
});
