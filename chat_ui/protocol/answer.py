"""An answer, and the fold of events that makes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from chat_ui.protocol.events import ErrorInfo, Json, JsonObject, SessionState, Warning


@dataclass(frozen=True, slots=True)
class DataPoint:
    """One retrieved source of an answer.

    `id` is what a citation names (`Benefit_Options.pdf#page=3`, `7`, `doc2`); `source` is the document's name for a
    person; `text` the passage, which may hold HTML of the backend; `url` where the backend says the document is;
    `image` a data URI or URL when the data point is an image.
    """

    id: str
    source: str
    text: str = ""
    url: str | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True)
class Thought:
    """One step of what the backend did: `description` and `props` are whatever JSON it sent."""

    title: str
    description: Json = None
    props: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds since the request was sent; None where it did not come to that."""

    first_byte: float | None = None
    first_text: float | None = None
    total: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, or what there is of it so far.

    `text` is clean: follow-up questions are taken out, surrogate pairs joined, control characters dropped; citation
    brackets stay. `complete` is False where the answer was cut off.
    """

    text: str = ""
    reasoning: str = ""
    dialect: str | None = None
    complete: bool = True
    error: ErrorInfo | None = None
    followup_questions: tuple[str, ...] = ()
    data_points: tuple[DataPoint, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    session_state: SessionState | None = None
    usage: JsonObject | None = None
    warnings: tuple[Warning, ...] = ()
    timing: Timing = field(default_factory=Timing)
