// The choice of the page's language. A choice alone changes nothing: the button applies it, and the page loads anew.

import { Languages } from "lucide-react";
import { useId, useState } from "react";
import { allows, languages, usual } from "../branding/branding.js";
import { t } from "../languages/language.js";
import { chooseLanguage, chosenLanguage } from "./chosen_language.js";

const known = (tag) => languages.find((one) => one.tag === tag);

export function LanguageChoice({ ref }) {
  const id = useId();
  const [tag, setTag] = useState(() => known(chosenLanguage())?.tag ?? "");
  const isUnconfirmed = allows("unconfirmed");
  return (
    <div className="field">
      <label className="field-label language-label" htmlFor={id}>
        <Languages size={16} aria-hidden />
        {t("Language")}
      </label>
      <div className="language-choice">
        <select
          ref={ref}
          id={id}
          className="input"
          value={tag}
          aria-describedby={isUnconfirmed ? `${id}-help` : undefined}
          onChange={(event) => setTag(event.target.value)}
        >
          <option value="">
            {usual ? t("As usual here: {language}", { language: known(usual).name }) : t("As the browser says")}
          </option>
          {languages.map((one) => (
            <option key={one.tag} value={one.tag} lang={one.tag} dir={one.dir}>
              {one.name}
            </option>
          ))}
        </select>
        <button type="button" className="button" onClick={() => chooseLanguage(tag)}>
          {t("Use this language")}
        </button>
      </div>
      {isUnconfirmed && (
        <p id={`${id}-help`} className="field-help">
          {t("A machine made this translation. No reader has confirmed it yet.")}
        </p>
      )}
    </div>
  );
}
