"""Where the address of a link ends, in the text and in a link's brackets, and where its label does.

linkify-it ends a bare URL at white space and some of ASCII's punctuation. Here it ends as well at the punctuation,
symbols and invisible characters of all other scripts, at marks of emphasis, and before a letter without case that
follows one of ASCII, such as a particle of Korean. Addresses that are copied have these encoded.

CommonMark ends an address in brackets at a space, and what is then neither a title nor the end of the link makes all of
it text. Here the address of a web page that has a path goes on up to its closing bracket or its title, as SharePoint
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
"""Characters of a bare URL from which on it is text."""

_MAY_END: Final = re.compile(r"\*\*|~~|[^\w\x00-\x7f]|(?<=[A-Za-z0-9])[^\W\x00-\u058f]")
_JOINS: Final = re.compile(r"(?<=\w)[·‧・･‐‑–־׳״](?=\w)|(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\W\x00-\x7f])")
"""Stands inside a word or name: a dot, a hyphen, and between letters that are not ASCII a joiner."""
_BEGINNING: Final = r"https?://[^\s<>()/]+/"
_SPACED: Final = re.compile(
    rf"(?P<address>{_BEGINNING}(?:(?!://)(?:\\[()]|[^\n<>()]|\([^\n<>()]{{0,200}}\))){{1,2000}}?)"
    r"(?:[ \t]+(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'))?[ \t]*\)",
    re.IGNORECASE,
)
_CITED: Final = re.compile(
    r"(?:\[(?:(?:\^|doc)?\d{1,4}|[^\[\]]{1,500}\.[A-Za-z][A-Za-z0-9]{1,4}(?:#[^\[\]]{0,200})?)\])+\Z"
)
"""Brackets at the end of a URL that are citations of a number or a file: no address ends with one."""
_SPACE: Final = re.compile(r"\s+")
_END: Final = re.compile(r"\s*\)")
HALF_SPACED: Final = re.compile(rf"\(\s*{_BEGINNING}(?:(?!://)[^\n<>]){{0,2000}}", re.IGNORECASE)
"""The beginning of such an address, after its opening bracket."""

_LABEL_STEPS: Final = 10
"""Steps for each character of a piece of text in which the ends of its brackets are looked for."""
_FEWEST_STEPS: Final = 1_000
_STEPS_TAKEN: Final = -1
"""Where in a state's cache, which goes by position, the steps are counted."""


def url_end(text: str, start: int) -> int:
    """Where a bare URL that begins before `start` ends at the latest."""
    most = min(len(text), start + MAX_URL)
    for found in _MAY_END.finditer(text, start, most):
        kind = unicodedata.category(found.group()[0])
        is_in_word = kind[0] in "LMN" and kind != "Lo"
        if not is_in_word and not _JOINS.match(text, found.start()):
            return found.start()
    return most


class CompleteUrls(LinkifyIt):  # type: ignore[misc]
    """Links what begins with a scheme and nothing else."""

    def pretest(self, text: str) -> bool:
        """Whether `text` may hold a link. The library's own expression looks for what is not linked here as well, and
        was a fifth of the cost of an answer, and one for the schemes alone is twenty times as slow as this.
        """
        return "//" in text or "mailto:" in text.lower()

    def test_schema_at(self, text: str, name: str, position: int) -> int:
        """The length of the link after a scheme, 0 where there is none or it is too long to be one."""
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
    """Where the label of a link ends that begins at `start`; -1 where it does not end.

    The library looks through all that follows for each bracket that opens: here all brackets of one text together may
    take so many steps as are in proportion to its length, and brackets beyond are text.
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
"""What markdown-it's own rules find the parts of a link with."""
