"""The list of conversations beside the open one, and the button that opens it."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.commands import Command
from chat_ui.components.conversations import ConversationList
from chat_ui.components.languages import t
from chat_ui.components.shared.icon_button import icon_button
from chat_ui.server.addresses import CONVERSATION, CONVERSATIONS, FEEDBACK
from chat_ui.state.chat import ChatState
from chat_ui.state.list_panel import ListState


def conversations_button() -> rx.Component:
    return rx.fragment(
        icon_button(
            t("Conversations"),
            "panel-left",
            class_name="tool conversations-button",
            aria_expanded=ListState.is_open,
            on_click=ListState.toggle,
        ),
        Command.create(name="conversations", on_run=ListState.toggle),
    )


def conversation_list() -> rx.Component:
    return rx.cond(
        ListState.is_open,
        ConversationList.create(
            rx.el.div(
                rx.el.h2(t("Conversations")),
                icon_button(t("Close conversations"), "x", title=t("Close"), on_click=ListState.close),
                class_name="panel-head",
            ),
            address=f"{CONVERSATIONS}/",
            feedback=f"{FEEDBACK}/mine",
            pages=CONVERSATION,
            revision=ChatState.list_revision,
            current=ChatState.conversation_id,
            on_close=ListState.close,
            on_gone=ListState.gone,
        ),
    )
