"""The bar on top of the page."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.branding import BrandingPart
from chat_ui.components.commands import Command
from chat_ui.components.conversations import conversations_button
from chat_ui.components.header import BackendSwitcher, MoreMenu
from chat_ui.components.languages import t
from chat_ui.components.settings.backend_dialog import ADDING, EDITING, backend_button
from chat_ui.components.shared import icon_button
from chat_ui.state.arms.second_arm import NEW_CHAT, SecondArmState
from chat_ui.state.backend_choice import BackendState
from chat_ui.state.backend_dialog import BackendDialog
from chat_ui.state.chat import ChatState
from chat_ui.state.connection import ConnectionState
from chat_ui.state.removal import RemovalState


def _switcher() -> rx.Component:
    return BackendSwitcher.create(
        label=BackendState.label,
        selected=BackendState.selected,
        offered=BackendState.offered,
        outcomes=BackendState.last_outcomes,
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
            BrandingPart.create(part="brand", own=BackendState.own_branding["brand"]),
            _switcher(),
            class_name="title",
        ),
        rx.el.div(
            icon_button(
                t("New chat"),
                "square-pen",
                rx.el.span(t("New chat"), class_name="tool-label"),
                on_click=NEW_CHAT,
            ),
            Command.create(name="new-chat", on_run=NEW_CHAT),
            backend_button(),
            MoreMenu.create(
                on_settings=EDITING,
                on_compare=SecondArmState.compare,
                comparing=SecondArmState.comparing,
            ),
            class_name="header-tools",
        ),
        class_name="header",
    )
