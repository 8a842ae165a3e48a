"""Facts about backends from their answers: how each is asked, and how it ends its streams."""

from __future__ import annotations

import hashlib
import secrets
from copy import copy
from dataclasses import dataclass, replace
from typing import Final

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, configured_like
from chat_ui.protocol.dialects.family import Answered
from chat_ui.protocol.dialects.registry import FAMILY_OF, KNOWN_BACKENDS, identify
from chat_ui.protocol.events import NO_END, ErrorInfo
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.transport.exchange import MOST_UNENDED
from chat_ui.protocol.transport.http_errors import is_unhandled

_FOUND_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """A backend as an answer showed it, and its name in `KNOWN_BACKENDS` or None; `is_tried` after an answer."""

    backend: Backend
    known_backend: str | None
    is_tried: bool = True

    def is_refused_with(self, error: ErrorInfo | None) -> bool:
        """Whether `error`, instead of an answer, refuses the form of its questions."""
        if error is None or self.backend.request_format is None:
            return False
        return error.status in {400, 415, 422} or (not self.is_tried and is_unhandled(error))


class Learnt:
    """Facts from the newest answers. Except for the end of streams, people do not share them (`for_person`).

    The first answer of a backend with only an address teaches how it is asked (`remember`).
    """

    def __init__(self) -> None:
        self._person = ""
        self._salt = secrets.token_bytes(32)
        self._found: RecentlyUsed[tuple[str, ...], tuple[Backend, bytes, Found]] = RecentlyUsed(_FOUND_BYTES)
        """By `_key`: the backend as described, the digest of its configuration, and the backend as found."""
        self._unended: RecentlyUsed[str, int] = RecentlyUsed(_FOUND_BYTES)
        """By a backend's URL: consecutive answers without the mark that ends a stream."""
        self.closing: RecentlyUsed[str, int] = RecentlyUsed(_FOUND_BYTES)
        """By a backend's URL: consecutive answers without the object that closed an earlier one."""

    def for_person(self, person: str) -> Learnt:
        """The facts for the questions of `person`, which learn nothing from answers to others."""
        theirs = copy(self)
        theirs._person = person
        return theirs

    def remember(self, asked: Backend, found: Found) -> None:
        """Keep for a while that the backend of the description `asked` is the `found` one; without credentials."""
        backends = (replace(one, headers={}, extra_body={}, fingerprint="") for one in (asked, found.backend))
        described, backend = backends
        kept = described, self._digest(asked), replace(found, backend=backend)
        key = self._key(asked)
        self._found.put(key, kept, size_of((*key, kept), _FOUND_BYTES))

    def found_for(self, backend: Backend, *, with_any_key: bool = False) -> Found | None:
        """The backend as earlier answers showed it, with the configuration of `backend`, else None. Answers to other
        keys, headers and fields of the body count only `with_any_key`.
        """
        described, digest, found = self._found.get(self._key(backend)) or (None, b"", None)
        if described is None or found is None or configured_like(described, backend) != backend:
            return None
        if not (with_any_key or secrets.compare_digest(digest, self._digest(backend))):
            return None
        return replace(found, backend=configured_like(found.backend, backend))

    def _key(self, backend: Backend) -> tuple[str, ...]:
        return self._person, backend.profile, backend.recording, backend.url

    def _digest(self, backend: Backend) -> bytes:
        """A digest that tells configurations apart without keeping their secrets."""
        configuration = repr((sorted(backend.headers.items()), backend.extra_body, backend.fingerprint))
        return hashlib.blake2b(configuration.encode(errors="surrogatepass"), key=self._salt).digest()

    def sends_no_end(self, backend: Backend) -> bool:
        """Whether its last answers all lacked the mark that ends a stream, so that it is taken not to send it."""
        return (self._unended.get(backend.url) or 0) >= MOST_UNENDED

    def note_end(self, backend: Backend, answer: Answer) -> None:
        """Note how the backend ended an answer, unless the answer has an error."""
        if answer.error is None:
            is_unended = any(warning.code == NO_END for warning in answer.warnings)
            count = (self._unended.get(backend.url) or 0) + 1 if is_unended else 0
            self._unended.put(backend.url, count, len(backend.url))

    def note(self, backend: Backend, found: Found | None, answered: Answered) -> None:
        """Learn how `backend` is asked, from an answer in its own form or in the `found` one."""
        if found is None:
            self._learn(backend, answered)
        elif not answered.has_text and found.is_refused_with(answered.error):
            self.remember(backend, Found(backend, None))
        else:
            self._review(backend, found, answered)

    def _review(self, backend: Backend, found: Found, answered: Answered) -> None:
        """Keep the `found` backend, or forget it if it is gone or replaced."""
        family = FAMILY_OF.get(answered.dialect or "")
        is_other = found.known_backend and family is not None and found.known_backend not in family.backends
        if (answered.has_text and is_other) or (answered.error is not None and answered.error.status in {404, 405}):
            self._found.pop(self._key(backend))
        elif answered.has_text and not found.is_tried:
            self.remember(backend, replace(found, is_tried=True))

    def _learn(self, backend: Backend, answered: Answered) -> None:
        """Remember the backend behind a bare address, unless its form may not carry messages that it understood."""
        if not (backend.is_undescribed and answered.has_text) or answered.error is not None:
            return
        found = replace(identified(answered), is_tried=False)
        if found.known_backend is None or not KNOWN_BACKENDS[found.known_backend].has_plain_messages:
            found = Found(answered.backend, None)
        if found.backend != backend:
            self.remember(backend, found)


def identified(answered: Answered) -> Found:
    """The backend that was asked, as far as its answer identifies it."""
    asked, name = answered.backend, identify(answered)
    if name is None:
        return Found(asked, None)
    template = KNOWN_BACKENDS[name].template
    is_told = asked.streaming == "auto" or (asked.streaming == "body" and template.streaming == "server")
    streaming = template.streaming if is_told else asked.streaming
    only = asked.streams_only or template.streams_only
    form = template.request_format
    while form is not None and form is not asked.request_format:
        form = form.otherwise
    form = form or template.request_format
    described = replace(template, url=asked.url, streaming=streaming, streams_only=only, request_format=form)
    return Found(configured_like(described, asked), name)
