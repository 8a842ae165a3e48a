"""Where the address of a link ends, also one with spaces in it, as SharePoint writes them.

CommonMark ends an address without angle brackets at a space, and what is then neither a title nor the end of the link
makes all of it text. Here the address of a web page that has a path goes on up to its closing bracket or its title.
"""

from __future__ import annotations

import re
from typing import Final

from markdown_it.common.utils import unescapeAll
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.helpers.parse_link_destination import _Result

_BEGINNING: Final = r"https?://[^\s<>()/]+/"
_SPACED: Final = re.compile(
    rf"(?P<address>{_BEGINNING}(?:(?!://)(?:\\[()]|[^\n<>()]|\([^\n<>()]{{0,200}}\))){{1,2000}}?)"
    r"(?:[ \t]+(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'))?[ \t]*\)",
    re.IGNORECASE,
)
_SPACE: Final = re.compile(r"\s+")
_END: Final = re.compile(r"\s*\)")
HALF_SPACED: Final = re.compile(rf"\(\s*{_BEGINNING}(?:(?!://)[^\n<>]){{0,2000}}", re.IGNORECASE)
"""The beginning of such an address, after its opening bracket."""


def link_destination(text: str, start: int, maximum: int) -> _Result:
    """The address that begins at `start`, as markdown-it's helper gives it."""
    result = parseLinkDestination(text, start, maximum)
    if result.ok and text[result.pos : result.pos + 1] == " " and not _titled(text, result.pos, maximum):
        spaced = _SPACED.match(text, start, maximum)
        if spaced:
            result.pos = spaced.end("address")
            result.str = unescapeAll(spaced["address"])
    return result


def _titled(text: str, start: int, maximum: int) -> bool:
    """Whether a title follows white space at `start` and ends the link."""
    space = _SPACE.match(text, start, maximum)
    title = parseLinkTitle(text, space.end(), maximum) if space else None
    return bool(title and title.ok and _END.match(text, title.pos, maximum))
