"""Links and images with a source of the answer as their target, which cite it.

`[the handbook](handbook.pdf#page=3)` is its words and a citation; `[1](a.pdf)` and `[a.pdf](a.pdf)` are only the
citation. A link to the address of a source stays a link, with the citation after it, and an image of a source is its
picture.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from markdown_it.common.utils import unescapeAll
from markdown_it.rules_inline import StateInline, image, link

from chat_ui.rendering.citations.brackets import bare_name
from chat_ui.rendering.citations.citations import Match, SourceIndex
from chat_ui.rendering.citations.source_names import NUMBER, URL, last_part, normalized, source_name
from chat_ui.rendering.html.image_html import image_part
from chat_ui.rendering.html.placeholders import Control
from chat_ui.rendering.markdown.token_html import PARSING, Parsing

_TARGET: Final = re.compile(
    r"\(\s*(?:<(?P<angle>[^<>\n]{1,2000})>|(?P<plain>(?:\\[()]|[^\n<>()]|\([^\n<>()]{0,200}\)){1,2000}?))"
    r"(?:\s+(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?\s*\)"
)
_FOLLOWING: Final = re.compile(r"\)?\s?\[([^\[\]\n]{1,1500})\]")
_MARKS: Final = "*_`[]^ "
_BRACKET: Final = re.compile(r"[\[\]]")

MAX_NESTED_BRACKETS: Final = 4
"""Brackets inside one that may still be a citation: each is searched with its content."""


def linked_citation(state: StateInline, silent: bool) -> bool:
    """The inline rule."""
    start, text = state.pos, state.src
    is_image = text.startswith("![", start)
    if silent or state.linkLevel > 0 or not (is_image or text[start] == "["):
        return False
    opening = start + is_image
    closing = closing_brackets(text).get(opening, -1)
    target = _TARGET.match(text, closing + 1, state.posMax) if closing > 0 else None
    if target is None:
        return False
    parsing: Parsing = state.env[PARSING]
    address = unescapeAll((target["angle"] or target["plain"]).strip())
    label = unescapeAll(text[opening + 1 : closing])
    match = target_match(parsing.sources, address, label)
    if match is None or state.md.helpers.parseLinkLabel(state, opening, not is_image) != closing:
        return False
    is_url = URL.fullmatch(address) is not None
    point = parsing.sources.points[match.data_point or 0]
    is_alone = not is_image and _is_name(label, address, point.id)
    if is_image and point.image:
        picture = image_part(point.image, label)
        state.push("control", "", 0).content = parsing.place(Control((picture,), label))
    elif not is_alone and not (is_url and (image if is_image else link)(state, False)):
        read_within(state, opening + 1, closing)
    state.pos = max(state.pos, target.end())
    if not _cited_next(state, parsing, match):
        token = state.push("citation", "", 0)
        token.content = text[start : state.pos] if is_alone else ""
        token.meta = {"matches": (match,), "span": (start if is_alone else state.pos, state.pos)}
    return True


def target_match(sources: SourceIndex, address: str, label: str) -> Match | None:
    """The source at the `address` of a link; None without one, or if the label is another's number."""
    number = bare_name(label.strip(_MARKS))
    if URL.match(address) and NUMBER.fullmatch(number):
        return sources.resolve_link(number, address)
    if NUMBER.fullmatch(address):
        return None
    matches = sources.resolve_known(address)
    if not matches and "/" in address and not URL.match(address):
        matches = tuple(
            match
            for match in sources.resolve_known(address.rpartition("/")[2])
            if "/" not in source_name(match.label).document
        )
    return matches[0] if len(matches) == 1 else None


def _is_name(label: str, address: str, source: str) -> bool:
    """Whether a label is a number, or only the name of the link's document."""
    name = normalized(bare_name(label.strip(_MARKS)))
    document = source_name(address).document
    names = (address, document, last_part(document) or document, source)
    return not name or NUMBER.fullmatch(name) is not None or name in map(normalized, names)


def read_within(state: StateInline, start: int, end: int) -> None:
    """Read the Markdown between two places of a paragraph."""
    most, state.pos, state.posMax = state.posMax, start, end
    state.md.inline.tokenize(state)
    state.posMax = most


def _cited_next(state: StateInline, parsing: Parsing, match: Match) -> bool:
    """Whether the same citation follows, as in answers with annotations: a bracket, or one beside the text."""
    following = _FOLLOWING.match(state.src, state.pos, state.posMax)
    cited = parsing.sources.resolve(unescapeAll(following[1])) if following else ()
    beside = (one.match for one in parsing.waiting[-1:] if one.start <= state.pos + 2)
    return any(one.key == match.key for one in (*cited, *beside))


@lru_cache(maxsize=8)
def closing_brackets(text: str) -> dict[int, int]:
    """The index at which each bracket of `text` closes, by its opening index, without too nested ones."""
    closing: dict[int, int] = {}
    # Of each open bracket: its index, and the number of inner ones.
    still_open: list[list[int]] = []
    for bracket in _BRACKET.finditer(text):
        if bracket.group() == "[":
            still_open.append([bracket.start(), 0])
        elif still_open:
            start, inside = still_open.pop()
            if inside <= MAX_NESTED_BRACKETS:
                closing[start] = bracket.start()
            if still_open:
                still_open[-1][1] += inside + 1
    return closing
