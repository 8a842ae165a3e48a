"""The embedded demo backend: a server of the protocol and of others, over documents of a made-up company.

Routes, relative to its mount:

* POST `/chat`, `/chat/stream`, `/c/chat` and `/c/chat/stream` are dialect C. `/b/…` and `/e/…` are B and E. `/a/chat`
  is A, with `stream` in the body. A trailing slash is ignored.
* POST `/openai/v1/chat/completions` and `/openai/v1/responses` are OpenAI's. `/ai-sdk/api/chat` is a backend of the
  Vercel AI SDK, `/ag-ui` an agent, `/knowledgebases/answers/retrieve` Azure AI Search. The knowledge base `passages`
  does not answer. GET `/openai/v1/models` lists the only model.
* GET `/content/<name>` serves the documents, also beside each `chat` (`/a/content/<name>`).
* GET `/` lists the routes, and the number of running answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from chat_ui.features.demo.answering import STARTER_QUESTIONS, find
from chat_ui.features.demo.chat_request import ChatRequest, read_request, session_state
from chat_ui.features.demo.context import answer_context, prompt, worded
from chat_ui.features.demo.dialects.agents import AgUi, UiMessages
from chat_ui.features.demo.dialects.dialect import (
    MODEL,
    AIChatProtocol,
    Choices,
    Dialect,
    Flat,
    Reply,
    ResponsesOf2026,
    json_of,
)
from chat_ui.features.demo.dialects.knowledge_base import KnowledgeBase, Passages
from chat_ui.features.demo.dialects.openai import ChatCompletions, Responses
from chat_ui.features.demo.errors import BadRequestError, StreamCutError, WordingError
from chat_ui.features.demo.library import COMPANY, DOCUMENTS
from chat_ui.features.demo.retrieval import demo_index
from chat_ui.features.demo.settings import DemoSettings
from chat_ui.features.demo.showcase import (
    DESCRIPTIONS,
    ERRORS,
    MARKDOWN,
    MARKDOWN_QUESTION,
    RETRY_AFTER,
    RIGHT_FIGURE,
    SUBJECT,
    WRONG_FIGURE,
    Behaviour,
    asked_behaviour,
)
from chat_ui.features.demo.streaming import Running, Stream, pieces, unless_disconnected, with_citations
from chat_ui.protocol.events import JsonObject

STALL_SECONDS = 600.0
"""Seconds of a stalled answer before it is closed."""

PIECES_BEFORE_TROUBLE = 24
"""Pieces of an answer before a requested failure."""

CLIENT_CLOSED_REQUEST = 499
"""The logged status of a client that disconnected before its answer was ready."""

TROUBLES = frozenset({Behaviour.MID_STREAM_ERROR, Behaviour.CUT, Behaviour.STALL})

Endpoint = Callable[[Request], Awaitable[Response]]


def demo_app(settings: DemoSettings) -> Starlette:
    """The demo backend as a mountable ASGI app; its documents are read at the first question."""
    demo = _Demo(settings)
    spoken: dict[str, Endpoint] = {
        "/a/chat": demo.endpoint(Choices, streamed=None),
        "/openai/v1/chat/completions": demo.endpoint(ChatCompletions, streamed=None),
        "/openai/v1/responses": demo.endpoint(Responses, streamed=None),
        "/ai-sdk/api/chat": demo.endpoint(UiMessages, streamed=True),
        "/ag-ui": demo.endpoint(AgUi, streamed=True),
        "/knowledgebases/answers/retrieve": demo.endpoint(KnowledgeBase, streamed=False),
        "/knowledgebases/passages/retrieve": demo.endpoint(Passages, streamed=False),
    }
    flat: tuple[tuple[str, type[Dialect]], ...] = (
        ("", AIChatProtocol),
        ("/b", Flat),
        ("/c", AIChatProtocol),
        ("/e", ResponsesOf2026),
    )
    for prefix, dialect in flat:
        spoken[f"{prefix}/chat"] = demo.endpoint(dialect, streamed=False)
        spoken[f"{prefix}/chat/stream"] = demo.endpoint(dialect, streamed=True)
    routes = [Route("/", demo.about), Route("/openai/v1/models", models)]
    beside = ("", "/a", "/b", "/c", "/e", "/ai-sdk/api")
    routes += [Route(f"{prefix}/content/{{name:path}}", content) for prefix in beside]
    routes += [
        Route(path + slash, endpoint, methods=["POST"]) for path, endpoint in spoken.items() for slash in ("", "/")
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    app.state.running = demo.running
    return app


async def content(request: Request) -> Response:
    name = request.path_params["name"]
    known = {path.name: path for path in DOCUMENTS.iterdir()}
    if name not in known:
        raise HTTPException(404, f"The document “{name[:120]}” does not exist.")
    return FileResponse(known[name], content_disposition_type="inline", filename=name)


async def models(_: Request) -> Response:
    model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "demo"}
    return JSONResponse({"object": "list", "data": [model]})


class _Demo:
    def __init__(self, settings: DemoSettings) -> None:
        self.settings = settings
        self.running = Running()

    async def about(self, _: Request) -> Response:
        return JSONResponse(
            {
                "company": COMPANY,
                "documents": sorted(path.name for path in DOCUMENTS.iterdir()),
                "starter_questions": STARTER_QUESTIONS,
                "demo_questions": {one.value: words for one, words in DESCRIPTIONS.items()},
                "running": self.running.count,
            }
        )

    def endpoint(self, dialect: type[Dialect], *, streamed: bool | None) -> Endpoint:
        """An endpoint of a dialect; with `streamed` None the request's body decides."""

        async def answer(request: Request) -> Response:
            try:
                chat = await read_request(request, dialect.read)
            except BadRequestError as error:
                return JSONResponse(error.body or dialect.refusal(error.code, error.message), error.status)
            if asked_behaviour(chat.question) is Behaviour.RATE_LIMIT:
                return _failure(dialect, Behaviour.RATE_LIMIT)
            if chat.stream if streamed is None else streamed:
                return Stream(self._frames(dialect, chat), dialect.stream_type, self.running, dialect.headers)
            with self.running.answer():
                response = await unless_disconnected(request.receive, self._complete(dialect, chat))
            return response or Response(status_code=CLIENT_CLOSED_REQUEST)

        return answer

    async def _frames(self, dialect: type[Dialect], chat: ChatRequest) -> AsyncGenerator[bytes, None]:
        behaviour = asked_behaviour(chat.question)
        reply = await self._reply(chat, behaviour)
        answer = dialect(reply)
        for value in answer.opening():
            yield dialect.frame(value)
        failure = ERRORS[behaviour][1:] if behaviour in ERRORS else None
        try:
            async with aclosing(self._text(reply, self.settings.demo_delay)) as text:
                sent = 0
                async for part in _parts(answer, text):
                    if behaviour is Behaviour.CONTENT_FILTER or (
                        sent == PIECES_BEFORE_TROUBLE and behaviour in TROUBLES
                    ):
                        break
                    for value in _said(answer, part):
                        yield dialect.frame(value)
                    sent += 1
        except WordingError as error:
            failure = "model_failed", error.message
        if behaviour is Behaviour.CUT:
            # Half an object shows the cut even behind a proxy that ends the body properly.
            yield dialect.frame(next(iter(answer.add(" and"))))[:-8]
            raise StreamCutError
        if behaviour is Behaviour.STALL:
            await asyncio.sleep(STALL_SECONDS)
        for value in answer.failure(*failure) if failure else answer.closing():
            yield dialect.frame(value)
        if dialect.end:
            yield dialect.end

    async def _complete(self, dialect: type[Dialect], chat: ChatRequest) -> Response:
        behaviour = asked_behaviour(chat.question)
        if behaviour in ERRORS:
            return _failure(dialect, behaviour)
        reply = await self._reply(chat, behaviour)
        answer = dialect(reply)
        try:
            async with aclosing(self._text(reply, 0)) as text:
                async for part in _parts(answer, text):
                    for _ in _said(answer, part):
                        pass
        except WordingError as error:
            return JSONResponse(dialect.refusal("model_failed", error.message), 502)
        body = json_of(answer.complete()) + b"\n"
        if behaviour in {Behaviour.CUT, Behaviour.STALL}:
            return Stream(_half(body, behaviour), "application/json", self.running)
        return Response(body, media_type="application/json")

    async def _text(self, reply: Reply, delay: float) -> AsyncGenerator[str, None]:
        if reply.prompt:
            async with aclosing(worded(self.settings, reply.prompt)) as worded_pieces:
                async for piece in worded_pieces:
                    yield piece
            return
        for piece in pieces(reply.text):
            yield piece
            if delay:
                await asyncio.sleep(delay)

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
        elif behaviour is Behaviour.DIFFERENCE:
            text = text.replace(RIGHT_FIGURE, WRONG_FIGURE, 1)
        messages = prompt(finding) if self.settings.demo_llm_url and behaviour is None and finding.hits else ()
        thread = f"{question} {previous}" if finding.query.previous_terms else question
        return Reply(
            chat=chat,
            query=str(finding.query),
            hits=finding.hits,
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


def _parts(
    answer: Dialect, text: AsyncGenerator[str, None]
) -> AsyncGenerator[str, None] | AsyncGenerator[str | int, None]:
    """The text in pieces, with the numbers of cited hits if the dialect has citations."""
    return with_citations(text, [hit.passage.id for hit in answer.reply.hits]) if answer.cites else text


def _said(answer: Dialect, part: str | int) -> Iterator[JsonObject]:
    return answer.add(part) if isinstance(part, str) else answer.cite(part)


def _failure(dialect: type[Dialect], behaviour: Behaviour) -> Response:
    status, code, message = ERRORS[behaviour]
    headers = {"retry-after": str(RETRY_AFTER)} if behaviour is Behaviour.RATE_LIMIT else None
    return JSONResponse(dialect.refusal(code, message), status, headers)
