from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import Scripted, script
from chat_ui.page.slots import Parts, answered_conversation
from chat_ui.page.state.chat import ChatState
from chat_ui.server.addresses import SHARED


class Sharing(Scripted):
    """The commands that share a conversation, or the open one with this `title`, and list the links, which are at the
    address `links`. Once on a page.
    """

    library = script("features/sharing/page/sharing.jsx")

    links: rx.Var[str]
    conversation: rx.Var[str]
    title: rx.Var[str]


def _page() -> tuple[rx.Component, ...]:
    return (Sharing.create(links=f"{SHARED}/", conversation=answered_conversation(), title=ChatState.title),)


PARTS = Parts(page=_page)
