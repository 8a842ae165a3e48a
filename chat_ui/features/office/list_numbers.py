"""The numbers of lists in a Word document (ECMA-376, part 1, section 17.9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from chat_ui.features.office.package import attribute

SEEN: Final = frozenset({
    "abstractNum", "num", "abstractNumId", "lvl", "lvlOverride", "start", "startOverride", "numFmt", "lvlText",
    "lvlRestart",
})  # fmt: skip
_ROMAN: Final = {
    1000: "m", 900: "cm", 500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl", 10: "x", 9: "ix", 5: "v", 4: "iv",
    1: "i",
}  # fmt: skip
_PLACE: Final = re.compile(r"%([1-9])")
_MOST: Final = 9_999
_LONGEST: Final = 40
"""The greatest number, and characters of a number's pattern."""


def _letters(number: int) -> str:
    return chr(ord("a") + (number - 1) % 26) * ((number + 25) // 26)


def _roman(number: int) -> str:
    signs = ""
    for value, sign in _ROMAN.items():
        signs += sign * (number // value)
        number %= value
    return signs


_FORMATS: Final[Mapping[str, Callable[[int], str]]] = {
    "decimal": str, "decimalZero": "{:02}".format, "lowerLetter": _letters, "lowerRoman": _roman,
    "upperLetter": lambda number: _letters(number).upper(), "upperRoman": lambda number: _roman(number).upper(),
}  # fmt: skip


class Numbering:
    """Counts the paragraphs of lists; `start` reads their definitions from the elements `SEEN` of a part."""

    def __init__(self) -> None:
        self._owner, self._level = "", 0
        self._values: dict[tuple[str, int, str], str] = {}
        self._counts: dict[str, dict[int, int]] = {}

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        if element in {"abstractNum", "num"}:
            self._owner, self._level = element + attribute(attributes, f"{element}Id"), 0
        elif element in {"lvl", "lvlOverride"}:
            self._level = int(attribute(attributes, "ilvl"))
        else:
            self._values[self._owner, self._level, element] = attribute(attributes, "val")

    def next(self, list_id: str, level: int) -> str:
        """The number of the next paragraph of a list, with its signs; empty for a bullet."""
        own = f"num{list_id}"
        shared = f"abstractNum{self._values.get((own, 0, 'abstractNumId'))}"
        counts = self._counts.setdefault(shared, {})

        def value(level: int, name: str, default: str) -> str:
            return self._values.get((own, level, name)) or self._values.get((shared, level, name), default)

        def shown(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            count = counts.get(at, int(value(at, "start", "0")))
            return _FORMATS.get(value(at, "numFmt", "decimal"), str)(max(0, min(count, _MOST)))

        begin = self._values.pop((own, level, "startOverride"), "")
        is_next = level in counts and not begin
        counts[level] = counts[level] + 1 if is_next else int(begin or value(level, "start", "0"))
        for deeper in [one for one in counts if one > level and value(one, "lvlRestart", "") != "0"]:
            del counts[deeper]
        is_number = value(level, "numFmt", "decimal") in _FORMATS
        return _PLACE.sub(shown, value(level, "lvlText", "")[:_LONGEST]) if is_number else ""
