"""Placeholders in HTML that is not safe yet: for our own controls, and for brackets that may be citations.

A placeholder is made of noncharacters (U+FDD0 to U+FDDF), as is the mark of foreign tags (U+FDE0). They are taken out
of every input, so nothing that a backend sends can stand for a control.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from chat_ui.protocol.answers.markup import FOREIGN, foreign
from chat_ui.rendering.citations.citation_forms import RAW_BRACKET
from chat_ui.rendering.citations.citations import MAX_LABEL, Match
from chat_ui.rendering.html.links import OVERRIDES
from chat_ui.rendering.html.parts import Span, Widget

OPEN, CLOSE, RAW_OPEN, RAW_CLOSE = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
"""Around a control's index; and what a square bracket inside raw HTML is while the rest is decided."""
_RAW_DIGITS = "\ufdd4\ufdd5\ufdd6\ufdd7\ufdd8\ufdd9\ufdda\ufddb\ufddc\ufddd"
"""Digits of the index of such a bracket's place, after the bracket that opens."""
_FORM_OPEN, _FORM_CLOSE = "\ufdde", "\ufddf"
"""Around another form of citations inside raw HTML; the index of its place follows the first."""

_RESERVED = re.compile(f"[\ufdd0-\ufddf{FOREIGN}]")
_RAW_START = re.compile(f"[{RAW_OPEN}{_FORM_OPEN}]")
_AS_RAW_DIGITS = str.maketrans("0123456789", _RAW_DIGITS)
_FROM_RAW_DIGITS = str.maketrans(_RAW_DIGITS, "0123456789")
_NUMERIC_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?")
_MASK = str.maketrans({"[": RAW_OPEN, "]": RAW_CLOSE})
_UNMASKED = {
    **str.maketrans(
        {
            RAW_OPEN: "[",
            RAW_CLOSE: "]",
            OPEN: None,
            CLOSE: None,
            _FORM_OPEN: None,
            _FORM_CLOSE: None,
            **dict.fromkeys(_RAW_DIGITS),
        }
    ),
    **OVERRIDES,
}

_RAW_LABEL = 4 * MAX_LABEL
PLACEHOLDER = re.compile(
    f"{OPEN}([0-9]+){CLOSE}|{RAW_OPEN}([{_RAW_DIGITS}]*+)([^{RAW_OPEN}{RAW_CLOSE}]{{1,{_RAW_LABEL}}}){RAW_CLOSE}"
    f"|{_FORM_OPEN}([{_RAW_DIGITS}]*+)([^{_FORM_OPEN}{_FORM_CLOSE}]{{1,{_RAW_LABEL}}}){_FORM_CLOSE}"
)
"""A control, by its index; a square bracket of raw HTML, by the index of its place, if any, and what stands in it; or
another form of citations there, whole, likewise.
"""


@dataclass(frozen=True, slots=True)
class Control:
    """Trusted HTML of our own for one placeholder, in parts, and the `text` it stands for where text is read."""

    parts: tuple[str | Widget, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A bracket that is a citation: what it refers to, the bracket as it was written, and where, if that is known."""

    matches: tuple[Match, ...]
    source: str
    place: Span | None = None


def strip_reserved(text: str) -> str:
    """The text without the noncharacters that placeholders are made of."""
    return _RESERVED.sub("", text)


def mask_brackets(text: str) -> str:
    """Text with its brackets kept for citations."""
    pieces: list[str] = []
    position = 0
    for bracket in RAW_BRACKET.finditer(text):
        found = bracket.group()
        masked = found.translate(_MASK) if found[0] == "[" else f"{_FORM_OPEN}{found}{_FORM_CLOSE}"
        pieces += [text[position : bracket.start()].translate(_MASK), masked]
        position = bracket.end()
    return "".join((*pieces, text[position:].translate(_MASK)))


def mask_raw_html(html: str, *, brackets: bool) -> str:
    """Raw HTML as foreign, unable to name a placeholder; `brackets` keeps its brackets for citations.

    A replacement character stands for each reference to a noncharacter: without it, what stands on its two sides could
    be one more.
    """

    def reference(match: re.Match[str]) -> str:
        digits = match.group(1) or match.group(2)
        if len(digits) > 8:
            return "\ufffd"
        code = int(digits, 16 if match.group(1) else 10)
        return "\ufffd" if 0xFDD0 <= code <= 0xFDEF else match.group(0)

    html = foreign(_NUMERIC_REFERENCE.sub(reference, html))
    return mask_brackets(html) if brackets else html


def number_raw_brackets(masked: str, first: int) -> str:
    """Masked HTML in which each bracket that opens has the index of its place, counted from `first`."""
    index = count(first)
    return _RAW_START.sub(lambda start: start.group() + str(next(index)).translate(_AS_RAW_DIGITS), masked)


def unmasked(text: str) -> str:
    """The text with its square brackets, without what else placeholders are made of, and without overrides."""
    return text.translate(_UNMASKED)


def raw_place(number: str, places: Sequence[Span | None]) -> Span | None:
    """The place of a bracket of raw HTML, by the number that its placeholder has."""
    return places[int(number.translate(_FROM_RAW_DIGITS))] if number else None
