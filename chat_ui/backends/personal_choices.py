"""A person's choices, without secrets: the selected backend, their own backends, and options for each; and the outcome
of each backend's last question or test.

The browser keeps them as JSON. All of it is checked when it is read back, as a stranger may have written it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final, Self, TypeAlias
from urllib.parse import urlsplit

from chat_ui.backends.profile import AUTOMATIC, Profile
from chat_ui.protocol.backends.urls import parse_backend_url
from chat_ui.protocol.dialects.registry import DIALECTS, KNOWN_BACKENDS
from chat_ui.protocol.documents.document_urls import parse_document_template
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.recordings.replay_transport import RECORDED_ORIGIN

LONGEST_STORED: Final = 64 * 1024
MOST_OWN: Final = 50
_OWN: Final = "own:"


@dataclass(frozen=True, slots=True)
class OwnBackend:
    """A backend that a person added; `kind` is its name in `KNOWN_BACKENDS`, or `auto`."""

    id: str
    url: str
    name: str = ""
    dialect: str = AUTOMATIC
    stream: bool = True
    kind: str = AUTOMATIC
    model: str = ""
    documents: str | None = None

    def profile(self) -> Profile:
        """Its profile, named after its host by default."""
        name = self.name or urlsplit(self.url).netloc
        return Profile(
            name=name[:100],
            url=self.url,
            kind=self.kind,
            dialect=self.dialect,
            stream=self.stream,
            model=self.model or None,
            documents=self.documents,
        )


@dataclass(frozen=True, slots=True)
class Choices:
    """`selected` is the id of a backend; `options` are those that differ from a backend's defaults, by its id."""

    selected: str = ""
    own: tuple[OwnBackend, ...] = ()
    options: Mapping[str, JsonObject] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    def with_own(self, backend: OwnBackend) -> Self:
        """With `backend` selected, added or in place of the own backend with its id."""
        ids = [own.id for own in self.own]
        if backend.id in ids:
            kept = tuple(backend if own.id == backend.id else own for own in self.own)
        else:
            kept = (*self.own, backend)
        return replace(self, own=kept, selected=backend.id)

    def with_found(self, backend_id: str, url: str, kind: str | None, model: str | None) -> Self:
        """With the found address, kind and model of the own backend of that id."""

        def kept(own: OwnBackend) -> OwnBackend:
            if own.id != backend_id:
                return own
            return replace(own, url=url, kind=kind or AUTOMATIC, model=own.model or model or "")

        return replace(self, own=tuple(kept(own) for own in self.own))

    def without_own(self, backend_id: str) -> Self:
        """Without the own backend of that id, also as the selected one."""
        kept = {key: value for key, value in self.options.items() if key != backend_id}
        own = tuple(one for one in self.own if one.id != backend_id)
        return replace(self, own=own, options=kept, selected="" if self.selected == backend_id else self.selected)

    def with_restored(self, backend: OwnBackend, place: int, options: JsonObject) -> Self:
        """With a removed own backend selected, back at its `place` among the others and with its `options`."""
        own = (*self.own[:place], backend, *self.own[place:])
        return replace(self.with_options(backend.id, options), own=own, selected=backend.id)

    def with_options(self, backend_id: str, options: JsonObject) -> Self:
        return replace(self, options={**self.options, backend_id: options})


def new_own_id() -> str:
    return f"{_OWN}{secrets.token_hex(4)}"


def own_id_of(backend_id: str) -> str:
    """`backend_id` if it is that of a person's own backend; else empty."""
    return backend_id if backend_id.startswith(_OWN) else ""


def operator_profile_id(profile: Profile) -> str:
    return f"given:{profile.name}"


@lru_cache(maxsize=100)
def read_choices(text: str) -> Choices:
    """The choices in `text`, without unusable ones."""
    content = _kept(text)
    own = [backend for entry in _list(content.get("own")) if (backend := read_own(entry)) is not None]
    options = {key: value for key, value in _mapping(content.get("options")).items() if isinstance(value, Mapping)}
    selected = content.get("selected")
    return Choices(selected if isinstance(selected, str) else "", tuple(own[:MOST_OWN]), options)


def read_own(entry: Json) -> OwnBackend | None:
    """A person's own backend from JSON; None if its address cannot be used."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("url"), str):
        return None
    name, dialect, backend_id, kind, model = (entry.get(key) for key in ("name", "dialect", "id", "kind", "model"))
    try:
        url = parse_backend_url(str(entry["url"]))
    except ValueError:
        return None
    if url.startswith(f"{RECORDED_ORIGIN}/"):
        # An earlier version took files of recordings from people.
        return None
    return OwnBackend(
        id=backend_id if isinstance(backend_id, str) and own_id_of(backend_id) else new_own_id(),
        url=url,
        name=name[:100] if isinstance(name, str) else "",
        dialect=dialect if isinstance(dialect, str) and dialect in DIALECTS else AUTOMATIC,
        stream=entry.get("stream") is not False,
        kind=kind if isinstance(kind, str) and kind in KNOWN_BACKENDS else AUTOMATIC,
        model=model[:200] if isinstance(model, str) else "",
        documents=_documents(entry.get("documents")),
    )


class Outcome(StrEnum):
    ANSWERED = "answered"
    FLAWED = "flawed"
    """An answer began, and did not end as it should."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LastOutcome:
    """The last outcome at a backend, if any, its time, and the last choice or question, in seconds since 1970."""

    outcome: Outcome | None = None
    at: float = 0
    used_at: float = 0


LastOutcomes: TypeAlias = Mapping[str, LastOutcome]
"""By the ids of backends."""
_NONE: Final = LastOutcome()
_END_OF_TIME: Final = 8.64e12
"""The last second of a browser's dates."""


def with_outcome(known: LastOutcomes, backend_id: str, outcome: Outcome, at: float) -> LastOutcomes:
    used_at = max(at, known.get(backend_id, _NONE).used_at)
    return {**known, backend_id: LastOutcome(outcome, at, used_at)}


def with_use(known: LastOutcomes, backend_id: str, at: float) -> LastOutcomes:
    return {**known, backend_id: replace(known.get(backend_id, _NONE), used_at=at)}


def without_outcome(known: LastOutcomes, backend_id: str) -> LastOutcomes:
    return {**known, backend_id: LastOutcome(used_at=known.get(backend_id, _NONE).used_at)}


def outcomes_to_json(known: LastOutcomes, offered: Collection[str]) -> str:
    """The outcomes at the `offered` backends, as the browser keeps them."""
    return json.dumps({key: asdict(last) for key, last in known.items() if key in offered})


@lru_cache(maxsize=100)
def read_outcomes(text: str) -> LastOutcomes:
    """The outcomes in `text`, without unusable ones."""
    return {key: last for key, entry in _kept(text).items() if (last := _read_outcome(entry)) is not None}


def _read_outcome(entry: Json) -> LastOutcome | None:
    if not isinstance(entry, Mapping):
        return None
    at = _time(entry.get("at"))
    outcome = next((one for one in Outcome if at and one == entry.get("outcome")), None)
    return LastOutcome(outcome, at, _time(entry.get("used_at")))


def _time(value: Json) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _END_OF_TIME:
        return float(value)
    return 0


def _kept(text: str) -> JsonObject:
    """The object that a browser kept; else empty."""
    try:
        return _mapping(json.loads(text or "{}"))
    except (ValueError, RecursionError):
        return {}


def _documents(template: Json) -> str | None:
    try:
        return parse_document_template(template) if isinstance(template, str) else None
    except ValueError:
        return None


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else []


def _mapping(value: Json) -> JsonObject:
    return value if isinstance(value, Mapping) else {}
