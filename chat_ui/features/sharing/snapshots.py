"""Snapshots of conversations: their links, and the pages behind these links.

`GET /` is `{"readers": "anyone" | "signed-in", "days": [DAYS], "links": [{"id", "conversation", "title", "made_at",
"ends_at", "path"}]}`: `days` are the choices for a new link, `path` is null if the server's secret has changed.
`POST /` takes `{"conversation", "days", "thoughts", "documents"}` and returns a link; the last two are flags for
optional contents. `DELETE /ID` revokes a link. `GET /CONVERSATION/contents` returns the contents of a link.

The token in a link's address derives from the random id of its snapshot and the secret of the server. The store has
only its digest, so a leaked store or backup does not open links. The owner gets the same link again while the secret is
the same. With another secret, existing links still open, as they are found by their digests.

The page behind a link, `GET /TOKEN` elsewhere, is for anybody with the link. The document is standalone: without a
socket, scripts of the app, or cookies. All links without a page get the same response: made up, revoked, expired, or
not for this reader.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
import zlib
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.people.person import is_named
from chat_ui.conversations.snapshots import SharedDocument, Snapshot, Snapshots
from chat_ui.errors import StoreUnavailableError, TooCostlyError
from chat_ui.features.exporting.exported import snapshot_document
from chat_ui.features.exporting.exports import ExportRoutes, exports_of, look_of
from chat_ui.features.sharing.settings import LinkReaders, link_days
from chat_ui.languages.translation import current_language, gettext
from chat_ui.page.routes.bodies import json_of
from chat_ui.page.routes.owned import NO_STORE, Turns, for_person, no_conversation, text_response
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.exported_page import source_of, style_of
from chat_ui.rendering.exported_page.page_document import AS_BUILT, Look
from chat_ui.rendering.html.links import OVERRIDES
from chat_ui.server.addresses import SHARED, SNAPSHOTS
from chat_ui.server.processes.pool import Processes
from chat_ui.server.public.precompressed import takes_gzip
from chat_ui.server.services import Services, cookie_secret

MAKE_SECONDS: Final = 30.0
"""Timeout in seconds of making a document."""
_USUAL_DAYS: Final = (1, 7, 30)
_DAY: Final = 24 * 3600
_BODY_AT_MOST: Final = 10_000
_TOKEN_BYTES: Final = 24
_TOO_LARGE: Final = msg("This conversation is too long for a shared link. Export it as a page, and send the file.")
_STYLE: Final = style_of(Path(__file__).with_suffix(".css"))
_POLICY: Final = f"default-src 'none'; style-src {source_of(_STYLE)}; base-uri 'none'; form-action 'none'"
_BOUND: Final = "frame-ancestors 'none'; sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"
"""The policy of every page: without an origin, its scripts cannot act as the reader."""
_HEADERS: Final = {
    "Cache-Control": "private, no-store",
    # A document without an origin cannot share it.
    "Cross-Origin-Opener-Policy": "unsafe-none",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
_READ_AT_ONCE: Final = 2
"""Concurrent reads of the store by all readers, so that guessing does not take other connections."""
_PIECE: Final = 64 * 1024


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def routes_of(services: Services, readers: LinkReaders) -> Mapping[str, Sequence[BaseRoute]]:
    """The routes of links and of their pages by mount address."""
    chosen = services.settings
    links = LinkRoutes(
        services.conversations,
        services.processes,
        cookie_secret(chosen),
        exports_of(services),
        pages=SNAPSHOTS,
        readers=readers,
        most_days=link_days(chosen),
        retention_days=chosen.retention_days or None,
        look=look_of(services),
    )
    snapshots = None if readers == "off" else services.conversations.snapshots
    pages = SharedPages(snapshots, signed_in=readers == "signed-in")
    return {
        "": [Route(SNAPSHOTS, pages.page)],
        SHARED: links.routes() if snapshots is not None else [],
        SNAPSHOTS: pages.routes(),
    }


class LinkRoutes:
    """Makes, lists and revokes links to snapshots of `conversations`, for `readers`; their pages are at `pages`/TOKEN.

    A link expires after `most_days` at most, and `retention_days` after the conversation's last question. The contents
    are those of `exports`, with this `look`.
    """

    def __init__(
        self,
        conversations: Conversations,
        processes: Processes,
        secret: str,
        exports: ExportRoutes,
        *,
        pages: str,
        readers: str,
        most_days: int,
        retention_days: float | None,
        look: Look = AS_BUILT,
    ) -> None:
        self._conversations = conversations
        self._processes = processes
        self._key = hmac.digest(secret.encode(), b"chat_ui links", "sha256")
        self._pages = pages
        self._readers = readers
        self._days = sorted({days for days in _USUAL_DAYS if days < most_days} | {most_days})
        self._retention_days = retention_days
        self._exports = exports
        self._look = look
        self._turns = Turns()

    def routes(self) -> list[Route]:
        return [
            Route("/", for_person(self._list), methods=["GET"]),
            Route("/", for_person(self._turns.one_at_a_time(self._make)), methods=["POST"]),
            Route("/{link}", for_person(self._revoke), methods=["DELETE"]),
            self._exports.contents_at("/{conversation}/contents"),
        ]

    async def _list(self, _request: Request, person: str) -> Response:
        links = [self._link(one) for one in await self._conversations.snapshots.of(person)]
        return JSONResponse({"readers": self._readers, "days": self._days, "links": links}, headers=NO_STORE)

    async def _make(self, request: Request, person: str) -> Response:
        asked = await json_of(request, _BODY_AT_MOST)
        match asked:
            case {"conversation": str(conversation_id), "days": int(days)} if days in self._days:
                pass
            case _:
                return text_response(msg("Name a conversation and a number of days."), 400)
        conversation = await self._conversations.get(person, conversation_id)
        if conversation is None:
            return no_conversation()
        if conversation.live is not None:
            return text_response(
                msg("An answer is still being written. Share the conversation when it is finished."), 409
            )
        found = await self._conversations.lists.shown_with_origins(person, conversation_id)
        if found is None:
            return no_conversation()
        title, turns, origins = found
        now = time.time()
        try:
            chosen = await self._exports.chosen(
                person,
                turns,
                origins,
                thoughts=asked.get("thoughts") is True,
                documents=asked.get("documents") is True,
                backend=False,
            )
            document = await self._processes.run(
                person, snapshot_document, title, turns, chosen, self._look, now, seconds=MAKE_SECONDS
            )
        except TooCostlyError:
            document = None
        if document is None:
            return text_response(_TOO_LARGE, 422)
        snapshot_id = secrets.token_urlsafe(16)
        snapshot = Snapshot(
            id=snapshot_id,
            digest=digest_of(self._token(snapshot_id)),
            conversation=conversation_id,
            title=title,
            made_at=now,
            ends_at=await self._end(person, conversation_id, now + days * _DAY),
        )
        if not await self._conversations.snapshots.keep(person, snapshot, SharedDocument(*document)):
            return no_conversation()
        return JSONResponse(self._link(snapshot), status_code=201, headers=NO_STORE)

    async def _end(self, person: str, conversation_id: str, wanted: float) -> float:
        if self._retention_days is None:
            return wanted
        updated = await self._conversations.lists.stored.updated(person, [conversation_id])
        return min(wanted, updated.get(conversation_id, 0.0) + self._retention_days * _DAY)

    async def _revoke(self, request: Request, person: str) -> Response:
        revoked = await self._conversations.snapshots.revoke(person, request.path_params["link"])
        return Response(status_code=204) if revoked else text_response(msg("Link not found."), 404)

    def _token(self, snapshot_id: str) -> str:
        made = hmac.digest(self._key, snapshot_id.encode(), "sha256")
        return urlsafe_b64encode(made[:_TOKEN_BYTES]).decode()

    def _link(self, snapshot: Snapshot) -> dict[str, object]:
        token = self._token(snapshot.id)
        is_same = hmac.compare_digest(digest_of(token), snapshot.digest)
        return {
            "id": snapshot.id,
            "conversation": snapshot.conversation,
            "title": snapshot.title.translate(OVERRIDES),
            "made_at": snapshot.made_at,
            "ends_at": snapshot.ends_at,
            "path": f"{self._pages}/{token}" if is_same else None,
        }


class SharedPages:
    """Serves `snapshots`, or None without sharing; with `signed_in`, only to people whom the proxy identifies."""

    def __init__(self, snapshots: Snapshots | None, *, signed_in: bool) -> None:
        self._snapshots = snapshots
        self._signed_in = signed_in
        self._reads = asyncio.Semaphore(_READ_AT_ONCE)

    def routes(self) -> list[Route]:
        return [Route("/{token:path}", self.page, methods=["GET"])]

    async def page(self, request: Request) -> Response:
        """The page behind the link in the address of `request`."""
        if self._snapshots is None or (self._signed_in and not is_named(request)):
            return _nothing()
        try:
            async with self._reads:
                found = await self._snapshots.document(digest_of(request.path_params.get("token", "")))
        except StoreUnavailableError:
            return _words(gettext("This page cannot be shown at the moment"), gettext("Try again in a moment."), 503)
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
    """The document in pieces, so that a reader without compression does not load it into memory."""
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS + 16)
    while compressed:
        yield await asyncio.to_thread(unpacker.decompress, compressed, _PIECE)
        compressed = unpacker.unconsumed_tail


def _nothing() -> Response:
    return _words(
        gettext("Page not found"),
        gettext("The link may be wrong, expired or revoked. Ask for a new one."),
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
