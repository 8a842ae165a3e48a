"""A conversation as the document of a snapshot. It is made in a process of its own: it needs nothing of the server."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from chat_ui.conversations.snapshots import SharedDocument
from chat_ui.languages.translation import current_language, gettext
from chat_ui.rendering.exported_page.page_document import Look, policy, script, style
from chat_ui.routes.exported import Chosen, KeptTurn, exported_html

MOST_BYTES: Final = 32 * 1024 * 1024
"""Bytes of a document: whoever opens its link has it read into memory."""


def snapshot_document(
    title: str, turns: Sequence[KeptTurn], chosen: Chosen, look: Look, made_at: float
) -> SharedDocument | None:
    """The document for these turns, with what was `chosen`; None where it is longer than it may be."""
    day = datetime.fromtimestamp(made_at).astimezone().date()
    note = gettext("A snapshot of {day}", day=current_language().day(day, with_year=True))
    html = exported_html(title, turns, chosen, note, look)
    if len(html) > MOST_BYTES:
        return None
    return SharedDocument(gzip.compress(html, mtime=0), policy(style(look.typeface, look.accent), script()))
