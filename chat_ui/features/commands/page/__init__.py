"""The palette, which finds commands of the page by typing, and the keys that call them."""

from __future__ import annotations

import reflex as rx

from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.page.scripts import script
from chat_ui.page.slots import Parts
from chat_ui.page.state.chat import ChatState
from chat_ui.server.addresses import CONVERSATION, CONVERSATIONS


class CommandKeys(rx.Component):
    """The page's shortcuts, with the dialog Search and commands and the list Keyboard shortcuts; once on a page.

    The dialog finds conversations at the `address` of the list, whose pages are at `pages`/ID, backends among those
    `offered`, pairs of id and name, but for the `selected` one, and commands; some of these are for the open
    `conversation` of this `title`. Dialogs load when they are first opened.
    """

    library = script("features/commands/page/command_keys.jsx")
    lib_dependencies: list[str] = ["match-sorter@8.3.0"]  # noqa: RUF012 - Reflex's own way to name them
    tag = "CommandKeys"

    address: rx.Var[str]
    pages: rx.Var[str]
    conversation: rx.Var[str]
    title: rx.Var[str]
    offered: rx.Var[list[list[str]]]
    selected: rx.Var[str]


def _page() -> tuple[rx.Component, ...]:
    return (
        CommandKeys.create(
            address=f"{CONVERSATIONS}/",
            pages=CONVERSATION,
            conversation=rx.cond((ChatState.turns.length() > 0) & ChatState.written, ChatState.conversation_id, ""),
            title=ChatState.title,
            offered=BackendState.offered,
            selected=BackendState.selected,
        ),
    )


PARTS = Parts(page=_page)
