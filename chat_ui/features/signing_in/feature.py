"""Signing in at an OpenID Connect provider, whose tokens go to backends that want the person's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.served import Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services


def _serve(services: Services) -> Served:
    from chat_ui.features.signing_in.settings import SigningInSettings

    if not SigningInSettings.of(services.settings).signs_in:
        return Served()
    return Served()


FEATURE = Feature(name="signing_in", settings="SigningInSettings", has_page=True, serve=_serve)
