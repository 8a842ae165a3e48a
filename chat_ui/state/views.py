"""What the page is told of a conversation: its structure, never the text of its answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import Final

from chat_ui.conversations.conversation import Turn
from chat_ui.conversations.generation import Generation, Status

QUESTION_SHOWN: Final = 2000
"""Characters of a question that travel with the structure; a longer one is fetched when it is unfolded."""


@dataclass
class AnswerView:
    """One answer, as the page needs to know it."""

    id: str = ""
    address: str = ""
    live: bool = False
    error: str = ""
    notice: str = ""
    sources: int = 0
    revision: int = 0
    followups: list[str] = field(default_factory=list)


@dataclass
class TurnView:
    """A question and the answer that is shown for it."""

    id: str = ""
    heading: str = ""
    question: str = ""
    question_is_cut: bool = False
    question_address: str = ""
    answer: AnswerView = field(default_factory=AnswerView)


def answer_view(generation: Generation, path: str) -> AnswerView:
    """The structure of one generation; `path` is where answers are served."""
    answer = generation.answer
    return AnswerView(
        id=generation.id,
        address=f"{path}/{generation.id}",
        live=not generation.ended,
        error=_error(generation),
        notice=_NOTICES.get(generation.status, ""),
        sources=len(answer.data_points),
        revision=generation.context_revision,
        followups=list(answer.followup_questions) if generation.ended else [],
    )


def turn_view(number: int, turn: Turn, path: str) -> TurnView:
    """The structure of the turn with that number, from 1; `path` is where answers are served."""
    return TurnView(
        id=turn.id,
        heading=f"Question {number}",
        question=turn.question[:QUESTION_SHOWN],
        question_is_cut=len(turn.question) > QUESTION_SHOWN,
        question_address=f"{path}/{turn.generation.id}/question",
        answer=answer_view(turn.generation, path),
    )


_NOTICES: Final = {
    Status.STOPPED: "You stopped this answer.",
    Status.CUT_OFF: "This answer was cut off: the connection to the backend ended before the answer did.",
}


def _error(generation: Generation) -> str:
    error = generation.answer.error
    if error is None or generation.status is Status.STOPPED:
        return ""
    if error.retry_after:
        seconds = ceil(error.retry_after)
        return f"{error.message} Try again in {seconds} second{'' if seconds == 1 else 's'}."
    return error.message
