"""Everything that the app serves beside its page, at its addresses, in the process of the test."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from chat_ui.conversations.people.person import person_of
from chat_ui.protocol.backends.backend import Backend
from chat_ui.server.http_resources import HttpResources
from chat_ui.server.services import build
from chat_ui.settings import Settings
from tests.demo.serving import serving


@contextmanager
def whole(folder: Path, **chosen: Any) -> Iterator[str]:
    """The address of an app with the settings `chosen`. `POST /ask?backend=URL` asks what its body says, and answers
    with the id of the answer, once that has ended unless the query says `running`; `GET /streams` counts the pages that
    follow one.
    """
    services = build(Settings(data_dir=folder, policy="local", **chosen), "127.0.0.1", 8000)
    conversations, resources = services.conversations, HttpResources(services, folder / "page")

    async def page(_: Request) -> Response:
        return HTMLResponse("a page, so that the browser gets its cookie")

    async def ask(request: Request) -> Response:
        conversation = conversations.start(person_of(request))
        question, backend = (await request.body()).decode(), Backend(request.query_params["backend"])
        generation = conversation.ask(services.client, backend, question, {}).generation
        if "running" not in request.query_params:
            await generation.wait_for_end()
        return PlainTextResponse(generation.id)

    async def streams(_: Request) -> Response:
        return PlainTextResponse(str(resources.streams))

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        await conversations.begin()
        yield
        await conversations.end_running(0)
        await conversations.end()
        await services.processes.end()
        await services.uploads.end()
        await services.client.aclose()

    own = Starlette(routes=[Route("/", page), Route("/ask", ask, methods=["POST"]), Route("/streams", streams)])
    with serving(Starlette(routes=[Mount("/", app=resources.around(own))], lifespan=running)) as url:
        yield url
