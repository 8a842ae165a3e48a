"""An estimate of the work of rendering a text, without rendering it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.protocol.answers.placed_citation import PlacedCitation

IN_PLACE: Final = 8_000
"""Work that may be done on the event loop: a few milliseconds."""

_LINE: Final = 60
_POINT: Final = 30
_CITATION: Final = 60
_OF_MARKS: Final = {
    "[": 25, "]": 60, "(": 30, "$": 150, "//": 150, ":": 10, "\\": 6, "|": 10,
    "【": 50, "】": 50, "［": 50, "］": 50, "（": 30, "^": 8,
    "\ue200": 60, "\ue201": 60, "\ue202": 10, "<cite": 60,
    "&": 5, "<": 5, "`": 5, "~": 5, "*": 8, "_": 8,
}  # fmt: skip
"""The work that a mark adds to its text: about the microseconds for each in a text of only this mark."""
_FENCES: Final = ("```", "~~~")
_CODE_SQUARED: Final = 8_000
"""Characters of a text with code from which on the worst lexer's quadratic cost is most of its work."""


def work_of(text: str, most: int | None = None) -> int:
    """Microseconds, at worst, of rendering `text`; counted up to `most`, if given."""
    if most is not None:
        # Each character is work.
        text = text[: most + 1]
    work = len(text) + _LINE * text.count("\n") + sum(each * text.count(mark) for mark, each in _OF_MARKS.items())
    if any(fence in text for fence in _FENCES):
        work += work * len(text) // _CODE_SQUARED
    return work


def work_of_points(points: Sequence[DataPoint], citations: Sequence[PlacedCitation] = ()) -> int:
    """About the microseconds of indexing these sources by name, and of placing these citations."""
    names = ((point.id, point.source, point.url or "", *point.names) for point in points)
    return _CITATION * len(citations) + sum(_POINT + sum(map(len, named)) // 10 for named in names)
