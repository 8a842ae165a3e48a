"""The one vocabulary that every dialect is translated to.

A backend's bytes become JSON values (`framing`), the values become these events (`dialects`), the events fold
into an `Answer` (`answer`). Events are facts about what arrived; they carry no text meant for a person except
in `ErrorInfo`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, datetime
from typing import Final, TypeAlias

import msgspec

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]
PREVIOUS_RESPONSE: Final = "previous_response_id"
CONVERSATION: Final = "conversation"
THREAD: Final = "threadId"
STATES_OF_FORMS: Final = frozenset({PREVIOUS_RESPONSE, CONVERSATION, THREAD})
"""The keys of session states that go back in questions of their own form alone."""
REFUSED: Final = "refusal"
"""The code of the warning that the words of an answer are a refusal."""
CUT_OFF: Final = "cut_off"
"""The code of the cut of an answer whose body did not end properly."""
NO_END: Final = "no_end"
"""The code of the cut of an answer whose body ended properly, but without the mark that ends a stream."""
FINISH_LENGTH: Final = "finish_length"
"""The code of the warning that the model reached its limit of length."""
FINISH_REASON: Final = "finish_reason"
"""The code of the cut of an answer, or of the warning about it, whose finish reason is none of a whole answer."""
MAYBE_SHORT: Final = (FINISH_REASON, FINISH_LENGTH)
"""Codes of the warnings that an answer may not be whole."""


NO_ANSWER: Final = frozenset({"no_synthesis", "nothing_found"})
"""Codes of errors that say nothing against a backend: it did what it is there for, and that holds no answer."""


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An error, in words a person can act on.

    `message` is never empty and holds neither a stack trace nor a secret. `code` is the backend's own code or
    one of ours (`content_filter`, `empty_answer`, `html_page`, `unreachable`, `timeout`, `too_large`, …).
    `status` is the HTTP status where there was one, `retry_after` the seconds to wait where the backend named
    them, `fingerprint` that of the server's certificate where that is not trusted.
    """

    message: str
    code: str | None = None
    status: int | None = None
    retry_after: float | None = None
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Warning:  # noqa: A001 - the field's word, and the builtin is not used in this package
    """Something that was skipped or mended: a stable `code` and a `detail` that says what and where."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class DialectDetected:
    """The dialect of the values that follow, as recognised from what arrived."""

    name: str


@dataclass(frozen=True, slots=True)
class ObjectReceived:
    """An object came before any text did: `name` is its `type` or `object`, or else the names of its keys."""

    name: str


class TextDelta(msgspec.Struct, frozen=True):
    """Text to append. Nearly every piece makes one, and a struct is made four times as fast as a dataclass."""

    text: str


@dataclass(frozen=True, slots=True)
class TextRevised:
    """The whole text once more, in place of all that came, before what follows: what came was thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation of the source `label`: in place of the mark from `start` to `end`, or where both are one, after the
    word there. They count the characters of the text that came, from the last `TextRevised` on.
    """

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """Thinking of a reasoning model; not part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ContextReceived:
    """One context object, already unwrapped (`context.context`), to be merged key by key; `is_clean` where credentials
    that were sent, and what `clean_json` takes out, are gone from it.

    The values of `annotations`, `sources` and `steps` add up. Sources are data points by their ids, steps are thoughts
    by names of their own: a later one replaces an earlier one of the same name.
    """

    context: JsonObject
    is_clean: bool = False


@dataclass(frozen=True, slots=True)
class SessionState:
    """Opaque state to send back unchanged under the `key` that it came with, such as `session_state`."""

    key: str
    value: Json


@dataclass(frozen=True, slots=True)
class UsageReceived:
    """Token counts, as the backend names them."""

    usage: JsonObject


@dataclass(frozen=True, slots=True)
class Recorded:
    """The answer comes from a recording made `at` that time (ISO 8601 with offset). May come twice, at the head."""

    at: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The backend, or the way to it, reported an error. More events may follow."""

    error: ErrorInfo


@dataclass(frozen=True, slots=True)
class CutOff:
    """The answer stopped before its end: the `reason` in words, and the `code` of the warning that it becomes."""

    reason: str
    code: str = CUT_OFF


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds since the request was sent; None where it did not come to that. The last event of a stream."""

    first_byte: float | None = None
    first_text: float | None = None
    total: float | None = None
    context: float | None = None


Event: TypeAlias = (
    Warning
    | DialectDetected
    | ObjectReceived
    | TextDelta
    | TextRevised
    | Cited
    | ReasoningDelta
    | ContextReceived
    | SessionState
    | UsageReceived
    | Recorded
    | Failed
    | CutOff
    | Timing
)


RECORDED_HEADER: Final = "Chat-UI-Recorded"
"""Holds the date and the time in ISO 8601, with an offset."""
RECORDED_EXTENSION: Final = "recorded"
"""The extension of a request, as of httpx2, that a replay calls with that date once it has found what answers."""
_LONGEST: Final = 40


def recorded_date(value: str) -> str | None:
    """The time in a `Chat-UI-Recorded`, as ISO 8601 with an offset; None where it is none in every time zone."""
    try:
        moment = datetime.fromisoformat(value) if len(value) <= _LONGEST else None
    except ValueError:
        return None
    if moment is None or moment.tzinfo is None or moment.year in {MINYEAR, MAXYEAR}:
        return None
    return moment.isoformat()
