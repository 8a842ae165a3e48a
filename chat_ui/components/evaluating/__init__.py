"""Evaluating the backend of the dialog: sets of questions, how far each is answered, and its report."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script
from chat_ui.state.judging.evaluating import RunView


class Evaluating(rx.Component):
    """The button that opens the dialog Evaluate, where people may.

    The dialog is `about` the backend at that address, shows the `runs` and the newest `problem`, says how many
    questions a minute are asked at most (`share`), and offers the questions of the open conversation where that
    `has_questions`; while it `is_taking` them, it says so. A file is sent to `address`, where reports are too;
    `on_taken` follows. `on_open` gets whether the dialog is open, `on_begin` the id of a run and whether it is to be
    asked anew, `on_remove` an id.
    """

    library = script("evaluating/evaluating.jsx")
    tag = "Evaluating"

    about: rx.Var[str]
    runs: rx.Var[list[RunView]]
    share: rx.Var[int]
    problem: rx.Var[str]
    is_taking: rx.Var[bool]
    has_questions: rx.Var[bool]
    address: rx.Var[str]
    on_open: rx.EventHandler[rx.event.passthrough_event_spec(bool)]
    on_taken: rx.EventHandler[rx.event.no_args_event_spec]
    on_conversation: rx.EventHandler[rx.event.no_args_event_spec]
    on_begin: rx.EventHandler[rx.event.passthrough_event_spec(str, bool)]
    on_stop: rx.EventHandler[rx.event.no_args_event_spec]
    on_remove: rx.EventHandler[rx.event.passthrough_event_spec(str)]
