"""A whole answer as it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.citations.citations import Citation, CitationUse
from chat_ui.rendering.growing.stream import AnswerStream

__all__ = ["Citation", "CitationUse", "RenderedAnswer", "answer_as_text", "render_answer"]

MAX_HTML: Final = 16_000_000
_HTML_FOR_EACH: Final = 6
"""Characters of HTML that an answer may become, and what each of its own adds; beyond, it is shown as text."""
_PIECE: Final = 8_000
"""Characters of such a text that stand in one element, unless a line has more."""


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
    if sum(map(len, blocks)) > MAX_HTML + _HTML_FOR_EACH * len(text):
        return answer_as_text(text)
    return RenderedAnswer(blocks, stream.citations, stream.uses)


def answer_as_text(text: str) -> RenderedAnswer:
    """A finished answer that cannot be rendered, as the text it is."""
    words = "This answer would take too long to format, so it is shown as the text it is."
    pieces = (f'<div class="plain-text">{escape(piece)}</div>' for piece in _pieces(text))
    return RenderedAnswer((f'<p class="as-text">{words}</p>', *pieces), (), ())


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of whole lines."""
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        if size + len(line) > _PIECE and lines:
            yield "\n".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    yield "\n".join(lines)
