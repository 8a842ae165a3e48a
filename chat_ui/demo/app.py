"""The embedded demo backend: a server of the protocol, in four dialects, over documents of a made-up company.

Routes, relative to its mount:

* POST `/chat` and `/chat/stream` speak dialect C, as do `/c/chat` and `/c/chat/stream`; `/b/…` and `/e/…`
  speak B and E; `/a/chat` speaks A, where the body's `stream` decides. A slash at the end changes nothing.
* GET `/content/<name>` serves the documents, also beside each dialect's `chat` (`/a/content/<name>`).
* GET `/` says what is here, and how many answers are being made.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from chat_ui.demo.answering import STARTER_QUESTIONS, find
from chat_ui.demo.chat_request import BadRequestError, ChatRequest, read_request, session_state
from chat_ui.demo.context import answer_context
from chat_ui.demo.library import COMPANY, DOCUMENTS
from chat_ui.demo.retrieval import demo_index
from chat_ui.demo.showcase import (
    DEMO_QUESTIONS,
    ERRORS,
    MARKDOWN,
    MARKDOWN_QUESTION,
    RETRY_AFTER,
    SUBJECT,
    Behaviour,
    asked_behaviour,
)
from chat_ui.demo.streaming import Running, Stream, StreamCutError, pieces, unless_disconnected
from chat_ui.demo.wire import AI_CHAT_PROTOCOL, CHOICES, FLAT, RESPONSES, Dialect
from chat_ui.demo.wording import WordingError, prompt, worded
from chat_ui.protocol.events import JsonObject
from chat_ui.settings import Settings
from chat_ui.settings import settings as settings_of_process

STALL_SECONDS = 600.0
"""Seconds for which a stalled answer stays open if its reader does not leave."""

PIECES_BEFORE_TROUBLE = 24
"""Pieces of an answer that are sent before it fails on request."""

CLIENT_CLOSED_REQUEST = 499
"""The status, for a log alone, of a client that left before its answer was ready."""

TROUBLES = frozenset({Behaviour.MID_STREAM_ERROR, Behaviour.CUT, Behaviour.STALL})

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer ready to be sent: `text`, or what a model makes of `prompt` where that is not empty."""

    context: JsonObject
    text: str
    prompt: tuple[JsonObject, ...]
    closing: JsonObject
    session_state: str


def demo_app(settings: Settings | None = None) -> Starlette:
    """The demo backend as an ASGI app, to be mounted anywhere; its documents are read at the first question.

    Args:
        settings: its `demo_*` fields count; by default those of the process.
    """
    demo = _Demo(settings or settings_of_process())
    spoken: dict[str, Endpoint] = {"/a/chat": demo.endpoint(CHOICES, streamed=None)}
    for prefix, dialect in (
        ("", AI_CHAT_PROTOCOL),
        ("/b", FLAT),
        ("/c", AI_CHAT_PROTOCOL),
        ("/e", RESPONSES),
    ):
        spoken[f"{prefix}/chat"] = demo.endpoint(dialect, streamed=False)
        spoken[f"{prefix}/chat/stream"] = demo.endpoint(dialect, streamed=True)
    routes = [Route("/", demo.about)]
    routes += [Route(f"{prefix}/content/{{name:path}}", content) for prefix in ("", "/a", "/b", "/c", "/e")]
    routes += [
        Route(path + slash, endpoint, methods=["POST"]) for path, endpoint in spoken.items() for slash in ("", "/")
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    app.state.running = demo.running
    return app


async def content(request: Request) -> Response:
    """A document by its name.

    Raises:
        HTTPException: 404, there is none of this name.
    """
    name = request.path_params["name"]
    known = {path.name: path for path in DOCUMENTS.iterdir()}
    if name not in known:
        raise HTTPException(404, f"There is no document “{name[:120]}” here.")
    return FileResponse(known[name], content_disposition_type="inline", filename=name)


class _Demo:
    """State shared by the endpoints of one app."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.running = Running()

    async def about(self, _: Request) -> Response:
        return JSONResponse(
            {
                "company": COMPANY,
                "documents": sorted(path.name for path in DOCUMENTS.iterdir()),
                "starter_questions": STARTER_QUESTIONS,
                "demo_questions": {entry.question: entry.description for entry in DEMO_QUESTIONS},
                "running": self.running.count,
            }
        )

    def endpoint(self, dialect: Dialect, *, streamed: bool | None) -> Endpoint:
        """An endpoint that speaks a dialect; where `streamed` is None the request's body decides."""

        async def answer(request: Request) -> Response:
            try:
                chat = await read_request(request)
            except BadRequestError as error:
                return JSONResponse(dialect.error(error.code, error.message), error.status)
            if asked_behaviour(chat.question) is Behaviour.RATE_LIMIT:
                return _failure(dialect, Behaviour.RATE_LIMIT)
            if chat.stream if streamed is None else streamed:
                return Stream(self._lines(dialect, chat), dialect.stream_type, self.running)
            with self.running.answer():
                response = await unless_disconnected(request.receive, self._whole(dialect, chat))
            return response or Response(status_code=CLIENT_CLOSED_REQUEST)

        return answer

    async def _lines(self, dialect: Dialect, chat: ChatRequest) -> AsyncGenerator[bytes, None]:
        behaviour = asked_behaviour(chat.question)
        reply = await self._reply(chat, behaviour)
        yield _line(dialect.opening(reply.context))
        if behaviour is Behaviour.CONTENT_FILTER:
            yield _line(dialect.error(*ERRORS[behaviour][1:]))
            return
        try:
            async with aclosing(self._text(reply)) as text:
                sent = 0
                async for piece in text:
                    if sent == PIECES_BEFORE_TROUBLE and behaviour in TROUBLES:
                        break
                    yield _line(dialect.text(piece))
                    sent += 1
        except WordingError as error:
            yield _line(dialect.error("model_failed", error.message))
            return
        match behaviour:
            case Behaviour.MID_STREAM_ERROR:
                yield _line(dialect.error(*ERRORS[behaviour][1:]))
            case Behaviour.CUT:
                # Half an object, so that the cut shows even where a proxy ends the body properly.
                yield _line(dialect.text(" and"))[:-8]
                raise StreamCutError
            case Behaviour.STALL:
                await asyncio.sleep(STALL_SECONDS)
            case _:
                yield _line(dialect.closing(reply.closing, reply.session_state))

    async def _whole(self, dialect: Dialect, chat: ChatRequest) -> Response:
        behaviour = asked_behaviour(chat.question)
        if behaviour in ERRORS:
            return _failure(dialect, behaviour)
        reply = await self._reply(chat, behaviour)
        text = reply.text
        if reply.prompt:
            try:
                text = "".join([piece async for piece in worded(self.settings, reply.prompt)])
            except WordingError as error:
                return JSONResponse(dialect.error("model_failed", error.message), 502)
        body = _line(dialect.whole(text, {**reply.context, **reply.closing}, reply.session_state))
        if behaviour in {Behaviour.CUT, Behaviour.STALL}:
            return Stream(_half(body, behaviour), "application/json", self.running)
        return Response(body, media_type="application/json")

    async def _text(self, reply: Reply) -> AsyncGenerator[str, None]:
        if reply.prompt:
            async with aclosing(worded(self.settings, reply.prompt)) as worded_pieces:
                async for piece in worded_pieces:
                    yield piece
            return
        for piece in pieces(reply.text):
            yield piece
            if self.settings.demo_delay:
                await asyncio.sleep(self.settings.demo_delay)

    async def _reply(self, chat: ChatRequest, behaviour: Behaviour | None) -> Reply:
        question = chat.question
        if behaviour is Behaviour.MARKDOWN:
            question = MARKDOWN_QUESTION
        elif behaviour is not None:
            question = SUBJECT
        previous = chat.previous if behaviour is None else None
        index = await asyncio.to_thread(demo_index)
        finding = await asyncio.to_thread(find, index, question, previous, chat.top)
        text = finding.text
        if behaviour is Behaviour.MARKDOWN:
            sources = [hit.passage.id for hit in finding.hits]
            text = MARKDOWN.format(sources[0], sources[-1])
        messages = prompt(finding) if self.settings.demo_llm_url and behaviour is None and finding.hits else ()
        thread = f"{question} {previous}" if finding.query.previous_terms else question
        return Reply(
            context=answer_context(chat, finding, len(index.passages), messages, self.settings.demo_llm_model),
            text=text,
            prompt=messages,
            closing={"followup_questions": finding.followups} if chat.suggest_followups else {},
            session_state=session_state(thread),
        )


async def _half(body: bytes, behaviour: Behaviour) -> AsyncGenerator[bytes, None]:
    yield body[: len(body) // 2]
    if behaviour is Behaviour.STALL:
        await asyncio.sleep(STALL_SECONDS)
    raise StreamCutError


def _failure(dialect: Dialect, behaviour: Behaviour) -> Response:
    status, code, message = ERRORS[behaviour]
    headers = {"retry-after": str(RETRY_AFTER)} if behaviour is Behaviour.RATE_LIMIT else None
    return JSONResponse(dialect.error(code, message), status, headers)


def _line(value: JsonObject) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
