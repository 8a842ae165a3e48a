"""How far an open block is settled, so that what it holds already costs nothing when it grows.

What is settled stands on the page and is not rendered again. The rest is rendered from a source that is short: see
`shortening`. A shorter source is taken only where the end of its HTML is the end of the HTML before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.growing.block import Block, rendered
from chat_ui.rendering.growing.numbering import START, Position
from chat_ui.rendering.growing.shortening import Shortened, shortenings
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
    """How far an open block is settled.

    `prefix` is what its source's HTML begins with that is settled (or stands for what is), and the open part begins
    `depth` elements down; `numbers` is the position up to which citations are settled. `code` is the state in which its
    first code begins. The next try to shorten the source is due at `next_try` characters. A block that is followed by
    another after `followed_at` characters of its shorter source (`numbers_after` it) is to be read whole at the next
    flush: that costs most, and what follows is shown first.
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
class Shorter:
    """A shorter source for the same open part, which begins at `cut` in its HTML, `depth` elements down."""

    block: Block
    cut: int
    depth: int
    code: CodeState | None


def shorter(block: Block, read: TopBlock, parsing: Parsing, definitions: Definitions) -> Shorter | None:
    """A source much shorter than that of an open block whose HTML ends with the same open part, where there is one.

    `read` and `parsing` are what the block was rendered from.
    """
    elements = last_elements(block.html.text)
    for shortened in shortenings(block.source, read, elements, parsing.code_states):
        if len(shortened.source) <= _WORTHWHILE * len(block.source):
            found = _rendered_alike(block, shortened, parsing.sources, definitions.copy())
            if found:
                return found
    return None


def retry_after(length: int) -> int:
    """The length of a source at which to try again to shorten it, when that failed at `length`."""
    return max(SETTLE_BEYOND, int(length * _RETRY))


def _rendered_alike(
    block: Block, shortened: Shortened, sources: SourceIndex, definitions: Definitions
) -> Shorter | None:
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
    return Shorter(short, cut, shortened.depth, shortened.code_from)
