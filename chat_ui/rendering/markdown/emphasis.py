"""Emphasis by CommonMark's rules for runs of marks, in a finished and in a growing text.

The rules are amended for scripts without spaces or case, after the specification of `markdown-cjk-friendly`. Next to
such a letter, or to wide punctuation, marks of `*` and `~` open and close emphasis regardless of their other side.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import Final

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace

_OPEN_RUNS: Final = 20
"""Open runs of marks that are looked at, innermost first: those around them are text until they close."""
_FIRST_WITHOUT_CASE: Final = "\u0590"
_WIDE_QUOTE: Final = "\ufe01"
"""Makes the quotation mark before it as wide as an ideograph."""


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run of marks that opens emphasis: its length as written, the number of open ones, and the run around it."""

    character: str
    start: int
    length: int
    open: int
    can_close: bool
    outer: OpenRun | None

    def is_closed_by(self, character: str, length: int, can_open: bool) -> bool:
        """Whether a run that can close emphasis closes this one, with CommonMark's rule of three."""
        is_odd = character != "~" and (self.can_close or can_open) and (self.length + length) % 3 == 0
        return character == self.character and (not is_odd or length % 3 == 0)


def close_emphasis(
    emphasis: OpenRun | None, character: str, length: int, count: int, *, can_open: bool
) -> tuple[OpenRun | None, int]:
    """Close emphasis with `count` marks of a run, innermost first: the new open run, and the marks left."""
    run, reach = emphasis, _OPEN_RUNS
    while count and run and reach:
        if run.is_closed_by(character, length, can_open):
            used = min(run.open, count, 2)
            count -= used
            emphasis = run = replace(run, open=run.open - used) if run.open > used else run.outer
        else:
            run, reach = run.outer, reach - 1
    return emphasis, count


def with_closed_emphasis(text: str, emphasis: OpenRun | None) -> str:
    """`text` with the emphasis closed that is open at its end; marks at the end are left out."""
    text = text.rstrip()
    run = emphasis
    while run and run.start + run.length >= len(text):
        text, run = text[: run.start + run.length - run.open].rstrip(), run.outer
    # A bare URL would take the following marks, and the marks of one run those of the next.
    closing = [""] if run and "://" in text[max(text.rfind(" "), text.rfind("\n")) + 1 :] else []
    while run and len(closing) < _OPEN_RUNS:
        closing.append(run.character * run.open)
        run = run.outer
    return text + "<wbr>".join(closing)


def flanks(text: str, start: int, end: int, most: int) -> tuple[bool, bool]:
    """Whether the run of marks from `start` to `end` can open and can close emphasis in `text` up to `most`."""
    first = start
    while first and _is_selector(text[first - 1]):
        first -= 1
    before = text[first - 1] if first else " "
    after = text[end] if end < most else " "
    space_before, space_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
    sign_before, sign_after = _is_punctuation(before), _is_punctuation(after)
    is_left = not space_after and (not sign_after or space_before or sign_before)
    is_right = not space_before and (not sign_before or space_after or sign_after)
    if text[start] == "_":
        return is_left and (not is_right or sign_before), is_right and (not is_left or sign_after)
    is_amended = _needs_no_space(before) or _needs_no_space(after) or text[start - 1 : start] == _WIDE_QUOTE
    return is_left or (is_amended and not space_after), is_right or (is_amended and not space_before)


def _is_punctuation(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


def _is_selector(character: str) -> bool:
    """Whether a character only selects the look of the one before it."""
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _needs_no_space(character: str) -> bool:
    """Whether a character needs no space beside it: a letter without case, or a wide one except emoji."""
    if character < _FIRST_WITHOUT_CASE:
        return False
    category = unicodedata.category(character)
    if category in ("Lo", "Mc", "Mn"):
        return True
    is_symbol = category in ("So", "Sk") and not "\u2e80" <= character <= "\uffff"
    return not is_symbol and unicodedata.east_asian_width(character) in ("W", "F", "H")


def run_length(text: str, start: int) -> int:
    """The number of equal characters from `start` on."""
    end = start
    while end < len(text) and text[end] == text[start]:
        end += 1
    return end - start
