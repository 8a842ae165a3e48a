"""What a page shows of a growing answer, and how that changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from chat_ui.rendering.html.containers import fragments


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
