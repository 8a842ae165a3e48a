"""A person's decisions on the requests of an agent: from the page, and in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from chat_ui.conversations.records.records import AnswerHead, Status
from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.pause import Decision, Verdict
from chat_ui.protocol.events import Pause
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.connection_errors import NOBODY_THERE
from chat_ui.rendering.citations.source_names import clean_label

MOST: Final = 256 * 1024
"""Characters of decisions."""
LAPSED: Final = msg("This request has lapsed. Ask again.")
NOT_RECEIVED: Final = msg("The backend did not receive your decision.")
NOT_KNOWN: Final = msg(
    "It is not known whether the backend carried out your decision. The page does not send it again by itself."
)
_LAPSED_CODES: Final = frozenset(
    {"APPROVAL_RESUME_NOT_FOUND", "UNKNOWN_INTERRUPT", "UNKNOWN_INTERRUPT_ID", "INTERRUPT_RESUME_ERROR"}
)
_UNKNOWN: Final = re.compile(r"approval request .{0,200}(?:not found|does not exist)", re.IGNORECASE)
_NOT_SENT: Final = NOBODY_THERE | {"store_unavailable"}
_ENDED_BADLY: Final = frozenset({Status.FAILED, Status.CUT_OFF, Status.INTERRUPTED, Status.STOPPED})
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
    if len(text) > MOST:
        raise ValueError("too long")
    return [Decision(**msgspec.structs.asdict(one)) for one in msgspec.json.decode(text, type=list[_Given])]


def in_words(pause: Pause, decisions: Sequence[Decision]) -> str:
    """The decisions on one line: the verdict and the request of each, at most three."""
    names = {one.id: clean_label(one.tool or one.message) or gettext("Request") for one in pause.interrupts}
    words = [_in_words(one.verdict, names.get(one.interrupt, "")[:_LONGEST_NAME]) for one in decisions[:_MOST_NAMED]]
    return " · ".join([*words, *("…" for _ in decisions[_MOST_NAMED : _MOST_NAMED + 1])])


def _in_words(verdict: Verdict, request: str) -> str:
    match verdict:
        case "approved":
            return gettext("Approved “{request}”", request=request)
        case "denied":
            return gettext("Denied “{request}”", request=request)
        case "answered":
            return gettext("Answered “{request}”", request=request)
    return gettext("Set aside “{request}”", request=request)


def problem_of(decided: AnswerHead) -> str:
    """Whether the backend received a decision, in words for the person, if its answer ended without a text."""
    error = decided.error
    if decided.status not in _ENDED_BADLY or decided.characters:
        return ""
    if error is not None and error.code in _NOT_SENT:
        return NOT_RECEIVED
    if error is not None and (error.code in _LAPSED_CODES or _UNKNOWN.search(error.message)):
        return LAPSED
    return NOT_KNOWN
