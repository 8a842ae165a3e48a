from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.addresses import CONVERSATIONS
from chat_ui.server.served import Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services


def _serve(services: Services) -> Served:
    from chat_ui.features.exporting.exports import exports_of

    return Served(routes=lambda: {CONVERSATIONS: exports_of(services).routes()})


FEATURE = Feature(name="exporting", serve=_serve, has_page=True)
