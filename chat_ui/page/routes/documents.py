"""The documents of an answer's sources, fetched from its backend and served from here.

An address has the answer's id and the data point's number, and never a name from a backend. The media type follows the
name, or is plain text, since raw HTML and XML make browsers connect to strangers. The policy of all resources prevents
scripts. Only the answer's owner may read a document. Only a backend that is offered to that person is asked.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias
from urllib.parse import quote

import httpx2
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.errors import NotOnOfferError, TooCostlyError, VaultError
from chat_ui.languages.translation import current_language, translated
from chat_ui.page.routes.bodies import Streamed
from chat_ui.page.routes.owned import owned, text_response
from chat_ui.protocol.answers.place import place_of
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.documents.document_fetch import Fetched, fetch_document
from chat_ui.protocol.documents.document_urls import READ, Document, Kind, document_of, document_template
from chat_ui.protocol.errors import DocumentError, RecordingError
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.rendering.citations.source_names import clean_label
from chat_ui.rendering.panels.document_text import SHOWN_AS_TEXT, shown_document
from chat_ui.rendering.panels.read_document import ReadDocument, Reader, Wanted
from chat_ui.rendering.panels.sources import SHOWN, DocumentAccess
from chat_ui.server.processes.pool import Processes

logger = logging.getLogger(__name__)

BOUNDS: Final = Bounds(connect_timeout=5, first_byte_timeout=30, idle_timeout=30)
_PROBE_SECONDS: Final = 2.5
_PROBED: Final = 3
_KNOWN_FOR: Final = 60.0
_TEXT_BYTES: Final = 4_000_000
_REMEMBERED_BYTES: Final = 4 * 1024 * 1024
_READER_BYTES: Final = 25_000_000
"""Bytes of a document that a reader of a feature is given."""
_READ_BYTES: Final = 32 * 1024 * 1024
"""Bytes of the documents that their readers keep."""
_VALIDATORS: Final = {"etag": "if-none-match", "last-modified": "if-modified-since"}
_INDEX: Final = re.compile(r"\d{1,6}", re.ASCII)
_NO_READERS: Final[Mapping[Kind, Reader]] = {}

_TYPES: Final = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "svg": "image/svg+xml",
}
FindBackend: TypeAlias = Callable[[JsonObject, str], Awaitable[Backend | None]]
"""Finds the backend of a conversation for a person; None if it is not offered to them. May raise VaultError and
ValueError.
"""
FindClient: TypeAlias = Callable[[Backend], Awaitable[AsyncClient]]
"""Finds the client for a backend. May raise RecordingError for a recording."""


MOST_BYTES: Final = 100_000_000
"""Bytes of a document."""
MOST_CITED: Final = 40
"""Documents in an export."""
CITED_BYTES: Final = 16 * 1024 * 1024
"""Total bytes of documents in an export."""
_CITED_SECONDS: Final = 45.0
"""Timeout in seconds for all of them."""
_AT_ONCE: Final = 4
_CITED_TEXT_BYTES: Final = 1024 * 1024
"""Bytes of a text; images and PDFs are useless in parts."""
CitedDocument: TypeAlias = tuple[Document, bytes, str]
"""The document, its bytes, and the charset of its response."""
_TOO_COSTLY: Final = msg("This document takes too long to show. Download it instead.")
_BROKE: Final = msg("The connection to the backend broke. Try again.")
_NOT_RECORDED: Final = msg("This document is not in the recording, because it was not opened while recording.")


class DocumentRoutes:
    """The documents of the answers in `conversations`, at most `max_bytes` each, from the backend of `find_backend`."""

    def __init__(
        self,
        conversations: Conversations,
        find_client: FindClient,
        find_backend: FindBackend,
        processes: Processes | None = None,
        readers: Mapping[Kind, Reader] = _NO_READERS,
        *,
        max_bytes: int = MOST_BYTES,
    ) -> None:
        self._conversations = conversations
        self._find_client = find_client
        self._max_bytes = max_bytes
        self._find_backend = find_backend
        self._processes = processes or Processes()
        self._readers = readers
        self.kinds = SHOWN | readers.keys()
        self._read_documents: RecentlyUsed[tuple[str, str, str | None, str], tuple[Mapping[str, str], bytes]]
        self._read_documents = RecentlyUsed(_READ_BYTES)
        """The validators of each read document as headers of a request, and what its reader kept."""
        self._probes: RecentlyUsed[tuple[str, str], tuple[asyncio.Task[DocumentAccess], float]]
        self._probes = RecentlyUsed(_REMEMBERED_BYTES)
        self._too_large: RecentlyUsed[tuple[str | None, str], str] = RecentlyUsed(_REMEMBERED_BYTES)

    def routes(self) -> list[Route]:
        return [
            Route("/{answer}/documents/{point:index}", owned(self._conversations, self._document)),
            Route("/{answer}/documents/{point:index}/shown", owned(self._conversations, self._shown)),
        ]

    async def access(self, generation: Generation, person: str) -> DocumentAccess:
        """Whether the backend of this answer serves documents here. A few documents are requested, and the result is
        cached for all answers of this backend. A refused document counts as existing.
        """
        return await asyncio.shield(self.probe(generation, person))

    def probe(self, generation: Generation, person: str) -> asyncio.Task[DocumentAccess]:
        """Start finding out the `access` in advance."""
        key = person, json.dumps(generation.asked_of)
        documents = list(dict.fromkeys(filter(None, map(document_of, generation.answer.data_points))))[:_PROBED]
        known, until = self._probes.get(key) or (None, 0.0)
        if known is None or time.monotonic() > until:
            known = asyncio.create_task(self._probe(generation, person, documents), name="documents of a backend")
            if documents:
                self._probes.put(key, (known, time.monotonic() + _KNOWN_FOR), size_of((key,), _REMEMBERED_BYTES))
        return known

    async def _probe(self, generation: Generation, person: str, documents: Sequence[Document]) -> DocumentAccess:
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                backend = await self._backend(generation, person)
                for document in documents:
                    if await self._is_there(backend, document):
                        return DocumentAccess.OPEN
        except NotOnOfferError:
            return DocumentAccess.NOT_ON_OFFER
        except DocumentError:
            return DocumentAccess.OPEN if documents else DocumentAccess.NONE
        except TimeoutError:
            logger.info("a backend sent no document in time")
        return DocumentAccess.NONE

    async def _is_there(self, backend: Backend, document: Document) -> bool:
        try:
            fetched = await self._fetch(backend, document, {"range": "bytes=0-1023"})
        except DocumentError as error:
            return error.status in {401, 403, 413, 429}
        await fetched.aclose()
        return True

    async def _document(self, request: Request, person: str, generation: Generation) -> Response:
        try:
            document = _asked_document(request, generation)
            backend = await self._backend(generation, person)
            fetched = await self._fetch(backend, document, request.headers)
        except DocumentError as error:
            return text_response(error.message, error.status)
        headers = _headers(document, as_download="download" in request.query_params)
        headers |= fetched.headers
        return Streamed(
            self._bytes(backend, document, fetched),
            status_code=fetched.status,
            headers=headers,
            media_type=_content_type(document, fetched),
            close=fetched.aclose,
        )

    async def _shown(self, request: Request, person: str, generation: Generation) -> Response:
        try:
            document = _asked_document(request, generation)
            if reader := self._readers.get(document.kind):
                return await self._read(request, person, generation, document, reader)
            if document.kind not in SHOWN_AS_TEXT:
                return text_response(msg("This kind of document cannot be shown as text."), 415)
            backend = await self._backend(generation, person)
            fetched = await self._fetch(backend, document, {})
            data, is_cut = await _beginning(fetched, _TEXT_BYTES)
        except DocumentError as error:
            return text_response(error.message, error.status)
        try:
            known = f"{generation.answer.data_points[request.path_params['point']].text}\n{generation.answer.text}"
            html = await self._processes.run(
                person, partial(shown_document, is_cut=is_cut), data, document.kind, fetched.charset, known
            )
        except TooCostlyError:
            return text_response(_TOO_COSTLY, 503, {"Retry-After": "3600"})
        return HTMLResponse(html, headers={"Cache-Control": "private, no-cache"})

    async def _read(
        self, request: Request, person: str, generation: Generation, document: Document, reader: Reader
    ) -> Response:
        """A document at the passage of a source, for the `claim` and the `place` of its citation, or at a `block`."""
        asked, source = request.query_params, generation.answer.data_points[request.path_params["point"]]
        block = int(asked["block"]) if _INDEX.fullmatch(asked.get("block", "")) else None
        backend = await self._backend(generation, person)
        key = person, current_language().tag, document_template(backend), document.name
        validators, kept = self._read_documents.get(key) or ({}, b"")
        fetched = await self._fetch(backend, document, validators)
        is_kept, is_cut = fetched.status == httpx2.codes.NOT_MODIFIED, False
        if not is_kept:
            kept, is_cut = await _beginning(fetched, _READER_BYTES)
            if is_cut and len(kept) < _READER_BYTES:
                raise DocumentError(502, _BROKE)
        await fetched.aclose()
        place = place_of(asked.get("place", ""))
        wanted = Wanted(source.text, asked.get("claim", ""), place, block, fetched.charset)
        try:
            read = await self._processes.run(person, reader, kept, is_kept, wanted, weight=len(kept))
        except TooCostlyError:
            read = ReadDocument(problem=_TOO_COSTLY)
        sent = fetched.headers
        validators = {name: sent[told] for told, name in _VALIDATORS.items() if told in sent}
        if read.kept and validators and not is_cut:
            self._read_documents.put(key, (validators, read.kept), len(read.kept))
        content = {"html": read.html, "outline": read.outline, "at": read.at, "problem": translated(read.problem)}
        return JSONResponse(content, headers={"Cache-Control": "private, no-cache"})

    async def _backend(self, generation: Generation, person: str) -> Backend:
        try:
            backend = await self._find_backend(generation.asked_of, person)
        except (VaultError, ValueError) as problem:
            raise DocumentError(503, str(problem)) from problem
        if backend is None:
            raise NotOnOfferError
        return backend

    async def _fetch(self, backend: Backend, document: Document, asked: Mapping[str, str]) -> Fetched:
        if known := self._too_large.get((document_template(backend), document.name)):
            raise DocumentError(413, known)
        try:
            client = await self._find_client(backend)
        except RecordingError as problem:
            raise DocumentError(410, str(problem)) from problem
        fetched = await fetch_document(client, backend, document, asked, max_bytes=self._max_bytes, bounds=BOUNDS)
        if backend.recording and fetched.status == httpx2.codes.PARTIAL_CONTENT and "range" not in asked:
            # The recording has only its first bytes.
            await fetched.aclose()
            raise DocumentError(404, _NOT_RECORDED)
        return fetched

    async def _bytes(self, backend: Backend, document: Document, fetched: Fetched) -> AsyncGenerator[bytes, None]:
        try:
            async for chunk in fetched.body:
                yield chunk
        except DocumentError as error:
            if error.status == 413:
                known = document_template(backend), document.name
                self._too_large.put(known, error.message, size_of((known,), _REMEMBERED_BYTES))
            # The status is sent; only a broken connection can signal the truncation.
            raise ConnectionAbortedError(error.message) from error


class CitedDocuments:
    """Fetches the cited documents of a conversation for an export, with the page's rights and within the limits.

    Those of further kinds are for their `readers`.
    """

    def __init__(
        self, find_client: FindClient, find_backend: FindBackend, readers: Mapping[Kind, Reader] = _NO_READERS
    ) -> None:
        self._find_client = find_client
        self._find_backend = find_backend
        self.readers = readers

    async def of(
        self, person: str, cited: Sequence[dict[int, Document]], asked_of: Sequence[JsonObject]
    ) -> list[dict[int, CitedDocument]]:
        """The received documents that are `cited` in each turn, by the index of a data point."""
        wanted: dict[tuple[str, str], tuple[JsonObject, Document]] = {}
        kinds = SHOWN | self.readers.keys()
        for documents, asked in zip(cited, asked_of, strict=True):
            for document in documents.values():
                if document.kind in kinds and len(wanted) < MOST_CITED:
                    wanted.setdefault((json.dumps(asked), document.name), (asked, document))
        fetched = await self._fetched(person, wanted)
        return [
            {
                point: (document, *came)
                for point, document in documents.items()
                if (came := fetched.get((json.dumps(asked), document.name))) is not None
            }
            for documents, asked in zip(cited, asked_of, strict=True)
        ]

    async def _fetched(
        self, person: str, wanted: dict[tuple[str, str], tuple[JsonObject, Document]]
    ) -> dict[tuple[str, str], tuple[bytes, str]]:
        found: dict[tuple[str, str], tuple[bytes, str]] = {}

        def room() -> int:
            return CITED_BYTES - sum(len(data) for data, _ in found.values())

        turn = asyncio.Semaphore(_AT_ONCE)

        async def fetch(key: tuple[str, str], asked: JsonObject, document: Document) -> None:
            async with turn:
                try:
                    backend = await self._find_backend(asked, person)
                    came = await self._came(backend, document) if backend is not None and room() > 0 else None
                except (DocumentError, VaultError, ValueError, httpx2.HTTPError) as problem:
                    logger.info("a cited document is missing from an export (%s)", type(problem).__name__)
                    return
            if came is not None and len(came[0]) <= room():
                found[key] = came

        tasks = [asyncio.create_task(fetch(key, *one)) for key, one in wanted.items()]
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=_CITED_SECONDS)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return found

    async def _came(self, backend: Backend, document: Document) -> tuple[bytes, str]:
        data = bytearray()
        client = await self._find_client(backend)
        fetched = await fetch_document(client, backend, document, {}, max_bytes=CITED_BYTES, bounds=BOUNDS)
        try:
            async for chunk in fetched.body:
                data += chunk
                if document.kind in SHOWN_AS_TEXT and len(data) > _CITED_TEXT_BYTES:
                    return bytes(data[:_CITED_TEXT_BYTES]), fetched.charset
        finally:
            await fetched.aclose()
        return bytes(data), fetched.charset


async def _beginning(fetched: Fetched, most: int) -> tuple[bytes, bool]:
    """The first bytes of a document, and whether it is longer. A broken download keeps the received bytes."""
    data = bytearray()
    try:
        async for chunk in fetched.body:
            data += chunk
            if len(data) > most:
                return bytes(data[:most]), True
    except (DocumentError, httpx2.HTTPError) as error:
        if not data:
            raise DocumentError(502, _BROKE) from error
        return bytes(data), True
    finally:
        await fetched.aclose()
    return bytes(data), False


def _asked_document(request: Request, generation: Generation) -> Document:
    points = generation.answer.data_points
    number = request.path_params["point"]
    document = document_of(points[number]) if number < len(points) else None
    if document is None:
        raise DocumentError(404, msg("This source has no document. Read its passage."))
    return document


def _content_type(document: Document, fetched: Fetched) -> str:
    if document.kind in SHOWN_AS_TEXT:
        return f"text/plain; charset={fetched.charset or 'utf-8'}"
    return _TYPES.get(document.name.rpartition(".")[2].casefold(), "application/octet-stream")


def _headers(document: Document, *, as_download: bool) -> dict[str, str]:
    name = clean_label(document.name.rpartition("/")[2]).lstrip(". ")
    # As a page, an SVG is XML that can connect anywhere despite its policy; as an image it cannot.
    is_file = document.kind in READ | {"file"} or name.casefold().endswith(".svg")
    disposition = "attachment" if as_download or is_file else "inline"
    plain = re.sub(r"[^A-Za-z0-9 ._()-]", "_", name)
    return {
        "Cache-Control": "private, no-cache",
        "Content-Disposition": f"{disposition}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
    }
