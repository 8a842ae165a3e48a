import { Tabs } from "@radix-ui/themes";
import { afterEach, expect, test } from "bun:test";
import { createElement, useState } from "react";
import { FormTabs } from "../../chat_ui/backends/settings/tabs.jsx";
import { click, leave, render } from "./rendering.js";

afterEach(leave);

function Form() {
  const [faults, setFaults] = useState(0);
  const field = createElement("input", { "aria-invalid": true });
  const panel = createElement(Tabs.Content, { value: "request" }, createElement("details", {}, field));
  const save = createElement("button", { id: "save", type: "button", onClick: () => setFaults(1) });
  return createElement(
    "form",
    {},
    createElement(FormTabs, { first: "request", fault: "request", faults }, panel),
    save,
  );
}

test("a wrong field in a closed disclosure is shown and has the focus", async () => {
  await render(createElement(Form));
  const disclosure = document.querySelector("details");
  expect(disclosure.open).toBe(false);
  await click(document.getElementById("save"));
  expect(disclosure.open).toBe(true);
  expect(document.activeElement).toBe(document.querySelector("input"));
});
