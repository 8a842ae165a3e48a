"""The settled part of a long open block, which keeps its cost constant.

The settled part is on the page and is not rendered again. The open part after it is rendered from a shorter source, if
its HTML ends as the block's HTML does. A shorter source keeps the lines that open the containers of the block's last
piece, and that piece. So an open list is read as its last two items, an open table as its header and its last two rows,
an open block of code as its last lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from operator import eq
from typing import Final, NamedTuple

from markdown_it.token import Token

from chat_ui.rendering.markdown.block_rules import holds_markdown, open_fences
from chat_ui.rendering.markdown.code_blocks import CodeState
from chat_ui.rendering.markdown.markdown import Definitions, TopBlock, outermost, parse
from chat_ui.rendering.markdown.token_html import Parsing
from chat_ui.rendering.streaming.block import Block, rendered
from chat_ui.rendering.streaming.elements import Element, last_elements

PARAGRAPH_BEYOND = 1_000
"""Characters of a paragraph from which on its first sentences are left out."""

_PARAGRAPH_KEPT = 200
_SENTENCE_START = re.compile(r"[.!?…:][\"')\]”’»]*\s+(?=[^\W\d_])|[。！？](?=[^\W\d_])")
_WORD_START = re.compile(r"(?<=[^\W\d_])[ \n](?=[^\W\d_])")
_RAW_PIECES = ("tr", "li")
_LISTS = ("bullet_list_open", "ordered_list_open")

SETTLE_BEYOND: Final = 300
"""Characters of an open block's source that are rendered again without a search for settled parts."""
_RETRY: Final = 1.25
_WORTHWHILE: Final = 0.7


@dataclass(frozen=True, slots=True)
class ShortSource:
    """A shorter source, and the beginning of its open part in its HTML.

    The open part begins at the last element `depth` elements down; with `in_text`, at the start of its content.
    `code_from` is the state at the first kept line of code, if the block ends in code.
    """

    source: str
    depth: int
    in_text: bool = False
    code_from: CodeState | None = None


def shorter_sources(
    text: str, block: TopBlock, elements: Sequence[Element], code_states: Mapping[int, CodeState]
) -> Iterator[ShortSource]:
    """Ways to shorten `text`, from which `block` was read, shortest first.

    `elements` are the last elements of the block's HTML, outermost first; `code_states` belong to the block's last
    code.
    """
    first = block.tokens[0]
    if first.type == "html_block":
        yield from _raw(text, elements)
    elif first.type == "paragraph_open":
        yield from _paragraph(text)
    elif len(outermost(block.tokens)) == 1:
        path = _Path(text.split("\n"), code_states)
        path.walk(block.tokens)
        yield from reversed(path.found)


def _raw(text: str, elements: Sequence[Element]) -> Iterator[ShortSource]:
    names = [element.name for element in elements]
    for name in _RAW_PIECES:
        if name not in names:
            continue
        starts = [match.start() for match in re.finditer(f"<{name}\\b", text, re.IGNORECASE)]
        if len(starts) > 2:
            depth = len(names) - 1 - names[::-1].index(name)
            # A table is named after its first row.
            yield ShortSource(text[: starts[1]] + text[starts[-1] :], depth)


def _paragraph(text: str) -> Iterator[ShortSource]:
    if len(text) < PARAGRAPH_BEYOND:
        return
    for boundary in (_SENTENCE_START, _WORD_START):
        starts = [match.end() for match in boundary.finditer(text, len(text) // 2, len(text) - _PARAGRAPH_KEPT)]
        if starts:
            yield ShortSource(text[starts[-1] :], 1, in_text=True)


def _line(tokens: Sequence[Token]) -> int:
    return tokens[0].map[0] if tokens[0].map else 0


@dataclass(slots=True)
class _Path:
    """The containers of a block's last piece, walked from the outermost; `openers` are the lines that open them."""

    lines: list[str]
    code_states: Mapping[int, CodeState]
    openers: list[int] = field(default_factory=list)
    depth: int = 0
    found: list[ShortSource] = field(default_factory=list)

    def walk(self, tokens: Sequence[Token]) -> None:
        kind = tokens[0].type
        if kind == "fence":
            self.code(tokens[0])
        elif kind == "table_open":
            self.table(tokens)
        elif kind in _LISTS or kind in ("list_item_open", "blockquote_open"):
            self.container(tokens)

    def container(self, tokens: Sequence[Token]) -> None:
        children = outermost(tokens[1:-1])
        if not children:
            return
        kind = tokens[0].type
        if kind == "list_item_open":
            self.openers.append(_line(tokens))
        self.depth += 1
        if len(children) > 1 and not children[-1][0].hidden:
            # Two items show whether a list is loose.
            self.keep(_line(children[-2] if kind in _LISTS else children[-1]))
        self.walk(children[-1])

    def table(self, tokens: Sequence[Token]) -> None:
        start = _line(tokens)
        rows = [token.map[0] for token in tokens if token.type == "tr_open" and token.map]
        self.openers += [start, start + 1]
        self.depth += 3
        if len(rows) > 3:
            self.keep(rows[-2])

    def code(self, fence: Token) -> None:
        start = _line((fence,))
        self.openers.append(start)
        self.depth += 3
        count = fence.content.count("\n")
        left_out = max((line for line in self.code_states if line < count), default=0)
        if left_out:
            state = self.code_states[left_out]
            if holds_markdown(fence.info):
                code = "\n".join(fence.content.split("\n")[:left_out])
                state = replace(state, fences=open_fences(f"{fence.markup}{fence.info}", code, fence.meta["inside"]))
            self.keep(start + 1 + left_out, state)

    def keep(self, first: int, code_from: CodeState | None = None) -> None:
        kept = sorted({line for line in self.openers if line < first})
        source = "\n".join([self.lines[line] for line in kept] + self.lines[first:])
        self.found.append(ShortSource(source, self.depth, code_from=code_from))


class Shortened(NamedTuple):
    """A block with the same open part as another and a shorter source, read in this `way`. `prefix` is its HTML before
    the open part. The omitted source ends at `kept_from` in the whole text.
    """

    block: Block
    prefix: str
    way: ShortSource
    kept_from: int


def shorter_block(block: Block, read: TopBlock, parsing: Parsing, definitions: Definitions) -> Shortened | None:
    """A block with the same open part as an open block and a much shorter source, if possible.

    `read` and `parsing` are the input of the block's rendering.
    """
    elements = last_elements(block.html.text)
    for way in shorter_sources(block.source, read, elements, parsing.code_states):
        if len(way.source) <= _WORTHWHILE * len(block.source):
            found = _with_the_same_end(block, way, parsing, definitions.copy())
            if found:
                return found
    return None


def retry_after(length: int) -> int:
    """The length of a source at which to try shortening again, after a failure at `length`."""
    return max(SETTLE_BEYOND, int(length * _RETRY))


def _with_the_same_end(block: Block, way: ShortSource, read: Parsing, definitions: Definitions) -> Shortened | None:
    end = read.begun + len(block.source)
    kept_from = max(read.cited_from, end - sum(takewhile(bool, map(eq, reversed(block.source), reversed(way.source)))))
    parsing = Parsing(
        read.sources,
        read.citations,
        end - len(way.source),
        kept_from,
        open_ended=True,
        streaming=True,
        code_start=way.code_from,
        outline=block.outline,
    )
    blocks = parse(way.source, definitions, parsing)
    if len(blocks) != 1:
        return None
    short = rendered(way.source, blocks[0], parsing)
    elements = last_elements(short.html.text)
    if len(elements) < way.depth + (not way.in_text):
        return None
    cut = elements[way.depth - 1].content if way.in_text else elements[way.depth].start
    if not block.html.ends_with(short.html.between(cut, len(short.html.text))):
        return None
    return Shortened(short, short.html.text[:cut], way, kept_from)
