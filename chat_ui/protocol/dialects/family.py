"""The interface of a module of `families`: recognition and reading of its dialects, and their backends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from chat_ui.protocol.answers.pause import Resume
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.standards import Standard
from chat_ui.protocol.events import ErrorInfo, Event, JsonObject, SessionState

ROOT: Final = "/"
"""The place that is the URL of a server itself."""


@dataclass(frozen=True, slots=True)
class End:
    """The mark that ends every stream of a dialect; without it the stream is cut off.

    `name` is its name in the dialect. `is_in` tells whether an object has it, or is a whole answer. `[DONE]` is a mark
    too if it `may_be_done`. `is_due` tells, by an object and the name of its server-sent event, that the stream must
    have the mark. `closing` is the type of an object after the text in the streams of some backends. A stream without
    it broke off if an earlier answer had it.
    """

    name: str
    is_in: Callable[[JsonObject], bool]
    may_be_done: bool = False
    is_due: Callable[[JsonObject, str | None], bool] = lambda _value, _event: True
    closing: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect by `name`, its `label` for people, and its `end`; None if the body's end is its end."""

    name: str
    label: str
    end: End | None = None


class Match(NamedTuple):
    """The dialect of an object.

    The greatest `confidence` among the families wins. Among dialects with the same `text_places`, only an object of at
    least the same `specificity` replaces the recognised dialect.
    """

    name: str
    confidence: int
    specificity: int = 0


class FamilyReader:
    """Reads the objects of one answer, whose `text` all families share.

    Errors, contexts, session states and usage are read by `DialectReader`, in the same way for all families.
    """

    text_places: ClassVar[str]
    """Families with the same name have their text in the same places."""
    own_contexts: ClassVar[frozenset[str]] = frozenset()
    """Keys of contexts beside the text that the family reads itself, because of their different shape."""
    reads_all: ClassVar = False
    """Whether it reads every object after the first of its dialect, whatever its keys."""

    def __init__(self, text: AnswerText) -> None:
        self.text = text

    def continues(self, resume: Resume) -> None:
        """The answer continues one that was paused; before the first object."""

    def read(self, value: JsonObject) -> Iterable[Event]:
        """The events of an object; it never raises."""
        raise NotImplementedError

    def close(self) -> Iterable[Event]:
        """The events kept back, at the end of the answer."""
        return ()

    def plain_text(self, value: dict[str, Any]) -> str | None:  # noqa: ARG002 - for families that have a fast path
        """The text of an object that is only a piece of text; None leaves it to `read`."""
        return None


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer in short, by which its backend is identified.

    `backend` is as it was asked, header names are in lower case, and the object is the body's first.
    """

    backend: Backend
    headers: Mapping[str, str] = field(default_factory=dict)
    first_object: JsonObject = field(default_factory=dict)
    dialect: str | None = None
    session_state: SessionState | None = None
    has_context: bool = False
    has_text: bool = False
    """Whether any text came beside white space, or a pause."""
    error: ErrorInfo | None = None
    has_options: bool = False
    """Whether the question had options."""

    @property
    def path(self) -> str:
        """The path at which it was asked, without a slash at its end."""
        return urlsplit(self.backend.url).path.rstrip("/")


@dataclass(frozen=True, slots=True)
class KnownBackend:
    """A backend in use: `path` is the place of its answers below its base URL.

    `template` is its description without the URL. Addresses with `path_part` in the path are of this backend. `wants`
    is a pattern for the missing keys that it names when it refuses a question in another form. A backend that fails
    over such a question without a word is asked in this form. It is the first guess where `guessed_at` is in the path,
    and the last elsewhere; None never guesses it. If it `has_plain_messages`, backends of the AI Chat Protocol can read
    its questions.
    """

    path: str
    template: Backend
    path_part: str = ""
    wants: str = ""
    guessed_at: re.Pattern[str] | None = None
    has_plain_messages: bool = False

    def at(self, url: str, **changes: Any) -> Backend:
        """The description of such a backend at the endpoint `url`; `changes` are fields of `Backend`. The query of
        `path`, such as a required version, is added if `url` lacks one.
        """
        parts = urlsplit(url)
        query = self.path.partition("?")[2]
        asked = urlunsplit(parts._replace(query=query)) if query and not parts.query else url
        return replace(self.template, url=asked, **changes)

    def below(self, base_url: str, **changes: Any) -> Backend:
        """The description of such a backend whose base URL, without the path, is `base_url`."""
        parts = urlsplit(base_url)
        path, _, query = self.path.partition("?")
        return self.at(urlunsplit((*parts[:2], parts.path.rstrip("/") + path, query or parts.query, "")), **changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Dialects that are read alike.

    Attributes:
        dialects: those of the family.
        match: the dialect of an object, if any; gets the present keys of the object, without null and empty values, and
            the whole object.
        reader: reads an answer in them.
        position: the place of the family in lists.
        places: paths of such a backend below the URL of a server, each with its rank; detection looks at the lowest
            rank first.
        endings: endings of a path, each with its suggested backend, described without a URL.
        bases: patterns of the end of a path above an endpoint, each with the rest of the path of its only endpoint.
        backends: the known backends by name.
        cards: paths of a document in which a server describes its backend, each with the reader of the document; None
            if it describes another.
        known: the name of the known backend that gave an answer in one of the dialects; None if the answer fits
            several, as a wrong description is worse than a general one.
        standard: the standard that an answer is judged by, by its dialect, the name of its known backend, and the lines
            of its body; None for the AI Chat Protocol.
    """

    dialects: tuple[Dialect, ...]
    match: Callable[[JsonObject, JsonObject], Match | None]
    reader: type[FamilyReader]
    position: int = 100
    places: Mapping[str, int] = field(default_factory=dict)
    endings: Mapping[str, Backend] = field(default_factory=dict)
    bases: Mapping[str, str] = field(default_factory=dict)
    backends: Mapping[str, KnownBackend] = field(default_factory=dict)
    cards: Mapping[str, Callable[[JsonObject], Backend | None]] = field(default_factory=dict)
    known: Callable[[Answered], str | None] = lambda _: None
    standard: Callable[[str, str | None, Sequence[str]], Standard | None] = lambda *_: None
