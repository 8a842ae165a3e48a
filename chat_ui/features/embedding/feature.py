"""The chat in a frame of another site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.served import Paint, Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services


def _serve(services: Services) -> Served:
    from chat_ui.features.embedding.routes import EmbeddingRoutes
    from chat_ui.features.embedding.settings import EmbeddingSettings

    ancestors = EmbeddingSettings.of(services.settings).frame_ancestors
    return Served(
        routes=lambda: {"": EmbeddingRoutes(services.brand).routes()},
        paint=lambda: Paint(options={"frame_ancestors": [*ancestors]}),
        frame_ancestors=ancestors,
    )


FEATURE = Feature(name="embedding", settings="EmbeddingSettings", serve=_serve, has_page=True)
