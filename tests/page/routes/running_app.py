"""All routes beside the page, in the process of the test, and a person's actions over them."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from chat_ui.assembly import build_with
from chat_ui.conversations.archive.archive import FORMAT, VERSION
from chat_ui.conversations.people.person import person_of
from chat_ui.feature import Feature, settings_of
from chat_ui.installed import FEATURES
from chat_ui.page.routes.http_resources import HttpResources
from chat_ui.protocol.backends.backend import Backend
from chat_ui.server.served import entered
from tests.features.demo.serving import serving


@contextmanager
def running_app(folder: Path, features: Sequence[Feature] = FEATURES, **chosen: Any) -> Iterator[str]:
    """The address of an app with these features and the settings `chosen`.

    `POST /ask?backend=URL` asks the body's question. It returns the answer's id after its end, or at once with
    `running` in the query. `GET /streams` counts the pages that follow an answer.
    """
    settings = settings_of(features)(**{"data_dir": folder, "policy": "local", **chosen})
    services = build_with(features, settings, "127.0.0.1", 8000, folder / "page")
    conversations, resources = services.conversations, HttpResources(services)

    async def page(_: Request) -> Response:
        return HTMLResponse("a page, so that the browser gets its cookie")

    async def ask(request: Request) -> Response:
        conversation = conversations.start(person_of(request))
        query, question = request.query_params, (await request.body()).decode()
        backend = Backend(query["backend"], profile=query.get("profile", ""))
        generation = conversation.ask(services.backends.client, backend, question, {}).generation
        if "running" not in query:
            await generation.wait_for_end()
        return PlainTextResponse(generation.id)

    async def streams(_: Request) -> Response:
        return PlainTextResponse(str(services.following.total()))

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with entered(served.running() for served in services.served):
            await conversations.begin()
            yield
            await conversations.end_running(0)
            await conversations.end()
        await services.processes.end()
        await services.uploads.end()
        await services.backends.client.aclose()

    own = Starlette(routes=[Route("/", page), Route("/ask", ask, methods=["POST"]), Route("/streams", streams)])
    with serving(Starlette(routes=[Mount("/", app=resources.around(own))], lifespan=running)) as url:
        yield url


API = "/api/conversations/"


@contextmanager
def person(url: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=url, verify=False, timeout=60) as client:
        client.get("/")
        yield client


def talk(title: str, moment: float, text: str = "Red.") -> dict[str, object]:
    answer = {"status": "finished", "answer": {"text": text}}
    turns = [{"id": "a", "parent": None, "question": f"What about {title}?", "answers": [answer]}]
    return {"title": title, "created_at": moment, "updated_at": moment, "turns": turns}


def put(client: httpx2.Client, *talks: dict[str, object]) -> None:
    answer = client.post(f"{API}import", json={"format": FORMAT, "version": VERSION, "conversations": talks})
    assert answer.json() == {"imported": len(talks), "refused": 0, "refusals": []}


def listed(client: httpx2.Client, **query: str) -> list[dict[str, object]]:
    return client.get(API, params=query).json()["conversations"]
