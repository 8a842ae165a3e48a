"""A field of a form: its label, its control, and below it the error or else the help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

import reflex as rx
from reflex.event import EventSpec

from chat_ui.components.settings import OwnValue
from chat_ui.profiles.personal_choices import LONGEST_STORED
from chat_ui.state.backend_choice import BackendState
from chat_ui.state.backend_dialog import BackendDialog, Switch, TextField

Words: TypeAlias = str | rx.Var[str] | rx.Component
VERBATIM: Final[dict[str, Any]] = {
    "auto_complete": "off",
    "auto_capitalize": "none",
    "auto_correct": "off",
    "spell_check": False,
}
"""Attributes of a field whose text is no words, and that a phone would change as if it were."""


def changing(name: TextField) -> Callable[[rx.Var[Any]], EventSpec]:
    return lambda text: BackendDialog.set_text(name, text)


def switching(name: Switch) -> Callable[[rx.Var[Any]], EventSpec]:
    return lambda is_on: BackendDialog.set_switch(name, is_on)


def own_value(
    control: Literal["input", "textarea", "select", "switch"],
    value: rx.Var[Any],
    on_change: Callable[[rx.Var[Any]], EventSpec],
    *children: rx.Component,
    **attributes: Any,
) -> rx.Component:
    """A control that loses nothing of what is typed or chosen while `on_change` is on its way to the server;
    `attributes` are the control's own.
    """
    if control in ("input", "textarea"):
        # The server drops events with longer text.
        attributes = {"max_length": LONGEST_STORED, **attributes}
    return OwnValue.create(
        *children,
        control=control,
        value=value,
        acknowledged=BackendState.acknowledged,
        on_report=lambda changed, number: [on_change(changed), BackendState.acknowledge(number)],
        **attributes,
    )


def note(error: rx.Var[str] | None, help_text: Words | None, note_id: str | None = None) -> rx.Component:
    """The error of a field as an alert, or else its help."""
    help_shown = rx.el.p(help_text, id=note_id, class_name="field-help") if help_text is not None else rx.fragment()
    if error is None:
        return help_shown
    return rx.cond(error != "", rx.el.p(error, id=note_id, role="alert", class_name="field-error"), help_shown)


def field(
    label: Words,
    name: str,
    control: rx.Component,
    *,
    error: rx.Var[str] | None = None,
    help_text: Words | None = None,
    badge: rx.Component | None = None,
) -> rx.Component:
    """The field around `control`, which has `name` as its id; a badge stands beside the label."""
    head = rx.el.label(label, html_for=name, class_name="field-label")
    return rx.el.div(
        head if badge is None else rx.el.div(head, badge, class_name="option-head"),
        control,
        note(error, help_text, f"{name}-note"),
        class_name="field",
    )


def text_field(
    label: str | rx.Var[str],
    name: str,
    value: rx.Var[str],
    on_change: Callable[[rx.Var[str]], EventSpec],
    *,
    error: rx.Var[str] | None = None,
    help_text: str | rx.Var[str] | None = None,
    control: Literal["input", "textarea"] = "input",
    **attributes: Any,
) -> rx.Component:
    """A field in which one types; `attributes` are the control's own."""
    if error is not None:
        attributes["aria_invalid"] = error != ""
    if error is not None or help_text is not None:
        attributes["aria_describedby"] = f"{name}-note"
    typed = own_value(
        control,
        value,
        on_change,
        id=name,
        name=name,
        class_name="input",
        **VERBATIM,
        **attributes,
    )
    return field(label, name, typed, error=error, help_text=help_text)
