"""The blocks of foreign HTML, as in mails and books. Nothing that it names is fetched."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Final

from chat_ui.features.office.text_blocks import Block, BlockKind, paragraphs, row_block
from chat_ui.protocol.answers.markup import TAG
from chat_ui.rendering.panels.document_text import for_readers

_HEADINGS: Final = frozenset(str.split("h1 h2 h3 h4 h5 h6"))
_BREAKS: Final = _HEADINGS | frozenset(
    str.split(
        "address article aside blockquote body caption center dd div dl dt fieldset figcaption figure footer form "
        "header hr li main nav ol p pre section ul"
    )
)
"""The elements before and after which a text ends."""
_UNSEEN: Final = re.compile(r"<(r[tp])\b[^<>]*>[^<]*</\1>", re.IGNORECASE)
"""The pronunciation of characters, which would be between them."""
_LINE_ENDS: Final = re.compile(r"[\r\n\f\v\x1c-\x1f\x85\u2028\u2029]+")
_CELL: Final = "\x1f"
_PLAIN: Final[tuple[BlockKind, int]] = ("paragraph", 0)


def html_blocks(html: str) -> list[Block]:
    """The headings, paragraphs, items and rows of a page."""
    html = _UNSEEN.sub("", for_readers(html))
    reading, position = _Reading(), 0
    for tag in TAG.finditer(html):
        reading.words(html[position : tag.start()])
        reading.tag(tag[2].lower(), is_end=bool(tag[1]))
        position = tag.end()
    reading.words(html[position:])
    reading.end()
    return reading.blocks


@dataclass(slots=True)
class _Reading:
    """The blocks, and the pieces of the next one, which ends before further words if `is_ended`.

    So paragraphs in the cells of a row do not divide it, but several in a cell do, as in the layout of mails.
    """

    blocks: list[Block] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    kind: tuple[BlockKind, int] = _PLAIN
    tables: int = 0
    heading: int = 0
    lists: int = 0
    is_verbatim: bool = False
    is_ended: bool = True

    def words(self, text: str) -> None:
        text = unescape(text if self.is_verbatim else _LINE_ENDS.sub(" ", text))
        if not text or (text.isspace() and (self.is_ended or self.pieces[-1:] == [_CELL])):
            return
        if self.is_ended:
            self.end()
        self.pieces.append(text)
        self.kind = (
            ("heading", self.heading) if self.heading else ("item", self.lists - 1) if self.lists > 0 else _PLAIN
        )

    def tag(self, name: str, *, is_end: bool) -> None:
        if name == "br":
            self.pieces.append("\n")
        elif name in {"table", "tr"}:
            self.end()
            self.tables += name == "table"
        elif name in {"td", "th"} and not is_end:
            self.pieces.append(_CELL)
            self.is_ended = False
        elif name in _BREAKS:
            self.is_ended |= self.pieces[-1:] != [_CELL]
        if name == "pre":
            self.is_verbatim = not is_end
        elif name in {"ul", "ol"}:
            self.lists += -1 if is_end else 1
        elif name in _HEADINGS:
            self.heading = 0 if is_end else int(name[1])

    def end(self) -> None:
        """End the text, which is a row if several cells have words."""
        text = "".join(self.pieces)
        cells = [" ".join(cell.split()) for cell in text.removeprefix(_CELL).split(_CELL)]
        if sum(map(bool, cells)) > 1:
            self.blocks.append(row_block(cells, self.tables))
        else:
            self.blocks += paragraphs(text.replace(_CELL, " "), *self.kind)
        self.pieces.clear()
        self.is_ended = False
