"""The client of the protocol: a question goes out and events come back. Nothing that a backend does raises."""

from __future__ import annotations

import hashlib
import json
import math
import secrets
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from copy import copy
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

import httpx2

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.backends.backend import Backend, Bounds, configured_like
from chat_ui.protocol.backends.request import ChatRequest, secrets_of
from chat_ui.protocol.dialects.family import Answered
from chat_ui.protocol.dialects.registry import FAMILY_OF, KNOWN_BACKENDS, identify
from chat_ui.protocol.events import NO_END, DialectSeen, ErrorInfo, Event, Failed, JsonObject, TextDelta
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.transport.exchange import MOST_UNENDED, Exchange
from chat_ui.protocol.transport.guard import Guard, origin_of
from chat_ui.protocol.transport.http_errors import is_unhandled
from chat_ui.protocol.transport.outgoing import Resolver, Wrap, outgoing, resolve
from chat_ui.protocol.transport.pace import Pace
from chat_ui.protocol.transport.probe import MAX_PROBE_BYTES, Probe, send_probe
from chat_ui.protocol.transport.recorder import WireRecord, WireRecorder

_FOUND_BYTES: Final = 4 * 1024 * 1024
_DEFAULT_BOUNDS: Final = Bounds()
_DEFAULT_GUARD: Final = Guard()


@dataclass(frozen=True, slots=True)
class Found:
    """A backend as an answer showed it: how to speak to it, and its name in `KNOWN_BACKENDS`, None where it is none of
    them. It `is_tried` where it has answered a question that was asked so.
    """

    backend: Backend
    known_backend: str | None
    is_tried: bool = True

    def is_refused_with(self, error: ErrorInfo | None) -> bool:
        """Whether `error`, instead of an answer, refuses the form of its questions."""
        if error is None or self.backend.form is None:
            return False
        return error.status in {400, 415, 422} or (not self.is_tried and is_unhandled(error))


class Client:
    """Speaks to backends over one pool of connections.

    `bounds` limits every exchange. Nothing is sent through a proxy, nothing is sent twice, and no redirect is
    followed but 307 and 308 to the same origin. `guard` says which addresses may be called, and `verify` which
    certificates are trusted: those of the known authorities where it is None. `trusts` says whether an address is at
    an origin that the operator named.
    With `pace`, reading follows it once text has come. The first answer of a backend of which its address alone is
    known teaches how it is asked, and the next question goes that way at once (`remember`). Such knowledge is never
    shared between people (`of`).
    """

    def __init__(
        self,
        bounds: Bounds = _DEFAULT_BOUNDS,
        *,
        guard: Guard = _DEFAULT_GUARD,
        verify: ssl.SSLContext | None = None,
        resolver: Resolver = resolve,
        pace: Pace | None = None,
    ) -> None:
        self._bounds = bounds
        self._pace = pace
        self.trusts = guard.trusts
        self._person = ""
        self._salt = secrets.token_bytes(32)
        self._found: RecentlyUsed[tuple[str, ...], tuple[Backend, bytes, Found]] = RecentlyUsed(_FOUND_BYTES)
        """By `_key`, the backend as it was described, the digest of its configuration, and the backend as found."""
        self._unended: RecentlyUsed[str, int] = RecentlyUsed(_FOUND_BYTES)
        """By a backend's URL, how many answers in a row lacked the mark that ends a stream, although their bodies ended
        properly.
        """
        self._closing: RecentlyUsed[str, int] = RecentlyUsed(_FOUND_BYTES)
        """By the URL of a backend that closed an answer with what not all of its dialect send, how many answers in a
        row lacked that since.
        """
        timeout = httpx2.Timeout(None, connect=bounds.connect)
        self._http = outgoing(guard, verify=verify, timeout=timeout, resolver=resolver)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    def of(self, person: str) -> Client:
        """This client for the questions of `person`, which answers to others teach nothing. It lives as long as this
        one.
        """
        theirs = copy(self)
        theirs._person = person
        return theirs

    def pinning(self, url: str, fingerprint: str) -> Client:
        """This client, trusting at the origin of `url` the certificate of that SHA-256 fingerprint and no other. It
        lives as long as this one.
        """
        pinned = copy(self)
        pinned._http = self._http.pinning(origin_of(url), fingerprint)
        return pinned

    def through(self, wrap: Wrap) -> Client:
        """This client, whose requests go through the transport that `wrap` puts around its own. It lives as long as
        this one. What `pinning` makes of it goes through such a transport too.
        """
        wrapped = copy(self)
        wrapped._http = self._http.through(wrap)
        return wrapped

    def pinning_for(self, backend: Backend) -> Client:
        """This client, trusting the certificate that is pinned for `backend`, where one is."""
        return self.pinning(backend.url, backend.certificate) if backend.certificate else self

    @property
    def http(self) -> httpx2.AsyncClient:
        """The HTTP client of all outgoing requests, for those that are no questions, such as a document's."""
        return self._http

    def remember(self, asked: Backend, found: Found) -> None:
        """Keep for a while that the backend of the description `asked` is the one that was `found`; no credential."""
        backends = (replace(one, headers={}, extra_body={}, certificate="") for one in (asked, found.backend))
        described, backend = backends
        kept = described, self._digest(asked), replace(found, backend=backend)
        key = self._key(asked)
        self._found.put(key, kept, size_of((*key, kept), _FOUND_BYTES))

    def found_for(self, backend: Backend, *, with_any_key: bool = False) -> Found | None:
        """What earlier answers taught of the backend of that description, with its configuration; None where none
        did. Those to other keys, headers and fields of the body teach nothing, unless `with_any_key`.
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
        """What tells configurations apart without keeping them, for they hold secrets."""
        configuration = repr((sorted(backend.headers.items()), backend.extra_body, backend.certificate))
        return hashlib.blake2b(configuration.encode(errors="surrogatepass"), key=self._salt).digest()

    def sends_no_end(self, backend: Backend) -> bool:
        """Whether its last answers all lacked the mark that ends a stream, so that it is taken to send none."""
        return (self._unended.get(backend.url) or 0) >= MOST_UNENDED

    def note_end(self, backend: Backend, answer: Answer) -> None:
        """Take note of how the backend ended an answer; one with an error says nothing of that."""
        if answer.error is None:
            is_unended = any(warning.code == NO_END for warning in answer.warnings)
            count = (self._unended.get(backend.url) or 0) + 1 if is_unended else 0
            self._unended.put(backend.url, count, len(backend.url))

    async def ask(self, backend: Backend, request: ChatRequest, recorder: WireRecorder | None = None) -> Answer:
        """The whole answer, with its error where there was one."""
        builder = AnswerBuilder(secrets_of(backend, request.overrides))
        async for event in self.stream(backend, request, recorder):
            builder.add(event)
        builder.close()
        return builder.answer()

    def stream(
        self, backend: Backend, request: ChatRequest, recorder: WireRecorder | None = None
    ) -> AsyncGenerator[Event, None]:
        """The events of the answer as they arrive; `Timing` is the last. `recorder` records the exchange.

        Whatever the backend or the network does becomes `Failed` or `CutOff`. Closing the iterator, or
        cancelling the task that waits for it, closes the connection at once.

        Raises:
            ValueError: `backend.dialect` is not known.
            UnsendableError: `request` is too long, or has files that the backend does not take.
        """
        found = self.found_for(backend)
        if found is not None:
            return self._reviewing(backend, found, self.exchange(found.backend, request, recorder))
        if not backend.is_undescribed:
            return self.exchange(backend, request, recorder)
        recorder = recorder or WireRecorder()
        return self._learning(backend, self.exchange(backend, request, recorder), request, recorder)

    def exchange(
        self, backend: Backend, request: ChatRequest, recorder: WireRecorder | None = None
    ) -> AsyncGenerator[Event, None]:
        """The events of the answer to a question in the form of `backend` itself, as those of `stream`."""
        return Exchange(
            self._http, self._bounds, backend, request, recorder=recorder, pace=self._pace, closing=self._closing
        ).events()

    async def _reviewing(
        self, backend: Backend, found: Found, events: AsyncGenerator[Event, None]
    ) -> AsyncGenerator[Event, None]:
        answer = Answer()
        async with aclosing(events):
            async for event in events:
                match event:
                    case TextDelta(text) if not answer.text:
                        answer = replace(answer, text=text.strip())
                    case DialectSeen(name):
                        answer = replace(answer, dialect=name)
                    case Failed(error):
                        answer = replace(answer, error=error)
                yield event
        if not answer.text and found.is_refused_with(answer.error):
            self.remember(backend, Found(backend, None))
        else:
            self.review(backend, found, answer)

    async def _learning(
        self, backend: Backend, events: AsyncGenerator[Event, None], request: ChatRequest, recorder: WireRecorder
    ) -> AsyncGenerator[Event, None]:
        builder = AnswerBuilder(secrets_of(backend, request.overrides))
        async with aclosing(events):
            async for event in events:
                builder.add(event)
                yield event
        builder.close()
        self.learn(backend, builder.answer(), recorder)

    def review(self, backend: Backend, found: Found, answer: Answer) -> None:
        """Keep what was `found` for `backend` and asked, or forget it: by its `answer` nothing is there any more, or
        another backend.
        """
        family = FAMILY_OF.get(answer.dialect or "")
        is_other = found.known_backend and family is not None and found.known_backend not in family.backends
        if (answer.text and is_other) or (answer.error is not None and answer.error.status in {404, 405}):
            self._found.pop(self._key(backend))
        elif answer.text and not found.is_tried:
            self.remember(backend, replace(found, is_tried=True))

    def learn(self, backend: Backend, answer: Answer, recorder: WireRecorder) -> Found | None:
        """Remember what `answer` shows of a backend of which its address alone was known; None where it shows nothing
        new. A form is not learnt in which the backend might not understand messages that it has understood.
        """
        if not (backend.is_undescribed and answer.text.strip()) or answer.error is not None:
            return None
        found = replace(identified(backend, answer, recorder), is_tried=False)
        if found.known_backend is None or not KNOWN_BACKENDS[found.known_backend].has_plain_messages:
            found = Found(as_asked(backend, recorder), None)
        if found.backend == backend:
            return None
        self.remember(backend, found)
        return found

    async def probe(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        most: int = MAX_PROBE_BYTES,
        *,
        seconds: float = math.inf,
    ) -> Probe:
        """The response to one bare request, read up to `most` bytes within `seconds`, redirects not followed, errors
        included.
        """
        bounds = replace(self._bounds, first_byte=min(seconds, self._bounds.first_byte))
        return await send_probe(self._http, bounds, method, url, headers=headers or {}, body=body, most=most)


def as_asked(backend: Backend, recorder: WireRecorder) -> Backend:
    """`backend`, with the way of asking for a stream that it answered."""
    if backend.streaming != "auto" or not backend.stream:
        return backend
    by_path = urlsplit(recorder.requests[-1][0]).path.rstrip("/").endswith("/stream")
    return replace(backend, streaming="path" if by_path else "body")


def identified(backend: Backend, answer: Answer, recorder: WireRecorder) -> Found:
    """What `answer`, recorded by `recorder`, shows of the `backend` that was asked."""
    asked, record = as_asked(backend, recorder), recorder.record()
    headers = {name.lower(): value for name, value in record.headers}
    name = identify(Answered(asked, answer, _first_object(record), headers))
    if name is None:
        return Found(asked, None)
    template = KNOWN_BACKENDS[name].template
    is_told = asked.streaming == "auto" or (asked.streaming == "body" and template.streaming == "server")
    streaming = template.streaming if is_told else asked.streaming
    only = asked.streams_only or template.streams_only
    is_other = template.form is not None and asked.form is not None and asked.form is template.form.otherwise
    form = asked.form if is_other else template.form
    described = replace(template, url=asked.url, streaming=streaming, streams_only=only, form=form)
    return Found(configured_like(described, asked), name)


def _first_object(record: WireRecord) -> JsonObject:
    try:
        value = json.loads(record.lines[0].text) if record.lines else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}
