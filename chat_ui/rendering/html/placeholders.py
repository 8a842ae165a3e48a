"""Placeholders in HTML that is not safe yet, for our own controls and possible citations in raw HTML.

A placeholder is the index of a control between two noncharacters. All noncharacters from U+FDD0 to U+FDDF and the mark
of foreign tags (U+FDE0) are removed from every input, so a backend cannot forge a control.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chat_ui.protocol.answers.markup import FOREIGN, foreign
from chat_ui.rendering.citations.citations import Match
from chat_ui.rendering.html.parts import Span, Widget

OPEN, CLOSE = "\ufdd0", "\ufdd1"
PLACEHOLDER = re.compile(f"{OPEN}([0-9]+){CLOSE}")

_RESERVED = re.compile(f"[\ufdd0-\ufddf{FOREIGN}]")
_NUMERIC_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?")


@dataclass(frozen=True, slots=True)
class Control:
    """Trusted HTML of our own for one placeholder, in parts, and its `text` for readers of text."""

    parts: tuple[str | Widget, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A citing bracket: its matches, the bracket as written, and its place, if known.

    A bracket or another form in raw HTML lacks `matches` until the text before it is known: it may be text. Only a
    bracket has a `source`.
    """

    matches: tuple[Match, ...] | None
    source: str
    place: Span | None = None


def strip_reserved(text: str, instead: str = "") -> str:
    """The text without the noncharacters of placeholders."""
    return _RESERVED.sub(instead, text)


def foreign_html(html: str) -> str:
    """Raw HTML as foreign, unable to name a placeholder.

    A replacement character replaces each reference to a noncharacter: without it, the text on its two sides could form
    another one.
    """

    def reference(match: re.Match[str]) -> str:
        digits = match.group(1) or match.group(2)
        if len(digits) > 8:
            return "\ufffd"
        code = int(digits, 16 if match.group(1) else 10)
        return "\ufffd" if 0xFDD0 <= code <= 0xFDEF else match.group(0)

    return foreign(_NUMERIC_REFERENCE.sub(reference, html))
