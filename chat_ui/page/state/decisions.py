"""A person's decisions on the requests of an agent: from the page, and in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec

from chat_ui.conversations.records.records import AnswerHead, Status
from chat_ui.languages.translation import gettext, translated
from chat_ui.protocol.answers.pause import Decision, Verdict
from chat_ui.protocol.events import Pause
from chat_ui.protocol.translatable import Translatable, msg
from chat_ui.protocol.transport.connection_errors import NOBODY_THERE
from chat_ui.rendering.citations.source_names import clean_label

LAPSED: Final = msg("This request has lapsed. Ask again.")
NOT_RECEIVED: Final = msg("The backend did not receive your decision.")
NOT_KNOWN: Final = msg(
    "It is not known whether the backend carried out your decision. The page does not send it again by itself."
)
_LAPSED_CODES: Final = frozenset(
    {"APPROVAL_RESUME_NOT_FOUND", "UNKNOWN_INTERRUPT", "UNKNOWN_INTERRUPT_ID", "INTERRUPT_RESUME_ERROR"}
)
_UNKNOWN: Final = re.compile(r"approval request .{0,200}(?:not found|does not exist)", re.IGNORECASE)
_NOT_SENT: Final = (NOBODY_THERE - {"not_http"}) | {"store_unavailable"}
"""Codes without a request: a backend that paused may carry out what it answers in another way than HTTP."""
_REFUSED: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_ENDED_BADLY: Final = frozenset({Status.FAILED, Status.CUT_OFF, Status.INTERRUPTED, Status.STOPPED})
_IN_WORDS: Final[dict[Verdict, Translatable]] = {
    "approved": msg("Approved “{request}”"),
    "denied": msg("Denied “{request}”"),
    "answered": msg("Answered “{request}”"),
    "set_aside": msg("Set aside “{request}”"),
}
_LONGEST_NAME: Final = 60
_MOST_NAMED: Final = 3


class _Given(msgspec.Struct):
    interrupt: str
    verdict: Verdict
    reason: str = ""
    value: Any = None


def read_decisions(text: str) -> list[Decision]:
    """The decisions in a JSON list of objects with the fields of `Decision`.

    Raises:
        ValueError: the text is another.
    """
    return [Decision(**msgspec.structs.asdict(one)) for one in msgspec.json.decode(text, type=list[_Given])]


def in_words(pause: Pause, decisions: Sequence[Decision]) -> str:
    """The decisions on one line: the verdict and the request of each, at most three."""
    names = {one.id: clean_label(one.tool or one.message) or gettext("Request") for one in pause.interrupts}
    words = [
        translated(_IN_WORDS[one.verdict].filled_with(request=names.get(one.interrupt, "")[:_LONGEST_NAME]))
        for one in decisions[:_MOST_NAMED]
    ]
    return " · ".join([*words, "…"] if len(decisions) > _MOST_NAMED else words)


def takes_decision(answer: AnswerHead) -> bool:
    """Whether the agent waits for a person, who can decide: not on a recording, nor on an answer from a file."""
    is_live = not answer.recorded_at and "recording" not in answer.asked_of
    return answer.status is Status.WAITING and is_live and bool(answer.asked_of.get("profile"))


def problem_of(decided: AnswerHead) -> str:
    """Whether the backend received a decision, in words for the person, if its answer ended without a text."""
    error = decided.error
    if decided.status not in _ENDED_BADLY or decided.characters:
        return ""
    if error is not None and (error.code in _NOT_SENT or error.status in _REFUSED):
        return NOT_RECEIVED
    if error is not None and (error.code in _LAPSED_CODES or _UNKNOWN.search(error.message)):
        return LAPSED
    return NOT_KNOWN
