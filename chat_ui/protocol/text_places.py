"""Where the characters of a text are in what a filter made of it."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

_MOST: Final = 100_000
"""Places of one text that are noted."""


class Places:
    """Only places where characters were left out or put in are noted: a filter that changes nothing notes nothing."""

    __slots__ = ("_from", "_to")

    def __init__(self) -> None:
        self._from, self._to = [0], [0]

    @property
    def shift(self) -> int:
        """How much further on than in the text the characters are that come next."""
        return self._to[-1] - self._from[-1]

    def note(self, place: int, made: int) -> None:
        """Note that the text from `place` on is made to stand from `made` on."""
        if made - place == self.shift:
            return
        if made == self._to[-1]:
            self._from[-1] = place
        elif len(self._from) < _MOST:
            self._from.append(place)
            self._to.append(made)

    def cut(self, end: int, length: int) -> None:
        """Note that so many characters are left out, the last of which stands before `end`."""
        self.note(end, end + self.shift - length)

    def of(self, place: int) -> int:
        """The place that `place` became; of a part that was left out, where that was."""
        index = bisect_left(self._from, place)
        if not index:
            return self._to[0]
        made = self._to[index - 1] + place - self._from[index - 1]
        return min(made, self._to[index]) if index < len(self._to) else made
