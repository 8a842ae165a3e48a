"""The page's states behind their real socket, in the process of the test, without a built page or routes."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import reflex as rx
import uvicorn
from reflex.istate.manager import StateManager
from reflex_base.environment import environment
from reflex_base.registry import RegistrationContext
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from chat_ui.assembly import build_with
from chat_ui.backends.state import connection, removal
from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.conversations.people.person import PERSON
from chat_ui.features.checking.page.state import report
from chat_ui.features.comparing.page.state.second_column import SecondColumnState
from chat_ui.installed import FEATURES
from chat_ui.page.routes.http_resources import HttpResources
from chat_ui.page.state import list_panel, panels
from chat_ui.page.state.chat import ChatState
from chat_ui.page.state.sockets import Rate, event_failed, page_failed, use_page_sockets
from chat_ui.server.middleware.request_language import Languages
from chat_ui.server.served import entered
from chat_ui.server.services import Services
from tests.app_settings import AppSettings
from tests.features.demo.serving import listening
from tests.page_socket import CHAT, ROOT, SECOND_ARM, PageSocket, booted, page_socket
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

STATES = (connection, list_panel, panels, removal, report)
"""Modules that register further states of a page."""
PANELS = f"{ROOT}.chat_ui___page___state___panels____panel_state"
LIST = f"{ROOT}.chat_ui___page___state___list_panel____list_state"
CONNECTION = f"{ROOT}.chat_ui___backends___state___connection____connection_state"
REPORT = f"{ROOT}.chat_ui___features___checking___page___state___report____report_state"
BOTH = (CHAT, SECOND_ARM)
"""The states of the columns of a comparison."""
REMOVAL = f"{ROOT}.chat_ui___backends___state___removal____removal_state"


def saying(*words: str, **beside: object) -> Reply:
    """An answer with these words in the AI Chat Protocol."""
    message = {"role": "assistant", "content": "".join(words)}
    return Reply([lines({"delta": message, **beside})])


@dataclass(frozen=True)
class Pages:
    """Pages of several people, with states that use `services` and `backend`."""

    url: str
    services: Services
    backend: StandIn
    states: StateManager
    me: str = "ann"
    """The default person of a page."""

    def page(self, person: str = "", **opening: Any) -> AbstractAsyncContextManager[PageSocket]:
        """The socket of a person's page."""
        return page_socket(self.url, person or self.me, **opening)

    def booted(self, person: str = "", **opening: Any) -> AbstractAsyncContextManager[PageSocket]:
        """A person's page after its start."""
        return booted(self.url, person or self.me, **opening)


@asynccontextmanager
async def open_pages(
    folder: Path,
    reply: Reply | Callable[[Received], Reply] | None = None,
    offered: Sequence[Mapping[str, Any]] = (),
    rate: Rate | None = None,
    *,
    is_complete: bool = False,
    **chosen: Any,
) -> AsyncIterator[Pages]:
    """Pages with the settings `chosen`, and a backend that answers with `reply` everywhere.

    Each entry of `offered` is a profile with a path as its `url`. The default is `/chat`. Events of a person are
    accepted at `rate`. A page's first cookie is its person, unless `is_complete` adds all middleware of a server.
    """
    async with StandIn(reply or saying("Red.")).running() as backend:
        profiles = [
            {**one, "url": backend.url + one["url"]} if "url" in one else one
            for one in offered or [{"name": "Here", "url": "/chat"}]
        ]
        (folder / "backends.json").write_text(json.dumps({"backends": profiles}))
        known = {"data_dir": folder, "backends": folder / "backends.json", "retention_days": 0, **chosen}
        services = build_with(FEATURES, AppSettings(**known), "127.0.0.1", 8000, folder)
        features = AsyncExitStack()
        await features.enter_async_context(entered(served.running() for served in services.served))
        await services.conversations.begin()
        listener = listening()
        in_use = patch("chat_ui.server.services._current", [services])
        in_use.start()
        # Reflex takes one app for each context.
        with RegistrationContext.get().fork():
            app, served = _app(rate or Rate(), services, is_complete=is_complete)
            server = uvicorn.Server(uvicorn.Config(served, log_level="critical", timeout_graceful_shutdown=1))
            serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield Pages(f"http://127.0.0.1:{listener.getsockname()[1]}", services, backend, app.state_manager)
        finally:
            server.should_exit = True
            await serving
            await services.conversations.end_running(0)
            await services.conversations.end()
            await features.aclose()
            await services.processes.end()
            await services.backends.client.aclose()
            in_use.stop()


@asynccontextmanager
async def open_page(folder: Path, *given: Any, **chosen: Any) -> AsyncIterator[tuple[Pages, PageSocket]]:
    """The same as `open_pages`, with a started page."""
    async with open_pages(folder, *given, **chosen) as pages, pages.booted() as page:
        yield pages, page


def _app(rate: Rate, services: Services, *, is_complete: bool) -> tuple[rx.App, ASGIApp]:
    """The app and its server, with all middleware if `is_complete`."""
    app = rx.App(
        backend_exception_handler=event_failed,
        frontend_exception_handler=page_failed,
        toaster=None,
        api_transformer=partial(_in_whole, services) if is_complete else None,
    )
    use_page_sockets(app, rate)
    for route in ("/", "/c/[conversation]"):
        app.add_page(
            rx.fragment(), route=route, on_load=[BackendState.follow_link, ChatState.open, SecondColumnState.open]
        )
    environment.REFLEX_SKIP_COMPILE.set(True)
    try:
        served = app()
    finally:
        environment.REFLEX_SKIP_COMPILE.set(None)
    if is_complete:
        return app, served

    async def with_person(scope: Scope, receive: Receive, send: Send) -> None:
        person = dict(scope.get("headers", ())).get(b"cookie", b"").decode().partition(";")[0]
        await served({**scope, PERSON: person}, receive, send)

    return app, Languages(with_person, services.languages, services.settings.language)


def _in_whole(services: Services, page: ASGIApp) -> ASGIApp:
    async def document(_: Request) -> Response:
        return HTMLResponse("a document, with which a browser gets its cookie")

    pages = Starlette(routes=[Route("/", document), Mount("/", app=page)])
    return HttpResources(services).around(pages)


async def ask(page: PageSocket, question: str) -> dict[str, Any]:
    """Ask, wait for the end of the answer, and return the page's state."""
    before = page.state.get("latest", {}).get("id")
    await page.send(f"{CHAT}.ask", {"question": question})
    return await page.until(
        lambda state: state.get("turns") and state["latest"]["id"] != before and not state["latest"]["live"]
    )


def at_conversation(conversation: str, query: str = "") -> dict[str, Any]:
    """The router data of a page at the address of a conversation."""
    path = f"/c/{conversation}"
    return {"pathname": "/c/[conversation]", "asPath": path + query, "query": {"conversation": conversation}}


def redirects(page: PageSocket) -> list[str]:
    """The addresses of the page's redirects."""
    return [event["payload"]["path"].strip('"') for event in _events(page) if event["name"] == "_redirect"]


def focused(page: PageSocket) -> list[str]:
    """The ids of the focused elements."""
    return [event["payload"]["ref"] for event in _events(page) if event["name"] == "_set_focus"]


def _events(page: PageSocket) -> list[dict[str, Any]]:
    frames = [json.loads(frame.removeprefix("42/_event,")) for frame in page.told if frame.startswith("42/_event,")]
    return [event for kind, *rest in frames if kind == "event" for event in rest[0].get("events") or ()]


def latest(page: PageSocket) -> list[dict[str, Any]]:
    return [page.states[state]["latest"] for state in BOTH]


def questions(page: PageSocket) -> list[list[str]]:
    return [[turn["question"] for turn in page.states[state]["turns"]] for state in BOTH]


async def compare(page: PageSocket) -> None:
    await page.do(f"{SECOND_ARM}.compare", until=lambda _: page.states[SECOND_ARM]["comparing"])


async def ask_both(page: PageSocket, question: str) -> None:
    before = {one["id"] for one in latest(page)}
    await page.send(f"{SECOND_ARM}.ask_both", {"question": question, "attached": []})
    await page.until(lambda _: all(one["id"] not in before and not one["live"] for one in latest(page)))
