from __future__ import annotations

import reflex as rx

from chat_ui.page.commands import Command
from chat_ui.page.languages import t
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.shared import icon_button
from chat_ui.page.state.chat import ChatState
from chat_ui.page.state.list_panel import ListState
from chat_ui.server.addresses import CONVERSATION, CONVERSATIONS, FEEDBACK


class ConversationList(Scripted):
    """The navigation Conversations; it is loaded again whenever `revision` changes.

    The list is at `address`, the page of a conversation at `pages`/ID, and the person's feedback at `feedback`.
    `current` is the id of the open conversation; `on_gone` gets the id of a deleted one.
    """

    library = script("page/conversations/conversation_list.jsx")

    address: rx.Var[str]
    feedback: rx.Var[str]
    pages: rx.Var[str]
    revision: rx.Var[int]
    current: rx.Var[str]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_gone: rx.EventHandler[rx.event.passthrough_event_spec(str)]


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
