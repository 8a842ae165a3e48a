"""The interface of a module of `families`: how its dialects are recognised and read, and which backends speak them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.standards import Standard
from chat_ui.protocol.events import ErrorInfo, Event, JsonObject, SessionState

ROOT: Final = "/"
"""The place that is the URL of a server itself."""


@dataclass(frozen=True, slots=True)
class End:
    """The mark that ends every stream of a dialect, which is cut off without it.

    `name` is its name in the dialect. `is_in` tells whether an object holds it, or is a whole answer. `[DONE]` is such
    a mark too where it `may_be_done`. `is_due` tells by an object, and the name of the server-sent event that carried
    it, that the stream is one that has the mark. `closing` is the type of an object that closes, after the text, the
    streams of some backends: one whose earlier answers had it broke off without it.
    """

    name: str
    is_in: Callable[[JsonObject], bool]
    may_be_done: bool = False
    is_due: Callable[[JsonObject, str | None], bool] = lambda _value, _event: True
    closing: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect by `name`, its `label` in the settings, and its `end`; None where that is the body's."""

    name: str
    label: str
    end: End | None = None


class Match(NamedTuple):
    """A dialect that an object shows.

    Of the matches of several families the greatest `confidence` wins. Among dialects with the same `text_places` an
    object of greater `specificity` replaces the dialect seen so far, and an object of less does not.
    """

    name: str
    confidence: int
    specificity: int = 0


class FamilyReader:
    """Reads the objects of one answer, whose `text` all families share.

    Errors, contexts, session states and usage are read by `DialectReader`, in the same way for all families.
    """

    text_places: ClassVar[str]
    """Families with the same name here have their text in the same places."""
    own_contexts: ClassVar[frozenset[str]] = frozenset()
    """Keys of contexts beside the text that the family reads itself, as they are of another shape than all others'."""

    def __init__(self, text: AnswerText) -> None:
        self.text = text

    def read(self, value: JsonObject) -> Iterable[Event]:
        """The events of an object; it never raises."""
        raise NotImplementedError

    def close(self) -> Iterable[Event]:
        """The events held back, once nothing more comes."""
        return ()

    def plain_text(self, value: dict[str, Any]) -> str | None:  # noqa: ARG002 - for families that have a fast path
        """The text of an object that carries a piece of text and nothing else; None leaves it to `read`."""
        return None


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer in short, by which its backend is known: the backend as it was asked, the headers, whose names are in
    lower case, the first JSON object of the body, and what its events tell.
    """

    backend: Backend
    headers: Mapping[str, str] = field(default_factory=dict)
    first_object: JsonObject = field(default_factory=dict)
    dialect: str | None = None
    session_state: SessionState | None = None
    has_context: bool = False
    has_text: bool = False
    """Whether any text came beside white space."""
    error: ErrorInfo | None = None

    @property
    def path(self) -> str:
        """The path at which it was asked, without a slash at its end."""
        return urlsplit(self.backend.url).path.rstrip("/")


@dataclass(frozen=True, slots=True)
class KnownBackend:
    """A backend in use: `label` names it to a person, `path` is where it answers below its base URL.

    `template` is its description but for the URL. An address whose path holds `path_part` is one of this backend.
    `wants` is a pattern for the keys that it names as missing where it refuses a question in the form of another. One
    that fails without a word over such a question is asked in its form first where `guessed_at` is found in its path,
    and last elsewhere; nowhere where that is None. Where it `has_plain_messages`, backends of the AI Chat Protocol can
    read its questions.
    """

    label: str
    path: str
    template: Backend
    path_part: str = ""
    wants: str = ""
    guessed_at: re.Pattern[str] | None = None
    has_plain_messages: bool = False

    def at(self, url: str, **changes: Any) -> Backend:
        """The description of such a backend whose endpoint is `url`; `changes` are fields of `Backend`. The query of
        `path`, such as a version that the server demands, is added where `url` has none.
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
        match: the dialect that an object shows, if any; gets the present keys of the object, without null and empty
            values, and the whole object.
        reader: reads an answer in them.
        position: the place of the family in lists.
        places: paths below the URL of a server where such a backend may answer, each with its rank; detection looks at
            the lowest rank first.
        endings: endings of a path, each with the backend that it suggests, described without a URL.
        bases: patterns of the end of a path that is no endpoint, each with the rest of the path of the one endpoint
            below it.
        backends: the known backends by name.
        known: the name of the known backend that gave an answer in one of the dialects; None where the answer fits
            several, as a wrong description is worse than a general one.
        standard: the standard that an answer is judged by, by its dialect, the name of the known backend that gave it,
            and the lines of its body; None where it is judged by the AI Chat Protocol.
    """

    dialects: tuple[Dialect, ...]
    match: Callable[[JsonObject, JsonObject], Match | None]
    reader: type[FamilyReader]
    position: int = 100
    places: Mapping[str, int] = field(default_factory=dict)
    endings: Mapping[str, Backend] = field(default_factory=dict)
    bases: Mapping[str, str] = field(default_factory=dict)
    backends: Mapping[str, KnownBackend] = field(default_factory=dict)
    known: Callable[[Answered], str | None] = lambda _: None
    standard: Callable[[str, str | None, Sequence[str]], Standard | None] = lambda *_: None
