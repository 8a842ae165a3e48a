"""Text that only grows."""

from __future__ import annotations

import re
from bisect import bisect_right

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def rest_after(so_far: str, text: str) -> str | None:
    """The rest of `text` after `so_far`; None where `text` does not begin with it.

    The first half of a surrogate pair begins the whole one, and two halves are one: JSON escapes are UTF-16 code units,
    which may be split anywhere.
    """
    if text.startswith(so_far):
        return text[len(so_far) :]
    if 2 * len(text) < len(so_far) or so_far.isascii() or not _SURROGATE.search(so_far):
        return None
    units, begun = text.encode("utf-16-le", "surrogatepass"), so_far.encode("utf-16-le", "surrogatepass")
    return units[len(begun) :].decode("utf-16-le", "surrogatepass") if units.startswith(begun) else None


class GrowingText:
    """Text in pieces, joined when it is asked for."""

    __slots__ = ("_begun", "_pieces", "length")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._begun: list[int] = []
        """Where each piece begins."""
        self.length = 0

    def append(self, text: str) -> None:
        """Put `text` after what there is."""
        self._pieces.append(text)
        self._begun.append(self.length)
        self.length += len(text)

    def beginning(self, characters: int) -> str:
        """The first so many characters of it."""
        pieces: list[str] = []
        for piece in self._pieces:
            if characters <= 0:
                break
            pieces.append(piece[:characters])
            characters -= len(piece)
        return "".join(pieces)

    def between(self, start: int, end: int) -> str:
        """The characters from a place up to another one, at the cost of their own."""
        pieces: list[str] = []
        for number in range(max(0, bisect_right(self._begun, start) - 1), len(self._pieces)):
            begun = self._begun[number]
            if begun >= end:
                break
            pieces.append(self._pieces[number][max(0, start - begun) : end - begun])
        return "".join(pieces)

    def whole(self) -> str:
        """All of it."""
        if len(self._pieces) > 1:
            self._pieces, self._begun = ["".join(self._pieces)], [0]
        return self._pieces[0] if self._pieces else ""


class TextSoFar:
    """Text from a place where some backends send increments and others the whole text so far (the Azure sample app)."""

    def __init__(self) -> None:
        self._so_far = GrowingText()
        self._repeats_whole = False

    def increment(self, text: str) -> str:
        """The new part of `text`: a longer text that begins with the text so far replaces it."""
        rest = rest_after(self._so_far.whole(), text) if len(text) >= self._so_far.length > 0 else None
        if rest:
            self._repeats_whole = True
            self._so_far = GrowingText()
        elif rest == "" and self._repeats_whole:
            return ""
        else:
            rest = text
        self._so_far.append(text)
        return rest
