"""Links to snapshots of conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.served import Paint, Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services


def _serve(services: Services) -> Served:
    from chat_ui.features.sharing.settings import link_readers
    from chat_ui.features.sharing.snapshots import routes_of

    readers = link_readers(services.settings, is_local=services.is_local)
    services.conversations.snapshots.are_readable = readers != "off"
    return Served(
        routes=lambda: routes_of(services, readers),
        paint=lambda: Paint(options={"shared_links": readers != "off"}),
    )


FEATURE = Feature(name="sharing", settings="SharingSettings", serve=_serve, has_page=True)
