// A part of the page that loads when it is needed.

import { expect, test } from "bun:test";
import { needed } from "../../chat_ui/components/shared/loading.js";

test("what failed once is asked for again at once", async () => {
  let asked = 0;
  const load = async () => {
    asked += 1;
    if (asked === 1) throw new TypeError("the connection was closed");
    return { part: "loaded" };
  };
  expect(await needed(load)).toEqual({ part: "loaded" });
  expect(asked).toBe(2);
});

test("what fails twice is not there", async () => {
  let asked = 0;
  const load = () => {
    asked += 1;
    return Promise.reject(new TypeError("there is no network"));
  };
  expect(await needed(load)).toBeNull();
  expect(asked).toBe(2);
});
