"""The families of dialects: every module of `families` is one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Final
from urllib.parse import urlsplit

from chat_ui.protocol.backends.backend import Backend, without_stream
from chat_ui.protocol.dialects import families
from chat_ui.protocol.dialects.family import Answered, End, Family, KnownBackend, Match
from chat_ui.protocol.dialects.objects import present
from chat_ui.protocol.events import JsonObject


def _found() -> tuple[Family, ...]:
    names = sorted(module.name for module in iter_modules(families.__path__))
    found: list[Family] = [import_module(f"{families.__name__}.{name}").FAMILY for name in names]
    return tuple(sorted(found, key=lambda family: family.position))


FAMILIES: Final = _found()
FAMILY_OF: Final[Mapping[str, Family]] = {one.name: family for family in FAMILIES for one in family.dialects}
DIALECTS: Final[Mapping[str, str]] = {one.name: one.label for family in FAMILIES for one in family.dialects}
ENDS: Final[Mapping[str, End]] = {
    one.name: one.end for family in FAMILIES for one in family.dialects if one.end is not None
}
"""The mark that ends a stream, by the name of each dialect with one."""
KNOWN_BACKENDS: Final[Mapping[str, KnownBackend]] = {
    name: backend for family in FAMILIES for name, backend in family.backends.items()
}
PLACES: Final = tuple(
    path for _, path in sorted((rank, path) for family in FAMILIES for path, rank in family.places.items())
)
"""The paths of backends below the URL of a server, likeliest first."""
ENDINGS: Final[Mapping[str, Backend]] = {
    ending: backend for family in FAMILIES for ending, backend in family.endings.items()
}
"""Backends by the end of their path."""
OF_ASSISTANTS: Final = re.compile(r".*/(?:v1|openai)/threads/(?:[^/]+/)?runs(?:/|\Z)")
"""Paths of runs of OpenAI's Assistants, which end like those of LangGraph's server."""
CARDS: Final = {path: read for family in FAMILIES for path, read in family.cards.items()}
"""The readers of documents that describe a server's backend, by their paths."""

_BASES: Final = tuple(
    (re.compile(rf"{pattern}\Z", re.IGNORECASE), rest) for family in FAMILIES for pattern, rest in family.bases.items()
)


def label_of(dialect: str | None) -> str:
    """The label of a dialect, known or not."""
    return DIALECTS.get(dialect or "", "an unknown format")


def recognised(value: JsonObject) -> Match | None:
    """The dialect of one object, by its non-empty keys, or else by all keys; None if unrecognised."""
    for part in (present(value), value):
        matches = [match for family in FAMILIES if (match := family.match(part, value)) is not None]
        if matches:
            return max(matches, key=lambda match: match.confidence)
    return None


def described(place: str, dialect: str = "auto") -> Backend:
    """The backend that the URL `place` points to, or else its dialect's, if that has one form of questions."""
    backend = _described(place)
    family = FAMILY_OF.get(dialect)
    known = [*family.backends.values()] if family is not None and backend.is_undescribed else []
    return known[0].at(place) if len(known) == 1 and known[0].template.request_format is not None else backend


def form_at(wire: str, place: str) -> Backend:
    """The backend at the URL `place` that takes decisions on pauses of that dialect."""
    backends = FAMILY_OF[wire].backends
    known = backends.get(known_at(urlsplit(place).path) or "") or next(iter(backends.values()))
    return known.at(place)


def _described(place: str) -> Backend:
    path = urlsplit(place).path
    if name := known_at(path):
        return KNOWN_BACKENDS[name].at(place)
    if path.endswith("/stream"):
        return Backend(without_stream(place), streaming="path")
    template = template_at(path) or Backend("")
    for known in KNOWN_BACKENDS.values():
        if known.template is template:
            return known.at(place)
    return KnownBackend("", template).at(place)


def template_at(path: str) -> Backend | None:
    """The backend, without its URL, that a path of an endpoint names by its end; else None."""
    if OF_ASSISTANTS.match(path):
        return None
    return next((template for ending, template in ENDINGS.items() if path.endswith(ending)), None)


def endpoint_below(path: str) -> str | None:
    """The path of the only endpoint below the base `path`; else None."""
    return next((path + rest for pattern, rest in _BASES if pattern.search(path)), None)


def known_at(path: str) -> str | None:
    """The name of the only known backend with such a path; None if several have it."""
    if OF_ASSISTANTS.match(path):
        return None
    return next((name for name, one in KNOWN_BACKENDS.items() if one.path_part and one.path_part in path), None)


def identify(answered: Answered) -> str | None:
    """The name in `KNOWN_BACKENDS` of the backend that gave an answer; None if unidentified."""
    if name := known_at(answered.path):
        return name
    family = FAMILY_OF.get(answered.dialect or "")
    return family.known(answered) if family is not None else None
