"""The bytes of a body that are not read yet."""

from __future__ import annotations

import codecs
import re
from enum import Enum, auto

_BETWEEN = re.compile(rb"(?:[ \t\r\n,\x1e]++|\xef\xbb\xbf)*+")


class Step(Enum):
    """The outcome of a step of reading."""

    GO_ON = auto()
    NEED_MORE = auto()
    """Nothing can be read before more bytes come."""


class Buffer:
    """`data` holds the bytes, and everything before its index `at` is read.

    `dropped` counts the bytes of the body before `data`. `is_last` says that nothing follows `data`, `begins_line` that
    what comes next is at the beginning of a line.
    """

    __slots__ = ("at", "begins_line", "data", "dropped", "is_last")

    def __init__(self) -> None:
        self.data = bytearray()
        self.at = 0
        self.dropped = 0
        self.is_last = False
        self.begins_line = True

    def position(self, index: int) -> int:
        """The position in the body of the byte at `index`."""
        return self.dropped + index

    def drop(self) -> None:
        """Drop the bytes that are read."""
        if self.at:
            del self.data[: self.at]
            self.dropped += self.at
            self.at = 0

    def need_more_after(self, index: int) -> Step:
        """The bytes before `index` are read, and the rest needs more bytes."""
        self.at = index
        return Step.NEED_MORE

    def go_on_at(self, index: int) -> Step:
        """The bytes before `index` are read."""
        self.at = index
        return Step.GO_ON

    def skip_between(self) -> bool:
        """Pass over what may stand between values; whether a line ended there."""
        start = _BETWEEN.match(self.data, self.at).end()  # type: ignore[union-attr]
        between = self.data[self.at : start]
        self.at = start
        if b"\n" in between or b"\r" in between:
            self.begins_line = True
            return True
        if 0x1E in between or between.startswith(codecs.BOM_UTF8):
            self.begins_line = True
        return False
