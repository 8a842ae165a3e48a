"""The blocks of an OpenDocument text (ISO/IEC 26300-3): deleted text and annotations are left out, notes are last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from chat_ui.features.office.package import Package, attribute
from chat_ui.features.office.text_blocks import Block
from chat_ui.features.office.word import MOST_SPAN, Paragraph, Row, Text

_UNSEEN: Final = frozenset({"tracked-changes", "annotation", "note-citation", "ruby-text", "forms", "script"})
_ASIDE: Final = frozenset({"frame", "g", "custom-shape", "desc"})
"""Frames and descriptions, whose text is not in the paragraph around them."""
_SEEN: Final = _UNSEEN | _ASIDE | {
    "p", "h", "s", "tab", "line-break", "list", "note-body", "table", "table-row", "table-cell", "covered-table-cell",
}  # fmt: skip


def read_open_document(package: Package) -> list[Block]:
    """The blocks of a document. Raises `UNREADABLE` errors."""
    text = _OpenText()
    package.parse("content.xml", text.start, text.end, text.text, seen=_SEEN)
    return text.blocks + text.notes


@dataclass(slots=True)
class _OpenText(Text):
    lists: int = 0
    covered: int = 0
    """The cells of the open row that the one before them covers."""
    notes: list[Block] = field(default_factory=list)
    around: tuple[list[Block], list[Row], int] = ([], [], 0)
    """The blocks, rows and lists around the open note."""

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        self.unseen += element in _UNSEEN
        if self.unseen:
            return
        if element == "p" or element in _ASIDE:
            self.paragraphs.append(Paragraph(item=self.lists - 1 if self.lists else None))
        elif element == "h":
            self.paragraphs.append(Paragraph(heading=int(attribute(attributes, "outline-level") or 1)))
        elif element in {"s", "tab", "line-break"}:
            self.text(" ")
        elif element == "list":
            self.lists += 1
        elif element == "note-body":
            self.around = self.blocks, self.rows, self.lists
            self.blocks, self.rows, self.lists = self.notes, [], 0
        elif element == "table":
            self.tables += not self.rows
        elif element == "table-row":
            self.rows.append(Row())
        elif element == "covered-table-cell" and self.covered:
            self.covered -= 1
        else:
            row, span = self.rows[-1], int(attribute(attributes, "number-columns-spanned") or 1)
            row.merged += [len(row.cells)] if element == "covered-table-cell" else []
            row.cells.append([])
            row.spans.append(max(1, min(span, MOST_SPAN)))
            self.covered = row.spans[-1] - 1

    def end(self, element: str) -> None:
        if element in _UNSEEN:
            self.unseen -= 1
        elif self.unseen:
            return
        elif element in {"p", "h"}:
            self.paragraph(self.paragraphs.pop())
        elif element in _ASIDE:
            inner = self.paragraphs.pop()
            for around in self.paragraphs[-1:]:
                around.pictures += ["".join(inner.pieces)] if element == "desc" else inner.pictures
        elif element == "list":
            self.lists -= 1
        elif element == "note-body":
            self.blocks, self.rows, self.lists = self.around
        elif element == "table-row":
            self.row(self.rows.pop())

    def text(self, text: str) -> None:
        if self.paragraphs and not self.unseen:
            self.paragraphs[-1].pieces.append(text)
