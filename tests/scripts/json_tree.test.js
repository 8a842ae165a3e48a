import { expect, test } from "bun:test";
import { showJson } from "../../chat_ui/page/sources/json_tree.js";
import { texts } from "./rendering.js";

test("numbers appear and are copied as sent", async () => {
  const numbers = '{"a":[12345678901234567890,1e-7,0.10,5.0,2026],"b":null,"c":false}';
  let copied = "";
  navigator.clipboard.writeText = async (text) => {
    copied = text;
  };
  showJson(document.body, numbers);
  const list = document.querySelector("details");
  list.open = true;
  list.dispatchEvent(new Event("toggle"));
  expect(texts(".json code")).toEqual(["12345678901234567890", "1e-7", "0.10", "5.0", "2026", "null", "false"]);
  /** @type {HTMLElement} */ (document.querySelector(".json .button")).click();
  expect(copied.replaceAll(/\s/g, "")).toBe(numbers);
});
