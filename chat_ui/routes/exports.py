"""Taking conversations along and bringing them back.

`GET /ID/export?as=markdown|json|html` is one conversation, `GET /export` all of the person's as JSON (the format is in
`conversations.archive.archive`), and `POST /import` takes a file of JSON and answers `{"imported": N, "refused": M,
"refusals": [{"where", "why"}]}`, where `refusals` are the first of the refused. An import that does not come about
answers words for the person.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

from anyio import TemporaryDirectory, open_file
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.archive.archive import FORMAT, VERSION, transcript_pieces
from chat_ui.conversations.archive.import_batches import prepare_import, read_batches
from chat_ui.conversations.lists import Lists
from chat_ui.conversations.people.limits import ImportAllowance, LimitReachedError
from chat_ui.conversations.records.records import Transcript
from chat_ui.languages.translation import gettext, translated
from chat_ui.processes.pool import Processes, TooCostlyError
from chat_ui.protocol.reading.json_pieces import in_slices
from chat_ui.protocol.translatable import msg
from chat_ui.routes.exported import exported_html, exported_markdown
from chat_ui.routes.owned import Turns, for_person, no_conversation, said
from chat_ui.routes.streamed import Streamed

MB: Final = 1024 * 1024
MAX_IMPORT: Final = 64 * MB
"""Bytes of a file that is imported."""
UPLOAD_SECONDS: Final = 300.0
"""Seconds within which a file has to arrive."""
IMPORT_SECONDS: Final = 30.0
"""Seconds of reading it."""
EXPORT_SECONDS: Final = 30.0
"""Seconds of writing a conversation in a form that is made for it."""
_SPLIT: Final = msg("Split it into smaller files, then import those.")
_TYPES: Final = {
    "markdown": ("text/markdown", "md"),
    "json": ("application/json", "json"),
    "html": ("text/html", "html"),
}
_UNSAFE_IN_A_NAME = re.compile(r"[^\w.,()-]+")


class ExportRoutes:
    """Exports and imports of the conversations in `lists`."""

    def __init__(self, lists: Lists, processes: Processes, most_answer: int) -> None:
        """Read imports in `processes`; answers longer than `most_answer` bytes are refused."""
        self._lists = lists
        self._processes = processes
        self._most_answer = most_answer
        self._imports = ImportAllowance()
        self._turns = Turns()

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""
        return [
            Route("/export", for_person(self._turns.one_at_a_time(self._export_all)), methods=["GET"]),
            Route("/import", for_person(self._import), methods=["POST"]),
            Route("/{conversation}/export", for_person(self._turns.one_at_a_time(self._export)), methods=["GET"]),
        ]

    async def _export(self, request: Request, person: str) -> Response:
        form = request.query_params.get("as", "markdown")
        if form not in _TYPES:
            return said(msg("Ask for one of {forms}.", forms=", ".join(_TYPES)), 400)
        conversation = request.path_params["conversation"]
        if form == "json":
            transcript = await self._lists.transcript(person, conversation)
            return (
                _archive(transcript.conversation.title, _only(transcript))
                if transcript is not None
                else no_conversation()
            )
        found = await self._lists.shown(person, conversation)
        if found is None:
            return no_conversation()
        title, turns = found
        render = exported_html if form == "html" else exported_markdown
        try:
            body = await self._processes.run(person, render, title, turns, seconds=EXPORT_SECONDS)
        except TooCostlyError:
            return said(msg("This conversation takes too long to be written in this form. Export it as JSON."), 422)
        return Response(body, media_type=_TYPES[form][0], headers=_download(title, form))

    async def _export_all(self, _request: Request, person: str) -> Response:
        return _archive(gettext("Conversations"), await self._lists.transcripts(person))

    async def _import(self, request: Request, person: str) -> Response:
        try:
            with self._imports.begin(person):
                async with TemporaryDirectory(prefix="chat-ui-import-", ignore_cleanup_errors=True) as folder:
                    return await self._import_within(folder, request, person)
        except LimitReachedError as reached:
            return said(str(reached), 429, {"Retry-After": str(reached.wait)})
        except _TooLargeError:
            problem = msg("A file of at most {most} MB can be imported.", most=MAX_IMPORT // MB)
            return said(msg("{problem} {advice}", problem=problem, advice=_SPLIT), 413)
        except TimeoutError:
            problem = msg("The file did not arrive within {seconds} seconds.", seconds=UPLOAD_SECONDS)
            return said(msg("{problem} {advice}", problem=problem, advice=_SPLIT), 408)
        except ClientDisconnect:
            return said(msg("The file did not arrive whole."), 400)
        except TooCostlyError:
            problem = msg("The file needs too much time or memory to be read.")
            return said(msg("{problem} {advice}", problem=problem, advice=_SPLIT), 422)

    async def _import_within(self, folder: str, request: Request, person: str) -> Response:
        source, batches = str(Path(folder, "file")), str(Path(folder, "batches"))
        async with asyncio.timeout(UPLOAD_SECONDS):
            await _save(request, source)
        outcome = await self._processes.run(
            person, prepare_import, source, batches, person, self._most_answer, seconds=IMPORT_SECONDS
        )
        try:
            await self._lists.take_in(person, read_batches(batches), outcome.size)
        except LimitReachedError as no_room:
            return said(str(no_room), 507)
        refusals = [{"where": translated(one.where), "why": translated(one.why)} for one in outcome.refusals]
        return JSONResponse({"imported": outcome.imported, "refused": outcome.refused, "refusals": refusals})


class _TooLargeError(Exception):
    """A file is larger than it may be."""


async def _save(request: Request, path: str) -> None:
    """Write the body to a file as it comes.

    Raises:
        _TooLargeError: it is larger than it may be.
    """
    size = 0
    async with await open_file(path, "wb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MAX_IMPORT:
                raise _TooLargeError
            await file.write(chunk)


async def _only(transcript: Transcript) -> AsyncIterator[Transcript]:
    yield transcript


def _archive(title: str, transcripts: AsyncIterator[Transcript]) -> Response:
    async def body() -> AsyncGenerator[bytes, None]:
        yield _head().encode()
        separator = ""
        async for transcript in transcripts:
            yield separator.encode()
            async for piece in in_slices(transcript_pieces(transcript)):
                yield piece.encode("utf-8", "replace")
            separator = ",\n"
        yield b"]}\n"

    return Streamed(body(), media_type="application/json", headers=_download(title, "json"))


def _head() -> str:
    head = json.dumps({"format": FORMAT, "version": VERSION, "exported_at": time.time()})
    return f'{head[:-1]}, "conversations": ['


def _download(title: str, form: str) -> dict[str, str]:
    name = (_UNSAFE_IN_A_NAME.sub(" ", title).strip(" .-")[:80] or gettext("Conversation")) + f".{_TYPES[form][1]}"
    return {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
