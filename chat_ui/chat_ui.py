"""The app: its pages, its stylesheets, and what is mounted beside them. Wiring only."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import reflex as rx
from reflex.config import get_config
from reflex.constants import Dirs
from reflex.utils.prerequisites import get_web_dir
from starlette.types import ASGIApp

from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.features.branding.branding import DESCRIPTION
from chat_ui.features.branding.document import painted
from chat_ui.features.branding.page import other_than_painted
from chat_ui.features.comparing.page.state.second_arm import SecondArmState
from chat_ui.features.presenting.page import presenting_from_the_first_paint
from chat_ui.languages.translation import current_language
from chat_ui.page.page import chat, page_title
from chat_ui.page.scripts import stylesheets
from chat_ui.page.shared import Direction
from chat_ui.page.state.chat import ChatState
from chat_ui.page.state.first_paint import first_paint
from chat_ui.page.state.sockets import Rate, event_failed, page_failed, use_page_sockets
from chat_ui.server import addresses
from chat_ui.server.http_resources import HttpResources
from chat_ui.server.lifetime import keeping, rare_full_collections
from chat_ui.server.logs import configure_logs
from chat_ui.server.middleware.in_flight import InFlight
from chat_ui.server.middleware.painted_pages import PaintedPages
from chat_ui.server.services import build, use
from chat_ui.settings import TOLD, settings, unused_settings

_config, _settings = get_config(), settings()
configure_logs(_settings.log_level, as_json=_settings.log_json)
if TOLD not in os.environ:
    os.environ[TOLD] = "1"
    for _words_of_setting in unused_settings():
        logging.getLogger(__name__).warning(_words_of_setting)
_services = build(_settings, _config.backend_host, _config.backend_port or 8000)
use(_services)

_resources = HttpResources(_services, get_web_dir() / Dirs.STATIC)
_in_flight = InFlight()


def _painted(document: str) -> str:
    language = current_language()
    return painted(document, first_paint(_services), language, _resources.words.element(language))


def _mounted(page: ASGIApp) -> ASGIApp:
    return _in_flight.around(_resources.around(PaintedPages(page, _painted)))


@asynccontextmanager
async def _running() -> AsyncIterator[None]:
    _services.watch.begin(lambda: _resources.streams, lambda: _services.pace.lateness)
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
