"""The targets of a question: a backend that is asked, or a recording; and a recording beside a live backend, which
answers where that does not.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

import httpx2

from chat_ui.conversations.records.records import FALLEN_BACK
from chat_ui.protocol.backends.backend import Backend, ChatRequest
from chat_ui.protocol.detection.asking import ask_anywhere
from chat_ui.protocol.detection.requests import Record
from chat_ui.protocol.events import (
    NO_ANSWER,
    RECORDED_EXTENSION,
    CutOff,
    ErrorInfo,
    Event,
    Failed,
    JsonObject,
    Recorded,
    SessionState,
    TextDelta,
    Warning,  # noqa: A004
)
from chat_ui.protocol.translatable import Translatable, msg
from chat_ui.protocol.transport.client import Client
from chat_ui.protocol.transport.recorder import ResponseRecorder

SILENT_SECONDS: Final = 5
"""Seconds without a byte of an answer, after which a recording answers instead."""
_SILENT: Final = msg("the backend did not answer within {seconds} seconds.", seconds=SILENT_SECONDS)


@dataclass(frozen=True, slots=True)
class Asked:
    """The question of a generation, which is the `number`th answer (from 1) to a turn of the owner's conversation.

    `question` may be cut where it was read back. `is_second` says that the conversation is the second column of a
    comparison.
    """

    owner: str
    conversation: str
    turn: str
    number: int
    question: str
    overrides: JsonObject
    is_second: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """A client, and the backend that it asks."""

    client: Client
    backend: Backend


@dataclass(frozen=True, slots=True)
class Fallback(Target):
    """The recording that answers where the backend does not, if it `has` the question."""

    has: Callable[[ChatRequest], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Targets:
    """The target that is asked first, and the fallback where that gives no answer."""

    first: Target
    fallback: Fallback | None = None


FindTargets: TypeAlias = Callable[[Client, Backend, Asked], Awaitable[Targets]]
"""Finds the targets by which a client asks a backend a question. May raise `RecordingError` and OSError, where a
recording cannot be read.
"""


async def only_target(client: Client, backend: Backend, _asked: Asked) -> Targets:
    """The backend itself, and nothing instead of it."""
    return Targets(Target(client, backend))


async def ask_with_fallback(
    targets: Targets,
    request: ChatRequest,
    take: Callable[[Event], None],
    forget: Callable[[Backend], None],
    *,
    record: Record,
) -> Backend:
    """Ask `request` and give `take` the events of the answer, as `ask_anywhere` does.

    Where the first target brings no byte of an answer for `SILENT_SECONDS`, or fails before any text, its request is
    closed, and the recording answers, if it has the question: `forget` is called with the backend that was asked, and
    the backend that is returned is the recorded one. A recorded session is nobody's any more: the next question goes to
    the backend with the session from before. Where the recording brings no text either, nothing of it is given, and the
    answer fails as the first target did.
    """
    if targets.fallback is None:
        client = targets.first.client.through(lambda inner: _Dated(inner, take))
        return await ask_anywhere(client, targets.first.backend, request, take, record=record)
    held = _HeldBack(take)
    came = asyncio.Event()
    client = targets.first.client.through(lambda inner: _FirstByte(inner, came))
    live = targets.first.backend

    def record_live(asked: Backend) -> ResponseRecorder:
        nonlocal live
        live = asked
        return record(asked)

    asking = asyncio.create_task(ask_anywhere(client, live, request, held.take, record=record_live))
    try:
        if await _is_silent(asking, came) and await targets.fallback.has(request):
            why = _SILENT
        else:
            live = await asking
            if held.failure is None or not await targets.fallback.has(request):
                held.release()
                return live
            why = held.failure
    finally:
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait({asking})

    def begin() -> None:
        forget(live)
        take(Warning(FALLEN_BACK, why))

    replayed = _OnceTextCame(take, begin)
    recorded = await ask_anywhere(
        targets.fallback.client, targets.fallback.backend, request, replayed.take, record=record
    )
    if replayed.has_text:
        return recorded
    held.release()
    if held.failure is None:
        take(Failed(ErrorInfo(msg("There is no answer: {reason}", reason=why), code="timeout")))
    return live


async def _is_silent(asking: asyncio.Task[Backend], came: asyncio.Event) -> bool:
    byte = asyncio.create_task(came.wait())
    try:
        done, _ = await asyncio.wait({asking, byte}, timeout=SILENT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    finally:
        byte.cancel()
    return not done


class _HeldBack:
    """Passes events on, but for those by which an answer without text fails, and for white space before text."""

    def __init__(self, take: Callable[[Event], None]) -> None:
        self._take = take
        self._has_text = False
        self._held: list[Event] = []
        self.failure: Translatable | None = None
        """Why there was no text; None where there was some, or where nothing failed."""

    def take(self, event: Event) -> None:
        """Pass an event on, or hold it back."""
        if isinstance(event, TextDelta) and event.text.strip():
            self._has_text, self.failure = True, None
            self.release()
        if not self._has_text:
            match event:
                case TextDelta():
                    self._held.append(event)
                    return
                case Failed(error) if error.code not in NO_ANSWER:
                    self.failure = msg("the backend failed. {error}", error=error.message)
                    self._held.append(event)
                    return
                case CutOff(reason):
                    self.failure = msg("the backend failed: {reason}.", reason=reason)
                    self._held.append(event)
                    return
        self._take(event)

    def release(self) -> None:
        """Pass on what was held back."""
        for event in self._held:
            self._take(event)
        self._held.clear()


class _OnceTextCame:
    """Passes the events of a recorded answer on once it has text, before which `begin` is called; never its session."""

    def __init__(self, take: Callable[[Event], None], begin: Callable[[], None]) -> None:
        self._take = take
        self._begin = begin
        self._held: list[Event] = []
        self.has_text = False

    def take(self, event: Event) -> None:
        """Pass an event on, or hold it back."""
        if isinstance(event, SessionState):
            return
        self._held.append(event)
        if not self.has_text and isinstance(event, TextDelta) and event.text.strip():
            self.has_text = True
            self._begin()
        if self.has_text:
            events, self._held = self._held, []
            for one in events:
                self._take(one)


class _Dated(httpx2.AsyncBaseTransport):
    """Gives `take` the date of a recorded answer as soon as it is found, since perhaps nothing of it comes."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, take: Callable[[Event], None]) -> None:
        self._inner = inner
        self._take = take

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.extensions[RECORDED_EXTENSION] = lambda at: self._take(Recorded(at))
        return await self._inner.handle_async_request(request)


class _FirstByte(httpx2.AsyncBaseTransport):
    """Notes the first byte of an answer that is no refusal."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, came: asyncio.Event) -> None:
        self._inner = inner
        self._came = came

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        if response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Noted(response.stream, self._came)
        return response


class _Noted(httpx2.AsyncByteStream):
    def __init__(self, body: httpx2.AsyncByteStream, came: asyncio.Event) -> None:
        self._body = body
        self._came = came

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            if piece:
                self._came.set()
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()
