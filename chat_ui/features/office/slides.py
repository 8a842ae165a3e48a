"""The blocks of a presentation (ECMA-376, part 1, section 19; OpenDocument, part 3, section 10).

Hidden slides are numbered too. Shapes are in the order for screen readers, after the title and before charts, diagrams
and notes. Headers, footers, dates and numbers of slides are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chat_ui.features.office.package import Package, attribute
from chat_ui.features.office.text_blocks import LONGEST, Block
from chat_ui.features.office.word import Paragraph, Text

_PARTS: Final = ("chart", "diagramData", "notesSlide")
_TITLES: Final = frozenset({"title", "ctrTitle"})
_LISTS: Final = frozenset({"", "obj", "body"})
_NOTES: Final = frozenset({"body", "notes"})
_AROUND: Final = frozenset({"sldNum", "page-number", "dt", "date-time", "ftr", "footer", "hdr", "header"})
"""Types of placeholders."""
_OPEN: Final = {
    "h": "p", "desc": "p", "table": "tbl", "table-row": "tr", "table-cell": "tc", "covered-table-cell": "tc",
    "line-break": "br", "s": "br",
}  # fmt: skip
"""Elements of OpenDocument by other names."""
_BULLETS: Final = frozenset({"buChar", "buAutoNum"})
_SEEN: Final = _BULLETS | {
    "Fallback", "t", "p", "br", "tbl", "tr", "tc", "pPr", "buNone", "nvPr", "ph", "cNvPr", "notes",
}  # fmt: skip
_OPEN_SEEN: Final = _OPEN.keys() | {"p", "tab", "page", "notes", "frame", "list"}


def read_slides(data: bytes) -> list[Block]:
    """The blocks of a presentation. Raises `UNREADABLE` errors."""
    package, ids = Package(data), list[str]()

    def listed(_: str, attributes: Mapping[str, str]) -> None:
        ids.extend(value for name, value in attributes.items() if name.endswith(":id"))

    main = dict(package.relations().values()).get("officeDocument")
    if main is None:
        pages = _Slides({}, is_text=True)
        package.parse("content.xml", pages.start, pages.end, pages.text, seen=_OPEN_SEEN)
        return pages.blocks
    package.parse(main, listed, seen={"sldId"})
    slides, relations = _Slides({}), package.relations(main)
    for _, slide in map(relations.__getitem__, ids):
        related = package.relations(slide).values()
        for part in (slide, *(part for kind in _PARTS for found, part in related if found == kind)):
            slides.holder = None
            package.parse(part, slides.start, slides.end, slides.text, seen=_SEEN)
        slides.finish()
    return slides.blocks


@dataclass
class _Slides(Text):
    """The blocks of slides; `first` is the index of the current one, `holder` the type of the current placeholder."""

    first: int = 0
    title: str = ""
    holder: str | None = None
    is_notes: bool = False
    lists: int = 0

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        super().start(_OPEN.get(element, element), attributes)
        if self.unseen:
            return
        if element == "notes":
            self.is_notes = True
            self.blocks.append(Block("", "notes"))
        elif element in {"nvPr", "frame"}:
            self.holder = attribute(attributes, "class") or None
        elif element == "ph":
            self.holder = attribute(attributes, "type")
        elif element == "cNvPr":
            self.put(attribute(attributes, "descr"), "picture")
        elif element == "list":
            self.lists += 1
        elif self.paragraphs and not self.is_notes:
            paragraph = self.paragraphs[-1]
            if element in _BULLETS or (element == "p" and (self.lists or self.holder in _LISTS)):
                paragraph.item = paragraph.item or max(0, self.lists - 1)
            elif element == "pPr" and paragraph.item is not None:
                paragraph.item = int(attribute(attributes, "lvl") or 0)
            elif element == "buNone":
                paragraph.item = None

    def end(self, element: str) -> None:
        if element == "page":
            self.finish()
        elif element == "desc":
            self.put("".join(self.paragraphs.pop().pieces), "picture")
        elif element == "frame":
            self.holder = None
        elif element == "list":
            self.lists -= 1
        else:
            super().end(_OPEN.get(element, element))

    def paragraph(self, paragraph: Paragraph) -> None:
        if self.holder in _TITLES and not self.rows:
            self.title += " " + "".join(paragraph.pieces)
        elif self.holder in _NOTES if self.is_notes else self.holder not in _AROUND:
            super().paragraph(paragraph)

    def finish(self) -> None:
        """Add the heading of a slide and its number."""
        if self.blocks and self.blocks[-1].kind == "notes":
            del self.blocks[-1]
        number = self.blocks[self.first - 1].slide + 1 if self.first else 1
        blocks = Block(" ".join(self.title.split())[:LONGEST], "heading", 1), *self.blocks[self.first :]
        self.blocks[self.first :] = [block._replace(slide=number) for block in blocks]
        self.first, self.title, self.is_notes = len(self.blocks), "", False
