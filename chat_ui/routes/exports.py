"""Taking conversations along and bringing them back.

`GET /ID/export?as=markdown|json|html` is one conversation, `GET /export` all of the person's as JSON (the format is in
`chat_ui.conversations.archive`), and `POST /import` takes a file of JSON and answers `{"imported": N, "refused":
[{"where", "why"}]}`.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from chat_ui.conversations.archive import FORMAT, VERSION, transcript_to_json
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.importing import read_import
from chat_ui.conversations.records import Transcript
from chat_ui.protocol.answer import Answer
from chat_ui.rendering.transcript import transcript_html, transcript_markdown
from chat_ui.routes.listing import NOT_FOUND, for_person
from chat_ui.routes.slices import json_slices
from chat_ui.server.processes import Processes, TooCostlyError

MAX_IMPORT: Final = 256 * 1024 * 1024
_TYPES: Final = {
    "markdown": ("text/markdown", "md"),
    "json": ("application/json", "json"),
    "html": ("text/html", "html"),
}
_UNSAFE_IN_A_NAME = re.compile(r"[^\w .,()-]+")


class ExportRoutes:
    """Exports and imports of `conversations`."""

    def __init__(self, conversations: Conversations, processes: Processes | None = None) -> None:
        self._conversations = conversations
        self._processes = processes or Processes()

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""
        return [
            Route("/export", for_person(self._export_all), methods=["GET"]),
            Route("/import", for_person(self._import), methods=["POST"]),
            Route("/{conversation}/export", for_person(self._export), methods=["GET"]),
        ]

    async def _export(self, request: Request, person: str) -> Response:
        form = request.query_params.get("as", "markdown")
        if form not in _TYPES:
            return PlainTextResponse(f"Ask for one of {', '.join(_TYPES)}.", status_code=400)
        transcript = await self._conversations.transcript(person, request.path_params["conversation"])
        if transcript is None:
            return NOT_FOUND
        title = transcript.conversation.title
        headers = _download(title, form)
        if form == "json":
            return StreamingResponse(_archive(_only(transcript)), media_type=_TYPES[form][0], headers=headers)
        written = transcript_html if form == "html" else transcript_markdown
        try:
            body = await self._processes.run(person, written, title, shown(transcript))
        except TooCostlyError:
            return PlainTextResponse("This takes too long to write. Export it as JSON instead.", status_code=503)
        return Response(body.encode("utf-8", "replace"), media_type=_TYPES[form][0], headers=headers)

    async def _export_all(self, _request: Request, person: str) -> Response:
        body = _archive(self._conversations.transcripts(person))
        return StreamingResponse(body, media_type="application/json", headers=_download("Conversations", "json"))

    async def _import(self, request: Request, person: str) -> Response:
        content = bytearray()
        async for chunk in request.stream():
            content += chunk
            if len(content) > MAX_IMPORT:
                return PlainTextResponse(f"A file of at most {MAX_IMPORT} bytes can be imported.", status_code=413)
        read = await asyncio.to_thread(read_import, bytes(content), person)
        await self._conversations.lists.take_in(person, read.transcripts)
        refused = [{"where": refusal.where, "why": refusal.why} for refusal in read.refusals]
        return JSONResponse({"imported": len(read.transcripts), "refused": refused})


async def _only(transcript: Transcript) -> AsyncIterator[Transcript]:
    yield transcript


async def _archive(transcripts: AsyncIterator[Transcript]) -> AsyncIterator[bytes]:
    yield _head().encode()
    separator = b""
    async for transcript in transcripts:
        yield separator
        async for piece in json_slices(transcript_to_json(transcript)):
            yield piece
        separator = b",\n"
    yield b"]}\n"


def shown(transcript: Transcript) -> list[tuple[str, Answer]]:
    """The questions and answers that a reader of the conversation sees, in order, without the steps to them."""
    answers = {
        (one.turn, one.number): Answer(one.answer.text, data_points=one.answer.data_points, error=one.answer.error)
        for one in transcript.generations
    }
    return [(turn.question, answers.get((turn.id, turn.chosen), Answer())) for turn in transcript.turns if turn.shown]


def _head() -> str:
    head = json.dumps({"format": FORMAT, "version": VERSION, "exported_at": time.time()})
    return f'{head[:-1]}, "conversations": ['


def _download(title: str, form: str) -> dict[str, str]:
    name = (_UNSAFE_IN_A_NAME.sub(" ", title).strip(" .-")[:80] or "Conversation") + f".{_TYPES[form][1]}"
    return {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
