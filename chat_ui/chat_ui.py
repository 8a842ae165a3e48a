"""The app: its pages, its stylesheets, and what is mounted beside them. Wiring only."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import reflex as rx
from reflex.constants import Dirs
from reflex.utils.prerequisites import get_web_dir
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from chat_ui.conversations.generations.recent_exchanges import inspections
from chat_ui.demo.app import demo_app
from chat_ui.pages.chat import chat, page_title
from chat_ui.routes.answers import AnswerRoutes
from chat_ui.routes.attachments import AttachmentRoutes
from chat_ui.routes.conversation_list import ListRoutes
from chat_ui.routes.documents import DocumentRoutes
from chat_ui.routes.exports import ExportRoutes
from chat_ui.routes.health import HealthRoutes
from chat_ui.routes.images import ImageRoutes
from chat_ui.routes.inspection import InspectionRoutes
from chat_ui.server.collection import seldom_full_collections
from chat_ui.server.middleware.caching import KeptForGood
from chat_ui.server.middleware.few_sockets import FewSockets
from chat_ui.server.middleware.identity import Cookies, OwnOriginOnly, People, networks_of, proxy_at
from chat_ui.server.middleware.own_address import own_address
from chat_ui.server.middleware.request_log import Requests
from chat_ui.server.middleware.security_headers import SecurityHeaders
from chat_ui.server.middleware.unread import Unread
from chat_ui.server.reflex_redis import outlast_redis
from chat_ui.server.services import (
    DEMO_PATH,
    attachments,
    client,
    conversations,
    cookie_secret,
    keeping,
    on_own_machine,
    pace,
    processes,
    remembered_backend,
    tokens,
    watch,
)
from chat_ui.settings import settings
from chat_ui.state.backend_settings import BackendState
from chat_ui.state.chat import ANSWERS_PATH, ATTACHMENTS_PATH, CONVERSATION_PATH, ChatState
from chat_ui.state.sockets import event_failed, hear_people_only, page_failed
from chat_ui.telemetry.logs import configure_logs

LIST_PATH: Final = "/api/conversations"


configure_logs(settings().log_level, as_json=settings().log_json)
_documents = DocumentRoutes(conversations, client, settings().document_bytes, remembered_backend, processes)
_exports = ExportRoutes(conversations, processes, settings().answer_bytes)
_answers = AnswerRoutes(conversations, _documents, processes, pace=pace, show_thoughts=settings().show_thoughts)


def _answer_routes() -> list[Route]:
    shown = settings().show_thoughts
    images = ImageRoutes(conversations, client, processes, show_thoughts=shown)
    answers = [*_answers.routes(), *_documents.routes(), *images.routes()]
    return [*InspectionRoutes(conversations, inspections).routes(), *answers] if shown else answers


def _pages() -> Path:
    return get_web_dir() / Dirs.STATIC


def _mounted(page: ASGIApp) -> ASGIApp:
    routes = Starlette(
        routes=[
            *HealthRoutes(conversations).routes(),
            Mount(ANSWERS_PATH, routes=_answer_routes()),
            Mount(ATTACHMENTS_PATH, routes=AttachmentRoutes(attachments).routes()),
            Mount(LIST_PATH, routes=[*_exports.routes(), *ListRoutes(conversations.lists).routes()]),
            Mount(DEMO_PATH, app=demo_app()),
            Mount("/", app=KeptForGood(Starlette(routes=[own_address(_pages), Mount("/", app=page)]), "/assets/")),
        ]
    )
    proxy = proxy_at(settings().trusted_proxies, settings().identity_header, settings().token_header)
    cookies = Cookies(cookie_secret(), conversations.lists.may_have_any)
    people = People(Unread(FewSockets(routes)), cookies, proxy, tokens)
    own = OwnOriginOnly(people, settings().origins, loopback_only=on_own_machine())
    return Requests(
        SecurityHeaders(
            own,
            pages=_pages,
            resources=("/api/", f"{DEMO_PATH}/"),
            frame_ancestors=settings().frame_ancestors,
        ),
        networks_of(settings().trusted_proxies),
    )


@asynccontextmanager
async def _watching() -> AsyncIterator[None]:
    watch.begin(lambda: _answers.streams)
    try:
        yield
    finally:
        await watch.end()


app = rx.App(
    stylesheets=["/page.css", "/answer.css"],
    html_lang="en",
    toaster=None,
    backend_exception_handler=event_failed,
    frontend_exception_handler=page_failed,
    head_components=[
        rx.el.meta(
            name="viewport",
            content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content",
        ),
        rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml"),
    ],
    api_transformer=_mounted,
)

# Reflex's own sign of a lost connection is an icon without words, over the button Send.
del app.app_wraps[5, "Overlay"]
hear_people_only(app)
outlast_redis(app)
app.register_lifespan_task(_watching)
app.register_lifespan_task(keeping)
app.register_lifespan_task(seldom_full_collections)

# Not `@rx.page`: in production mode that adds the page twice and warns about it.
for route in ("/", f"{CONVERSATION_PATH}/[conversation]"):
    app.add_page(
        chat,
        route=route,
        title=page_title(),
        description="Ask a question and see where the answer comes from.",
        image="/favicon.svg",
        on_load=[BackendState.follow_link, ChatState.open],
    )
