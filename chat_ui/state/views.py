"""What the page is told of a conversation: its structure, never the text of its answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import Final

from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.records import AnswerHead, Status
from chat_ui.rendering.link_labels import OVERRIDES

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
    number: int = 1
    count: int = 1
    can_continue: bool = False
    followups: list[str] = field(default_factory=list)


@dataclass
class TurnView:
    """A question and the answer that is shown for it."""

    id: str = ""
    heading: str = ""
    question: str = ""
    question_is_cut: bool = False
    question_address: str = ""
    images: list[list[str]] = field(default_factory=list)
    """The address and the name of each image that was attached."""
    version: int = 1
    versions: int = 1
    answer: AnswerView = field(default_factory=AnswerView)


def answer_view(turn: Turn, path: str) -> AnswerView:
    """The structure of the answer that is shown for a turn; `path` is where answers are served."""
    head = turn.generation.head
    return AnswerView(
        id=head.id,
        address=f"{path}/{head.id}",
        live=not head.ended,
        error=_error(head),
        notice=_NOTICES.get(head.status, ""),
        sources=head.sources,
        revision=head.revision,
        number=head.number,
        count=len(turn.generations),
        can_continue=head.status in (Status.CUT_OFF, Status.INTERRUPTED),
        # What is pressed is what is asked, letter by letter.
        followups=[question.translate(OVERRIDES) for question in head.followups],
    )


def turn_views(conversation: Conversation, first: int, path: str, images_path: str) -> list[TurnView]:
    """The structure of the turns from the one at `first`, counted from 0, to the last; `images_path` is where attached
    images are served.
    """

    def view(turn: Turn) -> TurnView:
        versions = conversation.versions(turn)
        return TurnView(
            id=turn.id,
            heading=f"Question {turn.place}",
            question=turn.question[:QUESTION_SHOWN],
            question_is_cut=len(turn.question) > QUESTION_SHOWN,
            question_address=f"{path}/{turn.generation.id}/question",
            images=[[f"{images_path}/{image.id}", image.name] for image in turn.images],
            version=next(number for number, one in enumerate(versions, 1) if one is turn),
            versions=len(versions),
            answer=answer_view(turn, path),
        )

    return [view(turn) for turn in conversation.turns[first:]]


_NOTICES: Final = {
    Status.STOPPED: "You stopped this answer.",
    Status.INTERRUPTED: "This answer was interrupted: the server that was writing it stopped. What had come is here.",
    Status.CUT_OFF: "This answer was cut off: the connection to the backend ended before the answer did.",
}


def _error(head: AnswerHead) -> str:
    error = head.error
    if error is None or head.status in (Status.STOPPED, Status.INTERRUPTED):
        return ""
    if error.retry_after:
        seconds = ceil(error.retry_after)
        return f"{error.message} Try again in {seconds} second{'' if seconds == 1 else 's'}."
    return error.message
