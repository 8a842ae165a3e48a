"""The commands of the page, which the palette lists and keys call."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script


class Command(rx.Component):
    """Makes an act of the page one of its commands under `name`, for as long as this is on the page.

    With a `label` the palette lists it, and finds it by that and the words in `hints`.
    """

    library = script("page/commands/commands.js")
    tag = "Command"

    name: rx.Var[str]
    label: rx.Var[str]
    hints: rx.Var[str]
    on_run: rx.EventHandler[rx.event.no_args_event_spec]
