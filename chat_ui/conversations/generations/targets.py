"""The targets of a question: a live backend or a recording, and the recording that is a backend's fallback."""

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
    AnswerWarning,
    CutOff,
    ErrorInfo,
    Event,
    Failed,
    JsonObject,
    Pause,
    PictureReceived,
    Recorded,
    SessionState,
    TextDelta,
)
from chat_ui.protocol.translatable import Translatable, msg
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.recorder import ResponseRecorder

SILENT_SECONDS: Final = 5
"""Seconds without a byte of an answer, after which the fallback answers."""
_SILENT: Final = msg("the backend did not answer within {seconds} seconds.", seconds=SILENT_SECONDS)


@dataclass(frozen=True, slots=True)
class Asked:
    """The question of a generation, which is the `number`th answer (from 1) to a turn of the owner's conversation.

    `question` may be cut if it was read back. `is_second` marks the second column of a comparison. `told` names the
    options that only the deployment told.
    """

    owner: str
    conversation: str
    turn: str
    number: int
    question: str
    overrides: JsonObject
    is_second: bool = False
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """A client, and the backend that it asks."""

    client: AsyncClient
    backend: Backend


@dataclass(frozen=True, slots=True)
class Fallback(Target):
    """The recording that answers if the backend does not, and if it `has` the question."""

    has: Callable[[ChatRequest], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Targets:
    """The first target, and its fallback."""

    first: Target
    fallback: Fallback | None = None


FindTargets: TypeAlias = Callable[[AsyncClient, Backend, Asked], Awaitable[Targets]]
"""Finds the targets of a client's question; may raise `RecordingError` and OSError over a recording."""


async def only_target(client: AsyncClient, backend: Backend, _asked: Asked) -> Targets:
    """The backend itself, without a fallback."""
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

    The first target's request is closed if it brings no byte of an answer for `SILENT_SECONDS`, or fails before any
    text or pause. Then the recording answers, if it has the question, `forget` is called with the replaced backend, and
    the recorded backend is returned. A recorded session is not passed on: the next question to the backend has its
    former session. If the recording brings no text or pause either, it is dropped, and the answer fails as the first
    target did.
    """
    if targets.fallback is None:
        client = targets.first.client.with_transport(lambda inner: _Dated(inner, take))
        return await ask_anywhere(client, targets.first.backend, request, take, record=record)
    held = _HeldBack(take)
    came = asyncio.Event()
    client = targets.first.client.with_transport(lambda inner: _FirstByte(inner, came))
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
        take(AnswerWarning(FALLEN_BACK, why))

    replayed = _OnceTextCame(take, begin)
    recorded = await ask_anywhere(
        targets.fallback.client, targets.fallback.backend, request, replayed.take, record=record
    )
    if replayed.has_text:
        return recorded
    held.release()
    if held.failure is None:
        take(Failed(ErrorInfo(why, code="timeout")))
    return live


async def _is_silent(asking: asyncio.Task[Backend], came: asyncio.Event) -> bool:
    byte = asyncio.create_task(came.wait())
    try:
        done, _ = await asyncio.wait({asking, byte}, timeout=SILENT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    finally:
        byte.cancel()
    return not done


def _is_content(event: Event) -> bool:
    return isinstance(event, Pause | PictureReceived) or (isinstance(event, TextDelta) and bool(event.text.strip()))


class _HeldBack:
    """Passes events on, except failures of an answer without text, and white space before text."""

    def __init__(self, take: Callable[[Event], None]) -> None:
        self._take = take
        self._has_text = False
        self._held: list[Event] = []
        self.failure: Translatable | None = None
        """The reason for an answer without text; None with text, or without a failure."""

    def take(self, event: Event) -> None:
        """Pass an event on, or keep it back."""
        if _is_content(event):
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
        """Pass on the events kept back."""
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
        """Pass an event on, or keep it back."""
        if isinstance(event, SessionState):
            return
        self._held.append(event)
        if not self.has_text and _is_content(event):
            self.has_text = True
            self._begin()
        if self.has_text:
            events, self._held = self._held, []
            for one in events:
                self._take(one)


class _Dated(httpx2.AsyncBaseTransport):
    """Gives `take` the date of a recorded answer as soon as it is found, since its events may all be dropped."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, take: Callable[[Event], None]) -> None:
        self._inner = inner
        self._take = take

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.extensions[RECORDED_EXTENSION] = lambda at: self._take(Recorded(at))
        return await self._inner.handle_async_request(request)


class _FirstByte(httpx2.AsyncBaseTransport):
    """Notes the first byte of an answer other than a refusal."""

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
