// The fields of a form for a JSON Schema, and their values.

import { expect, test } from "bun:test";
import { fieldsOf, read } from "../../chat_ui/features/approvals/page/schema_fields.js";

const kinds = (schema, values) => fieldsOf(schema, values).map(({ name, kind }) => `${name}:${kind}`);
const form = (properties, more = {}) => ({ type: "object", properties, ...more });
const attributes = (schema) => fieldsOf(form({ a: schema }))[0].attributes;

test("each type has a native field", () => {
  const types = {
    choice: { enum: ["Blue", 2, null] },
    yes: { type: "boolean" },
    number: { type: "integer" },
    text: { type: "string" },
    long: { type: "string", maxLength: 5000 },
    json: { type: "array", items: { type: "string" } },
  };
  const fields = fieldsOf(form({ ...types, any: true }, { required: ["text"] }));
  expect(fields.map(({ kind }) => kind)).toEqual([...Object.keys(types), "json"]);
  expect(fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(["text"]);
});

test("bounds are attributes of the field", () => {
  expect(attributes({ type: "integer", minimum: 1, maximum: 20 })).toEqual({
    type: "number",
    step: 1,
    min: 1,
    max: 20,
  });
  expect(attributes({ type: "number", exclusiveMinimum: 0 })).toMatchObject({ step: "any", min: 0 });
  const positive = { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 };
  expect(attributes(positive)).toMatchObject({ min: 1, max: 9 });
  expect(attributes({ type: "string", format: "date", minLength: 3 })).toMatchObject({ type: "date", minLength: 3 });
  expect(fieldsOf(form({ api_key: { type: "string" } }))[0].attributes.type).toBe("password");
});

test("references lead only within the schema, and end", () => {
  const kind = { enum: ["a"] };
  const defs = { $defs: { kind, loop: { $ref: "#/$defs/loop" }, twice: { $ref: "#/$defs/kind" } } };
  const of = ($ref) => kinds(form({ a: { $ref } }, defs))[0];
  expect(of("#/$defs/kind")).toBe("a:choice");
  expect(of("#/$defs/twice")).toBe("a:choice");
  for (const $ref of ["#/$defs/loop", "#/$defs/gone", "#/$defs/__proto__", "https://example.com/a.json", "#", 1])
    expect(of($ref)).toBe("a:json");
  expect(kinds({ $ref: "#/$defs/form", $defs: { form: form({ b: { type: "boolean" } }) } })).toEqual(["b:yes"]);
  expect(kinds(form({ a: { anyOf: [{ type: "string" }, { type: "null" }] } }))).toEqual(["a:text"]);
  expect(kinds(form({ a: { anyOf: [{ type: "string" }, { type: "integer" }] } }))).toEqual(["a:json"]);
});

test("an agent's objects do not reach the page's elements", () => {
  const bad = { toString: 1 };
  const odd = { title: bad, description: bad, format: bad, minLength: bad, maxLength: bad, minimum: bad, $ref: bad };
  for (const type of ["string", "integer"]) {
    const [{ label, help, attributes }] = fieldsOf(form({ constructor: { ...odd, $ref: undefined, type } }), {});
    expect([typeof label, typeof help]).toEqual(["string", "string"]);
    expect(Object.values(attributes).some((value) => typeof value === "object")).toBe(false);
  }
  expect(kinds(form({ constructor: odd }))).toEqual(["constructor:json"]);
});

test("other schemas have one field", () => {
  expect(kinds({ type: "string" })).toEqual([":text"]);
  for (const schema of [{}, { type: "array" }, { anyOf: 1 }, form({}), form([]), { properties: "x" }])
    expect(kinds(schema)).toEqual([":json"]);
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, { type: "string" }]));
  expect(kinds(form(many))).toEqual([":json"]);
  expect(kinds(null, "words")).toEqual([":json"]);
});

test("arguments without a schema are fields with their values", () => {
  const fields = fieldsOf(null, { to: "ann", count: 2, urgent: true, more: { a: 1 }, body: "one\ntwo" });
  expect(fields.map(({ kind }) => kind)).toEqual(["text", "number", "yes", "json", "long"]);
  expect(fields[3].text).toBe('{\n  "a": 1\n}');
});

test("a field has a value of its type, or none", () => {
  const value = (field, text, more = {}) => read({ kind: field, ...more }, { value: text, ...more });
  expect(value("text", "a")).toBe("a");
  expect(value("number", "2.5")).toBe(2.5);
  expect(value("json", "[1]")).toEqual([1]);
  expect(value("yes", "on", { checked: false })).toBe(false);
  expect(value("choice", "1", { options: ["a", null] })).toBe(null);
  expect(value("choice", "", { options: ["a"], initial: "a" })).toBe(undefined);
  expect(value("text", "")).toBe(undefined);
  expect(value("text", "", { initial: "was" })).toBe("");
  expect(() => value("json", "{")).toThrow(SyntaxError);
});
