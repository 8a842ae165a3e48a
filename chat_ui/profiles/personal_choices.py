"""A person's choices: the selected backend, their own backends, and options for each. They hold no secret.

The browser keeps them as JSON. All of it is checked when it is read back, as a stranger may have written it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Final, Self
from urllib.parse import urlsplit

from chat_ui.profiles.profile import AUTOMATIC, Profile
from chat_ui.protocol.backends.urls import parse_backend_url
from chat_ui.protocol.dialects.registry import DIALECTS, KNOWN_BACKENDS
from chat_ui.protocol.documents.document_urls import parse_document_template
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.recordings.replaying_door import RECORDED_ORIGIN

LONGEST_STORED: Final = 64 * 1024
"""Characters of the choices kept in the browser."""
MOST_OWN: Final = 50
"""Backends of a person's own."""
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
        """It as a profile, named after its host where it has no name."""
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
        """With the address, the kind and the model of the own backend of that id as they were found."""

        def kept(own: OwnBackend) -> OwnBackend:
            if own.id != backend_id:
                return own
            return replace(own, url=url, kind=kind or AUTOMATIC, model=own.model or model or "")

        return replace(self, own=tuple(kept(own) for own in self.own))

    def without_own(self, backend_id: str) -> Self:
        """Without the own backend of that id, which is not selected any more."""
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
    """The choices in `text`; what cannot be used is left out."""
    try:
        content = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return Choices()
    if not isinstance(content, Mapping):
        return Choices()
    own = [backend for entry in _list(content.get("own")) if (backend := read_own(entry)) is not None]
    options = {key: value for key, value in _mapping(content.get("options")).items() if isinstance(value, Mapping)}
    selected = content.get("selected")
    return Choices(selected if isinstance(selected, str) else "", tuple(own[:MOST_OWN]), options)


def read_own(entry: Json) -> OwnBackend | None:
    """A backend that a person added, out of JSON; None where its address cannot be used."""
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


def _documents(template: Json) -> str | None:
    try:
        return parse_document_template(template) if isinstance(template, str) else None
    except ValueError:
        return None


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else []


def _mapping(value: Json) -> JsonObject:
    return value if isinstance(value, Mapping) else {}
