"""Where the brackets of a text stand in it, so that a copy of the text can have numbers in their place; and citations
that came beside the text, put where they stand in it.

What markdown-it reads of a paragraph has lost what stands before each of its lines (the marks of lists and quotes), and
that of a table's cell the backslashes before pipes. Each line is found again in its own line of the text.

Blocks are read without citations, which change none of them: a placeholder for each is put into what is read of its
paragraph, before that is read. One that stands before the first word of a paragraph is of what is before it, and one
within an address or a tag comes after that. One in code without a paragraph, or in a formula, comes after it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from chat_ui.protocol.answers.placed_citation import PlacedCitation, with_citations
from chat_ui.rendering.citations.citation_forms import RAW_BRACKET
from chat_ui.rendering.html.parts import Span
from chat_ui.rendering.html.placeholders import PLACEHOLDER, CitationMark
from chat_ui.rendering.markdown.token_html import PARSING, Parsing

_CELLS = ("td_open", "th_open")
_WITH_TEXT = ("inline", "html_block")
_HOLDERS: Final = frozenset({*_WITH_TEXT, "fence", "code_block", "math_block"})
_LONGEST_TAG: Final = 2_000
_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]*>")
_IN_ADDRESS: Final = re.compile(r"(?:\]\(|[a-z]+://)[^\s<>()]*\Z")
_REST_OF_ADDRESS: Final = re.compile(r"[^\s<>()]*(?:\s+\"[^\"\n]*\")?")


def note_places(state: StateCore) -> None:
    """The core rule that gives each citation its `place` in the text, and each raw text the `places` of its opening
    brackets, in `meta`, where brackets are to be placed.

    A bracket's place is None where its line is not found.
    """
    parsing: Parsing = state.env[PARSING]
    if not parsing.placed:
        return
    starts = _line_starts(state.src)
    cursor = 0
    for index, token in enumerate(state.tokens):
        if token.type not in _WITH_TEXT or not token.map:
            continue
        content = token.meta.get("written", token.content)
        is_cell = state.tokens[index - 1].type in _CELLS
        cited = [child for child in token.children or () if child.type == "citation"]
        if token.type == "inline":
            offsets = ((child.meta["offset"], len(child.content)) for child in cited)
            spans = [(_written(start, token), _written(start + length, token)) for start, length in offsets]
        else:
            spans = [bracket.span() for bracket in RAW_BRACKET.finditer(content)]
        if not spans and not is_cell:
            continue
        if is_cell and "|" in content:
            spans = list(_before_escaped_pipes(content, spans))
            content = content.replace("|", "\\|")
        lines, cursor = _found_lines(state.src, content, starts, token.map, cursor)
        places = _places(content, spans, lines) if spans else []
        if token.type == "inline":
            for child, place in zip(cited, places, strict=True):
                child.meta["place"] = place
        else:
            token.meta["places"] = places


def _line_starts(text: str) -> list[int]:
    """Where each line begins, and where one after the last would."""
    return list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))


def _before_escaped_pipes(content: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans, in order, as they are once a backslash stands before each pipe."""
    pipes = last = 0
    for start, end in spans:
        pipes += content.count("|", last, start)
        within = content.count("|", start, end)
        yield start + pipes, end + pipes + within
        pipes, last = pipes + within, end


def _found_lines(
    text: str, content: str, starts: Sequence[int], within: Sequence[int], cursor: int
) -> tuple[list[int | None], int]:
    """Where each line of `content` stands in the text, after `cursor` and `within` two of its lines; and where the last
    of them ends.
    """
    lines = content.split("\n")
    found: list[int | None] = []
    # Lines of Unicode's white space alone begin a paragraph, and markdown-it strips them from its content.
    first, end = within
    begins = text.find(lines[0].lstrip(), max(cursor, starts[first]), starts[end])
    for number, line in enumerate(lines, max(first, bisect_right(starts, begins) - 1)):
        words = line.lstrip()
        place = text.find(words, max(cursor, starts[number]), starts[number + 1]) if number + 1 < len(starts) else -1
        found.append(place - (len(line) - len(words)) if place >= 0 else None)
        if place >= 0:
            cursor = place + len(words)
    return found, cursor


def _places(content: str, spans: Iterable[Span], lines: Sequence[int | None]) -> list[Span | None]:
    """The spans of `content` as spans of the text in which its lines stand."""
    starts = _line_starts(content) if len(lines) > 1 else [0]
    places: list[Span | None] = []
    for start, end in spans:
        number = bisect_right(starts, start) - 1
        line = lines[number]
        places.append(None if line is None else (line + start - starts[number], line + end - starts[number]))
    return places


def put_citations(state: StateCore) -> None:
    """The core rule that puts a placeholder where each citation stands that came beside the text."""
    parsing: Parsing = state.env[PARSING]
    holders = list(_holders(state)) if parsing.citations else []
    if not holders:
        return
    begins = [holder.begin for holder in holders]
    held: dict[int, list[PlacedCitation]] = {}
    for citation in parsing.citations:
        held.setdefault(max(0, bisect_left(begins, citation.end) - 1), []).append(citation)
    for number, citations in held.items():
        _put(holders[number], citations, state.src, parsing)


@dataclass(frozen=True, slots=True)
class _Holder:
    """A token that a citation may stand in, its content as it is written in the text, and where the first word and each
    line of that stand there.
    """

    token: Token
    written: str
    begin: int
    lines: Sequence[int | None]
    is_cell: bool

    def within(self, citation: PlacedCitation, text: str, starts: Sequence[int]) -> tuple[PlacedCitation, Span | None]:
        """The citation with its place in the content, whose lines begin at `starts`; and that in the text, if known."""
        line = max((at for at, begin in enumerate(self.lines) if begin is not None and begin < citation.end), default=0)
        begin, first = self.lines[line], starts[line]
        length = starts[line + 1] - 1 - first
        end = first + (length if begin is None else max(0, min(citation.end - begin, length)))
        start = end - (citation.end - citation.start)
        if start < first or self.written[start:end] != text[citation.start : citation.end]:
            start = end
        if start == end:
            start = end = _outside(self.written, end)
        place = None if begin is None else (begin + start - first, begin + end - first)
        if self.is_cell:
            start, end = (at - self.written.count("\\|", 0, at) for at in (start, end))
        return replace(citation, start=start, end=end), place


def _holders(state: StateCore) -> Iterator[_Holder]:
    starts = _line_starts(state.src)
    cursor = 0
    for index, token in enumerate(state.tokens):
        if token.type in _HOLDERS and token.map:
            is_cell = state.tokens[index - 1].type in _CELLS
            written = token.content.replace("|", "\\|") if is_cell else token.content
            begin = starts[token.map[0]]
            lines: list[int | None] = [begin]
            if token.type in _WITH_TEXT:
                lines, cursor = _found_lines(state.src, written, starts, token.map, cursor)
            yield _Holder(token, written, next((line for line in lines if line is not None), begin), lines, is_cell)


def _put(holder: _Holder, citations: Iterable[PlacedCitation], text: str, parsing: Parsing) -> None:
    """Put placeholders into what is read of a block, or beside it where that has no text."""
    token = holder.token
    if token.type not in _WITH_TEXT:
        marks = (CitationMark((parsing.sources.resolve_told(one.label),), "", space="") for one in citations)
        token.meta["cited"] = [parsing.place(mark) for mark in marks]
        return
    starts = _line_starts(holder.written)
    found = (holder.within(citation, text, starts) for citation in citations)
    ordered = sorted(found, key=lambda one: (one[0].start, one[0].end))
    written, within = token.content, [citation for citation, _ in ordered]

    def write(index: int, space: str) -> str:
        match = parsing.sources.resolve_told(within[index].label)
        return parsing.place(CitationMark((match,), "", ordered[index][1] if parsing.placed else None, space))

    token.content = with_citations(written, within, write)
    ends = [mark.end() for mark in PLACEHOLDER.finditer(token.content)]
    after = list(accumulate((citation.end for citation in within), max))
    token.meta |= {"written": written, "marked": token.content, "after": (ends, after)}


def _written(offset: int, token: Token) -> int:
    """Where an offset in what was read of a block is in it without placeholders."""
    ends, after = token.meta.get("after", ((), ()))
    index = bisect_right(ends, offset) - 1
    return after[index] + offset - ends[index] if index >= 0 else offset


def take_back_citations(state: StateCore) -> None:
    """The core rule that takes the placeholders out of what was read, unless its half-typed end was mended."""
    for token in state.tokens if state.env[PARSING].citations else ():
        if token.type == "inline" and token.content == token.meta.get("marked"):
            token.content = token.meta["written"]


def _outside(content: str, place: int) -> int:
    """The place, or where the address or the tag ends that it is in."""
    near = max(0, place - _LONGEST_TAG)
    opening = content.rfind("<", near, place)
    tag = _TAG.match(content, opening) if opening >= 0 else None
    if tag and tag.end() > place:
        return tag.end()
    address, rest = _IN_ADDRESS.search(content[near:place]), _REST_OF_ADDRESS.match(content, place)
    if address is None or rest is None:
        return place
    return rest.end() + (address[0].startswith("](") and content.startswith(")", rest.end()))
