"""Limits on responses that are not read: for how long, and how many bytes of them."""

from __future__ import annotations

import asyncio
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
from chat_ui.server.middleware.socket_limit import READ_SECONDS

PIECE: Final = 64 * 1024
"""Bytes that are sent at a time, and that a reader takes within `READ_SECONDS`."""
OF_PERSON: Final = 32 * 1024 * 1024
OF_ALL: Final = 128 * 1024 * 1024
"""Bytes of whole bodies that wait for their readers, of one person and of all; a single body may be larger."""
_TOO_MUCH: Final = msg("Much of what was asked for has not been read yet. Try again in a moment.")


class Unread:
    """ASGI middleware: sends a body piece by piece, as its reader takes it.

    A response whose reader takes no piece within `seconds` is broken off. A whole body is in memory until its reader
    has it: where too many bytes wait, of a person or of all, a further one is refused with 503.
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

    def has_room(self, person: str, size: int) -> bool:
        """Whether one more body, of `size` bytes, may wait for its reader."""
        of_person, of_all = self._waiting[person], self._waiting.total()
        return (not of_person or of_person + size <= self._of_person) and (not of_all or of_all + size <= self._of_all)

    @contextmanager
    def waiting(self, person: str, size: int) -> Iterator[None]:
        """Within the context, count `size` bytes as waiting for their reader."""
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
        if message.get("more_body"):
            # Others have their turn, whether or not sending waited for anything.
            await asyncio.sleep(0)


class _Response:
    """One response, whose head goes with the first bytes of its body."""

    def __init__(self, unread: Unread, scope: Scope, receive: Receive, send: Send) -> None:
        self._unread = unread
        self._scope = scope
        self._receive = receive
        self._send = send
        self._start: Message | None = None

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
        if not self._unread.has_room(person, len(body)):
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
            await self._send({"type": message["type"], "body": body[at : at + PIECE], "more_body": True})
            at += PIECE
        await self._send({**message, "body": body[at:]} if at else message)
