"""The dialog of backends, and the fields of forms."""

from __future__ import annotations

from typing import Any

import reflex as rx

from chat_ui.components import script


class OwnValue(rx.Component):
    """A `control` of a form ("input", "textarea", "select" or "switch"): it shows the person's change until the server
    has `acknowledged` the number of that change, then the server's `value`. `on_report` gets both of a change.
    """

    library = script("settings/own_value.jsx")
    tag = "OwnValue"

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


class KeptDialog(rx.Component):
    """The root of a dialog that its state has opened `openings` times. It outlasts a server that is started again:
    `on_restore` gets its `fields`, as `BackendDialog.restore` takes them.
    """

    library = script("settings/kept_dialog.jsx")
    tag = "KeptDialog"

    open: rx.Var[bool]
    openings: rx.Var[int]
    fields: rx.Var[dict[str, Any]]
    on_open_change: rx.EventHandler[rx.event.passthrough_event_spec(bool)]
    on_restore: rx.EventHandler[
        rx.event.passthrough_event_spec(str, bool, dict[str, str], dict[str, bool], dict[str, str])
    ]


class FormTabs(rx.Component):
    """Tabs of a form, of which `first` is shown at first. When `faults` has grown, the tab `fault` is shown, and its
    first wrong field has the focus.
    """

    library = script("settings/tabs.jsx")
    tag = "FormTabs"

    first: rx.Var[str]
    fault: rx.Var[str]
    faults: rx.Var[int]
