"""The growing end of a block's safe HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)(?:\"[^\"]*\"|[^\">])*>")
_VOID = frozenset(str.split("br col hr img input wbr"))


@dataclass(frozen=True, slots=True)
class Element:
    """An element of balanced HTML: its name, and the positions of its start tag and of its content."""

    name: str
    start: int
    content: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """Balanced HTML from `start` to `end`, `depth` elements down."""

    depth: int
    start: int
    end: int


def last_elements(html: str) -> list[Element]:
    """The last element of balanced HTML, the last element in that one, and so on."""
    chain: list[Element] = []
    depth = 0
    for tag in _TAG.finditer(html):
        if tag.group(1):
            depth -= 1
            continue
        del chain[depth:]
        chain.append(Element(tag.group(2), tag.start(), tag.end()))
        if tag.group(2) not in _VOID:
            depth += 1
    return chain


def fragments(html: str, depth: int) -> list[Fragment]:
    """The rest of balanced HTML, which begins `depth` elements down, cut at the ends of those elements.

    The first fragment may be empty, and other empty ones are left out.
    """
    found: list[Fragment] = []
    start = inside = 0
    if depth:
        for tag in _TAG.finditer(html):
            if not tag.group(1):
                inside += tag.group(2) not in _VOID
            elif inside:
                inside -= 1
            else:
                if not found or tag.start() > start:
                    found.append(Fragment(depth, start, tag.start()))
                depth -= 1
                start = tag.end()
    if not found or start < len(html):
        found.append(Fragment(depth, start, len(html)))
    return found
