"""The pages behind shared links: `GET /TOKEN` is a snapshot, for whoever has the link.

A page is a document that needs nothing else: no socket, no script of the app, and nobody's cookie. Whatever a link that
leads nowhere is (made up, revoked, at its end, or not for this reader), the response is the same.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import zlib
from collections.abc import AsyncIterator
from html import escape
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from chat_ui.conversations.people.person import is_named
from chat_ui.conversations.snapshots import Snapshots
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.languages.translation import current_language, gettext
from chat_ui.routes.public.precompressed import takes_gzip
from chat_ui.routes.snapshots.shared_links import digest_of

_STYLE: Final = (Path(__file__).parent / "shared_pages.css").read_text("utf-8")
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'"
_BOUND: Final = "frame-ancestors 'none'; sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"
"""Of every page: it has no origin, so not even a script of its own could act as the reader."""
_HEADERS: Final = {
    "Cache-Control": "private, no-store",
    # A document without an origin has none to share with others.
    "Cross-Origin-Opener-Policy": "unsafe-none",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
_READ_AT_ONCE: Final = 2
"""Reads of the store at a time, of all readers together: those who guess take nobody else's connection."""
_PIECE: Final = 64 * 1024


class SharedPages:
    """Serves `snapshots`; None where people share none. With `signed_in`, only to those whom the proxy names."""

    def __init__(self, snapshots: Snapshots | None, *, signed_in: bool) -> None:
        self._snapshots = snapshots
        self._signed_in = signed_in
        self._reads = asyncio.Semaphore(_READ_AT_ONCE)

    def routes(self) -> list[Route]:
        return [Route("/{token:path}", self.page, methods=["GET"])]

    async def page(self, request: Request) -> Response:
        """The page behind the link in the address of `request`; one without a token leads nowhere."""
        if self._snapshots is None or (self._signed_in and not is_named(request)):
            return _nothing()
        try:
            async with self._reads:
                found = await self._snapshots.document(digest_of(request.path_params.get("token", "")))
        except StoreUnavailableError:
            return _words(
                gettext("This page cannot be shown at the moment"), gettext("Try again in a little while."), 503
            )
        if found is None:
            return _nothing()
        headers = {
            **_HEADERS,
            "Content-Security-Policy": f"{found.policy}; {_BOUND}",
            "Vary": "Accept-Encoding",
        }
        if takes_gzip(request.headers.get("accept-encoding", "")):
            return HTMLResponse(found.compressed, headers={**headers, "Content-Encoding": "gzip"})
        return StreamingResponse(_unpacked(found.compressed), media_type="text/html", headers=headers)


async def _unpacked(compressed: bytes) -> AsyncIterator[bytes]:
    """The document in pieces: a reader who takes no compressed one does not have the server hold it whole."""
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS + 16)
    while compressed:
        yield await asyncio.to_thread(unpacker.decompress, compressed, _PIECE)
        compressed = unpacker.unconsumed_tail


def _nothing() -> Response:
    return _words(
        gettext("There is nothing at this address"),
        gettext(
            "The link may be mistyped, it may be at its end, or whoever shared it has revoked it. Ask them for another "
            "one."
        ),
        404,
    )


def _words(heading: str, words: str, status: int) -> Response:
    language = current_language()
    page = (
        f'<!doctype html><html lang="{language.tag}" dir="{language.direction}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
        f"<title>{escape(heading)}</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{escape(heading)}</h1><p>{escape(words)}</p></main></body></html>\n"
    )
    return HTMLResponse(page, status, headers={**_HEADERS, "Content-Security-Policy": f"{_POLICY}; {_BOUND}"})
