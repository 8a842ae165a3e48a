"""Limits on the WebSockets of a person: their number, and the messages that they carry."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from functools import partial
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.conversations.people.person import person_of
from chat_ui.server.middleware.identity import refuse_socket

logger = logging.getLogger(__name__)

OPEN_AT_ONCE: Final = 100
"""WebSockets of one person in this process."""
READ_SECONDS: Final = 60.0
"""Seconds within which a page has to read a message."""
_OF_PAGES: Final = ("3", "4")
"""First characters of messages of a page: an answer to a ping, and a message. Engine.IO fails over any other."""


class SocketLimit:
    """ASGI middleware: refuses a WebSocket beyond `at_once` open ones of a person, and ends one whose page sends what
    no
    page of ours sends, or does not read.
    """

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
            logger.warning("a socket was refused: its person has %d open", self._at_once)
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
