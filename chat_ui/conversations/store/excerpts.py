"""The words around a match, for a list of what a search found."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

EXCERPTED: Final = 20_000
"""Characters of a text that are looked at: what stands further on is found, and the excerpt is the beginning."""
_BEFORE: Final = 40
_AFTER: Final = 80
_MOST_TRIES: Final = 100


def excerpt_of(text: str, words: Sequence[str]) -> str:
    """The place in `text` where the first of `words` stands that does, whatever their case and accents, on one line."""
    plain = _plain(text)
    # Where a letter is written otherwise in more or fewer characters, places in both texts are not the same.
    same = len(plain) == len(text)
    at = next((at for word in words if same and (at := _find(plain, _plain(word))) >= 0), 0)
    start = max(0, at - _BEFORE)
    if start:
        start = text.find(" ", start, at) + 1 or at
    end = at + _AFTER
    if end < len(text):
        end = max(text.rfind(" ", at + 1, end), at) if " " in text[at + 1 : end] else end
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


def _plain(text: str) -> str:
    lower = text.lower()
    if lower.isascii():
        return lower
    return "".join(unicodedata.normalize("NFD", character)[0] for character in lower)


def _find(text: str, word: str) -> int:
    """Where `word` begins a word of `text`, -1 where it does not, or where it often stands within others first."""
    at = -1
    for _ in range(_MOST_TRIES):
        at = text.find(word, at + 1)
        if at <= 0 or not (text[at - 1].isalnum() or text[at - 1] == "_"):
            return at
    return -1
