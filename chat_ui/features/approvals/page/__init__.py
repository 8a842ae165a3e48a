"""The card of an agent's request below its answer, and the line of a decision."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import Scripted, script
from chat_ui.page.slots import Parts
from chat_ui.page.state.chat import ChatEvents
from chat_ui.page.state.views import AnswerView, TurnView


class Request(Scripted):
    """The request of the `answer`, if it waits. `on_decide` gets the id of the answer and a JSON list of decisions. The
    card takes a decision again after each change of `attempt`.
    """

    library = script("features/approvals/page/request.jsx")

    answer: rx.Var[AnswerView]
    attempt: rx.Var[str]
    on_decide: rx.EventHandler[rx.event.passthrough_event_spec(str, str)]


class DecisionLine(Scripted):
    """The decision of a `turn`, on one line."""

    library = script("features/approvals/page/request.jsx")

    turn: rx.Var[TurnView]


def _request(column: type[ChatEvents], answer: rx.Var[AnswerView]) -> rx.Component:
    return Request.create(answer=answer, attempt=column.returned_as, on_decide=column.decide, key=answer.id)


PARTS = Parts(in_answer=_request, decision=lambda turn: DecisionLine.create(turn=turn))
