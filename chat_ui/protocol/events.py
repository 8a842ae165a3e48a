"""The vocabulary into which every dialect is translated.

A backend's bytes become JSON values (`framing`), the values become these events (`dialects`), the events fold into an
`Answer` (`answer`). Events are facts about the response; only `ErrorInfo` has text for a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, datetime
from typing import Any, Final, Literal, TypeAlias

import msgspec

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]
PREVIOUS_RESPONSE: Final = "previous_response_id"
CONVERSATION: Final = "conversation"
THREAD: Final = "threadId"
A2A_CONTEXT: Final = "contextId"
CHECKPOINT: Final = "checkpoint_id"
"""The key of the state in a thread of LangGraph that a question continues from."""
STATES_OF_FORMS: Final = frozenset({PREVIOUS_RESPONSE, CONVERSATION, THREAD, A2A_CONTEXT})
"""The keys of session states that are sent back only in questions of their own form."""
REFUSED: Final = "refusal"
"""The code of the warning that the words of an answer are a refusal."""
CUT_OFF: Final = "cut_off"
"""The code of the cut of an answer whose body did not end properly."""
NO_END: Final = "no_end"
"""The code of the cut of an answer whose body ended properly, but without the mark that ends a stream."""
FINISH_LENGTH: Final = "finish_length"
"""The code of the warning that the model reached its limit of length."""
FINISH_REASON: Final = "finish_reason"
"""The code of the cut or the warning for a finish reason other than a whole answer's."""
MAYBE_SHORT: Final = (FINISH_REASON, FINISH_LENGTH)
"""Codes of the warnings that an answer may not be whole."""


NO_ANSWER: Final = frozenset({"no_synthesis", "nothing_found"})
"""Codes of errors that are not a backend's fault: it worked, without an answer."""


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An error, in words a person can act on.

    `message` is never empty, and free of stack traces and secrets. `code` is the backend's own code or one of ours
    (`content_filter`, `empty_answer`, `html_page`, `unreachable`, `timeout`, `too_large`, …). `status` is the HTTP
    status, if any. `retry_after` is the backend's wait in seconds. `fingerprint` is that of an untrusted server's
    certificate.
    """

    message: str
    code: str | None = None
    status: int | None = None
    retry_after: float | None = None
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerWarning:
    """A skipped or mended part: a stable `code` and a `detail` for people."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class DialectDetected:
    """The dialect of the following values, as recognised from their keys."""

    name: str


@dataclass(frozen=True, slots=True)
class ObjectReceived:
    """An object before any text: `name` is its `type` or `object`, or else the names of its keys."""

    name: str


class TextDelta(msgspec.Struct, frozen=True):
    """Text to append. It is a struct for speed: nearly every piece makes one."""

    text: str


@dataclass(frozen=True, slots=True)
class TextRevised:
    """The whole text once more, in place of all earlier text, which was thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class CitationReceived:
    """A citation of the source `label`, in characters of the text since the last `TextRevised`. It replaces the mark
    from `start` to `end`; if both are equal, it follows the word there.
    """

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PictureReceived:
    """A picture of the answer, in place of the earlier one of its `id`: its bytes as `data`, or a `url`.

    `prompt` describes it. `media_type` is by its bytes, else empty; `size` is in bytes. An answer has it without
    `data`: `key` names them among the person's attachments, and `version` counts the pictures of the `id`.
    """

    id: str
    prompt: str = ""
    media_type: str = ""
    size: int = 0
    url: str = ""
    is_partial: bool = False
    data: bytes = b""
    key: str = ""
    version: int = 1


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """Thinking of a reasoning model; not part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ContextReceived:
    """A context object, already unwrapped (`context.context`), to be merged key by key.

    `is_clean` says that it is free of sent credentials, and clean as by `clean_json`. The values of `annotations`,
    `sources` and `steps` add up. Sources are data points by their ids, steps are thoughts by their names: a later one
    replaces an earlier one of the same name.
    """

    context: JsonObject
    is_clean: bool = False


@dataclass(frozen=True, slots=True)
class SessionState:
    """Opaque state to send back unchanged under its `key`, such as `session_state`."""

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
    """The backend, or the connection, reported an error. More events may follow."""

    error: ErrorInfo


@dataclass(frozen=True, slots=True)
class CutOff:
    """The answer stopped before its end: the `reason` in words, and the `code` of the warning that it becomes."""

    reason: str
    code: str = CUT_OFF


@dataclass(frozen=True, slots=True)
class Interrupt:
    """A request of an agent. JSON is `Any` here, as `msgspec` does not know recursive types.

    `id` is the backend's; a request without one cannot be answered. It asks by its `kind` for a yes or no, for an
    answer, or for the result of a tool of the page. `message` has the agent's words. `call` is the id of the tool call.
    `arguments` are cut for display, and `schema` is the JSON Schema of the answer or of edited arguments, both at most
    64 kB. `may` has the possible additions: `edit`, `reason`, `set_aside`, `words`. `ends_at` is in seconds since 1970.
    `shape` says how its wire writes the answer.
    """

    id: str
    kind: Literal["approval", "input", "result"] = "approval"
    message: str = ""
    tool: str = ""
    server: str = ""
    call: str = ""
    arguments: Any = None
    schema: Mapping[str, Any] | None = None
    may: frozenset[str] = frozenset()
    ends_at: float | None = None
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    """The agent waits for a person: its requests, to be answered together.

    `wire` names the form of the answer: `ag-ui`, `ai-sdk`, `langgraph` or `responses`. `kept` goes back to the backend
    unchanged, at most 1 MiB; None if it is too long to be answered. `is_joint`: one decision is for all requests.
    """

    wire: str
    interrupts: tuple[Interrupt, ...]
    kept: Any = None
    is_joint: bool = False


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds since the request was sent; None for stages that were not reached. The last event of a stream."""

    first_byte: float | None = None
    first_text: float | None = None
    total: float | None = None
    context: float | None = None


Event: TypeAlias = (
    AnswerWarning
    | DialectDetected
    | ObjectReceived
    | TextDelta
    | TextRevised
    | CitationReceived
    | PictureReceived
    | ReasoningDelta
    | ContextReceived
    | SessionState
    | UsageReceived
    | Recorded
    | Failed
    | CutOff
    | Pause
    | Timing
)


RECORDED_HEADER: Final = "Chat-UI-Recorded"
"""The name of a header with the date and time in ISO 8601, with an offset."""
RECORDED_EXTENSION: Final = "recorded"
"""The name of a request extension, as of httpx2: a replay calls it with that date once it has found an answer."""
_LONGEST: Final = 40


def recorded_date(value: str) -> str | None:
    """The time in a `Chat-UI-Recorded`, as ISO 8601 with an offset; None if invalid in some time zone."""
    try:
        moment = datetime.fromisoformat(value) if len(value) <= _LONGEST else None
    except ValueError:
        return None
    if moment is None or moment.tzinfo is None or moment.year in {MINYEAR, MAXYEAR}:
        return None
    return moment.isoformat()
