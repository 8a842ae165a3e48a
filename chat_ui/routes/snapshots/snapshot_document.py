"""A conversation as the document of a snapshot. It is made in a process of its own: it needs nothing of the server."""

from __future__ import annotations

import gzip
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Final

from chat_ui.conversations.store.stored_snapshots import SharedDocument
from chat_ui.languages.translation import current_language, gettext
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.rendering.exported_page.assets import policy, style
from chat_ui.rendering.exported_page.document import ExportedTurn, Look, exported_page
from chat_ui.routes.exported import answered

MOST_BYTES: Final = 16 * 1024 * 1024
"""Bytes of a document: whoever opens its link has it read into memory."""


def snapshot_document(
    title: str, turns: Sequence[tuple[str, str | None, str]], made_at: float, origins: Set[str]
) -> SharedDocument | None:
    """The document for these turns: each a question, and its answer as it is kept, its text apart; None where it is
    longer than it may be. `origins` are those of the backends that answered, which it does not tell.
    """
    note = gettext("A snapshot of {day}", day=current_language().day(made_at))
    shown = [ExportedTurn(question, _without_address(answer, origins)) for question, answer in answered(turns)]
    look = Look()
    html = exported_page(title, shown, note=note, look=look).encode("utf-8", "replace")
    if len(html) > MOST_BYTES:
        return None
    return SharedDocument(gzip.compress(html, mtime=0), policy(style(look.typeface, look.accent)))


def _without_address(answer: Answer, origins: Set[str]) -> Answer:
    """The answer as strangers read it: without links to a backend, and without words of an error, which may name it."""
    points = tuple(
        replace(point, url=None) if origin_of(point.url or "") in origins else point for point in answer.data_points
    )
    if answer.error is None:
        return replace(answer, data_points=points)
    told = msg("This answer is not complete.") if answer.text else msg("There is no answer to this question.")
    return replace(answer, data_points=points, error=ErrorInfo(told))
