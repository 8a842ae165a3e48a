"""The percentages in a sheet of Excel (ECMA-376, part 1, sections 18.3.1.4 and 18.8.30)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from functools import reduce
from typing import Final

from chat_ui.features.office.package import UNREADABLE, Package, attribute

_BUILT_IN: Final = {"9": "0%", "10": "0.00%"}
_PERCENT: Final = re.compile(r"(?:\.(0{1,9}))?%")
_CELL: Final = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"[^>]*? s="(\d{1,5})"')


def percentages(data: bytes, sheet: int, rows: range) -> Mapping[int, Mapping[int, int]]:
    """The decimals of percentages by row and column, each from 0; empty for workbooks of other programs."""
    found: dict[int, dict[int, int]] = defaultdict(dict)
    with suppress(*UNREADABLE):
        package, ids = Package(data), list[str]()
        main = dict(package.relations().values())["officeDocument"]
        package.parse(main, lambda _, attributes: ids.append(attribute(attributes, "id")), seen={"sheet"})
        related = package.relations(main)
        decimals = _decimals(package, dict(related.values())["styles"])
        cells = package.read(related[ids[sheet]][1])
        start = max(0, cells.find(b'<row r="%d"' % (rows.start + 1)))
        end = cells.find(b'<row r="%d"' % (rows.stop + 1), start)
        for column, row, style in _CELL.findall(cells, start, end if end >= 0 else len(cells)):
            if int(style) in decimals:
                number = reduce(lambda value, letter: 26 * value + letter - 64, column, 0)
                found[int(row) - 1][number - 1] = decimals[int(style)]
    return found


def _decimals(package: Package, styles: str) -> dict[int, int]:
    """The decimals of the formats of cells that are percentages, by their index."""
    codes, formats = dict(_BUILT_IN), list[str]()

    def start(element: str, attributes: Mapping[str, str]) -> None:
        if element == "numFmt":
            codes[attribute(attributes, "numFmtId")] = attribute(attributes, "formatCode")
        elif element == "cellXfs":
            # The formats before are those of named styles.
            formats.clear()
        else:
            formats.append(attribute(attributes, "numFmtId"))

    package.parse(styles, start, seen={"numFmt", "cellXfs", "xf"})
    matches = ((index, _PERCENT.search(codes.get(one, ""))) for index, one in enumerate(formats))
    return {index: len(match[1] or "") for index, match in matches if match}
