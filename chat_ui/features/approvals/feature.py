"""Requests of agents that wait for a person, and the person's decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.addresses import ANSWERS
from chat_ui.server.served import Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services


def _serve(services: Services) -> Served:
    from chat_ui.features.approvals.request_view import routes_of

    return Served(routes=lambda: {ANSWERS: routes_of(services.conversations)})


FEATURE = Feature(name="approvals", has_page=True, serve=_serve)
