"""The page in a frame of another page."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import Scripted, script
from chat_ui.page.slots import Parts
from chat_ui.page.state.chat import NOT_FOUND, ChatState
from chat_ui.page.state.views import AnswerView
from chat_ui.server.addresses import CONVERSATION


class Embedding(Scripted):
    """Follows messages of the embedding page, and sends it the conversation's address and the end of each live
    `answer`. The address is `under`/ID once the `conversation` has `begun` and is `written`, or empty if `gone`.
    """

    library = script("features/embedding/page/embedding.js")

    conversation: rx.Var[str]
    gone: rx.Var[bool]
    begun: rx.Var[bool]
    written: rx.Var[bool]
    under: rx.Var[str]
    answer: rx.Var[AnswerView]


def _page() -> tuple[rx.Component, ...]:
    return (
        Embedding.create(
            conversation=rx.cond(ChatState.missing == "", ChatState.conversation_id, ""),
            gone=ChatState.missing == NOT_FOUND,
            begun=ChatState.turns.length() > 0,
            written=ChatState.written,
            under=CONVERSATION,
            answer=ChatState.latest,
        ),
    )


PARTS = Parts(page=_page)
