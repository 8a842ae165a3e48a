"""Places of a text's characters in the output of a filter."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

_MOST: Final = 100_000


class Places:
    """Notes only places where characters were left out or put in: a filter without changes notes nothing."""

    __slots__ = ("_from", "_to")

    def __init__(self) -> None:
        self._from, self._to = [0], [0]

    @property
    def shift(self) -> int:
        """The offset of the next characters in the output."""
        return self._to[-1] - self._from[-1]

    def note(self, place: int, made: int) -> None:
        """Note that the text from `place` on is at `made` in the output."""
        if made - place == self.shift:
            return
        if made == self._to[-1]:
            self._from[-1] = place
        elif len(self._from) < _MOST:
            self._from.append(place)
            self._to.append(made)

    def cut(self, end: int, length: int) -> None:
        """Note that so many characters before `end` are left out."""
        self.note(end, end + self.shift - length)

    def of(self, place: int) -> int:
        """The place of `place` in the output; for a left out part, the place of the cut."""
        index = bisect_left(self._from, place)
        if not index:
            return self._to[0]
        made = self._to[index - 1] + place - self._from[index - 1]
        return min(made, self._to[index]) if index < len(self._to) else made
