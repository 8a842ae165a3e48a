"""Tells people apart, and turns other origins away before they reach anything.

The cookie is known to this module alone. What the rest of the app sees is a person: a digest of the cookie in a header
that no client can set, so that neither the page nor a store ever holds what would let somebody act as another.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.conversations.people import PERSON_HEADER
from chat_ui.protocol.guard import origin_of

COOKIE: Final = "chat_ui_person"
_COOKIE_VALUE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_YEAR: Final = 365 * 24 * 3600
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class People:
    """ASGI middleware: names the person of each request, and gives a page loaded by a new browser its cookie.

    The cookie holds 256 random bits and is HttpOnly, SameSite=Lax, for a year.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with the person in `PERSON_HEADER` in place of the cookie."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        cookie = _cookie_value(Headers(scope=scope).get("cookie", ""))
        inner = {**scope, "headers": _with_person(scope["headers"], cookie)}
        if cookie is not None or scope["type"] != "http":
            await self._app(inner, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    secure = "; Secure" if scope.get("scheme") == "https" else ""
                    attributes = f"Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Lax{secure}"
                    headers.append("set-cookie", f"{COOKIE}={secrets.token_urlsafe(32)}; {attributes}")
                    headers["cache-control"] = "no-store"
            await send(message)

        await self._app(inner, receive, send_with_cookie)


class OwnOriginOnly:
    """ASGI middleware: only our own pages may open the socket or change anything.

    A browser names the origin of the page that makes such a request. Our own are `origins` and the address that was
    asked; where there are `origins`, or with `loopback_only`, that address must be one of this machine, since a foreign
    name can be made to resolve to any address. Every other origin, `null` too, is refused with 403. A program that is
    no browser names none and may go on: it has nobody's cookie, and so is nobody.
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str] = (), *, loopback_only: bool = True) -> None:
        self._app = app
        self._origins = frozenset(origin_of(origin) for origin in origins) - {""}
        self._loopback_only = loopback_only or bool(self._origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] in ("http", "websocket") and not self._allowed(scope):
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 4403})
            else:
                refusal = PlainTextResponse("This address may only be used by its own pages.", status_code=403)
                await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _allowed(self, scope: Scope) -> bool:
        if scope["type"] == "http" and scope["method"] in _SAFE_METHODS:
            return True
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is None or origin_of(origin) in self._origins:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        if self._loopback_only and parts.hostname not in _LOOPBACK_NAMES:
            return False
        return parts.netloc != "" and parts.netloc == headers.get("host", "")


def _cookie_value(header: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    if morsel is None or _COOKIE_VALUE.fullmatch(morsel.value) is None:
        return None
    return morsel.value


def _with_person(headers: list[tuple[bytes, bytes]], cookie: str | None) -> list[tuple[bytes, bytes]]:
    hidden = {b"cookie", PERSON_HEADER.encode()}
    kept = [(name, value) for name, value in headers if name.lower() not in hidden]
    if cookie is not None:
        kept.append((PERSON_HEADER.encode(), hashlib.sha256(cookie.encode()).hexdigest().encode()))
    return kept
