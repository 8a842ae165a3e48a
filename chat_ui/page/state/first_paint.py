"""What a page shows before it has spoken with the server: what its state begins with here, whatever was built."""

from __future__ import annotations

from typing import Final

import reflex as rx
from reflex_base.constants.state import FIELD_MARKER

from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.features.branding.document import FirstPaint
from chat_ui.languages.catalogues import chosen as spoken
from chat_ui.languages.translation import current_language
from chat_ui.server.services import Services

_FIRST: Final = ("selected", "label", "takes_images", "starters", "own_branding")
"""Values of the state that are right from the first paint on. The choice between several backends comes later."""


def first_paint(services: Services) -> FirstPaint:
    chosen = services.settings
    usual = spoken([chosen.language], services.languages) if chosen.language else None
    begins = rx.State(_reflex_internal_init=True).dict(initial=True)[BackendState.get_full_name()]
    values = {name.removesuffix(FIELD_MARKER): value for name, value in begins.items()}
    return FirstPaint(
        branding=services.branding,
        is_recorded=chosen.record is not None,
        own=values["own_branding"],
        label=values["label"],
        starters=values["starters"],
        attributes={"settings": chosen.settings_access, "backend": values["selected"]},
        options={
            "title": services.branding.title,
            "settings": services.offer.options_allowed,
            "own_backends": services.offer.own_allowed,
            "backends_of_people": chosen.allow_custom_backends,
            "feedback": chosen.feedback,
            "feedback_is_read": chosen.feedback_token is not None,
            "thoughts": chosen.show_thoughts,
            "limits": {"question": chosen.question_characters},
            "shared_links": services.link_readers != "off",
            "frame_ancestors": list(chosen.frame_ancestors),
            "languages": [
                {"tag": one.tag, "name": one.name, "dir": one.direction} for one in services.languages.values()
            ],
            "unconfirmed": current_language().sayings.by_machine,
            "usual": usual.tag if usual else None,
        },
        state={BackendState.get_full_name(): {f"{name}{FIELD_MARKER}": values[name] for name in _FIRST}},
    )
