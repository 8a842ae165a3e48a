// A form made from a JSON Schema, of native fields, each with its problem.

import { useId, useImperativeHandle, useRef, useState } from "react";
import { t } from "../../../page/languages/language.js";
import { fieldsOf, read, textOf } from "./schema_fields.js";

function Input({ field, ...props }) {
  const { kind, initial, options, text, attributes, isRequired } = field;
  if (kind === "yes") return <input type="checkbox" defaultChecked={initial === true} {...props} />;
  const given = { className: "input", required: isRequired, dir: "auto", ...attributes, ...props };
  if (kind === "choice")
    return (
      <select {...given} defaultValue={options.includes(initial) ? options.indexOf(initial) : ""}>
        <option value="" />
        {options.map((option, at) => (
          <option key={at} value={at}>
            {textOf(option)}
          </option>
        ))}
      </select>
    );
  const Element = attributes?.type ? "input" : "textarea";
  return <Element autoComplete="off" {...given} defaultValue={text} />;
}

function Field({ field, problem, onElement }) {
  const id = useId();
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        <bdi>{field.label || t("Answer")}</bdi>
      </label>
      <Input field={field} id={id} ref={onElement} aria-invalid={Boolean(problem)} aria-describedby={`${id}-words`} />
      <p id={`${id}-words`} className={problem ? "field-error" : "field-help"} dir="auto">
        {problem || field.help}
      </p>
    </div>
  );
}

/**
 * The form for a `schema`, or for `values`. `read` of `ref` gives a list of the value; of nothing, after it showed the
 * problems.
 * @param {{ schema: any, values?: any, ref: import("react").Ref<{ read: () => any[] }>, onSubmit?: () => void }} props
 */
export function RequestForm({ schema, values, ref, onSubmit }) {
  const [fields] = useState(() => fieldsOf(schema, values));
  const [problems, setProblems] = useState([]);
  const elements = useRef([]);
  const problemOf = (field, at) => {
    try {
      read(field, elements.current[at]);
      return elements.current[at].validationMessage;
    } catch {
      return t("This is not JSON.");
    }
  };
  useImperativeHandle(ref, () => ({
    read: () => {
      const found = fields.map(problemOf);
      setProblems(found);
      const wrong = found.findIndex(Boolean);
      elements.current[wrong]?.focus();
      if (wrong >= 0) return [];
      const named = fields.map((field, at) => [field.name, read(field, elements.current[at])]);
      return [named[0][0] ? Object.fromEntries(named) : named[0][1]];
    },
  }));
  const submit = (event) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <form className="request-form" noValidate onSubmit={submit}>
      {fields.map((field, at) => (
        <Field
          key={at}
          field={field}
          problem={problems[at]}
          onElement={(element) => {
            elements.current[at] = element;
          }}
        />
      ))}
      {/* Without a button, Enter submits only a single field. */}
      <button type="submit" hidden />
    </form>
  );
}
