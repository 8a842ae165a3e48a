"""An id for each request, and a line in the log for its outcome."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Awaitable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.languages.translation import translated
from chat_ui.protocol.translatable import msg
from chat_ui.server.logs import REQUEST_HEADER, request_id
from chat_ui.server.middleware.identity import Networks, comes_from

logger = logging.getLogger(__name__)

BODY_SECONDS: Final = 20.0
"""Seconds within which each further piece of a request's body has to arrive."""

_USABLE: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")
_FAILED: Final = msg("Something went wrong on the server. Try again; if that does not help, tell its operator.")
_NOT_SENT: Final = msg("Sending was interrupted. Send it again.")
_LOGGABLE_PART: Final = re.compile(r"[a-z_]{0,16}|[0-9]{1,6}|[A-Za-z0-9_-]{22}(?:\.[A-Za-z0-9_-]{22})?")


def failed(*_: object) -> Response:
    """The response to a request that fails; also Starlette's handler of such errors, in place of its own words."""
    return PlainTextResponse(translated(_FAILED), status_code=500)


class RequestLog:
    """ASGI middleware: gives each request and its answer an id, in `X-Request-ID`.

    A request from the networks `proxies` keeps its id. The id is in the headers from here on; events over a page's
    socket have the id of the socket's opening.

    The log has the path of a request without its query, and without parts that are neither a word nor an id of ours: a
    person may have typed them. An unhandled error becomes a 500, a body that does not arrive a 408.
    """

    def __init__(self, app: ASGIApp, proxies: Networks = (), *, body_seconds: float = BODY_SECONDS) -> None:
        self._app = app
        self._proxies = proxies
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_HEADER, "")
        is_kept = _USABLE.fullmatch(given) and comes_from(scope, self._proxies)
        own = given if is_kept else secrets.token_hex(8)
        MutableHeaders(scope=scope)[REQUEST_HEADER] = own
        status = 0
        body_is_here = scope["type"] != "http"

        async def receive_in_time() -> Message:
            nonlocal body_is_here
            if body_is_here:
                return await receive()
            try:
                async with asyncio.timeout(self._body_seconds):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, translated(_NOT_SENT), {"Connection": "close"}) from None
            body_is_here = not message.get("more_body")
            return message

        def send_with_id(message: Message) -> Awaitable[None]:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_HEADER] = own
            return send(message)

        began = time.monotonic()
        within = request_id.set(own)
        try:
            await self._app(scope, receive_in_time, send_with_id)
        except ClientDisconnect:
            # The client has gone.
            pass
        except Exception:
            logger.exception("a request failed")
            if scope["type"] == "http" and not status:
                await failed()(scope, receive, send_with_id)
        finally:
            logger.info(
                "a request has ended",
                extra={
                    "method": scope.get("method", "WEBSOCKET"),
                    "path": _loggable(scope["path"]),
                    "status": status or None,
                    "seconds": round(time.monotonic() - began, 3),
                },
            )
            request_id.reset(within)


def _loggable(path: str) -> str:
    return "/".join(part if _LOGGABLE_PART.fullmatch(part) else "…" for part in path.split("/"))
