"""Text that only grows, and repeated texts, compared without blanks and halves of surrogate pairs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter

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


class StreamingText:
    """Text in pieces, joined when it is asked for."""

    __slots__ = ("_begun", "_pieces", "length")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._begun: list[int] = []
        """The index of each piece."""
        self.length = 0

    def append(self, text: str) -> None:
        """Put `text` after what there is."""
        if text:
            self._pieces.append(text)
            self._begun.append(self.length)
            self.length += len(text)

    def clear(self) -> None:
        """Take all of it away."""
        self._pieces, self._begun, self.length = [], [], 0

    def between(self, start: int, end: int) -> str:
        """The characters between two indices, at a cost independent of the rest."""
        pieces: list[str] = []
        for number in range(max(0, bisect_right(self._begun, start) - 1), len(self._pieces)):
            begun = self._begun[number]
            if begun >= end:
                break
            pieces.append(self._pieces[number][max(0, start - begun) : end - begun])
        return "".join(pieces)

    def joined(self) -> str:
        """The whole text."""
        if len(self._pieces) > 1:
            self._pieces, self._begun = ["".join(self._pieces)], [0]
        return self._pieces[0] if self._pieces else ""


class TextSoFar:
    """Text whose backend sends either increments or the whole text so far (the Azure sample app)."""

    def __init__(self) -> None:
        self._so_far = StreamingText()
        self._repeats_all = False

    def increment(self, text: str) -> str:
        """The new part of `text`: a longer text that begins with the text so far replaces it."""
        rest = rest_after(self._so_far.joined(), text) if len(text) >= self._so_far.length > 0 else None
        if rest:
            self._repeats_all = True
            self._so_far = StreamingText()
        elif rest == "" and self._repeats_all:
            return ""
        else:
            rest = text
        self._so_far.append(text)
        return rest


_MOST_BLANKS = 100
"""Blanks that are skipped before a repeated text."""
_WORD = re.compile(r"\w+")


def place_of(text: str, came: StreamingText, at: int) -> tuple[int, int] | None:
    """The beginning and the end of `text` in `came`, from index `at` on; None for another text there."""
    if came.between(at, at + len(text)) == text:
        return at, at + len(text)
    solid, begun = _solid(text), at + _blanks(came, at)
    near = came.between(begun, begun + 4 * len(text) + _MOST_BLANKS)
    if not near or not _solid(near).startswith(solid):
        return None
    return begun - (len(text) - len(text.lstrip())), begun + _after(near, len(solid))


def is_at(text: str, came: StreamingText, at: int) -> int | None:
    """The end of `text` as written, from index `at` on, with the blanks after it; else None."""
    said, begun = text.strip(), at + _blanks(came, at)
    end = begun + len(said)
    return end + _blanks(came, end) if said and came.between(begun, end) == said else None


def rest_of(text: str, came: StreamingText, at: int) -> str | None:
    """The rest of `text` after all that came from index `at` on; None if `text` begins otherwise."""
    if came.length - at > 4 * len(text) + _MOST_BLANKS:
        return None
    said = _solid(came.between(at, came.length))
    if not said:
        return text
    return text[_after(text, len(said)) :] if _solid(text).startswith(said) else None


def has_words_of(text: str, came: StreamingText, at: int) -> bool:
    """Whether all words of `text` came from index `at` on, in a text of about its length."""
    if came.length - at > 2 * len(text) + _MOST_BLANKS:
        return False
    words = Counter(_WORD.findall(text))
    return bool(words) and words <= Counter(_WORD.findall(came.between(at, came.length)))


def _blanks(came: StreamingText, at: int) -> int:
    near = came.between(at, at + _MOST_BLANKS)
    return len(near) - len(near.lstrip())


def _solid(text: str) -> bytes:
    return "".join(text.split()).encode("utf-16-le", "surrogatepass")


def _after(text: str, size: int) -> int:
    """The index in `text` after so many bytes of its `_solid` form."""
    at = 0
    for at, character in enumerate(text, 1):
        if size <= 0:
            return at - 1
        if not character.isspace():
            size -= 4 if character > "\uffff" else 2
    return at
