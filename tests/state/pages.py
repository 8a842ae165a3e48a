"""The states of the page behind their real socket, in the process of the test: no page is built, no route is served."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import reflex as rx
import uvicorn
from reflex.istate.manager import StateManager
from reflex_base.environment import environment
from reflex_base.registry import RegistrationContext
from starlette.types import ASGIApp, Receive, Scope, Send

from chat_ui.conversations.people.person import PERSON
from chat_ui.server.middleware.request_language import Languages
from chat_ui.server.services import Services, build, use
from chat_ui.settings import Settings
from chat_ui.state import connection, list_panel, panels, removal
from chat_ui.state.backend_choice import BackendState
from chat_ui.state.chat import ChatState
from chat_ui.state.second_arm import SecondArmState
from chat_ui.state.sockets import Rate, event_failed, page_failed, use_page_sockets
from tests.backends.stand_in import Received, Reply, StandIn, lines
from tests.demo.serving import listening
from tests.page_socket import ROOT, PageSocket, booted, page_socket

STATES = (connection, list_panel, panels, removal)
"""Modules that register states which a page has, too."""
PANELS = f"{ROOT}.chat_ui___state___panels____panel_state"
LIST = f"{ROOT}.chat_ui___state___list_panel____list_state"
CONNECTION = f"{ROOT}.chat_ui___state___connection____connection_state"
REPORT = f"{ROOT}.chat_ui___state___connection____report_state"
REMOVAL = f"{ROOT}.chat_ui___state___removal____removal_state"


def saying(*words: str, **beside: object) -> Reply:
    """An answer of these words in the Chat Protocol."""
    message = {"role": "assistant", "content": "".join(words)}
    return Reply([lines({"delta": message, **beside})])


class Pages:
    """Pages of several people, whose `states` work with `services` and ask `backend`."""

    def __init__(self, url: str, services: Services, backend: StandIn, states: StateManager) -> None:
        self.url = url
        self.states = states
        self.services = services
        self.backend = backend

    def page(self, person: str = "ann", **opening: Any) -> AbstractAsyncContextManager[PageSocket]:
        """The socket of one page of a person."""
        return page_socket(self.url, person, **opening)

    def booted(self, person: str = "ann", **opening: Any) -> AbstractAsyncContextManager[PageSocket]:
        """A page of a person, which is alive."""
        return booted(self.url, person, **opening)


@asynccontextmanager
async def open_pages(
    folder: Path,
    reply: Reply | Callable[[Received], Reply] | None = None,
    offered: Sequence[Mapping[str, Any]] = (),
    rate: Rate | None = None,
    **chosen: Any,
) -> AsyncIterator[Pages]:
    """Pages with the settings `chosen`, and a backend that answers with `reply` everywhere.

    It is offered as what each of `offered` says, which has a path for `url`; else at `/chat`. The first cookie of a
    page is its person, whose events are heard at `rate`.
    """
    async with StandIn(reply or saying("Red.")).running() as backend:
        profiles = [
            {**one, "url": backend.url + one["url"]} if "url" in one else one
            for one in offered or [{"name": "Here", "url": "/chat"}]
        ]
        (folder / "backends.json").write_text(json.dumps({"backends": profiles}))
        known = {"data_dir": folder, "backends": folder / "backends.json", "retention_days": 0, **chosen}
        services = build(Settings(**known), "127.0.0.1", 8000)
        use(services)
        await services.recorder.open()
        await services.conversations.begin()
        listener = listening()
        # Reflex takes one app for each context.
        with RegistrationContext.get().fork():
            app, served = _app(rate or Rate(), services)
            server = uvicorn.Server(uvicorn.Config(served, log_level="critical", timeout_graceful_shutdown=1))
            serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield Pages(f"http://127.0.0.1:{listener.getsockname()[1]}", services, backend, app.state_manager)
        finally:
            server.should_exit = True
            await serving
            await services.conversations.end_running(0)
            await services.conversations.end()
            services.recorder.close()
            await services.processes.end()
            await services.client.aclose()


@asynccontextmanager
async def open_page(folder: Path, *given: Any, **chosen: Any) -> AsyncIterator[tuple[Pages, PageSocket]]:
    """As `open_pages`, with one page that is alive."""
    async with open_pages(folder, *given, **chosen) as pages, pages.booted() as page:
        yield pages, page


def _app(rate: Rate, services: Services) -> tuple[rx.App, ASGIApp]:
    app = rx.App(backend_exception_handler=event_failed, frontend_exception_handler=page_failed, toaster=None)
    use_page_sockets(app, rate)
    for route in ("/", "/c/[conversation]"):
        app.add_page(
            rx.fragment(), route=route, on_load=[BackendState.follow_link, ChatState.open, SecondArmState.open]
        )
    environment.REFLEX_SKIP_COMPILE.set(True)
    try:
        served = app()
    finally:
        environment.REFLEX_SKIP_COMPILE.set(None)

    async def with_person(scope: Scope, receive: Receive, send: Send) -> None:
        person = dict(scope.get("headers", ())).get(b"cookie", b"").decode().partition(";")[0]
        await served({**scope, PERSON: person}, receive, send)

    return app, Languages(with_person, services.languages, services.settings.language)


async def ask(page: PageSocket, question: str) -> dict[str, Any]:
    """Ask, and wait for the end of the answer; what the page was told then."""
    before = page.state.get("latest", {}).get("id")
    await page.send("reflex___state____state.chat_ui___state___chat____chat_state.ask", {"question": question})
    return await page.until(
        lambda state: state.get("turns") and state["latest"]["id"] != before and not state["latest"]["live"]
    )


def at_conversation(conversation: str, query: str = "") -> dict[str, Any]:
    """What a page at the address of a conversation says of where it is."""
    path = f"/c/{conversation}"
    return {"pathname": "/c/[conversation]", "asPath": path + query, "query": {"conversation": conversation}}


def redirects(page: PageSocket) -> list[str]:
    """The addresses that a page was sent to."""
    return [event["payload"]["path"].strip('"') for event in _events(page) if event["name"] == "_redirect"]


def focused(page: PageSocket) -> list[str]:
    """What was focused in a page."""
    return [event["payload"]["ref"] for event in _events(page) if event["name"] == "_set_focus"]


def _events(page: PageSocket) -> list[dict[str, Any]]:
    frames = [json.loads(frame.removeprefix("42/_event,")) for frame in page.told if frame.startswith("42/_event,")]
    return [event for kind, *rest in frames if kind == "event" for event in rest[0].get("events") or ()]
