"""Components of several parts of the page."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from chat_ui.page.languages import t
from chat_ui.page.scripts import Scripted, imported, script

OF_A_DIALOG: Final = {
    "onOpenAutoFocus": imported("page/shared/focus.js", "rememberDialogOpener"),
    "onCloseAutoFocus": imported("page/shared/focus.js", "giveDialogFocusBack"),
    "onEscapeKeyDown": imported("page/shared/hearing.js", "leaveToInputMethod"),
}
"""Attributes for the content of a dialog without a trigger: focus returns to the opener, and an Escape for an input
method does not close it.
"""


class CopyButton(Scripted):
    """A button named `label` that copies the text at `address`, with the rich text at `rich`."""

    library = script("page/shared/copy_button.jsx")

    address: rx.Var[str]
    rich: rx.Var[str]
    label: rx.Var[str]


class CopyText(Scripted):
    """A button with these `words` that copies `text`."""

    library = script("page/shared/copy_text.jsx")

    text: rx.Var[str]
    words: rx.Var[str]


class Direction(Scripted):
    """Passes the page's direction to the parts of Radix Themes; once, around everything."""

    library = script("page/shared/direction.jsx")
    lib_dependencies: list[str] = ["@radix-ui/react-direction@1.2.0"]  # noqa: RUF012 - Reflex's own way to name them


class FocusRestorer(Scripted):
    """Keeps the focus from falling back to the body; once on a page."""

    library = script("page/shared/focus.js")


class BackStep(Scripted):
    """Makes Back close the dialog by `on_back` on a narrow screen, before leaving the page."""

    library = script("page/shared/back_steps.js")

    on_back: rx.EventHandler[rx.event.no_args_event_spec]


class SkipLink(Scripted):
    """The skip link past the header; the first element of a page."""

    library = script("page/shared/skip_link.jsx")


class VisiblePart(Scripted):
    """Tells the stylesheets the area above a soft keyboard; once on a page."""

    library = script("page/shared/visible_part.js")


class Provide(Scripted):
    """Provides `value`, a component or its loader, to scripts under `name`; see `provided.js`."""

    library = script("page/shared/provided.js")

    name: rx.Var[str]
    value: rx.Var[Any]


class Provided(Scripted):
    """The component that a script provides under `name`, if any; `backend` is the id of a profile."""

    library = script("page/shared/provided.js")

    name: rx.Var[str]
    backend: rx.Var[str]


class Typeface(Scripted):
    """Preloads the page's typeface; in the head, as the documents of conversations have no other content."""

    library = script("page/shared/typeface.jsx")


def button(words: str | rx.Var[str], *, is_primary: bool = False, **props: Any) -> rx.Component:
    """A button with these words; `is_primary` for the main action."""
    return rx.el.button(words, type="button", class_name="button button-primary" if is_primary else "button", **props)


def icon_button(
    label: str | rx.Var[str], icon: str, *beside: rx.Component, size: int = 18, **props: Any
) -> rx.Component:
    """A button named `label` with an icon of `size` pixels and the components `beside` it."""
    named = {"aria_label": label, "title": label, "class_name": "tool", "type": "button"}
    return rx.el.button(rx.icon(icon, size=size, aria_hidden="true"), *beside, **named | props)


def close_button() -> rx.Component:
    """The cross of a dialog with a frame, as in `framed_dialog.jsx`; its last part."""
    return rx.dialog.close(icon_button(t("Close"), "x", class_name="tool framed-close"))


def refusal(words: rx.Var[str], of: rx.Var[str], sign_in: rx.Var[str]) -> rx.Component:
    """An alert with the reason for a refusal, if any; another value of `of` announces the same `words` again. `sign_in`
    is the backend that needs a sign-in.
    """
    sign = rx.icon("circle-alert", size=18, aria_hidden="true")
    alert = rx.el.div(sign, rx.el.p(words), sign_in_again(sign_in), key=of, role="alert", class_name="callout")
    return rx.cond(words != "", alert)


def sign_in_again(backend: rx.Var[str]) -> rx.Component:
    """A button that signs the person in for the `backend`, the id of a profile; empty without one."""
    return rx.cond(backend != "", Provided.create(name="sign-in-again", backend=backend))


def verdict(outcome: rx.Var[str], *words: rx.Component | rx.Var[str]) -> rx.Component:
    """A paragraph of these words: green after an answer, amber after one with flaws, red after a failure."""
    tones = {"answered": "verdict verdict-ok", "flawed": "verdict verdict-flawed", "failed": "verdict verdict-bad"}
    return rx.el.p(*words, class_name=rx.match(outcome, *tones.items(), "verdict"))
