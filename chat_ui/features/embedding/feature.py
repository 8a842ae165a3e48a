"""The chat in a frame of another site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.served import Paint, Served

if TYPE_CHECKING:
    from chat_ui.page.slots import Parts
    from chat_ui.server.services import Services
    from chat_ui.settings import SettingsGroup


def _settings() -> type[SettingsGroup]:
    from chat_ui.features.embedding.settings import EmbeddingSettings

    return EmbeddingSettings


def _serve(services: Services) -> Served:
    from chat_ui.features.embedding.routes import EmbeddingRoutes
    from chat_ui.features.embedding.settings import EmbeddingSettings

    ancestors = EmbeddingSettings.of(services.settings).frame_ancestors
    return Served(
        routes=lambda: {"": EmbeddingRoutes(services.brand).routes()},
        paint=lambda: Paint(options={"frame_ancestors": [*ancestors]}),
        frame_ancestors=ancestors,
    )


def _parts() -> Parts:
    from chat_ui.features.embedding.page import PARTS

    return PARTS


FEATURE = Feature(name="embedding", settings=_settings, serve=_serve, parts=_parts)
