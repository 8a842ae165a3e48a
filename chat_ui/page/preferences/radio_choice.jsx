// A stored choice as a group of radio buttons.

import { useId } from "react";
import { useChoice } from "./stored_choice.js";

/**
 * `words` are the labels of the values, in display order.
 * @param {{ choice: import("./stored_choice.js").StoredChoice, legend: string, help?: string,
 *   words: Record<string, string> }} props
 */
export function RadioChoice({ choice, legend, help, words }) {
  const value = useChoice(choice);
  const id = useId();
  return (
    <fieldset className="field radio-choice" aria-describedby={help && id}>
      <legend className="field-label">{legend}</legend>
      {help && (
        <p id={id} className="field-help">
          {help}
        </p>
      )}
      {Object.entries(words).map(([name, label]) => (
        <label key={name}>
          <input
            type="radio"
            name={legend}
            value={name}
            checked={name === value}
            onChange={() => (choice.value = name)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
