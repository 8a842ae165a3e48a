"""The initial state of a page, with this server's values instead of the build's."""

from __future__ import annotations

from html import escape
from typing import Final

import reflex as rx
from reflex_base.constants.state import FIELD_MARKER

from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.languages.catalogues import chosen as spoken
from chat_ui.languages.translation import current_language
from chat_ui.rendering.ai_notice import HTML_MARK, notice_line, notice_of
from chat_ui.server.document import FirstPaint
from chat_ui.server.services import Services

_FIRST: Final = ("selected", "label", "accepts", "starters", "own_parts")
"""State that must be correct at the first paint. The choice of several backends comes later."""


def first_paint(services: Services) -> FirstPaint:
    chosen = services.settings
    usual = spoken([chosen.language], services.languages) if chosen.language else None
    begins = rx.State(_reflex_internal_init=True).dict(initial=True)[BackendState.get_full_name()]
    values = {name.removesuffix(FIELD_MARKER): value for name, value in begins.items()}
    paints = [served.paint() for served in services.served]
    return FirstPaint(
        title=services.brand.title,
        parts={
            "brand": f'<h1 dir="auto">{escape(services.brand.title)}</h1>',
            "ai_notice": notice_line(notice_of(chosen.ai_notice)),
            **{name: html for paint in paints for name, html in paint.parts.items()},
        },
        own=values["own_parts"],
        head="".join((HTML_MARK, *(paint.head for paint in paints))),
        label=values["label"],
        starters=values["starters"],
        attributes={"settings": chosen.settings_access, "backend": values["selected"]},
        options={
            "title": services.brand.title,
            "settings": services.backends.offer.options_allowed,
            "own_backends": services.backends.offer.own_allowed,
            "backends_of_people": chosen.allow_custom_backends,
            "thoughts": chosen.show_thoughts,
            "limits": {"question": chosen.question_characters},
            "languages": [
                {"tag": one.tag, "name": one.name, "dir": one.direction} for one in services.languages.values()
            ],
            "unconfirmed": current_language().translations.by_machine,
            "usual": usual.tag if usual else None,
            **{served.name: True for served in services.served},
            **{name: option for paint in paints for name, option in paint.options.items()},
        },
        state={BackendState.get_full_name(): {f"{name}{FIELD_MARKER}": values[name] for name in _FIRST}},
    )
