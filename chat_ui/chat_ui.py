"""The app: its pages, its stylesheets, and what is mounted beside them. Wiring only."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import reflex as rx
from reflex.config import get_config
from reflex.constants import Dirs
from reflex.utils.prerequisites import get_web_dir
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from chat_ui.branding.accents import style_of_accent_by_scheme
from chat_ui.branding.branding import DESCRIPTION, LOGOS
from chat_ui.branding.document import painted
from chat_ui.components import stylesheets
from chat_ui.components.branding import other_than_painted
from chat_ui.components.presenting import presenting_from_the_first_paint
from chat_ui.components.shared import Direction
from chat_ui.conversations.generations.recent_exchanges import inspections
from chat_ui.demo.app import demo_app
from chat_ui.languages.translation import current_language
from chat_ui.pages.chat import chat, page_title
from chat_ui.rendering.exported_page.page_document import Look
from chat_ui.routes.answers import AnswerRoutes
from chat_ui.routes.cited_documents import CitedDocuments
from chat_ui.routes.conversation_list import ListRoutes
from chat_ui.routes.documents import DocumentRoutes
from chat_ui.routes.exports import ExportRoutes
from chat_ui.routes.given_feedback import FeedbackRoutes
from chat_ui.routes.images import AttachmentRoutes, ImageRoutes
from chat_ui.routes.inspection import InspectionRoutes
from chat_ui.routes.presenting.notes_window import NotesRoutes
from chat_ui.routes.presenting.scripts import ScriptRoutes
from chat_ui.routes.public.brand_files import BrandingRoutes
from chat_ui.routes.public.embedding import EmbeddingRoutes
from chat_ui.routes.public.health import HealthRoutes
from chat_ui.routes.public.page_words import PageWords
from chat_ui.routes.public.service_worker import SERVICE_WORKER
from chat_ui.routes.snapshots.shared_links import LinkRoutes
from chat_ui.routes.snapshots.shared_pages import SharedPages
from chat_ui.server import addresses
from chat_ui.server.built_page import MESSAGES
from chat_ui.server.garbage_collection import rare_full_collections
from chat_ui.server.lifetime import keeping
from chat_ui.server.middleware.caching import ImmutableFiles
from chat_ui.server.middleware.callers import Callers
from chat_ui.server.middleware.identity import Cookies, OwnOriginOnly, People, networks_of, proxy_at
from chat_ui.server.middleware.in_flight import InFlight
from chat_ui.server.middleware.painted_pages import PaintedPages
from chat_ui.server.middleware.request_language import Languages
from chat_ui.server.middleware.request_log import RequestLog, failed
from chat_ui.server.middleware.security_headers import SecurityHeaders
from chat_ui.server.middleware.socket_limit import SocketLimit
from chat_ui.server.middleware.unread import Unread
from chat_ui.server.services import build, cookie_secret, use
from chat_ui.settings import TOLD, link_days, settings, unused_settings
from chat_ui.state.arms.second_arm import SecondArmState
from chat_ui.state.backend_choice import BackendState
from chat_ui.state.chat import ChatState
from chat_ui.state.first_paint import first_paint
from chat_ui.state.rate import Rate
from chat_ui.state.sockets import event_failed, page_failed, use_page_sockets
from chat_ui.telemetry.logs import configure_logs

_config, _settings = get_config(), settings()
configure_logs(_settings.log_level, as_json=_settings.log_json)
if TOLD not in os.environ:
    os.environ[TOLD] = "1"
    for _words_of_setting in unused_settings():
        logging.getLogger(__name__).warning(_words_of_setting)
_services = build(_settings, _config.backend_host, _config.backend_port or 8000)
use(_services)

_conversations, _processes = _services.conversations, _services.processes
_documents = DocumentRoutes(_conversations, _services.client_for, _services.remembered_backend, _processes)
_answers = AnswerRoutes(
    _conversations, _documents, _processes, pace=_services.pace, show_thoughts=_settings.show_thoughts
)


_in_flight = InFlight()
_feedback = FeedbackRoutes(_conversations, _processes, has_token=_settings.feedback_token is not None)


def _answer_routes() -> list[Route]:
    shown = _settings.show_thoughts
    images = ImageRoutes(
        _conversations, _services.client_for, _services.remembered_backend, _processes, show_thoughts=shown
    )
    feedback = _feedback.of_answers() if _settings.feedback else []
    answers = [*_answers.routes(), *_documents.routes(), *images.routes(), *feedback]
    return [*InspectionRoutes(_conversations, inspections).routes(), *answers] if shown else answers


def _pages() -> Path:
    return get_web_dir() / Dirs.STATIC


def _look() -> Look:
    """The look of exported pages. The typeface comes with the build of the page."""
    faces = sorted((_pages() / "assets").glob("geist-latin-wght-normal-*.woff2"))
    accent = style_of_accent_by_scheme(_services.branding.accent)
    return Look(faces[0].read_bytes() if faces else b"", accent)


def _listed_messages() -> Sequence[str]:
    listed = _pages() / MESSAGES
    return json.loads(listed.read_text("utf-8")) if listed.is_file() else ()


_words = PageWords(_services.languages, addresses.LANGUAGES, _listed_messages)


def _painted(document: str) -> str:
    language = current_language()
    return painted(document, first_paint(_services), language, _words.element(language))


def _mounted(page: ASGIApp) -> ASGIApp:
    look = _look()
    exports = ExportRoutes(
        _conversations.lists,
        _processes,
        _services.uploads,
        _settings.answer_bytes,
        CitedDocuments(_services.client_for, _services.remembered_backend),
        show_thoughts=_settings.show_thoughts,
        look=look,
    )
    readers = _services.link_readers
    snapshots = None if readers == "off" else _conversations.snapshots
    lists = ListRoutes(_conversations.lists, snapshots)
    secret = cookie_secret(_settings)
    links = LinkRoutes(
        _conversations,
        _processes,
        secret,
        exports,
        pages=addresses.SNAPSHOTS,
        readers=readers,
        most_days=link_days(_settings),
        keep_days=_settings.retention_days or None,
        look=look,
    )
    shared_pages = SharedPages(snapshots, signed_in=readers == "signed-in")
    failing = {Exception: failed}
    pages = PaintedPages(Starlette(routes=[Mount("/", app=page)], exception_handlers=failing), _painted)
    routes = Starlette(
        routes=[
            *HealthRoutes(_conversations).routes(),
            *EmbeddingRoutes(_services.branding).routes(),
            Mount(addresses.ANSWERS, routes=_answer_routes()),
            Mount(addresses.ATTACHMENTS, routes=AttachmentRoutes(_services.attachments).routes()),
            Mount(addresses.CONVERSATIONS, routes=[*exports.routes(), *lists.routes()]),
            Mount(addresses.SHARED, routes=links.routes() if snapshots is not None else []),
            Route(addresses.SNAPSHOTS, shared_pages.page),
            Mount(addresses.SNAPSHOTS, routes=shared_pages.routes()),
            Mount(addresses.LANGUAGES, routes=_words.routes()),
            Mount(addresses.FEEDBACK, routes=_feedback.files()),
            Mount(addresses.SCRIPTS, routes=ScriptRoutes(_services.script, _services.uploads).routes()),
            *NotesRoutes(_services.branding, addresses.NOTES).routes(),
            Mount(addresses.DEMO, app=demo_app()),
            *BrandingRoutes(_services.branding, _services.brandings.values()).routes(),
            SERVICE_WORKER,
            Mount("/", app=ImmutableFiles(pages, addresses.ASSETS)),
        ],
        exception_handlers=failing,
    )
    proxies = networks_of(_settings.trusted_proxies)
    proxy = proxy_at(_settings.trusted_proxies, _settings.identity_header, _settings.token_header)
    cookies = Cookies(secret, _conversations.lists.may_have_any)
    framed = bool(_settings.frame_ancestors)
    people = People(
        Callers(Unread(SocketLimit(routes)), proxies),
        cookies,
        proxy,
        _services.tokens,
        framed=framed,
        without_cookies=addresses.SNAPSHOTS,
        operator_token=_settings.feedback_token.get_secret_value() if _settings.feedback_token else "",
    )
    own = OwnOriginOnly(people, _settings.origins, loopback_only=_services.is_local)
    logged = RequestLog(
        SecurityHeaders(
            own,
            pages=_pages,
            resources=("/api/", f"{addresses.DEMO}/", f"{LOGOS}/"),
            assets=addresses.ASSETS,
            frame_ancestors=_settings.frame_ancestors,
        ),
        proxies,
    )
    return _in_flight.around(Languages(logged, _services.languages, _settings.language))


@asynccontextmanager
async def _running() -> AsyncIterator[None]:
    _services.watch.begin(lambda: _answers.streams)
    try:
        async with keeping(_services, _in_flight):
            yield
    finally:
        await _services.watch.end()


app = rx.App(
    stylesheets=stylesheets(),
    html_lang="en",
    toaster=None,
    backend_exception_handler=event_failed,
    frontend_exception_handler=page_failed,
    head_components=[
        rx.el.meta(
            name="viewport",
            content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content",
        ),
        other_than_painted(),
        presenting_from_the_first_paint(),
    ],
    api_transformer=_mounted,
)

# Reflex's own sign of a lost connection is an icon without words, over the button Send.
del app.app_wraps[5, "Overlay"]
# Within the theme, which goes from left to right.
app.app_wraps[10, "Direction"] = lambda _: Direction.create()
use_page_sockets(app, Rate())
app.register_lifespan_task(_running)
app.register_lifespan_task(rare_full_collections)

# Not `@rx.page`: in production mode that adds the page twice and warns about it.
for route, begins in (("/", True), (f"{addresses.CONVERSATION}/[conversation]", False)):
    app.add_page(
        partial(chat, begins=begins),
        route=route,
        title=page_title(),
        description=DESCRIPTION,
        image="/favicon.svg",
        on_load=[BackendState.follow_link, ChatState.open, SecondArmState.open],
    )
