"""Caching in the browser: files whose names hold a hash of their content are kept for good."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FOR_GOOD: Final = "public, max-age=31536000, immutable"


class ImmutableFiles:
    """ASGI middleware: lets browsers keep the files under `folder` without asking again (RFC 8246).

    The build names each of them after a hash of its content, so a changed file has another name.
    """

    def __init__(self, app: ASGIApp, folder: str) -> None:
        self._app = app
        self._folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(self._folder):
            await self._app(scope, receive, send)
            return

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in (200, 206, 304):
                MutableHeaders(scope=message)["cache-control"] = _FOR_GOOD
            await send(message)

        await self._app(scope, receive, send_marked)
