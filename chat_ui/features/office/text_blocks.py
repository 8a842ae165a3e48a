"""The text of a document as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeAlias

LONGEST: Final = 20_000
"""Characters of a text in one block."""

BlockKind: TypeAlias = Literal["paragraph", "heading", "item", "row", "picture", "notes"]


class Block(NamedTuple):
    """A block of text; the one of a picture is its description, and one before the notes of a slide is empty.

    `level` is that of a heading (from 1) or an item (from 0), and the number of a row's table. A row has `cells`, and
    the number of columns of each as `spans`; its text has the cells with spaces between. `slide` is the number of the
    block's slide, which begins with a heading. The `number` of a heading or an item, such as "3." or "(a)", is not in
    its text.
    """

    text: str
    kind: BlockKind = "paragraph"
    level: int = 0
    cells: tuple[str, ...] = ()
    spans: tuple[int, ...] = ()
    slide: int = 0
    number: str = ""


def text_blocks(text: str, kind: BlockKind = "paragraph", level: int = 0, number: str = "") -> Iterator[Block]:
    """A block for `text`; several for a very long one, and none for an empty one."""
    return (Block(text[at : at + LONGEST], kind, level, number=number) for at in range(0, len(text), LONGEST))


def paragraphs(text: str, kind: BlockKind = "paragraph", level: int = 0) -> Iterator[Block]:
    """The blocks between the empty lines of a text. Their line breaks are those of the text."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    for is_text, part in groupby(lines, bool):
        if is_text:
            yield from text_blocks("\n".join(part), kind, level)


def row_block(cells: Sequence[str], table: int) -> Block:
    """The row of a table with this number; each cell has one column."""
    return Block(" ".join(filter(None, cells)), "row", table, tuple(cells), (1,) * len(cells))
