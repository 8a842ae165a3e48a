"""Texts that come again, against the text that came: blanks and halves of surrogate pairs aside."""

from __future__ import annotations

import re
from collections import Counter

from chat_ui.protocol.answers.growing_text import GrowingText

_MOST_BLANKS = 100
"""Blanks that are skipped before a text that comes again."""
_WORD = re.compile(r"\w+")


def place_of(text: str, came: GrowingText, at: int) -> tuple[int, int] | None:
    """Where `text` begins and ends that came, from the place `at` on; None where another one came there."""
    if came.between(at, at + len(text)) == text:
        return at, at + len(text)
    solid, begun = _solid(text), at + _blanks(came, at)
    near = came.between(begun, begun + 4 * len(text) + _MOST_BLANKS)
    if not near or not _solid(near).startswith(solid):
        return None
    return begun - (len(text) - len(text.lstrip())), begun + _after(near, len(solid))


def is_at(text: str, came: GrowingText, at: int) -> int | None:
    """Where `text` ends as it is, from the place `at` on, with the blanks after it; else None."""
    said, begun = text.strip(), at + _blanks(came, at)
    end = begun + len(said)
    return end + _blanks(came, end) if said and came.between(begun, end) == said else None


def rest_of(text: str, came: GrowingText, at: int) -> str | None:
    """What `text` has after all that came from the place `at` on; None where it does not begin with that."""
    if came.length - at > 4 * len(text) + _MOST_BLANKS:
        return None
    said = _solid(came.between(at, came.length))
    if not said:
        return text
    return text[_after(text, len(said)) :] if _solid(text).startswith(said) else None


def has_words_of(text: str, came: GrowingText, at: int) -> bool:
    """Whether all words of `text` came from the place `at` on, in a text of about its length."""
    if came.length - at > 2 * len(text) + _MOST_BLANKS:
        return False
    words = Counter(_WORD.findall(text))
    return bool(words) and words <= Counter(_WORD.findall(came.between(at, came.length)))


def _blanks(came: GrowingText, at: int) -> int:
    near = came.between(at, at + _MOST_BLANKS)
    return len(near) - len(near.lstrip())


def _solid(text: str) -> bytes:
    return "".join(text.split()).encode("utf-16-le", "surrogatepass")


def _after(text: str, size: int) -> int:
    """The place in `text` after so many bytes of what `_solid` makes of it."""
    at = 0
    for at, character in enumerate(text, 1):
        if size <= 0:
            return at - 1
        if not character.isspace():
            size -= 4 if character > "\uffff" else 2
    return at
