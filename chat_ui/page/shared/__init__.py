"""Components that several rooms use."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from chat_ui.page.scripts import imported, script

OF_A_DIALOG: Final = {
    "onOpenAutoFocus": imported("page/shared/focus.js", "rememberDialogOpener"),
    "onCloseAutoFocus": imported("page/shared/focus.js", "giveDialogFocusBack"),
    "onEscapeKeyDown": imported("page/shared/pressed.js", "leaveToInputMethod"),
}
"""Attributes of the content of a dialog that has no trigger of its own: the focus goes back to the element that opened
it, and an Escape for an input method does not close it.
"""


class CopyButton(rx.Component):
    """A button that copies the text served at `address`, and the rich text at `rich` with it; it is named `label`."""

    library = script("page/shared/copy_button.jsx")
    tag = "CopyButton"

    address: rx.Var[str]
    rich: rx.Var[str]
    label: rx.Var[str]


class Direction(rx.Component):
    """Has the parts of Radix Themes inside of it go in the direction of the page; once, around everything."""

    library = script("page/shared/direction.jsx")
    lib_dependencies: list[str] = ["@radix-ui/react-direction@1.2.0"]  # noqa: RUF012 - Reflex's own way to name them
    tag = "Direction"


class FocusRestorer(rx.Component):
    """Keeps the focus from falling to the body of the page; once on a page."""

    library = script("page/shared/focus.js")
    tag = "FocusRestorer"


class BackStep(rx.Component):
    """Has Back close the dialog around it on a narrow screen, by `on_back`, before it leaves the page."""

    library = script("page/shared/back_steps.js")
    tag = "BackStep"

    on_back: rx.EventHandler[rx.event.no_args_event_spec]


class SkipLink(rx.Component):
    """The way past the header for the keyboard; the first element of a page."""

    library = script("page/shared/skip_link.jsx")
    tag = "SkipLink"


class VisiblePart(rx.Component):
    """Tells the stylesheets what a soft keyboard leaves in sight; once on a page."""

    library = script("page/shared/visible_part.js")
    tag = "VisiblePart"


class Provide(rx.Component):
    """Gives the scripts of the page `value` by `name`: a component, or what loads one; see `provided.js`."""

    library = script("page/shared/provided.js")
    tag = "Provide"

    name: rx.Var[str]
    value: rx.Var[Any]


class Typeface(rx.Component):
    """Fetches the page's typeface early; once on a page."""

    library = script("page/shared/typeface.jsx")
    lib_dependencies: list[str] = [  # noqa: RUF012 - Reflex's own way to name them
        "@fontsource-variable/geist@5.3.0",
        "@fontsource-variable/geist-mono@5.3.0",
    ]
    tag = "Typeface"


def button(words: str | rx.Var[str], *, is_primary: bool = False, **props: Any) -> rx.Component:
    """A button with these words; `is_primary` where it does what the page is about."""
    return rx.el.button(words, type="button", class_name="button button-primary" if is_primary else "button", **props)


def icon_button(
    label: str | rx.Var[str], icon: str, *beside: rx.Component, size: int = 18, **props: Any
) -> rx.Component:
    """A button named `label` with an icon of `size` pixels and the components `beside` it."""
    named = {"aria_label": label, "title": label, "class_name": "tool", "type": "button"}
    return rx.el.button(rx.icon(icon, size=size, aria_hidden="true"), *beside, **named | props)


def refusal(words: rx.Var[str], of: rx.Var[str]) -> rx.Component:
    """An alert that says why something was not done, while there are any `words`; the same ones are heard again where
    they are `of` another attempt.
    """
    sign = rx.icon("circle-alert", size=18, aria_hidden="true")
    return rx.cond(words != "", rx.el.div(sign, rx.el.p(words), key=of, role="alert", class_name="callout"))


def verdict(outcome: rx.Var[str], *words: rx.Component | rx.Var[str]) -> rx.Component:
    """A paragraph of these words: green after an answer, amber after one with flaws, red after a failure."""
    tones = {"answered": "verdict verdict-ok", "flawed": "verdict verdict-flawed", "failed": "verdict verdict-bad"}
    return rx.el.p(*words, class_name=rx.match(outcome, *tones.items(), "verdict"))
