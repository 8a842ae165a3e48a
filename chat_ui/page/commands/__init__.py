"""The commands of the page, for the palette and shortcuts."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import Scripted, script


class Command(Scripted):
    """Registers a command under `name` while mounted. With a `label` the palette lists it, and finds it by the label
    and `hints`. With an `entry` the menu More lists it, at its `place`; see `commands.js`.
    """

    library = script("page/commands/commands.js")

    name: rx.Var[str]
    label: rx.Var[str]
    hints: rx.Var[str]
    entry: rx.Var[str]
    place: rx.Var[int]
    on_run: rx.EventHandler[rx.event.no_args_event_spec]
