"""The blocks of a streaming answer for all of its readers: settled HTML, and an open part after it.

The stream changes them, a snapshot makes them from scratch, frames send the changes, and the page's script
(`page/thread/blocks.js`) has the same blocks in the browser. The changes, in order:

* `(block, kept, html)`: of the open part's former HTML the first `kept` UTF-16 units (the browser's unit) stay, then
  comes `html`; if `kept` is `ANEW`, the block begins anew with `html`, and its settled part is dropped.
* `(block, kept, html, depth)`: the same, and then it is settled. The new open part, empty, comes after the content of
  the block's last element's last element and so on, `depth` of them; 0 is the block itself.
* `(block,)`: this block and all after it are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final, NamedTuple, TypeAlias

from chat_ui.rendering.html.parts import NumberedPart, PlacedMark
from chat_ui.rendering.markdown.code_blocks import CodeState
from chat_ui.rendering.streaming.elements import fragments
from chat_ui.rendering.streaming.numbering import START, Position

ANEW: Final = -1
LONGEST_CHANGE: Final = 128 * 1024
"""Characters of a change that makes a block from scratch."""

Change: TypeAlias = tuple[int | str, ...]


class Settled(NamedTuple):
    """A settled piece: its HTML, and the ends before the open part, which is then `depth` elements down."""

    html: str
    ends: str
    depth: int


@dataclass(slots=True)
class StreamingBlock:
    """A block: its settled part, and its open part, which is None while the block is not shown.

    If only the open part is read again, `prefix` is the HTML of the settled part in that reading, else empty. `numbers`
    is then the position of its citations, and `code` the state at the first code. `parts` are those of the settled
    part.

    Readers get the block with its `marks`, which are placed in its HTML from the beginning.
    """

    settled: list[Settled] = field(default_factory=list)
    open: str | None = None
    prefix: str = ""
    numbers: Position = START
    code: CodeState | None = None
    parts: list[NumberedPart] = field(default_factory=list)
    marks: tuple[PlacedMark, ...] = ()

    @property
    def depth(self) -> int:
        """The depth of the open part in elements."""
        return self.settled[-1].depth if self.settled else 0

    def change(self, html: str) -> tuple[int, str]:
        """Make `html` the open part; returns the kept length of the former one, and the HTML after it."""
        begin = self._begins()[-1] if self.marks else 0
        shown = self._marked(html, begin)
        if self.open is None:
            kept, added = ANEW, shown
        else:
            length = common_prefix(self._marked(self.open, begin), shown)
            kept, added = _utf16_units(shown[:length]), shown[length:]
        self.open = html
        return kept, added

    def settle(self, depth: int, ends: str = "") -> None:
        """Settle the open part; a new one begins after it and these `ends` of elements, `depth` down."""
        self.settled.append(Settled(self.open or "", ends, depth))
        self.open = ""

    def changes(self) -> Iterator[tuple[int, str, *tuple[int, ...]]]:
        """The changes, without the block's index, that make it from scratch; each is short."""
        kept, begins = ANEW, self._begins()
        settled = [one._replace(html=self._marked(one.html, at)) for one, at in zip(self.settled, begins, strict=False)]
        for html, depth in _together(settled):
            yield from _in_parts(kept, html, depth)
            kept = 0
        yield from _in_parts(kept, self._marked(self.open or "", begins[-1]))

    def _begins(self) -> list[int]:
        """The positions of the settled pieces and of the open part, for marks."""
        return list(accumulate((len(one.html) + len(one.ends) for one in self.settled), initial=0))

    def _marked(self, html: str, begin: int) -> str:
        """The HTML at the position `begin` with its marks; those of words that have changed are left out."""
        for at, mark in reversed(self.marks):
            if at >= begin and html.startswith(mark.words, at - begin):
                html = html[: at - begin] + mark.html + html[at - begin + len(mark.words) :]
        return html


class StreamingBlocks:
    """The shown blocks, and the changes since they were taken last."""

    def __init__(self, blocks: Iterable[StreamingBlock] = ()) -> None:
        self._blocks = list(blocks)
        self._changes: list[Change] = []

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, index: int) -> StreamingBlock:
        """The block at `index`, which may be the first that is not shown yet."""
        if index == len(self._blocks):
            self._blocks.append(StreamingBlock())
        return self._blocks[index]

    def copies(self) -> tuple[StreamingBlock, ...]:
        """Copies of the shown blocks."""
        return tuple(StreamingBlock(block.settled[:], block.open, marks=block.marks) for block in self._blocks)

    def take_changes(self) -> list[Change]:
        """The changes since the last call."""
        changes, self._changes = self._changes, []
        return changes

    def snapshot(self) -> Iterator[list[Change]]:
        """The changes that make all blocks from scratch, in short parts, unaffected by later changes."""
        part: list[Change] = []
        size = 0
        blocks = self.copies()
        for index, block in enumerate(blocks):
            for change in block.changes():
                part.append((index, *change))
                size += len(change[1])
                if size >= LONGEST_CHANGE:
                    yield part
                    part, size = [], 0
        yield [*part, (len(blocks),)]

    def show(self, index: int, html: str) -> None:
        """Show the whole of a block, without its settled part if that has not changed."""
        block = self[index]
        settled = "".join(part for piece in block.settled for part in piece[:2])
        if not html.startswith(settled):
            block = self.begin_anew(index)
            settled = ""
        rest = html[len(settled) :]
        parts = fragments(rest, block.depth)
        for part, following in pairwise(parts):
            ends = rest[part.end : following.start]
            self.settle(index, rest[part.start : part.end], following.depth, ends)
        self.open(index, rest[parts[-1].start : parts[-1].end])

    def begin_anew(self, index: int) -> StreamingBlock:
        """Drop the settled part of a block."""
        self._blocks[index] = StreamingBlock(marks=self[index].marks)
        return self._blocks[index]

    def mark(self, index: int, marks: tuple[PlacedMark, ...]) -> None:
        """Show these marks in a block, which is sent anew for them."""
        if index < len(self) and marks != self[index].marks:
            self[index].marks = marks
            self._changes += [(index, *change) for change in self[index].changes()]

    def open(self, index: int, html: str) -> None:
        """Show the open part of a block."""
        block = self[index]
        if block.open != html:
            self._changes.append((index, *block.change(html)))

    def settle(self, index: int, html: str, depth: int, ends: str = "") -> None:
        """Settle a piece of a block, as `StreamingBlock.settle` does."""
        block = self[index]
        self._changes.append((index, *block.change(html), depth))
        block.settle(depth, ends)

    def end_at(self, index: int) -> None:
        """Show no blocks from `index` on."""
        if index < len(self._blocks):
            del self._blocks[index:]
            self._changes.append((index,))


def _together(pieces: Sequence[Settled]) -> Iterator[tuple[str, int]]:
    """Settled pieces joined, each short and not leading further out, and the depth of the next piece."""
    waiting: list[str] = []
    size = begun = depth = 0
    ends = ""
    for piece in pieces:
        if waiting and (size >= LONGEST_CHANGE or depth < begun):
            yield "".join(waiting), depth
            waiting, size, begun, ends = [], 0, depth, ""
        waiting += (ends, piece.html)
        size += len(piece.html)
        ends, depth = piece.ends, piece.depth
    if waiting:
        yield "".join(waiting), depth


def _in_parts(kept: int, html: str, *depth: int) -> Iterator[tuple[int, str, *tuple[int, ...]]]:
    """The changes that put `html` after the kept open part, and settle it then if there is a depth."""
    for start in range(0, len(html) or 1, LONGEST_CHANGE):
        part = html[start : start + LONGEST_CHANGE]
        if start + LONGEST_CHANGE >= len(html):
            yield kept, part, *depth
        else:
            yield kept, part
            kept = max(kept, 0) + _utf16_units(part)


def common_prefix(first: str, second: str) -> int:
    """The number of characters that both start with, found by bisection, so that comparing stays in C."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _utf16_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
