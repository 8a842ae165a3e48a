"""How much of an open block is settled, so that the block costs no more when it is long.

The settled part stands on the page and is not rendered again. The open part after it is rendered from a shorter source
(see `shortening`), which is taken only where its HTML ends as the block's HTML does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.growing.block import Block, rendered
from chat_ui.rendering.growing.numbering import START, Position
from chat_ui.rendering.growing.shortening import ShortSource, shorter_sources
from chat_ui.rendering.html.containers import last_elements
from chat_ui.rendering.markdown.code_blocks import CodeState
from chat_ui.rendering.markdown.markdown import Definitions, TopBlock, parse
from chat_ui.rendering.markdown.token_html import Parsing

SETTLE_BEYOND: Final = 300
"""Characters of an open block's source that are rendered again without a look at what could be settled."""

_RETRY: Final = 1.25
_WORTHWHILE: Final = 0.7


@dataclass(frozen=True, slots=True)
class Growth:
    """How much of an open block is settled.

    The HTML of its source begins with `prefix`, which is settled, or stands for what is; the open part begins after it,
    `depth` elements down. Citations are numbered up to `numbers`. The first code of the source begins in the state
    `code`. The source is tried to be shortened once it has `next_try` characters.

    Another block may follow after `followed_at` characters of a shorter source, with its citations numbered from
    `numbers_after` on. That block is shown first; the whole of this one, which costs most, is read at the next flush.
    """

    prefix: str = ""
    depth: int = 0
    numbers: Position = START
    code: CodeState | None = None
    next_try: int = SETTLE_BEYOND
    is_shortened: bool = False
    followed_at: int = 0
    numbers_after: Position = START


@dataclass(frozen=True, slots=True)
class ShortBlock:
    """A block of a shorter source with the same open part, which begins at `cut` in its HTML, `depth` elements down."""

    block: Block
    cut: int
    depth: int
    code: CodeState | None


def shorter_block(block: Block, read: TopBlock, parsing: Parsing, definitions: Definitions) -> ShortBlock | None:
    """A block with the same open part as an open block and a much shorter source; None where there is no such block.

    `read` and `parsing` are what the block was rendered from.
    """
    elements = last_elements(block.html.text)
    for shortened in shorter_sources(block.source, read, elements, parsing.code_states):
        if len(shortened.source) <= _WORTHWHILE * len(block.source):
            found = _with_the_same_end(block, shortened, parsing.sources, definitions.copy())
            if found:
                return found
    return None


def retry_after(length: int) -> int:
    """The length of a source at which to try again to shorten it, when that failed at `length`."""
    return max(SETTLE_BEYOND, int(length * _RETRY))


def _with_the_same_end(
    block: Block, shortened: ShortSource, sources: SourceIndex, definitions: Definitions
) -> ShortBlock | None:
    parsing = Parsing(sources, open_ended=True, growing=True, code_start=shortened.code_from, outline=block.outline)
    blocks = parse(shortened.source, definitions, parsing)
    if len(blocks) != 1:
        return None
    short = rendered(shortened.source, blocks[0], parsing)
    elements = last_elements(short.html.text)
    if len(elements) < shortened.depth + (not shortened.in_text):
        return None
    cut = elements[shortened.depth - 1].content if shortened.in_text else elements[shortened.depth].start
    if not block.html.ends_with(short.html.between(cut, len(short.html.text))):
        return None
    return ShortBlock(short, cut, shortened.depth, shortened.code_from)
