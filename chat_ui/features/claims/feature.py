from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.rendering import claim_check
from chat_ui.server.served import Paint, Served

if TYPE_CHECKING:
    from chat_ui.protocol.answers.answer import Answer
    from chat_ui.rendering.answer import RenderedAnswer
    from chat_ui.server.services import Services


def _check(answer: Answer, rendered: RenderedAnswer) -> RenderedAnswer:
    # The rule takes a while to import.
    from chat_ui.features.claims.answers.checking import checked

    return checked(answer, rendered)


def _serve(services: Services) -> Served:
    from chat_ui.features.claims.settings import ClaimsSettings

    is_on = ClaimsSettings.of(services.settings).claims
    if not is_on:
        claim_check.use(None)
    return Served(paint=lambda: Paint(options={"claims": is_on}))


FEATURE = Feature(name="claims", settings="ClaimsSettings", serve=_serve, check=_check)
