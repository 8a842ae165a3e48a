from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from chat_ui.languages.translation import gettext, translated
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.rendering.citations.citations import Citation, CitationUse, SourceIndex
from chat_ui.rendering.compared_claims import NO_CHECKS, ClaimChecks
from chat_ui.rendering.html.parts import NumberedPart, RenderedBlock
from chat_ui.rendering.markdown.markdown import Definitions, parse_ended
from chat_ui.rendering.markdown.token_html import Parsing
from chat_ui.rendering.streaming.block import rendered_blocks, source_of
from chat_ui.rendering.streaming.numbering import Numbers

MAX_HTML: Final = 16_000_000
_HTML_FOR_EACH: Final = 6
"""Characters of HTML for a whole answer, and for each of its own characters; a longer one is shown as text."""
_PIECE: Final = 8_000
"""Characters of such a text in one element, unless a line has more."""


@dataclass(frozen=True, slots=True)
class RenderedAnswer:
    """The top-level blocks, the sources cited in order of first use, and every use in document order. `checks` are of
    its cited sentences, if they were compared.
    """

    blocks: tuple[RenderedBlock, ...]
    citations: tuple[Citation, ...]
    uses: tuple[CitationUse, ...]
    checks: ClaimChecks = NO_CHECKS

    @property
    def html(self) -> tuple[str, ...]:
        """Safe HTML of each block for a page."""
        return tuple(block.html for block in self.blocks)

    @property
    def parts(self) -> Iterator[NumberedPart]:
        """The parts of all blocks."""
        return (part for block in self.blocks for part in block.parts)


def render_answer(
    text: str, data_points: Sequence[DataPoint], citations: Sequence[PlacedCitation] = ()
) -> RenderedAnswer:
    """Render the Markdown of a finished answer, with the `citations` beside it; never raises."""
    source = source_of(text)
    parsing = Parsing(SourceIndex(data_points), citations, placed=True)
    source, tops, _ = parse_ended(source, Definitions(), parsing)
    numbers = Numbers()
    blocks: list[RenderedBlock] = []
    for block in rendered_blocks(source, tops, len(tops), parsing):
        blocks.append(RenderedBlock(numbers.parts(block.html)))
        numbers.end_block(block.text)
    if sum(len(block.html) for block in blocks) > MAX_HTML + _HTML_FOR_EACH * len(text):
        return answer_as_text(text)
    return RenderedAnswer(tuple(blocks), tuple(numbers.citations), tuple(numbers.uses))


def answer_as_text(text: str) -> RenderedAnswer:
    """A finished answer that cannot be rendered, as plain text."""
    words = escape(gettext("This answer takes too long to format, so it is shown as plain text."))
    pieces = (f'<div class="plain-text">{escape(piece)}</div>' for piece in _pieces(text))
    blocks = (f'<p class="as-text">{words}</p>', *pieces)
    return RenderedAnswer(tuple(RenderedBlock((html,)) for html in blocks), (), ())


def _pieces(text: str) -> Iterator[str]:
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        if size + len(line) > _PIECE and lines:
            yield "\n".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    yield "\n".join(lines)


def ending_words(answer: Answer) -> str:
    """The end of an answer that failed, paused or is not whole, in words; else empty."""
    if answer.error is not None:
        return translated(answer.error.message)
    if answer.pause is not None:
        return gettext("The agent asked for a decision.")
    if answer.incomplete_details is not None:
        return gettext("This answer may be incomplete: {reason}.", reason=answer.incomplete_details.detail)
    return "" if answer.complete else gettext("The answer was cut off.")


def ending_html(answer: Answer) -> str:
    """`ending_words` as safe HTML."""
    words = ending_words(answer)
    return f'<p class="error">{escape(words)}</p>' if words else ""
