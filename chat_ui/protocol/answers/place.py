"""The place of a source in its document: a page, a slide, a row, or cells of a sheet.

Fragments of addresses name it: `page=3` (RFC 8118), `row=4` (RFC 7111, also of its range `row=4-7`), `slide=4`,
`sheet=Costs&range=B2:C9`, and `'Costs 2026'!B2:C9` as in hyperlinks of Excel.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from typing import Final
from urllib.parse import quote, unquote

_CELL: Final = r"\$?[A-Z]{1,3}\$?[1-9]\d{0,6}"
# Without Unicode, only the letters from A to Z match: the Kelvin sign is another case of K.
CELLS: Final = rf"(?a:{_CELL}(?::{_CELL})?)"
"""A cell or a range of cells, for a regular expression that ignores case."""
_NUMBERS: Final = [
    re.compile(rf"(?<![a-z]){name}=(\d{{1,7}})(?!\d)", re.IGNORECASE) for name in ("page", "slide", "row")
]
_KEYS: Final = re.compile(r"(?:^|&)(sheet|range)=([^&]+)", re.IGNORECASE)
_IN_SHEET: Final = re.compile(rf"(?:'(?P<quoted>(?:[^']|'')+)'|(?P<sheet>[^'!=]+))!(?P<cells>{CELLS})", re.IGNORECASE)
_CORNER: Final = re.compile(r"([A-Z]+)(\d+)")
_RANGE: Final = re.compile(CELLS, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A place: `page`, `slide` and `row` count from 1; `cells` are a range such as `B2:C9`. An empty one is false."""

    page: int | None = None
    slide: int | None = None
    row: int | None = None
    sheet: str = ""
    cells: str = ""

    def __bool__(self) -> bool:
        return self != NOWHERE

    @property
    def fragment(self) -> str:
        """The place as a fragment that `place_of` reads."""
        named = (
            ("page", self.page), ("slide", self.slide), ("sheet", quote(self.sheet, errors="replace")),
            ("range", self.cells), ("row", self.row),
        )  # fmt: skip
        return "&".join(f"{name}={value}" for name, value in named if value)

    def agrees_with(self, other: Place) -> bool:
        """Whether both can be one place, or a place in the other; missing parts do not contradict.

        The page of a presentation is its slide.
        """
        numbers = (self.page or self.slide, other.page or other.slide), (self.row, other.row)
        sheets = self.sheet.casefold(), other.sheet.casefold()
        same = all(not one or not another or one == another for one, another in (*numbers, sheets))
        return same and (
            not (self.cells and other.cells) or _within(self.cells, other.cells) or _within(other.cells, self.cells)
        )

    def at(self, cited: Place) -> Place:
        """The later page of both, and else the narrower place of both."""
        is_narrower = not self.cells or (cited.cells and _within(cited.cells, self.cells))
        return Place(
            max(self.page or 0, cited.page or 0) or None,
            self.slide or cited.slide,
            self.row or cited.row,
            self.sheet or cited.sheet,
            cited.cells if is_narrower else self.cells,
        )


NOWHERE: Final = Place()


def place_of(fragment: str) -> Place:
    """The place that a fragment names; empty for others."""
    matches = [pattern.search(fragment) for pattern in _NUMBERS]
    page, slide, row = (int(match[1]) or None if match else None for match in matches)
    keys = {name.lower(): unquote(value) for name, value in _KEYS.findall(fragment)}
    cells = keys.get("range", "")
    sheet, cells = keys.get("sheet", ""), cells if _RANGE.fullmatch(cells) else ""
    if match := _IN_SHEET.fullmatch(unquote(fragment).strip()):
        sheet, cells = match["sheet"] or match["quoted"].replace("''", "'"), match["cells"]
    return Place(page, slide, row, sheet.strip(), cells.replace("$", "").upper())


def _within(cells: str, others: str) -> bool:
    (left, top, right, bottom), (first, upper, last, lower) = bounds(cells), bounds(others)
    return first <= left and right <= last and upper <= top and bottom <= lower


def bounds(cells: str) -> tuple[int, int, int, int]:
    """The left, top, right and bottom of a range; columns and rows count from 1."""
    corners = _CORNER.findall(cells)
    columns = sorted(reduce(lambda number, letter: 26 * number + ord(letter) - 64, column, 0) for column, _ in corners)
    rows = sorted(int(row) for _, row in corners)
    return columns[0], rows[0], columns[-1], rows[-1]
