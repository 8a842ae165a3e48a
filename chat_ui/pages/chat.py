"""The chat page."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.backend_dialog import backend_dialog
from chat_ui.components.composer import composer
from chat_ui.components.empty import empty
from chat_ui.components.header import header
from chat_ui.components.panels import sources, thoughts
from chat_ui.components.scripts import Announcer, CitationCards, Thread
from chat_ui.components.turn import turn
from chat_ui.state.chat import ChatState


def chat() -> rx.Component:
    """Header, conversation, composer, and the panels beside them."""
    return rx.el.div(
        header(),
        rx.el.div(
            rx.el.main(
                Thread.create(
                    rx.cond(ChatState.turns.length() > 0, rx.foreach(ChatState.turns, turn), empty()),
                    latest=ChatState.latest.id,
                ),
                composer(),
                class_name="main",
            ),
            sources(),
            class_name="columns",
        ),
        thoughts(),
        backend_dialog(),
        CitationCards.create(),
        Announcer.create(),
        class_name="page",
    )
