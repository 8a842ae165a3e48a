from __future__ import annotations

import reflex as rx

from chat_ui.backends.state.removal import RemovalState
from chat_ui.page.languages import rich, t
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.shared import button
from chat_ui.page.state.chat import ChatState
from chat_ui.server.addresses import CONVERSATIONS


class ConnectionStatus(Scripted):
    """A notice about a lost connection, an unknown browser, or a page of another version. The server refuses
    `needs_person` only to browsers without a cookie. The page is `ready` once it has its state from the server.
    """

    library = script("page/connection/connection_status.jsx")

    needs_person: rx.Var[str]
    ready: rx.Var[bool]


def notices() -> rx.Component:
    """A warning about a lost connection, unsaved or unsynchronized conversations, or a deleted one, and a way back to a
    removed backend.
    """
    return rx.el.div(
        ConnectionStatus.create(needs_person=f"{CONVERSATIONS}/", ready=ChatState.is_hydrated),
        rx.cond(
            ChatState.unsaved,
            _notice(ChatState.unsaved),
        ),
        rx.cond(
            ChatState.apart,
            _notice(
                t(
                    "The servers of this page cannot reach each other at the moment. Other tabs and "
                    "devices may show changes, and stop answers, a little later."
                )
            ),
        ),
        rx.cond(
            ChatState.is_gone,
            _notice(
                t(
                    "The conversation was deleted, or its server stopped before it was saved. Your "
                    "next question starts a new one."
                )
            ),
        ),
        rx.cond(
            RemovalState.removed != "",
            rx.el.p(
                rx.icon("trash-2", size=18, aria_hidden="true"),
                rx.el.span(rich("Removed “{name}”.", name=rx.el.bdi(RemovalState.removed))),
                button(t("Undo"), on_click=RemovalState.undo),
                class_name="callout",
            ),
        ),
        rx.cond(RemovalState.removal_problem != "", _notice(RemovalState.removal_problem)),
        role="status",
        class_name="notices",
    )


def _notice(words: rx.Var[str] | str) -> rx.Component:
    return rx.el.p(rx.icon("triangle-alert", size=18, aria_hidden="true"), words, class_name="callout")
