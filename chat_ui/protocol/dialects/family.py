"""The interface of a module of `families`: how its dialects are recognised and read, and which backends speak them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.events import Event, JsonObject


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect for people: the `name` by which it is fixed, its `label` in the settings, `what` it looks like, and the
    backends that it is `known_from`.
    """

    name: str
    label: str
    what: str
    known_from: str


class Match(NamedTuple):
    """A dialect that an object shows.

    Of several matches the one of the greatest `sureness` counts. Where dialects have their text in the same places, the
    object of the greatest `certainty` decides, and later ones of less do not undo it.
    """

    name: str
    sureness: int
    certainty: int = 0


class FamilyReader:
    """Reads the objects of one answer, whose `text` all families share.

    Errors, contexts, session states and usage are read by `DialectReader`, in the same way for all families.
    """

    text_places: ClassVar[str]
    """Families with the same name here have their text in the same places."""

    def __init__(self, text: AnswerText) -> None:
        self.text = text

    def read(self, value: JsonObject) -> Iterable[Event]:
        """The events of an object; it never raises."""
        raise NotImplementedError

    def plain_text(self, value: dict[str, Any]) -> str | None:  # noqa: ARG002 - for families that have a quick way
        """The text of an object that carries a piece of text and nothing else; None leaves it to `read`."""
        return None


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer by which a known backend is told from others: how it was asked, the first object of its body as JSON,
    and its headers, whose names are in lower case.
    """

    backend: Backend
    answer: Answer
    first: JsonObject
    headers: Mapping[str, str]

    @property
    def path(self) -> str:
        """The path at which it was asked, without a slash at its end."""
        return urlsplit(self.backend.url).path.rstrip("/")


@dataclass(frozen=True, slots=True)
class KnownBackend:
    """A backend in use: `label` names it to a person, `path` is where it answers below its base URL.

    `template` is its description but for the URL. An address whose path holds `path_part` is one of this backend.
    """

    label: str
    path: str
    template: Backend
    path_part: str = ""

    def at(self, url: str, **changes: Any) -> Backend:
        """The description of such a backend whose endpoint is `url`; `changes` are fields of `Backend`."""
        return replace(self.template, url=url, **changes)

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
        match: which of them an object shows, if any; it gets what says something in the object, and the object.
        reader: reads an answer in them.
        position: where the family stands in lists.
        places: the paths below the URL of a server where such backends may answer, each with its rank: the lowest is
            looked at first.
        endings: what a path that ends so tells of the backend that is there, as a description without a URL.
        backends: the known backends, by their names.
        known: the name of the known backend that gave an answer in one of the dialects; None where nothing tells it
            from others, as a wrong description would be worse than a general one.
    """

    dialects: tuple[Dialect, ...]
    match: Callable[[JsonObject, JsonObject], Match | None]
    reader: type[FamilyReader]
    position: int = 100
    places: Mapping[str, int] = field(default_factory=dict)
    endings: Mapping[str, Backend] = field(default_factory=dict)
    backends: Mapping[str, KnownBackend] = field(default_factory=dict)
    known: Callable[[Answered], str | None] = lambda _: None
