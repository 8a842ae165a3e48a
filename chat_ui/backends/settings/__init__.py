"""The fields of the dialog of backends: a label, a control, and below it the error or else the help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

import reflex as rx
from reflex.event import EventSpec

from chat_ui.backends.personal_choices import LONGEST_STORED
from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.backends.state.backend_dialog import KEY_FIELD, BackendDialog, Switch, TextField
from chat_ui.page.languages import t
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.shared import button


class OwnValue(Scripted):
    """A `control` of a form ("input", "textarea", "select" or "switch"). It shows the person's change until the server
    has `acknowledged` the number of that change, then the server's `value`. `on_report` gets both of a change.
    """

    library = script("backends/settings/own_value.jsx")

    control: rx.Var[str]
    value: rx.Var[Any]
    acknowledged: rx.Var[int]
    name: rx.Var[str]
    placeholder: rx.Var[str]
    rows: rx.Var[int]
    max_length: rx.Var[int]
    input_mode: rx.Var[str]
    auto_complete: rx.Var[str]
    auto_capitalize: rx.Var[str]
    auto_correct: rx.Var[str]
    spell_check: rx.Var[bool]
    on_report: rx.EventHandler[rx.event.passthrough_event_spec(Any, int)]


class RestoredDialog(Scripted):
    """The root of a dialog that its state has opened `openings` times. It outlasts a restart of the server:
    `on_restore` gets its `fields`, as `BackendDialog.restore` takes them.
    """

    library = script("backends/settings/restored_dialog.jsx")

    open: rx.Var[bool]
    openings: rx.Var[int]
    fields: rx.Var[dict[str, Any]]
    on_open_change: rx.EventHandler[rx.event.passthrough_event_spec(bool)]
    on_restore: rx.EventHandler[
        rx.event.passthrough_event_spec(str, bool, dict[str, str], dict[str, bool], dict[str, str])
    ]


class FormTabs(Scripted):
    """Tabs of a form, at first `first`. More `faults` show the tab `fault`, and focus its first wrong field."""

    library = script("backends/settings/tabs.jsx")

    first: rx.Var[str]
    fault: rx.Var[str]
    faults: rx.Var[int]


Words: TypeAlias = str | rx.Var[str] | rx.Component
VERBATIM: Final[dict[str, Any]] = {
    "auto_complete": "off",
    "auto_capitalize": "none",
    "auto_correct": "off",
    "spell_check": False,
}
"""Attributes of a field whose text is not words, against changes by a phone."""


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
    """A control that keeps its values while `on_change` is on its way to the server; `attributes` are the control's."""
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
    """The field around `control`, which has `name` as its id; a badge is beside the label."""
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
    """A text field; `attributes` are the control's own."""
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


TYPED_KEY: Final[rx.Var[str]] = rx.Var(f"(document.getElementById('{KEY_FIELD}')?.value ?? '')", _var_type=str)


def key_field() -> rx.Component:
    """The field for a key. Its text is sent to the server with Save or Test connection, and never sent back."""
    return rx.cond(
        BackendDialog.takes_key,
        rx.el.fieldset(
            rx.el.legend(t("Key"), class_name="field-label"),
            rx.el.div(
                own_value(
                    "select",
                    BackendDialog.key_scheme,
                    changing("key_scheme"),
                    rx.el.option(t("Bearer token"), value="bearer"),
                    rx.el.option(t("api-key header"), value="api-key"),
                    rx.el.option(t("Another header"), value="header"),
                    aria_label=t("Authentication"),
                    class_name="input",
                ),
                rx.cond(
                    BackendDialog.key_scheme == "header",
                    own_value(
                        "input",
                        BackendDialog.key_header,
                        changing("key_header"),
                        placeholder="X-Api-Key",
                        aria_label=t("Name of the header"),
                        class_name="input",
                        **VERBATIM,
                    ),
                ),
                rx.el.input(
                    id=KEY_FIELD,
                    name=KEY_FIELD,
                    type="password",
                    auto_complete="new-password",
                    placeholder=rx.cond(
                        BackendDialog.key_is_set, t("A key is saved. Type to replace it."), t("Not set")
                    ),
                    aria_label=t("Key"),
                    aria_invalid=BackendDialog.key_error != "",
                    class_name="input",
                ),
                rx.cond(
                    BackendDialog.key_is_set,
                    button(t("Remove key"), on_click=BackendDialog.remove_key),
                ),
                class_name="key-fields",
            ),
            note(
                BackendDialog.key_error,
                t("Stored encrypted on the server, sent only to this address, and deleted if the address changes."),
            ),
            class_name="field",
        ),
    )
