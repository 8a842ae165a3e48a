"""The client of the protocol: a question goes out and events come back. Nothing that a backend does raises."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Final, Self

import httpx

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.backends.request import ChatRequest, secrets_of
from chat_ui.protocol.events import NO_END, Event
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.transport.exchange import Exchange
from chat_ui.protocol.transport.guard import Guard, origin_of
from chat_ui.protocol.transport.outgoing import Resolver, Wrap, outgoing, resolve
from chat_ui.protocol.transport.pace import Pace
from chat_ui.protocol.transport.probe import MAX_PROBE_BYTES, Probe, send_probe
from chat_ui.protocol.transport.recorder import WireRecorder

MOST_UNENDED: Final = 3
"""Answers in a row without the mark that ends a stream, after which their backend is taken for one that sends none."""
_FOUND_BYTES: Final = 4 * 1024 * 1024
_DEFAULT_BOUNDS: Final = Bounds()
_DEFAULT_GUARD: Final = Guard()


@dataclass(frozen=True, slots=True)
class Found:
    """A backend that was found elsewhere than at the address that was asked: how to speak to it, without credentials,
    and its name in `KNOWN_BACKENDS`, None where it is none of them.
    """

    backend: Backend
    known_backend: str | None


class Client:
    """Speaks to backends over one pool of connections.

    `bounds` limits every exchange. Nothing is sent through a proxy, nothing is sent twice, and no redirect is
    followed but 307 and 308 to the same origin. `guard` says which addresses may be called, and `verify` which
    certificates are trusted: those of the known authorities where it is None. `trusts` says whether an address is at
    an origin that the operator named.
    With `pace`, reading follows it once text has come. `found` holds, by the address that was asked first, where a
    backend was found instead (`remember`).
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
        self.found: RecentlyUsed[str, Found] = RecentlyUsed(_FOUND_BYTES)
        self._unended: RecentlyUsed[str, int] = RecentlyUsed(_FOUND_BYTES)
        """By a backend's URL, how many answers in a row lacked the mark that ends a stream, although their bodies ended
        properly.
        """
        self._closing: RecentlyUsed[str, bool] = RecentlyUsed(_FOUND_BYTES)
        """By a backend's URL, whether it closed an earlier answer with what not all of its dialect send."""
        timeout = httpx.Timeout(None, connect=bounds.connect)
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
    def http(self) -> httpx.AsyncClient:
        """The HTTP client of all outgoing requests, for those that are no questions, such as a document's."""
        return self._http

    def remember(self, url: str, backend: Backend, known_backend: str | None) -> None:
        """Keep in `found`, for a while, that the backend of `url` is `backend`."""
        found = Found(replace(backend, headers={}, extra_body={}, certificate=""), known_backend)
        self.found.put(url, found, size_of((url, found), _FOUND_BYTES))

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
        return Exchange(
            self._http, self._bounds, backend, request, recorder=recorder, pace=self._pace, closing=self._closing
        ).events()

    async def probe(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        most: int = MAX_PROBE_BYTES,
    ) -> Probe:
        """The response to one bare request, read up to `most` bytes, redirects not followed, errors included."""
        return await send_probe(self._http, self._bounds, method, url, headers=headers or {}, body=body, most=most)
