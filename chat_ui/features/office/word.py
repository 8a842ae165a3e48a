"""The blocks of a Word document (ECMA-376, part 1, section 17).

Deleted text and the instructions of fields are left out. A text box comes before its paragraph, the descriptions of its
pictures after it. The notes are last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, TypeVar

from chat_ui.features.office.list_numbers import SEEN, Numbering
from chat_ui.features.office.package import Package, attribute
from chat_ui.features.office.text_blocks import Block, BlockKind, text_blocks

T = TypeVar("T")

_NOTES: Final = ("footnotes", "endnotes", "comments")
_UNSEEN: Final = frozenset({
    "instrText", "delText", "del", "moveFrom", "Fallback", "rt", "pPrChange", "rPrChange", "tblPrChange",
    "tcPrChange", "trPrChange", "sectPrChange",
})  # fmt: skip
"""Elements without text for a reader: older versions, instructions, and the copy of a text box for old programs."""
_SIGNS: Final = {"tab": " ", "ptab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-"}
_SEEN: Final = _UNSEEN | _SIGNS.keys() | {
    "t", "p", "pStyle", "outlineLvl", "ilvl", "numId", "docPr", "tbl", "tr", "tc", "gridSpan", "vMerge",
}  # fmt: skip
_HEADING: Final = re.compile(r"(?:heading|title)\s*([1-9]?)", re.IGNORECASE)
_FILE: Final = re.compile(r"\.(?:[ew]mf|gif|jpe?g|png|tiff?)\s*$", re.IGNORECASE)
"""The end of a description that old programs made of the image's file."""
_MOST_LEVEL: Final = 9
MOST_SPAN: Final = 100


def read_word(data: bytes) -> list[Block]:
    """The blocks of a document. Raises `UNREADABLE` errors."""
    package = Package(data)
    main = dict(package.relations().values())["officeDocument"]
    related = dict.fromkeys(package.relations(main).values())
    text = Text()
    for kind, part in related:
        if kind == "styles":
            text.levels, text.list_ids, text.depths = _styles(package, part)
        elif kind == "numbering":
            package.parse(part, text.numbering.start, seen=SEEN)
    for part in (main, *(part for name in _NOTES for kind, part in related if kind == name and part != main)):
        package.parse(part, text.start, text.end, text.text, seen=_SEEN)
    return text.blocks


def _styles(package: Package, part: str) -> tuple[dict[str, int], dict[str, str], dict[str, int]]:
    """The levels of the styles of headings, the lists of styles, and the levels in these, by the ids of styles."""
    levels, depths = dict[str, int](), dict[str, int]()
    lists, parents = dict[str, str](), dict[str, str]()
    style = ""

    def start(element: str, attributes: Mapping[str, str]) -> None:
        nonlocal style
        if element == "style":
            style = attribute(attributes, "styleId")
        elif element == "name" and (match := _HEADING.fullmatch(attribute(attributes, "val"))):
            levels[style] = int(match[1] or 1)
        elif element == "outlineLvl":
            levels.setdefault(style, int(attribute(attributes, "val")) + 1)
        elif element == "basedOn":
            parents[style] = attribute(attributes, "val")
        elif element == "numId":
            lists[style] = attribute(attributes, "val")
        elif element == "ilvl":
            depths[style] = int(attribute(attributes, "val"))

    package.parse(part, start, seen={"style", "name", "outlineLvl", "basedOn", "numId", "ilvl"})
    for _ in range(_MOST_LEVEL):
        levels, lists, depths = (_inherited(own, parents) for own in (levels, lists, depths))
    return levels, lists, depths


def _inherited(own: dict[str, T], parents: Mapping[str, str]) -> dict[str, T]:
    return {child: own[parent] for child, parent in parents.items() if parent in own} | own


@dataclass(slots=True)
class Paragraph:
    pieces: list[str] = field(default_factory=list)
    heading: int = 0
    item: int | None = None
    list_id: str = ""
    pictures: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Row:
    cells: list[list[str]] = field(default_factory=list)
    spans: list[int] = field(default_factory=list)
    merged: list[int] = field(default_factory=list)
    """The indices of cells that continue the one above."""


@dataclass(slots=True)
class Text:
    """The blocks of parts, by the elements of their XML. By the ids of styles, `levels` are those of headings,
    `list_ids` those of their paragraphs, and `depths` the levels in these.
    """

    levels: Mapping[str, int] = field(default_factory=dict)
    list_ids: Mapping[str, str] = field(default_factory=dict)
    depths: Mapping[str, int] = field(default_factory=dict)
    numbering: Numbering = field(default_factory=Numbering)
    blocks: list[Block] = field(default_factory=list)
    tables: int = 0
    unseen: int = 0
    is_text: bool = False
    paragraphs: list[Paragraph] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        if element in _UNSEEN:
            self.unseen += 1
        elif self.unseen:
            return
        elif element == "t":
            self.is_text = True
        elif element == "p":
            self.paragraphs.append(Paragraph())
        elif element in _SIGNS:
            # Tab stops are in the properties of a paragraph, before its text.
            if self.paragraphs and self.paragraphs[-1].pieces:
                self.paragraphs[-1].pieces.append(_SIGNS[element])
        elif element in {"pStyle", "outlineLvl", "ilvl", "numId"} and self.paragraphs:
            self.style(element, attribute(attributes, "val"))
        elif element == "docPr" and self.paragraphs:
            self.paragraphs[-1].pictures.append(attribute(attributes, "descr"))
        elif element == "tbl":
            self.tables += not self.rows
        elif element == "tr":
            self.rows.append(Row())
        elif element == "tc":
            self.rows[-1].cells.append([])
            self.rows[-1].spans.append(1)
        elif element == "gridSpan":
            self.rows[-1].spans[-1] = min(int(attribute(attributes, "val")), MOST_SPAN)
        elif element == "vMerge" and attribute(attributes, "val") != "restart":
            self.rows[-1].merged.append(len(self.rows[-1].cells) - 1)

    def end(self, element: str) -> None:
        if element in _UNSEEN:
            self.unseen -= 1
        elif self.unseen:
            return
        elif element == "t":
            self.is_text = False
        elif element == "p":
            self.paragraph(self.paragraphs.pop())
        elif element == "tr":
            self.row(self.rows.pop())

    def text(self, text: str) -> None:
        if self.is_text and self.paragraphs and not self.unseen:
            self.paragraphs[-1].pieces.append(text)

    def style(self, element: str, value: str) -> None:
        paragraph = self.paragraphs[-1]
        if element == "pStyle":
            paragraph.heading = self.levels.get(value, 0)
            paragraph.item = self.depths.get(value)
            self.style("numId", self.list_ids.get(value, "0"))
        elif element == "outlineLvl":
            paragraph.heading = int(value) + 1
        elif element == "ilvl":
            paragraph.item = int(value)
        else:
            paragraph.list_id = value
            paragraph.item = None if value == "0" else paragraph.item or 0

    def paragraph(self, paragraph: Paragraph) -> None:
        text = "".join(paragraph.pieces)
        number = "" if paragraph.item is None else self.numbering.next(paragraph.list_id, paragraph.item)
        if self.rows and self.rows[-1].cells:
            self.rows[-1].cells[-1].append(text)
            return
        if 0 < paragraph.heading <= _MOST_LEVEL:
            self.put(text, "heading", paragraph.heading, number)
        elif paragraph.item is not None:
            self.put(text, "item", paragraph.item, number)
        else:
            self.put(text, "paragraph")
        for words in paragraph.pictures:
            self.put(words, "picture")

    def row(self, row: Row) -> None:
        cells = [" ".join(" ".join(cell).split()) for cell in row.cells]
        if self.rows and self.rows[-1].cells:
            self.rows[-1].cells[-1] += cells
            return
        above = self.blocks[-1] if self.blocks else Block("")
        if above.kind == "row" and above.level == self.tables:
            columns = dict(zip(accumulate(above.spans, initial=0), above.cells, strict=False))
            for at in row.merged:
                cells[at] = columns.get(sum(row.spans[:at]), "")
        if text := " ".join(filter(None, cells)):
            self.blocks.append(Block(text, "row", self.tables, tuple(cells), tuple(row.spans)))

    def put(self, text: str, kind: BlockKind, level: int = 0, number: str = "") -> None:
        """Add a block with text, without its line ends and further spaces; a very long one in several parts."""
        # Most text has none of these, and is faster to search than to split.
        if "  " in text or not text.isprintable():
            text = " ".join(text.split())
        if kind != "picture" or not _FILE.search(text):
            self.blocks += text_blocks(text.strip(), kind, level, number)
