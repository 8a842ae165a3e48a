"""The page in a frame of another page."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script
from chat_ui.page.slots import Parts
from chat_ui.page.state.chat import NOT_FOUND, ChatState
from chat_ui.page.state.views import AnswerView
from chat_ui.server.addresses import CONVERSATION


class Embedding(rx.Component):
    """Does what the page around this one wants, and tells it the address of the `conversation` (`under`/ID, once that
    has `begun` and is `written`; none where it is `gone`), and the end of each `answer` that was live here.
    """

    library = script("features/embedding/page/embedding.js")
    tag = "Embedding"

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
