"""Records of conversations, as plain values without tasks, connections or pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from chat_ui.conversations.records.feedback import Feedback, Rating
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.events import CUT_OFF, MAYBE_SHORT, NO_END, REFUSED, AnswerWarning, ErrorInfo, JsonObject

MAX_TITLE: Final = 200
_FROM_QUESTION: Final = 60


class Status(StrEnum):
    """The state of a generation, or its end."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    CUT_OFF = "cut_off"
    INTERRUPTED = "interrupted"
    """The server that made it went away."""
    WAITING = "waiting"
    """The agent waits for a person."""


FALLEN_BACK: Final = "fallen_back"
"""The code of the warning that says why a recording answered instead of the backend."""
REMARKS: Final = (FALLEN_BACK, CUT_OFF, NO_END, *MAYBE_SHORT, REFUSED)
"""The codes of warnings that the page shows beside an answer, the weightiest first."""


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """A conversation without its turns. Times are seconds since 1970, UTC.

    `compared_with` is the id of the conversation whose second column this one is; it is then not listed.
    """

    id: str
    owner: str
    title: str
    created_at: float
    updated_at: float
    renamed: bool = False
    pinned: bool = False
    compared_with: str | None = None


class Better(StrEnum):
    """A person's preference between two answers to one question."""

    LEFT = "left"
    RIGHT = "right"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A question. Turns form a tree: those with the same `parent` are versions of one question.

    `place` is the depth, from 1. `shown` marks the path from the first question to the last; `chosen` is the number of
    the shown answer, from 1. With `decides`, the id of a paused answer to the turn before, it is a decision in place of
    a question: `decision` has it as JSON, and `question` in words.
    """

    id: str
    conversation: str
    parent: str | None
    place: int
    question: str
    asked_at: float
    shown: bool = True
    chosen: int = 1
    decides: str | None = None
    decision: str = ""


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """The head of an answer, for the page's structure.

    `pictures` is as by `versions`. `revision` counts contexts of a running answer, and `remark` is the page's warning
    beside the answer. `asked_of` is the backend's memory, `characters` the length of an ended text, and `recorded_at`
    the moment (ISO 8601) of a recording.
    """

    id: str
    number: int
    status: Status
    error: ErrorInfo | None = None
    sources: int = 0
    pictures: int = 0
    followups: tuple[str, ...] = ()
    revision: int = 0
    remark: AnswerWarning | None = None
    asked_of: JsonObject = field(default_factory=dict)
    characters: int = 0
    recorded_at: str | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.status is not Status.RUNNING

    @property
    def head(self) -> AnswerHead:
        """Itself, like the head of an answer of this process."""
        return self


def remark_on(answer: Answer) -> AnswerWarning | None:
    """The page's warning beside an answer: the reason of a fallback, else of a cut or possible cut, else a refusal."""
    told = {warning.code: warning for warning in reversed(answer.warnings)}
    return told.get(FALLEN_BACK) or answer.incomplete_details or told.get(REFUSED)


@dataclass(frozen=True, slots=True)
class GenerationRecord:
    """An answer with its `backend` and `overrides` as used, without credentials; by a file's word if `is_imported`."""

    id: str
    conversation: str
    turn: str
    number: int
    status: Status
    answer: Answer
    started_at: float
    ended_at: float | None = None
    backend: JsonObject = field(default_factory=dict)
    overrides: JsonObject = field(default_factory=dict)
    is_imported: bool = False


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer read back, with its question in full."""

    generation: GenerationRecord
    question: str

    @property
    def answer(self) -> Answer:
        """The answer itself."""
        return self.generation.answer

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.generation.status is not Status.RUNNING


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure of one conversation: cut questions, heads of answers by turn, and ratings by answer."""

    conversation: ConversationRecord
    turns: tuple[TurnRecord, ...]
    heads: dict[str, tuple[AnswerHead, ...]]
    ratings: dict[str, Rating] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole conversation, in the order in which it was asked; `feedback` by the answer's id."""

    conversation: ConversationRecord
    turns: tuple[TurnRecord, ...]
    generations: tuple[GenerationRecord, ...]
    feedback: dict[str, Feedback] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FeedbackEntry:
    """Feedback with its answer, whole question, and the turns before: their questions and texts, the nearest last. The
    question of an answer after a decision is the paused one.
    """

    feedback: Feedback
    generation: GenerationRecord
    question: str
    said_before: tuple[tuple[str, str], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of a running answer, from character `start` of it on."""

    generation: str
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes to be written together; writing a part twice has the same effect."""

    conversations: tuple[ConversationRecord, ...] = ()
    turns: tuple[TurnRecord, ...] = ()
    generations: tuple[GenerationRecord, ...] = ()
    pieces: tuple[Piece, ...] = ()
    alive: tuple[str, ...] = ()
    """Ids of running generations whose lease is renewed."""
    current: dict[str, str] = field(default_factory=dict)
    """The conversation that each person has open, by person."""
    anew: tuple[str, ...] = ()
    """Ids of generations whose text is written from its beginning here, in place of the stored text."""

    def __bool__(self) -> bool:
        return bool(self.conversations or self.turns or self.generations or self.pieces or self.alive or self.current)

    @property
    def concerned(self) -> set[str]:
        """The ids of the conversations with changes other than the text of a running answer."""
        return (
            {one.id for one in self.conversations}
            | {one.conversation for one in self.turns}
            | {one.conversation for one in self.generations}
        )

    def apart(self) -> Iterator[Changes]:
        """The changes of each conversation separately, and then those outside conversations."""
        of_piece = {piece.generation: piece.generation.partition(".")[0] for piece in self.pieces}
        for key in self.concerned | set(of_piece.values()):
            yield Changes(
                conversations=tuple(one for one in self.conversations if one.id == key),
                turns=tuple(one for one in self.turns if one.conversation == key),
                generations=tuple(one for one in self.generations if one.conversation == key),
                anew=tuple(one for one in self.anew if one.partition(".")[0] == key),
                pieces=tuple(one for one in self.pieces if of_piece[one.generation] == key),
            )
        yield Changes(alive=self.alive, current=self.current)


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation in the result of a search, and the words around the match."""

    conversation: ConversationRecord
    excerpt: str


def title_of(question: str) -> str:
    """A title from a question: its first line, cut at a word."""
    line = " ".join(next((line for line in question.splitlines() if line.strip()), "").split())
    if len(line) <= _FROM_QUESTION:
        return line
    cut = line[:_FROM_QUESTION]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:.") + "…"
