from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.addresses import DEMO
from chat_ui.server.served import Served

if TYPE_CHECKING:
    from chat_ui.backends.profile import Profile
    from chat_ui.server.services import Services
    from chat_ui.settings import Settings


def _default_backend(chosen: Settings, origin: str) -> Profile:
    from chat_ui.backends.profile import Profile
    from chat_ui.features.demo.answering import STARTER_QUESTIONS

    starters = chosen.starter_questions or STARTER_QUESTIONS
    url = f"{origin}{DEMO}/chat"
    return Profile(name="Demo backend", url=url, kind="ai-chat-protocol", starter_questions=starters)


def _serve(services: Services) -> Served:
    from starlette.routing import Mount

    from chat_ui.features.demo.app import demo_app
    from chat_ui.features.demo.settings import DemoSettings

    app = demo_app(DemoSettings.of(services.settings))
    return Served(routes=lambda: {"": [Mount(DEMO, app=app)]})


FEATURE = Feature(name="demo", settings="DemoSettings", default_backend=_default_backend, serve=_serve)
