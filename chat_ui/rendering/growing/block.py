"""One top-level block of an answer, rendered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it.common.utils import normalizeReference

from chat_ui.protocol.answers.markup import Kind
from chat_ui.rendering.growing.numbering import UnnumberedHtml
from chat_ui.rendering.html.placeholders import strip_reserved
from chat_ui.rendering.html.safe_html import Outline, safe_parts
from chat_ui.rendering.markdown.markdown import TopBlock, unsafe_html
from chat_ui.rendering.markdown.token_html import Parsing

_ENDED_BY_EMPTY_LINE = ("paragraph_open", "heading_open")
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_BRACKETED = re.compile(r"\[([^\[\]]{1,999})\]")


def source_of(text: str) -> str:
    """An answer's text with line feeds for line ends, without what no page can show and no text may forge."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return strip_reserved(_UNSHOWABLE.sub("", text))


@dataclass(slots=True)
class Block:
    """A top-level block: its source, its HTML, the last sentence of its text, the labels it may refer to, and the
    headings that it stands under.
    """

    source: str
    html: UnnumberedHtml
    closing: str
    labels: frozenset[str]
    outline: Outline


def rendered(source: str, block: TopBlock, parsing: Parsing) -> Block:
    """The block that was parsed from `source`, as safe HTML.

    `parsing` knows the headings above it, and then those above what follows.
    """
    html = unsafe_html(block, parsing)
    labels = frozenset(normalizeReference(match.group(1)) for match in _BRACKETED.finditer(source))
    outline = parsing.outline
    kind: Kind = "growing" if parsing.growing else "text"
    safe = safe_parts(html, parsing.controls, parsing.sources, outline, kind=kind)
    parsing.outline = safe.outline
    return Block(source, UnnumberedHtml.of(safe.parts), safe.closing, labels, outline)


def rendered_blocks(text: str, tops: Sequence[TopBlock], finished: int, parsing: Parsing) -> list[Block]:
    """The blocks that were parsed from `text`, of which so many are finished; each has the source up to the next."""
    lines = text.split("\n")
    blocks: list[Block] = []
    start = 0
    for index, top in enumerate(tops):
        end = tops[index + 1].start if index + 1 < len(tops) else len(lines)
        source = "\n".join(lines[start:end]) + ("\n" if end < len(lines) else "")
        parsing.growing = index >= finished
        blocks.append(rendered(source, top, parsing))
        start = end
    return blocks


def finished_count(blocks: Sequence[TopBlock], text: str) -> int:
    """How many blocks are followed by one that ends them: a paragraph by any after an empty line, the others by one
    that began on two complete lines (a table needs both). Raw HTML that ends the text may yet be the words of the
    paragraph before it.
    """
    lines = text.split("\n")
    for count, (block, following) in enumerate(pairwise(blocks)):
        follows_empty_line = not lines[following.start - 1].strip()
        is_closed = block.tokens[0].type in _ENDED_BY_EMPTY_LINE and follows_empty_line
        if following.is_raw_html and following is blocks[-1] and not follows_empty_line:
            return count
        if not is_closed and following.start + 2 > len(lines) - 1:
            return count
    return max(len(blocks) - 1, 0)
