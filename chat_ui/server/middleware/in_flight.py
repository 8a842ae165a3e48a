"""Running calls of the app, and their end before the server closes its connections."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_CUT_SECONDS: Final = 2.0
"""Seconds for a call to clean up once it is cut off."""
_ENDING: Final = PlainTextResponse(
    "This server is stopping. Try again in a moment.", 503, {"connection": "close", "retry-after": "1"}
)


class InFlight:
    """The running calls of an app, which end before the server does.

    Granian drops its runtime as soon as its connections are closed. A call that still waits, such as for the next
    message of a WebSocket, is dropped with it, without Python's lock, and that aborts the process.
    """

    def __init__(self) -> None:
        self._calls: dict[asyncio.Task[None], str] = {}
        self._is_ending = False

    def around(self, app: ASGIApp) -> ASGIApp:
        """ASGI middleware that counts the calls of `app`; once the server is to end, it refuses new ones."""
        return partial(self._call, app)

    async def _call(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if self._is_ending:
            await _refuse(scope, receive, send)
            return
        call = asyncio.ensure_future(app(scope, receive, send))
        self._calls[call] = scope["type"]
        try:
            await call
        except asyncio.CancelledError:
            if not (self._is_ending and call.cancelled()):
                raise
        finally:
            del self._calls[call]

    def refuse(self) -> None:
        """Refuse new calls, and end WebSockets, which would last for ever."""
        self._is_ending = True
        for call, kind in self._calls.items():
            if kind == "websocket":
                call.cancel()

    async def end(self, seconds: float) -> None:
        """Give the running calls `seconds` to end by themselves, and cut the rest off."""
        for timeouts in (seconds, _CUT_SECONDS):
            if self._calls:
                await asyncio.wait(self._calls, timeout=timeouts)
            for call in self._calls:
                call.cancel()


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1012})
    else:
        await _ENDING(scope, receive, send)
