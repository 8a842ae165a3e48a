"""The app: its pages, its stylesheets and its mounted routes. Wiring only."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import reflex as rx
from reflex.config import get_config
from reflex.constants import Dirs
from reflex.utils.prerequisites import get_web_dir
from starlette.types import ASGIApp

from chat_ui.assembly import build_with
from chat_ui.feature import parts_of, settings_of
from chat_ui.installed import FEATURES
from chat_ui.page import slots
from chat_ui.page.page import add_pages, head
from chat_ui.page.routes.http_resources import HttpResources
from chat_ui.page.scripts import stylesheets
from chat_ui.page.shared import Direction
from chat_ui.page.state.sockets import Rate, event_failed, page_failed, use_page_sockets
from chat_ui.server.lifetime import rare_full_collections, running_services
from chat_ui.server.logs import configure_logs
from chat_ui.server.middleware.in_flight import InFlight
from chat_ui.server.services import use
from chat_ui.settings import WARNED, settings_or_exit, unused_settings

_config, _kind = get_config(), settings_of(FEATURES)
_settings = settings_or_exit(_kind)
configure_logs(_settings.log_level, as_json=_settings.log_json)
if WARNED not in os.environ:
    os.environ[WARNED] = "1"
    for _words_of_setting in unused_settings(_kind):
        logging.getLogger(__name__).warning(_words_of_setting)
_services = build_with(
    FEATURES, _settings, _config.backend_host, _config.backend_port or 8000, get_web_dir() / Dirs.STATIC
)
use(_services)
slots.fill(parts_of(FEATURES))

_resources = HttpResources(_services)
_in_flight = InFlight()


def _mounted(page: ASGIApp) -> ASGIApp:
    return _in_flight.around(_resources.around_pages(page))


@asynccontextmanager
async def _running() -> AsyncIterator[None]:
    async with running_services(_services, _in_flight):
        yield


app = rx.App(
    stylesheets=stylesheets(),
    html_lang="en",
    toaster=None,
    backend_exception_handler=event_failed,
    frontend_exception_handler=page_failed,
    head_components=head(),
    api_transformer=_mounted,
)

# Reflex's own sign of a lost connection is an icon without words, over the button Send.
del app.app_wraps[5, "Overlay"]
# Within the theme, which goes from left to right.
app.app_wraps[10, "Direction"] = lambda _: Direction.create()
use_page_sockets(app, Rate())
app.register_lifespan_task(_running)
app.register_lifespan_task(rare_full_collections)

add_pages(app)
