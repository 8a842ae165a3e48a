"""A conversation as the document of a snapshot. It is made in a process of its own: it needs nothing of the server."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from chat_ui.conversations.store.stored_snapshots import SharedDocument
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.transcript import STYLE, transcript_html
from chat_ui.routes.exported import answered

MOST_BYTES: Final = 16 * 1024 * 1024
"""Bytes of a document: whoever opens its link has it read into memory."""


def snapshot_document(title: str, turns: Sequence[tuple[str, str | None, str]]) -> SharedDocument | None:
    """The document for these turns: each a question, and its answer as it is kept, its text apart; None where it is
    longer than it may be.
    """
    shown = [(question, _without_address(answer)) for question, answer in answered(turns)]
    html = transcript_html(title, shown).encode("utf-8", "replace")
    if len(html) > MOST_BYTES:
        return None
    policy = f"default-src 'none'; style-src {style_source(STYLE)}; img-src data:"
    return SharedDocument(gzip.compress(html, mtime=0), policy)


def _without_address(answer: Answer) -> Answer:
    """The answer as strangers read it: the words of an error may name the backend."""
    if answer.error is None:
        return answer
    told = msg("This answer is not complete.") if answer.text else msg("There is no answer to this question.")
    return replace(answer, error=ErrorInfo(told))


def style_source(style: str) -> str:
    """The text of a `style` element as a source of a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"
