"""What a page shows of a growing answer, how that changes, and where in a block's safe HTML it grows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)(?:\"[^\"]*\"|[^\">])*>")
_VOID = frozenset(str.split("br col hr img input wbr"))


@dataclass(frozen=True, slots=True)
class Element:
    """An element of balanced HTML: its name, and the positions of its start tag and of its content."""

    name: str
    start: int
    content: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """Balanced HTML from `start` to `end`, which stands `depth` elements down."""

    depth: int
    start: int
    end: int


def last_elements(html: str) -> list[Element]:
    """The last element of balanced HTML, the last element in that one, and so on."""
    chain: list[Element] = []
    depth = 0
    for tag in _TAG.finditer(html):
        if tag.group(1):
            depth -= 1
            continue
        del chain[depth:]
        chain.append(Element(tag.group(2), tag.start(), tag.end()))
        if tag.group(2) not in _VOID:
            depth += 1
    return chain


def fragments(html: str, depth: int) -> list[Fragment]:
    """The rest of balanced HTML, which begins `depth` elements down, cut at the ends of those elements.

    The first fragment may be empty; of the others, those that are not.
    """
    found: list[Fragment] = []
    start = inside = 0
    if depth:
        for tag in _TAG.finditer(html):
            if not tag.group(1):
                inside += tag.group(2) not in _VOID
            elif inside:
                inside -= 1
            else:
                if not found or tag.start() > start:
                    found.append(Fragment(depth, start, tag.start()))
                depth -= 1
                start = tag.end()
    if not found or start < len(html):
        found.append(Fragment(depth, start, len(html)))
    return found


@dataclass(frozen=True, slots=True)
class BlockChange:
    """What is new about the block at `index`.

    `html` is the newest safe HTML of its open part, which comes after what is settled; None where the block is gone,
    with all after it. Where the block is `anew`, nothing is settled and `html` is all of it. With `settles`, `html` is
    settled from now on (its last elements may have no end yet), and the open part begins, empty, after it: as many
    elements down as `settles` says, always in the last one.
    """

    index: int
    html: str | None
    anew: bool = False
    settles: int | None = None


@dataclass(slots=True)
class ShownBlock:
    """HTML that is settled (elements not closed), and the open part after it, so many elements down."""

    settled: list[str] = field(default_factory=list)
    depth: int = 0
    open: str | None = None


class ShownBlocks:
    """The blocks that are shown, and the changes since they were taken last."""

    def __init__(self, blocks: Iterable[ShownBlock] = ()) -> None:
        self._blocks = list(blocks)
        self._changes: list[BlockChange] = []

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, index: int) -> ShownBlock:
        """The block at `index`, which may be the first that is not shown yet."""
        if index == len(self._blocks):
            self._blocks.append(ShownBlock())
        return self._blocks[index]

    def take_changes(self) -> list[BlockChange]:
        """What has changed since the last call, in order."""
        changes, self._changes = self._changes, []
        return changes

    def show(self, index: int, html: str) -> None:
        """Show the whole of a block, without what is settled where it has not changed."""
        block = self[index]
        settled = "".join(block.settled)
        if not html.startswith(settled):
            block = self.begin_anew(index)
            settled = ""
        rest = html[len(settled) :]
        parts = fragments(rest, block.depth)
        for part, following in pairwise(parts):
            ends = rest[part.end : following.start]
            self.settle(index, rest[part.start : part.end], following.depth, ends)
        self.open(index, rest[parts[-1].start : parts[-1].end])

    def begin_anew(self, index: int) -> ShownBlock:
        """Forget what is settled of a block."""
        self._blocks[index] = ShownBlock()
        return self._blocks[index]

    def open(self, index: int, html: str) -> None:
        """Show the open part of a block."""
        block = self[index]
        if block.open != html:
            block.open = html
            self._changes.append(BlockChange(index, html, anew=not block.settled))

    def settle(self, index: int, html: str, depth: int, ends: str = "") -> None:
        """Settle a piece of a block: the open part begins after it and after `ends` of elements, `depth` down."""
        block = self[index]
        self._changes.append(BlockChange(index, html, anew=not block.settled, settles=depth))
        block.settled += [html, ends]
        block.depth = depth
        block.open = ""

    def end_at(self, index: int) -> None:
        """Show no blocks from `index` on."""
        if index < len(self._blocks):
            del self._blocks[index:]
            self._changes.append(BlockChange(index, None))
