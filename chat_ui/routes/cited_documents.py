"""The documents that a conversation cites, fetched for a file that takes them along: under the same rights as the page
shows them, so many, and so many bytes of them.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Final, TypeAlias

import httpx2

from chat_ui.profiles.vault import VaultError
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.documents.document_fetch import DocumentError, fetch_document
from chat_ui.protocol.documents.document_urls import Document
from chat_ui.protocol.events import JsonObject
from chat_ui.rendering.panels.document_text import SHOWN_AS_TEXT
from chat_ui.routes.documents import BOUNDS, FindBackend, FindClient

logger = logging.getLogger(__name__)

MOST: Final = 40
"""Documents that are fetched for one file."""
MOST_BYTES: Final = 16 * 1024 * 1024
"""Bytes of all of them."""
SECONDS: Final = 45.0
"""Seconds within which they have to come."""
_AT_ONCE: Final = 4
_TEXT_BYTES: Final = 1024 * 1024
"""Bytes of a text that are taken; an image and a PDF are nothing in parts."""
CitedDocument: TypeAlias = tuple[Document, bytes, str]
"""A document, its bytes, and the charset that its server named."""
_TAKEN: Final = SHOWN_AS_TEXT | {"pdf", "image"}


class CitedDocuments:
    """Fetches documents from the backends that answered, which `find_backend` finds, with the client that `find_client`
    gives for each.
    """

    def __init__(self, find_client: FindClient, find_backend: FindBackend) -> None:
        self._find_client = find_client
        self._find_backend = find_backend

    async def of(
        self, person: str, cited: Sequence[dict[int, Document]], asked_of: Sequence[JsonObject]
    ) -> list[dict[int, CitedDocument]]:
        """The documents that are `cited` in each turn, as far as they came, by the index of a data point."""
        wanted: dict[tuple[str, str], tuple[JsonObject, Document]] = {}
        for documents, asked in zip(cited, asked_of, strict=True):
            for document in documents.values():
                if document.kind in _TAKEN and len(wanted) < MOST:
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
            return MOST_BYTES - sum(len(data) for data, _ in found.values())

        turn = asyncio.Semaphore(_AT_ONCE)

        async def fetch(key: tuple[str, str], asked: JsonObject, document: Document) -> None:
            async with turn:
                try:
                    backend = await self._find_backend(asked, person)
                    came = await self._came(backend, document) if backend is not None and room() > 0 else None
                except (DocumentError, VaultError, ValueError, httpx2.HTTPError) as problem:
                    logger.info("a cited document did not come for an export (%s)", type(problem).__name__)
                    return
            if came is not None and len(came[0]) <= room():
                found[key] = came

        tasks = [asyncio.create_task(fetch(key, *one)) for key, one in wanted.items()]
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=SECONDS)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return found

    async def _came(self, backend: Backend, document: Document) -> tuple[bytes, str]:
        data = bytearray()
        client = await self._find_client(backend)
        fetched = await fetch_document(client, backend, document, {}, max_bytes=MOST_BYTES, bounds=BOUNDS)
        try:
            async for chunk in fetched.body:
                data += chunk
                if document.kind in SHOWN_AS_TEXT and len(data) > _TEXT_BYTES:
                    return bytes(data[:_TEXT_BYTES]), fetched.charset
        finally:
            await fetched.aclose()
        return bytes(data), fetched.charset
