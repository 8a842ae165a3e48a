"""A whole answer as it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chat_ui.protocol.answer import DataPoint
from chat_ui.rendering.citations import Citation, CitationUse
from chat_ui.rendering.stream import AnswerStream

__all__ = ["Citation", "CitationUse", "RenderedAnswer", "render_answer"]


@dataclass(frozen=True, slots=True)
class RenderedAnswer:
    """Safe HTML for each top-level block, the sources cited in order of first use, and every use in document
    order.
    """

    blocks: tuple[str, ...]
    citations: tuple[Citation, ...]
    uses: tuple[CitationUse, ...]


def render_answer(text: str, data_points: Sequence[DataPoint]) -> RenderedAnswer:
    """Render the Markdown `text` of a finished answer over its `data_points`. Never raises on any text."""
    stream = AnswerStream(data_points)
    stream.feed(text)
    blocks = tuple(change.html for change in stream.flush(final=True) if change.html is not None)
    return RenderedAnswer(blocks, stream.citations, stream.uses)
