import { expect, test } from "bun:test";
import { importWords } from "../../chat_ui/components/conversations/archive.jsx";

const told = (imported, refused, refusals) => importWords(Response.json({ imported, refused, refusals }));

test("the number of imported conversations is told", async () => {
  expect([await told(1, 0, []), await told(2, 0, [])]).toEqual([
    "Imported 1 conversation.",
    "Imported 2 conversations.",
  ]);
});

test("each refusal is told with its reason, and the number of those that are left out", async () => {
  const words = await told(0, 3, [{ where: "entry 1", why: "it is not JSON" }]);
  expect(words).toBe("Imported 0 conversations.\nRefused entry 1: it is not JSON.\nAnd 2 more were refused.");
});

test("the server's own words are told where it has any", async () => {
  const response = new Response("There is no room.", { status: 507, headers: { "Content-Type": "text/plain" } });
  expect(await importWords(response)).toBe("There is no room.");
});

test("a proxy that lets no file of the size through is told of", async () => {
  const response = new Response("<h1>413</h1>", { status: 413, headers: { "Content-Type": "text/html" } });
  expect(await importWords(response)).toStartWith("The file is too large");
});
