"""Exports and imports of conversations.

`GET /ID/export?as=markdown|json|html` is a conversation. As HTML it has the thoughts with `thoughts=yes`, the cited
documents with `documents=yes`, and hides the backend's name with `backend=no`. `GET /ID/export/contents` takes the
same, and returns the export's contents (`rendering.exported_page.going_out.Contents` as JSON). `is_compared` tells of a
second column, which is not exported. `GET /export` has all conversations of the person as JSON (the format is in
`conversations.archive.archive`). `POST /import` takes a JSON file and returns `{"imported": N, "refused": M,
"refusals": [{"where", "why"}]}`; `refusals` are the first of the refused. A failed import returns a text for the
person.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Final
from urllib.parse import quote

from anyio import TemporaryDirectory
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.backends.offer import backend_name, origins_of
from chat_ui.conversations.archive.archive import FORMAT, VERSION, transcript_pieces, without_thoughts
from chat_ui.conversations.archive.importing import prepare_import, read_batches
from chat_ui.conversations.lists import Lists
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import Transcript
from chat_ui.conversations.store.store import Origin, ShownTurn
from chat_ui.errors import TooCostlyError, TooLargeError
from chat_ui.features.exporting.exported import (
    Chosen,
    Cited,
    cited_documents,
    cited_html,
    cited_part,
    exported_contents,
    exported_html,
    exported_markdown,
    picture_keys,
)
from chat_ui.languages.translation import current_language, gettext, translated
from chat_ui.page.routes.bodies import Streamed, save
from chat_ui.page.routes.documents import CitedDocument, CitedDocuments
from chat_ui.page.routes.owned import NO_STORE, Turns, for_person, no_conversation, text_response
from chat_ui.protocol.documents.document_urls import Document
from chat_ui.protocol.reading.json_text import in_slices
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.ai_notice import notice_json, notice_of
from chat_ui.rendering.exported_page.going_out import Amount
from chat_ui.rendering.exported_page.page_document import AS_BUILT, Look
from chat_ui.rendering.panels.read_document import Wanted
from chat_ui.server.processes.pool import Processes, Uploads
from chat_ui.server.services import Services

MB: Final = 1024 * 1024
MAX_IMPORT: Final = 64 * MB
"""Bytes of an imported file."""
UPLOAD_SECONDS: Final = 300.0
"""Timeout of an upload in seconds."""
EXPORT_SECONDS: Final = 30.0
"""Timeout of an export in seconds."""
_DOCUMENT_SECONDS: Final = 3.0
"""Timeout in seconds of reading a cited document."""
_TOO_COSTLY: Final = msg("This conversation takes too long to export in this format. Export it as JSON.")
_SPLIT: Final = msg("Split it into smaller files, then import those.")
_TYPES: Final = {
    "markdown": ("text/markdown", "md"),
    "json": ("application/json", "json"),
    "html": ("text/html", "html"),
}
_UNSAFE_IN_A_NAME = re.compile(r"[^\w.,()-]+")


@lru_cache(maxsize=1)
def exports_of(services: Services) -> ExportRoutes:
    """The server's exports, shared by all features: each person has one turn at a time."""
    chosen = services.settings
    return ExportRoutes(
        services.conversations.lists,
        services.processes,
        services.uploads,
        chosen.answer_bytes,
        CitedDocuments(services.backends.client_for, services.backends.remembered, services.readers),
        attachments=services.conversations.attachments,
        show_thoughts=chosen.show_thoughts,
        look=look_of(services),
    )


def look_of(services: Services) -> Look:
    """The look of exported pages. The typeface is in the built page."""
    faces = sorted((services.pages / "assets").glob("geist-latin-wght-normal-*.woff2"))
    return Look(faces[0].read_bytes() if faces else b"", services.brand.style, notice_of(services.settings.ai_notice))


class ExportRoutes:
    """Exports and imports of the conversations in `lists`, with this `look`. Exported pages may have cited `documents`,
    and thoughts if the operator enables them (`show_thoughts`).
    """

    def __init__(
        self,
        lists: Lists,
        processes: Processes,
        uploads: Uploads,
        most_answer: int,
        documents: CitedDocuments,
        *,
        attachments: Attachments,
        show_thoughts: bool = True,
        look: Look = AS_BUILT,
    ) -> None:
        """Read imports in `uploads`; answers longer than `most_answer` bytes are refused."""
        self._lists = lists
        self._documents = documents
        self._attachments = attachments
        self._show_thoughts = show_thoughts
        self._look = look
        self._processes = processes
        self._uploads = uploads
        self._most_answer = most_answer
        self._turns = Turns()

    def routes(self) -> list[Route]:
        return [
            Route("/export", for_person(self._turns.one_at_a_time(self._export_all)), methods=["GET"]),
            Route("/import", for_person(self._turns.one_at_a_time(self._import)), methods=["POST"]),
            Route("/{conversation}/export", for_person(self._turns.one_at_a_time(self._export)), methods=["GET"]),
            self.contents_at("/{conversation}/export/contents"),
        ]

    def contents_at(self, path: str) -> Route:
        """The route of an export's contents, at a path that includes the `conversation`."""
        return Route(path, for_person(self._turns.one_at_a_time(self._contents)), methods=["GET"])

    async def _export(self, request: Request, person: str) -> Response:
        form = request.query_params.get("as", "markdown")
        if form not in _TYPES:
            return text_response(msg("Choose one of these formats: {forms}.", forms=", ".join(_TYPES)), 400)
        conversation = request.path_params["conversation"]
        if form == "json":
            transcript = await self._lists.transcript(person, conversation)
            if transcript is None:
                return no_conversation()
            return self._archive(transcript.conversation.title, _only(transcript))
        found = await self._lists.shown_with_origins(person, conversation)
        if found is None:
            return no_conversation()
        title, turns, origins = found
        run = partial(self._processes.run, seconds=EXPORT_SECONDS, weight=_weight(turns))
        try:
            if form == "html":
                chosen = await self._chosen(request, person, turns, origins)
                today = current_language().day(datetime.now().astimezone().date(), with_year=True)
                note = gettext("Exported on {day}", day=today)
                body = await run(person, exported_html, title, turns, chosen, note, self._look)
            else:
                body = await run(person, exported_markdown, title, turns, self._show_thoughts, self._look.notice)
        except TooCostlyError:
            return text_response(_TOO_COSTLY, 422)
        return Response(body, media_type=_TYPES[form][0], headers=_download(title, form))

    async def _contents(self, request: Request, person: str) -> Response:
        conversation = request.path_params["conversation"]
        found = await self._lists.shown_with_origins(person, conversation)
        if found is None:
            return no_conversation()
        title, turns, origins = found
        try:
            chosen = await self._chosen(request, person, turns, origins)
            contents = await self._processes.run(
                person, exported_contents, title, turns, chosen, seconds=EXPORT_SECONDS, weight=_weight(turns)
            )
        except TooCostlyError:
            return text_response(_TOO_COSTLY, 422)
        columns = await self._lists.stored.second_columns_of(person, conversation)
        if not self._show_thoughts:
            contents["thoughts"] = asdict(Amount())
        return JSONResponse({**contents, "is_compared": bool(columns)}, headers=NO_STORE)

    def _archive(self, title: str, transcripts: AsyncIterator[Transcript]) -> Response:
        shown = transcripts if self._show_thoughts else (without_thoughts(one) async for one in transcripts)
        return Streamed(
            _as_archive(shown, self._look.notice), media_type="application/json", headers=_download(title, "json")
        )

    async def _chosen(
        self, request: Request, person: str, turns: Sequence[ShownTurn], origins: Sequence[Origin]
    ) -> Chosen:
        asked = request.query_params
        return await self.chosen(
            person,
            turns,
            origins,
            thoughts=asked.get("thoughts") == "yes",
            documents=asked.get("documents") == "yes",
            backend=asked.get("backend") != "no",
        )

    async def chosen(
        self,
        person: str,
        turns: Sequence[ShownTurn],
        origins: Sequence[Origin],
        *,
        thoughts: bool,
        documents: bool,
        backend: bool,
    ) -> Chosen:
        """The chosen contents.

        Raises:
            TooCostlyError: finding the citations or pictures takes too long.
        """
        pages: Sequence[Cited] = [{} for _ in turns]
        missing = 0
        if documents:
            cited = await self._processes.run(person, cited_documents, turns, seconds=EXPORT_SECONDS)
            documents_of = [{point: document for point, (document, _) in parts.items()} for parts in cited]
            fetched = await self._documents.of(person, documents_of, origins)
            texts = (text for _, _, text in turns)
            pages = [await self._shown(person, *of_turn) for of_turn in zip(fetched, cited, texts, strict=True)]
            missing = sum(map(len, cited)) - sum(map(len, pages))
        names = [backend_name(origin) if backend and origin else "" for origin in origins]
        shows_thoughts = self._show_thoughts and thoughts
        keys = await self._processes.run(person, picture_keys, turns, seconds=EXPORT_SECONDS)
        pictures = {one.id: one.file.data_uri for one in await self._attachments.find_all(person, keys)}
        return Chosen(names, pages, missing, shows_thoughts, origins_of(origins), pictures)

    async def _shown(
        self,
        person: str,
        documents: Mapping[int, CitedDocument],
        cited: Mapping[int, tuple[Document, Wanted]],
        answer: str,
    ) -> Cited:
        """The documents of an answer as safe HTML; slow ones are omitted."""
        shown: dict[int, str] = {}
        run = self._processes.run
        for point, (document, data, charset) in documents.items():
            with suppress(TooCostlyError):
                if reader := self._documents.readers.get(document.kind):
                    html = await run(person, cited_part, reader, data, cited[point][1], weight=len(data))
                else:
                    html = await run(person, cited_html, document, data, charset, answer, seconds=_DOCUMENT_SECONDS)
                if html is not None:
                    shown[point] = html
        return shown

    async def _export_all(self, _request: Request, person: str) -> Response:
        return self._archive(gettext("Conversations"), await self._lists.transcripts(person))

    async def _import(self, request: Request, person: str) -> Response:
        try:
            async with TemporaryDirectory(prefix="chat-ui-import-", ignore_cleanup_errors=True) as folder:
                return await self._import_within(folder, request, person)
        except TooLargeError:
            problem = msg("The file is larger than the limit of {most} MB.", most=MAX_IMPORT // MB)
            return text_response(msg("{problem} {advice}", problem=problem, advice=_SPLIT), 413)
        except TimeoutError:
            problem = msg("The file did not arrive within {seconds} seconds. Try again.", seconds=UPLOAD_SECONDS)
            return text_response(msg("{problem} {advice}", problem=problem, advice=_SPLIT), 408)
        except ClientDisconnect:
            return text_response(msg("The upload was interrupted. Import the file again."), 400)
        except TooCostlyError:
            problem = msg("The file takes too much time or memory to read.")
            return text_response(msg("{problem} {advice}", problem=problem, advice=_SPLIT), 422)

    async def _import_within(self, folder: str, request: Request, person: str) -> Response:
        source, batches = str(Path(folder, "file")), str(Path(folder, "batches"))
        async with self._uploads.place():
            async with asyncio.timeout(UPLOAD_SECONDS):
                size = await save(request, Path(source), MAX_IMPORT)
            outcome = await self._uploads.run(
                person, prepare_import, source, batches, person, self._most_answer, weight=size
            )
        await self._lists.import_batches(person, read_batches(batches), outcome.size)
        refusals = [{"where": translated(one.where), "why": translated(one.why)} for one in outcome.refusals]
        return JSONResponse({"imported": outcome.imported, "refused": outcome.refused, "refusals": refusals})


def _weight(turns: Sequence[ShownTurn]) -> int:
    return sum(len(text) for _, _, text in turns)


async def _only(transcript: Transcript) -> AsyncIterator[Transcript]:
    yield transcript


async def _as_archive(transcripts: AsyncIterator[Transcript], notice: str) -> AsyncGenerator[bytes, None]:
    yield _head(notice).encode("utf-8", "replace")
    separator = ""
    async for transcript in transcripts:
        yield separator.encode()
        async for piece in in_slices(transcript_pieces(transcript)):
            yield piece.encode("utf-8", "replace")
        separator = ",\n"
    yield b"]}\n"


def _head(notice: str) -> str:
    head = {"format": FORMAT, "version": VERSION, "exported_at": time.time(), **notice_json(notice)}
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "conversations": ['


def _download(title: str, form: str) -> dict[str, str]:
    name = (_UNSAFE_IN_A_NAME.sub(" ", title).strip(" .-")[:80] or gettext("Conversation")) + f".{_TYPES[form][1]}"
    return {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        "Cache-Control": "no-store",
    }
