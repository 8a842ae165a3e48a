"""Office documents, shown at the passage of a source."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.served import Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services


def _serve(_: Services) -> Served:
    from chat_ui.features.office.mail import read_mail
    from chat_ui.features.office.sheets import read_sheets
    from chat_ui.features.office.shown import shown_blocks
    from chat_ui.features.office.slides import read_slides
    from chat_ui.features.office.text_document import read_text_document

    return Served(
        readers={
            "word": partial(shown_blocks, read_text_document),
            "slides": partial(shown_blocks, read_slides),
            "sheet": read_sheets,
            "mail": partial(shown_blocks, read_mail),
        }
    )


FEATURE = Feature(name="office", serve=_serve)
