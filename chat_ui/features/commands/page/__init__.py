"""The command palette, and the shortcuts."""

from __future__ import annotations

import reflex as rx

from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.slots import Parts
from chat_ui.page.state.chat import ChatState
from chat_ui.server.addresses import CONVERSATION, CONVERSATIONS


class CommandKeys(Scripted):
    """The page's shortcuts, with the dialog Search and commands and the list Keyboard shortcuts; once on a page.

    The dialog finds commands, conversations at the list's `address`, with pages at `pages`/ID, and `offered` backends,
    pairs of id and name, except the `selected` one. The open `conversation` is not listed. Dialogs load when first
    opened.
    """

    library = script("features/commands/page/command_keys.jsx")
    lib_dependencies: list[str] = ["match-sorter@8.3.0"]  # noqa: RUF012 - Reflex's own way to name them

    address: rx.Var[str]
    pages: rx.Var[str]
    conversation: rx.Var[str]
    offered: rx.Var[list[list[str]]]
    selected: rx.Var[str]


def _page() -> tuple[rx.Component, ...]:
    return (
        CommandKeys.create(
            address=f"{CONVERSATIONS}/",
            pages=CONVERSATION,
            conversation=rx.cond((ChatState.turns.length() > 0) & ChatState.written, ChatState.conversation_id, ""),
            offered=BackendState.offered,
            selected=BackendState.selected,
        ),
    )


PARTS = Parts(page=_page)
