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

MAX_IMPORT: Final = 256 * 1024 * 1024
_TYPES: Final = {
    "markdown": ("text/markdown", "md"),
    "json": ("application/json", "json"),
    "html": ("text/html", "html"),
}
_UNSAFE_IN_A_NAME = re.compile(r"[^\w .,()-]+")


class ExportRoutes:
    """Exports and imports of `conversations`."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

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
        match form:
            case "json":
                body = _head() + json.dumps(transcript_to_json(transcript), ensure_ascii=False) + "]}\n"
            case "html":
                body = await asyncio.to_thread(transcript_html, title, shown(transcript))
            case _:
                body = await asyncio.to_thread(transcript_markdown, title, shown(transcript))
        return Response(body.encode("utf-8", "replace"), media_type=_TYPES[form][0], headers=_download(title, form))

    async def _export_all(self, _request: Request, person: str) -> Response:
        transcripts = self._conversations.transcripts(person)

        async def body() -> AsyncIterator[bytes]:
            yield _head().encode()
            separator = ""
            async for transcript in transcripts:
                text = separator + json.dumps(transcript_to_json(transcript), ensure_ascii=False)
                yield text.encode("utf-8", "replace")
                separator = ",\n"
            yield b"]}\n"

        headers = _download("Conversations", "json")
        return StreamingResponse(body(), media_type="application/json", headers=headers)

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


def shown(transcript: Transcript) -> list[tuple[str, Answer]]:
    """The questions and answers that a reader of the conversation sees, in order."""
    answers = {(one.turn, one.number): one.answer for one in transcript.generations}
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
