"""Gives each request an id and writes down how it went."""

from __future__ import annotations

import logging
import re
import secrets
import time
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.telemetry.logs import REQUEST_HEADER, request_id

logger = logging.getLogger(__name__)

_USABLE: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")


class Requests:
    """ASGI middleware: a request keeps the id that it came with in `X-Request-ID`, or gets one; its answer has it too.

    It is in the headers from here on. What a page does over its socket carries the id that the socket was opened under.

    The log has the path of a request without its query, in which there may be words of a person.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on under its id."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_HEADER, "")
        own = given if _USABLE.fullmatch(given) else secrets.token_hex(8)
        MutableHeaders(scope=scope)[REQUEST_HEADER] = own
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_HEADER] = own
            await send(message)

        began = time.monotonic()
        within = request_id.set(own)
        try:
            await self._app(scope, receive, send_with_id)
        finally:
            logger.info(
                "a request has ended",
                extra={
                    "method": scope.get("method", "WEBSOCKET"),
                    "path": scope["path"],
                    "status": status or None,
                    "seconds": round(time.monotonic() - began, 3),
                },
            )
            request_id.reset(within)
