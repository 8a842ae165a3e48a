from __future__ import annotations

from typing import Any

import reflex as rx

from chat_ui.backends.settings.backend_dialog import ADDING, EDITING, backend_button
from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.backends.state.backend_dialog import BackendDialog
from chat_ui.backends.state.connection import ConnectionState
from chat_ui.backends.state.removal import RemovalState
from chat_ui.page.commands import Command
from chat_ui.page.conversations import conversations_button
from chat_ui.page.languages import t
from chat_ui.page.painted import PaintedPart
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.shared import Provided, icon_button
from chat_ui.page.slots import new_chat
from chat_ui.page.state.chat import ChatState
from chat_ui.page.state.list_panel import ListState


class BackendSwitcher(Scripted):
    """The current backend, with a menu of all `offered` ones, pairs of id and name.

    Each has its last outcome in `outcomes`, or a recording's text in `recordings`. `on_report` gets the id of the
    selected one and the number of the change, like `OwnValue`. `on_edit` and `on_remove` get the id of a backend.
    """

    library = script("backends/switcher/backend_switcher.jsx")

    label: rx.Var[str]
    selected: rx.Var[str]
    offered: rx.Var[list[list[str]]]
    outcomes: rx.Var[dict[str, dict[str, Any]]]
    recordings: rx.Var[dict[str, str]]
    acknowledged: rx.Var[int]
    is_hydrated: rx.Var[bool]
    on_report: rx.EventHandler[rx.event.passthrough_event_spec(str, int)]
    on_add: rx.EventHandler[rx.event.no_args_event_spec]
    on_edit: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_remove: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class ConversationTools(Scripted):
    """Buttons for the actions on the conversation that features offer."""

    library = script("page/header/more_menu.jsx")


class MoreMenu(Scripted):
    """The button More with a menu of rare actions."""

    library = script("page/header/more_menu.jsx")

    on_settings: rx.EventHandler[rx.event.no_args_event_spec]


def _switcher() -> rx.Component:
    return BackendSwitcher.create(
        label=BackendState.label,
        selected=BackendState.selected,
        offered=BackendState.offered,
        # The dialog shows the outcome of a test, perhaps of another address.
        outcomes=rx.cond(BackendDialog.is_open, {}, BackendState.last_outcomes),
        recordings=BackendState.recordings,
        acknowledged=BackendState.acknowledged,
        is_hydrated=ChatState.is_hydrated,
        on_report=lambda chosen, number: [BackendState.select(chosen), BackendState.acknowledge(number)],
        on_add=ADDING,
        on_edit=lambda chosen: [ConnectionState.forget, BackendDialog.open_dialog(chosen)],
        on_remove=RemovalState.remove,
    )


def header() -> rx.Component:
    return rx.el.header(
        rx.el.div(
            conversations_button(),
            PaintedPart.create(part="brand", own=BackendState.own_parts["brand"]),
            _switcher(),
            class_name="title",
        ),
        rx.el.div(
            # The others stay in their places when it comes.
            Provided.create(name="account"),
            ConversationTools.create(),
            icon_button(
                t("New chat"),
                "square-pen",
                rx.el.span(t("New chat"), class_name="tool-label"),
                on_click=new_chat(),
                class_name="tool new-chat",
            ),
            Command.create(name="new-chat", on_run=new_chat()),
            backend_button(),
            MoreMenu.create(on_settings=EDITING),
            class_name="header-tools",
        ),
        class_name=rx.cond(ListState.is_open, "header list-open", "header"),
    )
