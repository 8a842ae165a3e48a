"""An answer as resources of its own: its text (document and stream), its sources, its thoughts, its question.

Each is found by the answer's id and only for the person it belongs to; anybody else gets the 404 that an unknown id
gets.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.database import StoreUnavailableError
from chat_ui.conversations.generation import Generation
from chat_ui.conversations.people import PERSON_HEADER
from chat_ui.conversations.records import KeptAnswer
from chat_ui.rendering.answers import RenderedAnswer, render_answer
from chat_ui.rendering.plain import copy_markdown
from chat_ui.rendering.sources import sources_html
from chat_ui.rendering.thoughts import thoughts_html
from chat_ui.routes.live import LiveAnswer

_SETTLED_KEPT: Final = 256
_PRIVATE: Final = {"Cache-Control": "private, no-cache"}
_STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

_Endpoint = Callable[[Request], Awaitable[Response]]
_Answer = Generation | KeptAnswer
_Resource = Callable[[Request, _Answer], Response]


class AnswerRoutes:
    """The HTTP resources of the answers in `conversations`; their thoughts only with `show_thoughts`."""

    def __init__(self, conversations: Conversations, *, show_thoughts: bool = True) -> None:
        self._conversations = conversations
        self._show_thoughts = show_thoughts
        self._live: dict[str, LiveAnswer] = {}
        self._settled: OrderedDict[str, RenderedAnswer] = OrderedDict()

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""
        return [
            Route("/{answer}", self._endpoint(self._document)),
            Route("/{answer}/stream", self._endpoint(self._stream)),
            Route("/{answer}/sources", self._endpoint(self._sources)),
            *([Route("/{answer}/thoughts", self._endpoint(self._thoughts))] if self._show_thoughts else []),
            Route("/{answer}/markdown", self._endpoint(self._markdown)),
            Route("/{answer}/question", self._endpoint(self._question)),
        ]

    def _endpoint(self, resource: _Resource) -> _Endpoint:
        async def endpoint(request: Request) -> Response:
            person = request.headers.get(PERSON_HEADER)
            try:
                generation = await self._conversations.answer(person or "", request.path_params["answer"])
            except StoreUnavailableError:
                return PlainTextResponse(
                    "Answers cannot be read at the moment.", status_code=503, headers={"Retry-After": "2"}
                )
            if not person or generation is None:
                return PlainTextResponse("There is no such answer.", status_code=404)
            return resource(request, generation)

        return endpoint

    def _document(self, request: Request, generation: _Answer) -> Response:
        blocks = self._rendered(generation).blocks
        body = "".join(f'<div class="block" dir="auto">{block}</div>' for block in blocks)
        return _with_validator(request, HTMLResponse(body, headers=_PRIVATE))

    def _stream(self, request: Request, generation: _Answer) -> Response:
        if isinstance(generation, KeptAnswer) or (generation.ended and generation.id not in self._live):
            # Tells an EventSource that there is nothing to come back for; the document has everything.
            return Response(status_code=204)
        after = request.headers.get("last-event-id", "")
        return StreamingResponse(
            self._follow(generation).follow(int(after) if after.isdecimal() else None),
            media_type="text/event-stream",
            headers=_STREAM_HEADERS,
        )

    def _sources(self, request: Request, generation: _Answer) -> Response:
        use = request.query_params.get("use", "")
        body = sources_html(generation.answer, self._rendered(generation), int(use) if use.isdecimal() else None)
        return _with_validator(request, HTMLResponse(body, headers=_PRIVATE))

    def _thoughts(self, request: Request, generation: _Answer) -> Response:
        return _with_validator(request, HTMLResponse(thoughts_html(generation.answer), headers=_PRIVATE))

    def _markdown(self, _request: Request, generation: _Answer) -> Response:
        answer = generation.answer
        text = copy_markdown(answer.text, self._rendered(generation), answer.data_points)
        return PlainTextResponse(text, headers=_PRIVATE)

    def _question(self, _request: Request, generation: _Answer) -> Response:
        return PlainTextResponse(generation.question, headers=_PRIVATE)

    def _follow(self, generation: Generation) -> LiveAnswer:
        live = self._live.get(generation.id)
        if live is None:
            live = self._live[generation.id] = LiveAnswer(generation)
            live.when_done(lambda: self._live.pop(generation.id, None))
        return live

    def _rendered(self, generation: _Answer) -> RenderedAnswer:
        if not generation.ended:
            answer = generation.answer
            return render_answer(answer.text, answer.data_points)
        rendered = self._settled.pop(generation.id, None)
        if rendered is None:
            answer = generation.answer
            rendered = render_answer(answer.text, answer.data_points)
        self._settled[generation.id] = rendered
        if len(self._settled) > _SETTLED_KEPT:
            self._settled.popitem(last=False)
        return rendered


def _with_validator(request: Request, response: Response) -> Response:
    etag = f'"{hashlib.blake2b(bytes(response.body), digest_size=16).hexdigest()}"'
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers={**_PRIVATE, "ETag": etag})
    response.headers["ETag"] = etag
    return response
