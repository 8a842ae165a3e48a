"""An answer as resources of its own: its text (document and stream), its sources, its thoughts, its question.

Each is found by the answer's id and only for the person it belongs to; anybody else gets the 404 that an unknown id
gets.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.logged import GrowingAnswer
from chat_ui.conversations.people import PERSON_HEADER
from chat_ui.conversations.records import KeptAnswer
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.rendering.answers import RenderedAnswer, render_answer
from chat_ui.rendering.cards import cards
from chat_ui.rendering.grounding import grounding, grounding_html
from chat_ui.rendering.passages import passage_html
from chat_ui.rendering.plain import copy_html, copy_markdown, references_html
from chat_ui.rendering.sources import sources_html
from chat_ui.rendering.thoughts import thought_html, thoughts_html
from chat_ui.routes.documents import DocumentRoutes
from chat_ui.routes.live import LiveAnswer
from chat_ui.routes.owned import Answered, owned

_SETTLED_BYTES: Final = 32 * 1024 * 1024
_PRIVATE: Final = {"Cache-Control": "private, no-cache"}
_GROWING: Final = {"Cache-Control": "no-store"}
_STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class AnswerRoutes:
    """The HTTP resources of the answers in `conversations`; their thoughts only with `show_thoughts`."""

    def __init__(self, conversations: Conversations, documents: DocumentRoutes, *, show_thoughts: bool = True) -> None:
        self._conversations = conversations
        self._documents = documents
        self._show_thoughts = show_thoughts
        self._live: dict[str, LiveAnswer] = {}
        self.streams = 0
        """How many pages follow an answer now."""
        self._settled: RecentlyUsed[str, RenderedAnswer] = RecentlyUsed(_SETTLED_BYTES)

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""
        return [
            Route("/{answer}", owned(self._conversations, self._document)),
            Route("/{answer}/stream", owned(self._conversations, self._stream)),
            Route("/{answer}/sources", owned(self._conversations, self._sources)),
            Route("/{answer}/passages/{point:int}", owned(self._conversations, self._passage)),
            Route("/{answer}/cards", owned(self._conversations, self._cards)),
            Route("/{answer}/grounding", owned(self._conversations, self._grounding)),
            *(self._thought_routes() if self._show_thoughts else ()),
            Route("/{answer}/markdown", owned(self._conversations, self._markdown)),
            Route("/{answer}/rich", owned(self._conversations, self._rich)),
            Route("/{answer}/question", owned(self._conversations, self._question)),
        ]

    def _thought_routes(self) -> list[Route]:
        return [
            Route("/{answer}/thoughts", owned(self._conversations, self._thoughts)),
            Route("/{answer}/thoughts/{number:int}", owned(self._conversations, self._thought)),
            Route("/{answer}/thoughts/{number:int}/json", owned(self._conversations, self._thought_json)),
        ]

    async def _document(self, request: Request, generation: Answered) -> Response:
        blocks = self._rendered(generation).blocks
        body = "".join(f'<div class="block" dir="auto">{block}</div>' for block in blocks)
        status = {"X-Status": generation.status}
        if not generation.ended:
            return HTMLResponse(body, headers=_GROWING | status)
        return _with_validator(request, HTMLResponse(body, headers=_PRIVATE | status))

    async def _stream(self, request: Request, generation: Answered) -> Response:
        if isinstance(generation, KeptAnswer) or (generation.ended and generation.id not in self._live):
            # Tells an EventSource that there is nothing to come back for; the document has everything.
            return Response(status_code=204)
        return StreamingResponse(
            self._counted(self._follow(generation).follow(request.headers.get("last-event-id", ""))),
            media_type="text/event-stream",
            headers=_STREAM_HEADERS,
        )

    async def _counted(self, frames: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        self.streams += 1
        try:
            async for frame in frames:
                yield frame
        finally:
            self.streams -= 1

    async def _sources(self, request: Request, generation: Answered) -> Response:
        use, point = request.query_params.get("use", ""), request.query_params.get("point", "")
        body = await asyncio.to_thread(
            sources_html,
            generation.answer,
            self._rendered(generation),
            int(use) if use.isdecimal() else None,
            point=int(point) if point.isdecimal() else None,
            with_documents=await self._documents.has_documents(generation, request.headers[PERSON_HEADER]),
        )
        return _with_validator(request, HTMLResponse(body, headers=_PRIVATE))

    async def _passage(self, request: Request, generation: Answered) -> Response:
        points = generation.answer.data_points
        number = request.path_params["point"]
        if number >= len(points):
            return PlainTextResponse("There is no such source.", status_code=404)
        if "plain" in request.query_params:
            return PlainTextResponse(points[number].text, headers=_PRIVATE)
        use, uses = request.query_params.get("use", ""), self._rendered(generation).uses
        claim = uses[int(use)].claim if use.isdecimal() and int(use) < len(uses) else ""
        body = await asyncio.to_thread(passage_html, points[number].text, claim)
        return _with_validator(request, HTMLResponse(body, headers=_PRIVATE))

    async def _cards(self, request: Request, generation: Answered) -> Response:
        found = await asyncio.to_thread(cards, generation.answer, self._rendered(generation))
        return _with_validator(request, JSONResponse(found, headers=_PRIVATE))

    async def _grounding(self, request: Request, generation: Answered) -> Response:
        self._documents.look_for_documents(generation, request.headers[PERSON_HEADER])
        rendered = self._rendered(generation)
        body = grounding_html(grounding(rendered), references_html(rendered, generation.answer.data_points))
        return _with_validator(request, HTMLResponse(body, headers=_PRIVATE))

    async def _thoughts(self, request: Request, generation: Answered) -> Response:
        body = await asyncio.to_thread(thoughts_html, generation.answer, self._rendered(generation).citations)
        return _with_validator(request, HTMLResponse(body, headers=_PRIVATE))

    async def _thought(self, request: Request, generation: Answered) -> Response:
        try:
            body = await asyncio.to_thread(thought_html, generation.answer, request.path_params["number"])
        except IndexError:
            return PlainTextResponse("There is no such thought.", status_code=404)
        return _with_validator(request, HTMLResponse(body, headers=_PRIVATE))

    async def _thought_json(self, request: Request, generation: Answered) -> Response:
        thoughts = generation.answer.thoughts
        number = request.path_params["number"]
        if number >= len(thoughts):
            return PlainTextResponse("There is no such thought.", status_code=404)
        body = await asyncio.to_thread(json.dumps, asdict(thoughts[number]), ensure_ascii=False, default=str)
        return Response(body, media_type="application/json", headers=_PRIVATE)

    async def _markdown(self, request: Request, generation: Answered) -> Response:
        answer = generation.answer
        text = copy_markdown(
            answer.text,
            self._rendered(generation),
            answer.data_points,
            with_citations="plain" not in request.query_params,
        )
        return PlainTextResponse(text, headers=_PRIVATE)

    async def _rich(self, _request: Request, generation: Answered) -> Response:
        return HTMLResponse(copy_html(self._rendered(generation), generation.answer.data_points), headers=_PRIVATE)

    async def _question(self, _request: Request, generation: Answered) -> Response:
        return PlainTextResponse(generation.question, headers=_PRIVATE)

    def _follow(self, generation: GrowingAnswer) -> LiveAnswer:
        live = self._live.get(generation.id)
        if live is None:
            live = self._live[generation.id] = LiveAnswer(generation)
            live.when_done(lambda: self._live.pop(generation.id, None))
        return live

    def _rendered(self, generation: Answered) -> RenderedAnswer:
        if not generation.ended:
            answer = generation.answer
            return render_answer(answer.text, answer.data_points)
        rendered = self._settled.get(generation.id)
        if rendered is None:
            answer = generation.answer
            rendered = render_answer(answer.text, answer.data_points)
            self._settled.put(generation.id, rendered, size_of((rendered,), _SETTLED_BYTES))
        return rendered


def _with_validator(request: Request, response: Response) -> Response:
    etag = f'"{hashlib.blake2b(bytes(response.body), digest_size=16).hexdigest()}"'
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers={**_PRIVATE, "ETag": etag})
    response.headers["ETag"] = etag
    return response
