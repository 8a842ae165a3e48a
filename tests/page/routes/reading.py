"""The routes for an answer and its documents over HTTP, with a person who reads them."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from chat_ui.backends.credential import Tokens
from chat_ui.backends.offer import Offer, backend_for, remembered_backend
from chat_ui.backends.personal_choices import Choices
from chat_ui.backends.profile import Profile
from chat_ui.backends.vault import Vault
from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.people.person import person_of
from chat_ui.conversations.store.database import Database
from chat_ui.page.routes.answers import AnswerRoutes
from chat_ui.page.routes.documents import DocumentRoutes
from chat_ui.page.routes.images import ImageRoutes
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.server.middleware.identity import Cookies, People
from chat_ui.server.middleware.security_headers import SecurityHeaders
from chat_ui.server.middleware.unread import Unread
from chat_ui.server.processes.pool import Processes
from chat_ui.server.public.health import HealthRoutes
from chat_ui.server.renderings import Renderings
from tests.features.demo.serving import serving
from tests.stand_ins.shelf import MB

MAX_BYTES = 20 * MB


class Reader:
    """A person with one question, and the resources of its answer."""

    def __init__(self, url: str, backend: str = "") -> None:
        self.backend = backend
        self.url = url
        self.http = httpx2.Client(base_url=url, trust_env=False, verify=False, timeout=60)
        self.http.get("/page")
        self.answer = ""

    def ask(self) -> None:
        self.answer = self.http.post("/ask", params={"backend": self.backend}).text

    @property
    def name(self) -> str:
        """The app's id of the person."""
        return self.http.get("/facts").json()["person"]

    def sources(self) -> str:
        return self.http.get(f"/answers/{self.answer}/sources").text

    def image(self, url: str) -> httpx2.Response:
        return self.http.get(f"/answers/{self.answer}/image", params={"url": url})

    def document(self, point: int, path: str = "", **headers: str) -> httpx2.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.get(f"/answers/{self.answer}/documents/{point}{path}", headers=names)


@contextmanager
def reading(
    offer: Offer, vault: Vault, choices: Choices | None = None, processes: Processes | None = None
) -> Iterator[str]:
    """The address of the routes for people with the backends of `offer` and their own `choices`."""
    conversations = Conversations(lambda: Database.open("sqlite://"))
    client = AsyncClient()
    tokens = Tokens()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await conversations.begin()
        yield
        await conversations.end_running(grace=0)
        await conversations.end()

    @cache
    def of_person(person: str) -> Conversation:
        return conversations.start(person)

    async def ask(request: Request) -> Response:
        person, chosen = person_of(request), request.query_params["backend"]
        # Without a profile, the answer is stored like an imported one.
        backend = Backend(chosen)
        if profile := offer.profiles(choices or Choices()).get(chosen):
            backend = replace(await backend_for(profile, person, vault, tokens), profile=chosen)
        conversation = of_person(person)
        name = request.query_params.get("answer", "")
        turn = conversation.ask(client, backend, "Where is it written?", {}, answer=name)
        if "wait" not in request.query_params:
            await turn.generation.wait_for_end()
        return PlainTextResponse(turn.generation.id)

    async def page(_: Request) -> Response:
        return HTMLResponse("a page, so that the browser gets its cookie")

    async def facts(request: Request) -> Response:
        person = person_of(request)
        conversation = of_person(person).id
        return JSONResponse({"person": person, "conversation": conversation, "spent": time.thread_time()})

    remembered = partial(remembered_backend, offer=offer, vault=vault, tokens=tokens)

    async def client_for(_backend: Backend) -> AsyncClient:
        return client

    processes = processes or Processes()
    documents = DocumentRoutes(conversations, client_for, remembered, processes, max_bytes=MAX_BYTES)
    renderings = Renderings(processes)
    images = ImageRoutes(conversations, client_for, remembered, renderings)
    answers = AnswerRoutes(conversations, documents, renderings, processes)
    routes = [*answers.routes(), *documents.routes(), *images.routes()]
    app = Starlette(
        routes=[
            Route("/page", page),
            Route("/facts", facts),
            Route("/ask", ask, methods=["POST"]),
            Mount("/answers", routes=routes),
            *HealthRoutes(conversations).routes(),
        ],
        lifespan=lifespan,
    )
    people = People(Unread(app), Cookies("a secret"))
    with serving(SecurityHeaders(people, pages=Path(), resources=("/answers/",), assets="/assets/")) as address:
        yield address


@contextmanager
def reading_from(backend: str, folder: Path, **more: Any) -> Iterator[str]:
    """The address of the routes for people with this backend, `given:Shelf`."""
    with reading(Offer((Profile(name="Shelf", url=backend),)), Vault(folder), **more) as address:
        yield address
