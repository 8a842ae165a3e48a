"""An answer as HTTP resources: text (document and stream, with the time of silence), sources, thoughts and question,
and the exchange with the backend while it is cached.

Each is found by the answer's id. Other people get the same 404 as for an unknown id.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from html import escape
from secrets import randbelow
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.generations.recent_exchanges import Exchanged, inspections
from chat_ui.conversations.people.person import person_of
from chat_ui.errors import StoreUnavailableError
from chat_ui.languages.foreign_text import certain_language
from chat_ui.languages.translation import current_language, gettext
from chat_ui.page.routes.bodies import Streamed
from chat_ui.page.routes.documents import DocumentRoutes
from chat_ui.page.routes.live import FlushQueue, LiveAnswer
from chat_ui.page.routes.owned import Endpoint, owned, status_of, text_response
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.thoughts import Thought
from chat_ui.protocol.backends.curl import curl_command
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.reading.json_text import in_slices, json_pieces
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.throttle import Throttle
from chat_ui.rendering.ai_notice import DEFAULT
from chat_ui.rendering.comparison import Column, comparison_html, facts, words
from chat_ui.rendering.grounding import grounds
from chat_ui.rendering.packed import Body
from chat_ui.rendering.panels.inspector import inspector_html
from chat_ui.rendering.panels.json_shapes import bounded
from chat_ui.rendering.panels.sources import sources_html
from chat_ui.rendering.panels.steps import Searches, results_by_step
from chat_ui.rendering.panels.thoughts import is_large, raw_html, thought_html, thoughts_html, work_of_thoughts
from chat_ui.rendering.resources import cards_json, document, first_citations, markdown_copy, passage, rich_copy
from chat_ui.rendering.streaming.work import IN_PLACE
from chat_ui.server.processes.pool import Processes
from chat_ui.server.renderings import Renderings

_PRIVATE: Final = {"Cache-Control": "private, no-cache"}
FOLLOWED_AT_ONCE: Final = 100
"""Streams that a person's pages may have open at once; further ones get the complete answer at its end."""
_TOO_MANY: Final = msg("Too many of your tabs are following answers. Close some of them.")
_LONGEST_NUMBER: Final = 9
_NO_THOUGHT: Final = msg("Thought not found.")
_STREAMING: Final = {"Cache-Control": "no-store"}
_CONNECT_AGAIN: Final = 1000
"""Milliseconds, and the maximum of a random addition, before a page reconnects. Chromium's default is three seconds,
and all pages would reconnect at once.
"""
_NEVER_KEPT: Final = {"Cache-Control": "private, no-store"}
_FORGOTTEN: Final = msg("Kept only for the newest answers, until the server restarts.")
_STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class AnswerRoutes:
    """The HTTP resources of the answers in `conversations`, rendered in `processes` if long. Thoughts are served only
    with `show_thoughts`. `following` counts each person's open streams. `notice` ends copies.
    """

    def __init__(
        self,
        conversations: Conversations,
        documents: DocumentRoutes,
        renderings: Renderings,
        processes: Processes,
        *,
        throttle: Throttle | None = None,
        following: Counter[str] | None = None,
        show_thoughts: bool = True,
        notice: str = DEFAULT,
    ) -> None:
        self._conversations = conversations
        self._documents = documents
        self._show_thoughts = show_thoughts
        self._notice = notice
        self._live: dict[tuple[str, str], LiveAnswer] = {}
        """By the answer and the language of its readers."""
        self._queue = FlushQueue(throttle)
        self._following = Counter[str]() if following is None else following
        self._processes = processes
        self._renderings = renderings
        self._checked_body = partial(renderings.body, with_checks=True)

    def routes(self) -> list[Route]:
        return [
            Route("/{answer}", owned(self._conversations, self._document)),
            Route("/{answer}/stream", self._awaited(owned(self._conversations, self._stream))),
            Route("/{answer}/silence", owned(self._conversations, self._silence)),
            Route("/{answer}/sources", owned(self._conversations, self._sources)),
            Route("/{answer}/passages/{point:index}", owned(self._conversations, self._passage)),
            Route("/{answer}/cards", owned(self._conversations, self._cards)),
            Route("/{answer}/grounding", owned(self._conversations, self._grounding)),
            *(self._thought_routes() if self._show_thoughts else ()),
            Route("/{answer}/markdown", owned(self._conversations, self._markdown)),
            Route("/{answer}/rich", owned(self._conversations, self._rich)),
            Route("/{answer}/question", owned(self._conversations, self._question)),
            Route("/{answer}/words", owned(self._conversations, self._words)),
            Route("/{answer}/beside/{other}", owned(self._conversations, self._beside)),
        ]

    def _thought_routes(self) -> list[Route]:
        return [
            Route("/{answer}/thoughts", owned(self._conversations, self._thoughts)),
            Route("/{answer}/thoughts/{number:index}", owned(self._conversations, self._thought)),
            Route("/{answer}/raw", owned(self._conversations, self._raw)),
            Route("/{answer}/thoughts/{number:index}/json", owned(self._conversations, self._thought_json)),
            Route("/{answer}/wire", self._wire),
            Route("/{answer}/curl", self._curl),
        ]

    def _awaited(self, stream: Endpoint) -> Endpoint:
        """The endpoint once the answer exists: a page requests the stream when it sends the question."""

        async def endpoint(request: Request) -> Response:
            person = person_of(request)
            if self._following[person] >= FOLLOWED_AT_ONCE:
                return text_response(_TOO_MANY, 429)
            with self._one_more(person), suppress(StoreUnavailableError):
                await self._conversations.begun(person, request.path_params["answer"])
            return await stream(request)

        return endpoint

    async def _document(self, request: Request, person: str, generation: Generation) -> Response:
        ended, status = generation.ended, status_of(generation)
        if language := certain_language(generation.answer.text):
            status |= {"Content-Language": language}
        number = _number(request, "part")
        if number is not None:
            part = await self._renderings.part(person, generation, number)
            if part is None:
                return text_response(msg("Part not found."), 404)
            body, count = part
            status |= {"X-Parts": str(count)}
        else:
            body = await self._renderings.body(person, generation, document)
        if not ended:
            return HTMLResponse(body.content, headers=_STREAMING | status)
        return _with_validator(request, body, _PRIVATE | status)

    async def _stream(self, request: Request, person: str, generation: Generation) -> Response:
        if not generation.is_followed or (generation.ended and _followed(generation) not in self._live):
            # Tells an EventSource not to reconnect; the document is complete.
            return Response(status_code=204)
        frames = self._follow(person, generation).follow(request.headers.get("last-event-id", ""))
        return Streamed(
            self._counted(person, frames),
            media_type="text/event-stream",
            headers=_STREAM_HEADERS,
        )

    async def _silence(self, _request: Request, _person: str, generation: Generation) -> Response:
        """Seconds since the backend's last event; null if the answer has ended or the time is unknown."""
        seconds = None
        if generation.is_followed and not generation.ended:
            seconds = round(time.monotonic() - generation.last_event_at, 1)
        return JSONResponse({"seconds": seconds}, headers=_STREAMING)

    async def _counted(self, person: str, frames: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        with self._one_more(person):
            yield b"retry: %d\n\n" % (_CONNECT_AGAIN + randbelow(_CONNECT_AGAIN))
            async for frame in frames:
                yield frame

    @contextmanager
    def _one_more(self, person: str) -> Iterator[None]:
        self._following[person] += 1
        try:
            yield
        finally:
            self._following[person] -= 1
            if not self._following[person]:
                del self._following[person]

    async def _sources(self, request: Request, person: str, generation: Generation) -> Response:
        status = status_of(generation)
        shown = partial(
            sources_html,
            use=_number(request, "use"),
            point=_number(request, "point"),
            access=await self._documents.access(generation, person),
            kinds=self._documents.kinds,
            searches=Searches.of(generation.answer, shows_thoughts=self._show_thoughts),
        )
        return _with_validator(request, await self._checked_body(person, generation, shown), _PRIVATE | status)

    async def _passage(self, request: Request, person: str, generation: Generation) -> Response:
        points = generation.answer.data_points
        number = request.path_params["point"]
        if number >= len(points):
            return text_response(msg("Source not found."), 404)
        if "plain" in request.query_params:
            return PlainTextResponse(points[number].text.encode("utf-8", "replace"), headers=_PRIVATE)
        shown = partial(passage, point=number, use=_number(request, "use"))
        return _with_validator(request, await self._checked_body(person, generation, shown))

    async def _cards(self, request: Request, person: str, generation: Generation) -> Response:
        searches = Searches.of(generation.answer, shows_thoughts=self._show_thoughts)
        body = await self._checked_body(person, generation, partial(cards_json, searches=searches))
        return _with_validator(request, body, media_type="application/json")

    async def _grounding(self, request: Request, person: str, generation: Generation) -> Response:
        status = status_of(generation)
        self._documents.probe(generation, person)
        shown = partial(grounds, is_live=not generation.ended, with_marked_blocks=True)
        body = await self._checked_body(person, generation, shown)
        return _with_validator(request, body, _PRIVATE | status)

    async def _thoughts(self, request: Request, person: str, generation: Generation) -> Response:
        status = status_of(generation)
        cited = await self._renderings.make(person, generation, first_citations)
        answer = replace(generation.answer, text="")
        parts = answer, cited.citations, cited.count, request.query_params.get("step", "")
        if work_of_thoughts(answer) > IN_PLACE:
            html = await self._processes.run(person, thoughts_html, *parts)
        else:
            html = thoughts_html(*parts)
        return _with_validator(request, Body.of(html), _PRIVATE | status)

    async def _thought(self, request: Request, person: str, generation: Generation) -> Response:
        if (thought := _thought_of(generation, request)) is None:
            return text_response(_NO_THOUGHT, 404)
        description, step = thought.description, request.query_params.get("step")
        if step is not None:
            description = results_by_step(thought).get(step)
        shown = replace(thought, description=bounded(description), props=None)
        answer = Answer(data_points=generation.answer.data_points, thoughts=(shown,))
        if is_large(shown):
            html = await self._processes.run(person, thought_html, answer, 0)
        else:
            html = thought_html(answer, 0)
        return _with_validator(request, Body.of(html))

    async def _raw(self, request: Request, _person: str, generation: Generation) -> Response:
        return _with_validator(request, Body.of(raw_html(generation.answer)), _PRIVATE | status_of(generation))

    async def _thought_json(self, request: Request, _person: str, generation: Generation) -> Response:
        if (thought := _thought_of(generation, request)) is None:
            return text_response(_NO_THOUGHT, 404)
        fields = {name: getattr(thought, name) for name in thought.__dataclass_fields__}
        slices = in_slices(json_pieces(fields, ensure_ascii=False))
        body = (one.encode("utf-8", "replace") async for one in slices)
        return Streamed(body, media_type="application/json", headers=_PRIVATE)

    async def _markdown(self, request: Request, person: str, generation: Generation) -> Response:
        with_citations = "plain" not in request.query_params
        copied = partial(markdown_copy, text=generation.answer.text, with_citations=with_citations, notice=self._notice)
        body = await self._renderings.body(person, generation, copied)
        return PlainTextResponse(body.content, headers=_PRIVATE)

    async def _rich(self, _request: Request, person: str, generation: Generation) -> Response:
        body = await self._renderings.body(person, generation, partial(rich_copy, notice=self._notice))
        return HTMLResponse(body.content, headers=_PRIVATE)

    async def _words(self, _request: Request, person: str, generation: Generation) -> Response:
        body = await self._renderings.body(person, generation, words)
        return PlainTextResponse(body.content, headers=_PRIVATE | status_of(generation))

    async def _beside(self, request: Request, person: str, generation: Generation) -> Response:
        """A comparison of the answer with another one to the same question."""
        other = await self._conversations.answer(person, request.path_params["other"])
        if other is None:
            return text_response(msg("Answer not found."), 404)
        left, right = [
            Column(
                await self._renderings.make(person, one, facts, with_checks=True),
                one.answer.timing.first_text,
                one.answer.timing.total,
            )
            for one in (generation, other)
        ]
        return HTMLResponse(comparison_html(left, right), headers=_PRIVATE)

    async def _question(self, _request: Request, _person: str, generation: Generation) -> Response:
        return PlainTextResponse(generation.question, headers=_PRIVATE)

    async def _wire(self, request: Request) -> Response:
        if (found := await self._find(request)) is None:
            return HTMLResponse(f"<p>{escape(gettext(_FORGOTTEN))}</p>", headers=_NEVER_KEPT)
        generation, exchanged = found
        html = inspector_html(exchanged.recorder.record(), generation.answer)
        return HTMLResponse(html, headers=_NEVER_KEPT | status_of(generation))

    async def _curl(self, request: Request) -> Response:
        if (found := await self._find(request)) is None:
            return text_response(msg("Answer not found."), 404)
        _, exchanged = found
        try:
            command = curl_command(exchanged.backend, exchanged.request)
        except InvalidRequestError as problem:
            return text_response(str(problem), 422)
        return text_response(command, 200, _NEVER_KEPT)

    async def _find(self, request: Request) -> tuple[Generation, Exchanged] | None:
        """The person's answer of the path, with its exchange while cached."""
        person, answer = person_of(request), request.path_params["answer"]
        generation = await self._conversations.answer(person, answer) if person else None
        exchanged = inspections.get(answer)
        return (generation, exchanged) if generation is not None and exchanged is not None else None

    def _follow(self, person: str, generation: Generation) -> LiveAnswer:
        name = _followed(generation)
        live = self._live.get(name)
        if live is None:
            live = self._live[name] = LiveAnswer(generation, self._processes, person, self._queue)
            live.when_done(lambda: self._live.pop(name, None))
        return live


def _followed(generation: Generation) -> tuple[str, str]:
    """The key of a streaming answer's rendering: the answer, and the current language."""
    return generation.id, current_language().tag


def _thought_of(generation: Generation, request: Request) -> Thought | None:
    thoughts, number = generation.answer.thoughts, request.path_params["number"]
    return thoughts[number] if number < len(thoughts) else None


def _number(request: Request, name: str) -> int | None:
    """The number `name` of the query; None if missing or implausible."""
    value = request.query_params.get(name, "")
    return int(value) if value.isdecimal() and len(value) <= _LONGEST_NUMBER else None


def _with_validator(
    request: Request, body: Body, headers: Mapping[str, str] = _PRIVATE, media_type: str = "text/html"
) -> Response:
    if request.headers.get("if-none-match") == body.etag:
        return Response(status_code=304, headers={**headers, "ETag": body.etag})
    return Response(body.content, headers={**headers, "ETag": body.etag}, media_type=media_type)
