"""The ends of links' addresses, in the text and in brackets, and of their labels.

linkify-it ends a bare URL at white space and some of ASCII's punctuation. Here it also ends at the punctuation, symbols
and invisible characters of all other scripts, and at marks of emphasis. A letter without case after one of ASCII, such
as a particle of Korean, ends it too. Copied addresses have these encoded.

CommonMark ends an address in brackets at a space, and then takes all of it for text unless a title or the end of the
link follows. Here the address of a web page with a path goes on up to its closing bracket or its title, as SharePoint
writes addresses.
"""

from __future__ import annotations

import re
import unicodedata
from types import SimpleNamespace
from typing import Final

from linkify_it import LinkifyIt
from markdown_it.common.utils import unescapeAll
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.helpers.parse_link_destination import _Result
from markdown_it.rules_inline import StateInline

MAX_URL: Final = 2_000

_MAY_END: Final = re.compile(r"\*\*|~~|[^\w\x00-\x7f]|(?<=[A-Za-z0-9])[^\W\x00-\u058f]")
_JOINS: Final = re.compile(r"(?<=\w)[·‧・･‐‑–־׳״](?=\w)|(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\W\x00-\x7f])")
"""Characters inside a word or name: a dot, a hyphen, and between letters that are not ASCII a joiner."""
_BEGINNING: Final = r"https?://[^\s<>()/]+/"
_SPACED: Final = re.compile(
    rf"(?P<address>{_BEGINNING}(?:(?!://)(?:\\[()]|[^\n<>()]|\([^\n<>()]{{0,200}}\))){{1,2000}}?)"
    r"(?:[ \t]+(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'))?[ \t]*\)",
    re.IGNORECASE,
)
_CITED: Final = re.compile(
    r"(?:\[(?:(?:\^|doc)?\d{1,4}|[^\[\]]{1,500}\.[A-Za-z][A-Za-z0-9]{1,4}(?:#[^\[\]]{0,200})?)\])+\Z"
)
"""Brackets at the end of a URL that cite a number or a file: addresses do not end with one."""
_SPACE: Final = re.compile(r"\s+")
_END: Final = re.compile(r"\s*\)")
HALF_SPACED: Final = re.compile(rf"\(\s*{_BEGINNING}(?:(?!://)[^\n<>]){{0,2000}}", re.IGNORECASE)
"""The beginning of such an address, after its opening bracket."""

_LABEL_STEPS: Final = 10
"""Steps for each character of a piece of text in the search for the ends of its brackets."""
_FEWEST_STEPS: Final = 1_000
_STEPS_TAKEN: Final = -1
"""The key of the number of steps in a state's cache, whose other keys are positions."""


def url_end(text: str, start: int) -> int:
    """The last possible end of a bare URL that begins before `start`."""
    most = min(len(text), start + MAX_URL)
    for found in _MAY_END.finditer(text, start, most):
        kind = unicodedata.category(found.group()[0])
        is_in_word = kind[0] in "LMN" and kind != "Lo"
        if not is_in_word and not _JOINS.match(text, found.start()):
            return found.start()
    return most


class CompleteUrls(LinkifyIt):  # type: ignore[misc]
    """Links only text that begins with a scheme."""

    def pretest(self, text: str) -> bool:
        """Whether `text` may have a link. The library's own expression also looks for unlinked text, at a fifth of the
        cost of an answer. An expression for the schemes is twenty times as slow as this.
        """
        return "//" in text or "mailto:" in text.lower()

    def test_schema_at(self, text: str, name: str, position: int) -> int:
        """The length of the link after a scheme; 0 for too long and missing ones."""
        start = max(0, position - len("://"))
        length = int(super().test_schema_at(text[start : url_end(text, position)], name, position - start))
        cited = _CITED.search(text, position, position + length)
        if cited:
            length = cited.start() - position
        return length if length < MAX_URL else 0


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


def link_label(state: StateInline, start: int, disableNested: bool = False) -> int:  # noqa: N803 - markdown-it's name
    """The end of a link's label that begins at `start`; -1 without an end.

    The library searches all of the text after each opening bracket. Here the steps for all brackets of one text are in
    proportion to its length, and further brackets are text.
    """
    end, level, before = -1, 1, state.pos
    steps = state.cache.get(_STEPS_TAKEN, 0)
    most = _FEWEST_STEPS + _LABEL_STEPS * len(state.src)
    state.pos = start + 1
    while state.pos < state.posMax and steps < most:
        steps += 1
        position = state.pos
        marker = state.src[position]
        if marker == "]":
            level -= 1
            if level == 0:
                end = position
                break
        state.md.inline.skipToken(state)
        if marker == "[":
            if state.pos == position + 1:
                level += 1
            elif disableNested:
                break
    state.pos = before
    state.cache[_STEPS_TAKEN] = max(steps, state.cache.get(_STEPS_TAKEN, 0))
    return end


HELPERS: Final = SimpleNamespace(
    parseLinkLabel=link_label, parseLinkDestination=link_destination, parseLinkTitle=parseLinkTitle
)
"""markdown-it's helpers for the parts of a link."""
