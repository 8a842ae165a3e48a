"""The built pages as they are sent: with the branding and the settings of this server, in a request's language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.languages.translation import current_language
from chat_ui.server.public.precompressed import Precompressed, takes_gzip

_LEFT_OUT: Final = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
"""Headers of a request that are dropped for a document, which is neither compressed nor the built one."""
_REPLACED: Final = ("content-encoding", "content-length", "etag", "last-modified", "accept-ranges")


class PaintedPages:
    """ASGI middleware: passes each HTML document of `app` through `paint`, once for each language."""

    def __init__(self, app: ASGIApp, paint: Callable[[str], str]) -> None:
        self._app = app
        self._paint = paint
        self._documents: dict[tuple[bytes, str], Precompressed] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_named_like_a_file = "." in scope["path"].rpartition("/")[2]
        if is_named_like_a_file and await self._sent_as_file(scope, receive, send):
            return
        start: Message = {}
        parts: list[bytes] = []

        async def collect(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                if not _is_html(message):
                    await send(message)
            elif not _is_html(start):
                await send(message)
            else:
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    await self._send(scope, start, b"".join(parts), send)

        headers = [pair for pair in scope["headers"] if pair[0] not in _LEFT_OUT]
        # The head of a document needs all of it. Without extensions, such as that of sending a file by its path, the
        # document comes as bytes.
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        await self._app({**scope, "method": method, "headers": headers, "extensions": {}}, receive, collect)

    async def _sent_as_file(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Pass the request on as it is; False for a document, such as the page of a missing address."""
        is_document = False

        async def pass_on(message: Message) -> None:
            nonlocal is_document
            is_document = is_document or (message["type"] == "http.response.start" and _is_html(message))
            if not is_document:
                await send(message)

        await self._app(scope, receive, pass_on)
        return not is_document

    async def _send(self, scope: Scope, start: Message, built: bytes, send: Send) -> None:
        asked, headers = Headers(scope=scope), MutableHeaders(scope=start)
        key = built, current_language().tag
        document = self._documents.get(key) or self._documents.setdefault(
            key, Precompressed.of(self._paint(built.decode()))
        )
        for name in _REPLACED:
            del headers[name]
        headers["etag"] = document.etag
        headers["cache-control"] = "no-cache"
        headers.add_vary_header("Accept-Encoding")
        is_known = start["status"] == 200 and document.etag in asked.get("if-none-match", "")
        is_packed = takes_gzip(asked.get("accept-encoding", ""))
        body = b"" if is_known or scope["method"] == "HEAD" else document.packed if is_packed else document.plain
        if not is_known:
            headers["content-length"] = str(len(document.packed if is_packed else document.plain))
            if is_packed:
                headers["content-encoding"] = "gzip"
        await send({**start, "status": 304 if is_known else start["status"]})
        await send({"type": "http.response.body", "body": body})


def _is_html(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")
