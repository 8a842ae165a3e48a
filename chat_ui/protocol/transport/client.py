"""The client of the protocol: questions in, events out. A backend raises nothing."""

from __future__ import annotations

import math
import ssl
from collections.abc import AsyncGenerator, Mapping
from copy import copy
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

import httpx2

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.backends.backend import Backend, Bounds, ChatRequest
from chat_ui.protocol.backends.request import secrets_of
from chat_ui.protocol.events import Event
from chat_ui.protocol.transport.exchange import Exchange
from chat_ui.protocol.transport.guard import Guard, origin_of
from chat_ui.protocol.transport.learnt import Learnt
from chat_ui.protocol.transport.outgoing import Resolver, Wrap, outgoing, resolve
from chat_ui.protocol.transport.probe import MAX_PROBE_BYTES, Probe, send_probe
from chat_ui.protocol.transport.recorder import ResponseRecorder
from chat_ui.protocol.transport.throttle import Throttle

_DEFAULT_BOUNDS: Final = Bounds()
_DEFAULT_GUARD: Final = Guard()


class AsyncClient:
    """Speaks to backends over one pool of connections.

    `bounds` limits every exchange. Proxies are not used, questions are not repeated, and only redirects 307 and 308 to
    the same origin are followed. `guard` says which addresses may be called, and `verify` which certificates are
    trusted: those of the known authorities if it is None. `trusts` says whether an address is at an origin that the
    operator named. With `throttle`, reading follows it after the first text. The next question uses the facts that
    answers have `learnt` of its backend.
    """

    def __init__(
        self,
        bounds: Bounds = _DEFAULT_BOUNDS,
        *,
        guard: Guard = _DEFAULT_GUARD,
        verify: ssl.SSLContext | None = None,
        resolver: Resolver = resolve,
        throttle: Throttle | None = None,
    ) -> None:
        self._bounds = bounds
        self.throttle = throttle
        self.trusts = guard.trusts
        self.learnt = Learnt()
        timeout = httpx2.Timeout(None, connect=bounds.connect_timeout)
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

    def for_person(self, person: str) -> AsyncClient:
        """This client for the questions of `person`, which learns nothing from answers to others; closed with it."""
        theirs = copy(self)
        theirs.learnt = self.learnt.for_person(person)
        return theirs

    def pinning(self, url: str, fingerprint: str) -> AsyncClient:
        """This client, trusting at the origin of `url` only the certificate of that SHA-256 fingerprint."""
        pinned = copy(self)
        pinned._http = self._http.pinning(origin_of(url), fingerprint)
        return pinned

    def with_transport(self, wrap: Wrap) -> AsyncClient:
        """This client over the transport that `wrap` puts around its own, also after `pinning`; closed with it."""
        wrapped = copy(self)
        wrapped._http = self._http.with_transport(wrap)
        return wrapped

    def pinning_for(self, backend: Backend) -> AsyncClient:
        """This client, trusting the certificate that is pinned for `backend`, if any."""
        return self.pinning(backend.url, backend.fingerprint) if backend.fingerprint else self

    @property
    def http(self) -> httpx2.AsyncClient:
        """The HTTP client of all outgoing requests, for requests other than questions, such as a document's."""
        return self._http

    async def ask(self, backend: Backend, request: ChatRequest, recorder: ResponseRecorder | None = None) -> Answer:
        """The whole answer, perhaps with its error."""
        builder = AnswerBuilder(secrets_of(backend, request.overrides))
        async for event in self.stream(backend, request, recorder):
            builder.add(event)
        builder.close()
        return builder.answer()

    def stream(
        self, backend: Backend, request: ChatRequest, recorder: ResponseRecorder | None = None
    ) -> AsyncGenerator[Event, None]:
        """The events of the answer as they arrive; `Timing` is the last. `recorder` records the exchange.

        Faults of the backend or the network become `Failed` or `CutOff`. Closing the iterator, or cancelling the task
        that waits for it, closes the connection at once.

        Raises:
            InvalidBackendError: `backend.dialect` is not known.
            InvalidRequestError: `request` is too long, or has files that the backend does not take.
        """
        found = self.learnt.found_for(backend)
        asked = found.backend if found is not None else backend
        return self.exchange(asked, request, recorder).events(
            lambda answered: self.learnt.note(backend, found, answered)
        )

    def exchange(self, backend: Backend, request: ChatRequest, recorder: ResponseRecorder | None = None) -> Exchange:
        """A question in the form of `backend` itself, from which nothing is learnt; raises as `stream` does."""
        return Exchange(
            self._http,
            self._bounds,
            backend,
            request,
            recorder=recorder,
            throttle=self.throttle,
            closing=self.learnt.closing,
        )

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
        """The response to a bare request, up to `most` bytes within `seconds`; redirects are not followed."""
        bounds = replace(self._bounds, first_byte_timeout=min(seconds, self._bounds.first_byte_timeout))
        return await send_probe(self._http, bounds, method, url, headers=headers or {}, body=body, most=most)
