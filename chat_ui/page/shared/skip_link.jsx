// The first tab stop: a link past the header and the conversations to the composer.

import { t } from "../languages/language.js";

export function SkipLink() {
  const skip = (event) => {
    event.preventDefault();
    document.getElementById("message").focus();
  };
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a place, and the address stays that of the conversation.
    <a href="#message" className="skip-link button" onClick={skip}>
      {t("Skip to the message")}
    </a>
  );
}
