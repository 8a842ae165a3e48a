// The fields of a form for a JSON Schema, and their value. References lead only within the schema; nothing is fetched.

const MOST_FIELDS = 40;
const MOST_REFERENCES = 4;
const LONG = 160;
const TYPES = new Map(Object.entries({ date: "date", time: "time", email: "email", uri: "url" }));
const SECRET = /passw|secret|token|credential|pwd|api.?key/i;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const own = (object, name) => (isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined);
const numberOf = (value) => (typeof value === "number" ? value : undefined);
/** Text of a value, with JSON for another one than text. */
export const textOf = (value) =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value, null, 2);

// The schema that is meant: at the end of its references, and without null as an alternative.
function resolved(schema, root, left = MOST_REFERENCES) {
  if (!isObject(schema) || left < 0) return {};
  if (schema.$ref !== undefined) {
    const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(textOf(schema.$ref)) ?? [];
    return resolved(own(root[place], name), root, left - 1);
  }
  const [one, ...others] = Array.isArray(schema.anyOf) ? schema.anyOf.filter((each) => each?.type !== "null") : [];
  return one && others.length === 0 ? { ...schema, ...resolved(one, root, left - 1) } : schema;
}

function fieldOf(name, schema, isRequired, given) {
  const { type, format, title, description, enum: options } = schema;
  const [minLength, maxLength] = [numberOf(schema.minLength), numberOf(schema.maxLength)];
  const initial = given ?? schema.default;
  const text = textOf(initial);
  const field = { name, label: textOf(title) || name, help: textOf(description), isRequired, initial, text };
  if (Array.isArray(options)) return { ...field, kind: "choice", options };
  if (type === "boolean") return { ...field, kind: "yes" };
  if (type === "integer" || type === "number") {
    const isWhole = type === "integer";
    // Only whole numbers have a next one within an exclusive bound.
    const within = (bound, next) => (isWhole && typeof bound === "number" ? bound + next : numberOf(bound));
    const min = numberOf(schema.minimum) ?? within(schema.exclusiveMinimum, 1);
    const max = numberOf(schema.maximum) ?? within(schema.exclusiveMaximum, -1);
    return { ...field, kind: "number", attributes: { type: "number", step: isWhole ? 1 : "any", min, max } };
  }
  if (type !== "string") return { ...field, kind: "json" };
  const isLong = !TYPES.has(format) && (maxLength > LONG || text.length > LONG || text.includes("\n"));
  if (isLong) return { ...field, kind: "long", attributes: { minLength, maxLength } };
  const kind = TYPES.get(format) ?? (SECRET.test(name) ? "password" : "text");
  return { ...field, kind: "text", attributes: { type: kind, minLength, maxLength } };
}

/** The fields for a schema, or for the `values` without one; one field for another value than an object. */
export function fieldsOf(schema, values) {
  const root = resolved(schema ?? {}, schema ?? {});
  const ofValues = Object.entries(!schema && isObject(values) ? values : {});
  const properties = isObject(root.properties)
    ? root.properties
    : Object.fromEntries(ofValues.map(([name, value]) => [name, { type: typeof value }]));
  const isRequired = (name) => Array.isArray(root.required) && root.required.includes(name);
  const fields = Object.entries(properties).map(([name, property]) =>
    fieldOf(name, resolved(property, schema ?? {}), isRequired(name), own(values, name)),
  );
  if (fields.length > 0 && fields.length <= MOST_FIELDS) return fields;
  return [fieldOf("", fields.length > 0 ? {} : root, true, values)];
}

/**
 * The value in a field's element; undefined leaves it out. Throws a SyntaxError for text that is not JSON.
 * @param {{ kind: string, options?: any[], initial?: any }} field
 * @param {{ value: string, checked?: boolean }} element
 */
export function read({ kind, options, initial }, { value, checked }) {
  if (kind === "yes") return checked;
  // An empty text stays, where the agent sent a text.
  if (value === "") return typeof initial === "string" && kind !== "choice" ? "" : undefined;
  if (kind === "choice") return options[Number(value)];
  if (kind === "number") return Number(value);
  return kind === "json" ? JSON.parse(value) : value;
}
