"""Limits on unread bytes, in time and number, and on the WebSockets of a person and their messages."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.conversations.people.person import person_of
from chat_ui.languages.translation import translated
from chat_ui.protocol.translatable import msg
from chat_ui.server.middleware.identity import refuse_socket

logger = logging.getLogger(__name__)

OPEN_AT_ONCE: Final = 100
"""WebSockets of one person in this process."""
READ_SECONDS: Final = 60.0
"""Seconds within which a page has to read a message."""
_OF_PAGES: Final = ("3", "4")
"""First characters of a page's messages: an answer to a ping, and a message. Engine.IO fails over any other."""
PIECE: Final = 64 * 1024
"""Bytes that are sent at a time, and that a reader takes within `READ_SECONDS`."""
OF_PERSON: Final = 32 * 1024 * 1024
OF_ALL: Final = 128 * 1024 * 1024
"""Bytes of whole unread bodies, of one person and of all; a single body may be larger."""
_TOO_MUCH: Final = msg("Too many responses are waiting to be read. Try again in a moment.")


class Unread:
    """ASGI middleware: sends a body piece by piece, as its reader takes it.

    A response whose reader takes no piece within `seconds` is broken off. A whole body is in memory until its reader
    has it: with too many unread bytes, of a person or of all, a further one is refused with 503.
    """

    def __init__(
        self, app: ASGIApp, *, seconds: float = READ_SECONDS, of_person: int = OF_PERSON, of_all: int = OF_ALL
    ) -> None:
        self._app = app
        self._seconds = seconds
        self._of_person = of_person
        self._of_all = of_all
        self._waiting: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Response(self, scope, receive, partial(self._in_time, send)).send)

    def has_capacity(self, person: str, size: int) -> bool:
        """Whether one more body, of `size` bytes, may wait for its reader."""
        of_person, of_all = self._waiting[person], self._waiting.total()
        return (not of_person or of_person + size <= self._of_person) and (not of_all or of_all + size <= self._of_all)

    @contextmanager
    def waiting(self, person: str, size: int) -> Iterator[None]:
        """Within the context, count `size` bytes as unread."""
        self._waiting[person] += size
        try:
            yield
        finally:
            self._waiting[person] -= size
            if not self._waiting[person]:
                del self._waiting[person]

    async def _in_time(self, send: Send, message: Message) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await send(message)
        except TimeoutError:
            raise ClientDisconnect from None


class _Response:
    """A response, whose head is sent with the first bytes of its body."""

    def __init__(self, unread: Unread, scope: Scope, receive: Receive, send: Send) -> None:
        self._unread = unread
        self._scope = scope
        self._receive = receive
        self._send = send
        self._start: Message | None = None
        self._at_once = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        body: bytes = message.get("body", b"")
        start, self._start = self._start, None
        if start is None or message.get("more_body") or len(body) <= PIECE:
            await self._send_both(start, message, body)
            return
        person = person_of(self._scope)
        if not self._unread.has_capacity(person, len(body)):
            refusal = PlainTextResponse(translated(_TOO_MUCH), status_code=503, headers={"Retry-After": "5"})
            await refusal(self._scope, self._receive, self._send)
            return
        with self._unread.waiting(person, len(body)):
            await self._send_both(start, message, body)

    async def _send_both(self, start: Message | None, message: Message, body: bytes) -> None:
        if start is not None:
            await self._send(start)
        at = 0
        while len(body) - at > PIECE:
            await self._send_part({"type": message["type"], "body": body[at : at + PIECE], "more_body": True}, PIECE)
            at += PIECE
        await self._send_part({**message, "body": body[at:]} if at else message, len(body) - at)

    async def _send_part(self, message: Message, size: int) -> None:
        await self._send(message)
        self._at_once += size
        if self._at_once >= PIECE and message.get("more_body"):
            # Other tasks run, whether or not sending waited for anything.
            self._at_once = 0
            await asyncio.sleep(0)


class SocketLimit:
    """ASGI middleware: bounds the open WebSockets of a person, and ends those with foreign messages or unread ones."""

    def __init__(self, app: ASGIApp, at_once: int = OPEN_AT_ONCE) -> None:
        self._app = app
        self._at_once = at_once
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        person = person_of(scope)
        if self._open[person] >= self._at_once:
            logger.warning("a socket was refused: its user has %d open", self._at_once)
            await refuse_socket(receive, send)
            return
        ended = asyncio.Event()
        self._open[person] += 1
        try:
            await self._app(scope, partial(_until_ended, receive, ended), partial(_while_read, send, ended))
        finally:
            self._open[person] -= 1
            if not self._open[person]:
                del self._open[person]


async def _until_ended(receive: Receive, ended: asyncio.Event) -> Message:
    """The page's next message, or its disconnection: a server need not report one that it was told to close."""
    receiving, ending = asyncio.ensure_future(receive()), asyncio.create_task(ended.wait())
    try:
        await asyncio.wait((receiving, ending), return_when=asyncio.FIRST_COMPLETED)
        if ended.is_set():
            return {"type": "websocket.disconnect", "code": 1006}
        message = receiving.result()
    finally:
        receiving.cancel()
        ending.cancel()
    if message["type"] == "websocket.receive" and not (message.get("text") or "").startswith(_OF_PAGES):
        return {"type": "websocket.disconnect", "code": 1007}
    return message


async def _while_read(send: Send, ended: asyncio.Event, message: Message) -> None:
    is_last = True
    try:
        async with asyncio.timeout(READ_SECONDS):
            await send(message)
        is_last = message["type"] == "websocket.close"
    finally:
        if is_last:
            ended.set()
