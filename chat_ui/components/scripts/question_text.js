// The text of a question as it was typed; the rest of a very long one is fetched when it is asked for.

import { createElement, useState } from "react";

export function QuestionText({ text, cut, address }) {
  const [whole, setWhole] = useState(null);
  const [failed, setFailed] = useState(false);

  const unfold = () =>
    fetch(address, { credentials: "same-origin" })
      .then((response) => (response.ok ? response.text() : Promise.reject(response.status)))
      .then(setWhole)
      .catch(() => setFailed(true));

  return createElement(
    "div",
    { className: "question-text", dir: "auto" },
    whole ?? text,
    cut && whole === null && createElement("span", { "aria-hidden": "true" }, "…"),
    cut &&
      whole === null &&
      createElement(
        "button",
        { type: "button", className: "link-button", onClick: unfold },
        failed ? "It could not be loaded. Try again" : "Show the whole question",
      ),
  );
}
