"""The places of brackets in a text, so that a copy can number them, and of citations beside the text in markdown-it's
content.

markdown-it's content of a paragraph lacks the beginnings of its lines (the marks of lists and quotes), and that of a
table's cell the backslashes before pipes. Each line is found again in its own line of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from chat_ui.protocol.answers.placed_citation import PlacedCitation, after_word, space_after
from chat_ui.rendering.citations.citation_forms import RAW_BRACKET
from chat_ui.rendering.html.parts import Span
from chat_ui.rendering.html.placeholders import CitationMark
from chat_ui.rendering.markdown.token_html import PARSING, Beside, Parsing

_CELLS = ("td_open", "th_open")
_WITH_TEXT = ("inline", "html_block")
_WITHOUT_TEXT = ("fence", "code_block", "math_block", "hr")
_COMPLETE: Final = re.compile(rf"<[^<>]*>|{RAW_BRACKET.pattern}", RAW_BRACKET.flags)
"""Parts of raw HTML without citations in them."""


def note_places(state: StateCore) -> None:
    """The core rule that notes, if brackets are to be placed, each citation's `place` in the text, and the `places` of
    each raw text's opening brackets in `meta`. An unknown place is None.
    """
    parsing: Parsing = state.env[PARSING]
    if not parsing.placed:
        return
    starts = _line_starts(state.src)
    cursor = 0
    for index, token in enumerate(state.tokens):
        if token.type not in _WITH_TEXT or not token.map:
            continue
        content = token.content
        is_cell = state.tokens[index - 1].type in _CELLS
        cited = [child for child in token.children or () if child.type == "citation"]
        if token.type == "inline":
            spans = [child.meta["span"] for child in cited]
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
    """The beginnings of the lines, and of one after the last."""
    return list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))


def _before_escaped_pipes(content: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans, in order, with a backslash before each pipe."""
    pipes = last = 0
    for start, end in spans:
        pipes += content.count("|", last, start)
        within = content.count("|", start, end)
        yield start + pipes, end + pipes + within
        pipes, last = pipes + within, end


def _found_lines(
    text: str, content: str, starts: Sequence[int], within: Sequence[int], cursor: int
) -> tuple[list[int | None], int]:
    """The beginnings of the lines of `content` after `cursor`, `within` two lines of the text, and their end."""
    lines = content.split("\n")
    found: list[int | None] = []
    # Lines of Unicode's white space may begin a paragraph, and markdown-it strips them from its content.
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
    """The spans of `content` as spans of the text around its lines."""
    starts = _line_starts(content) if len(lines) > 1 else [0]
    places: list[Span | None] = []
    for start, end in spans:
        number = bisect_right(starts, start) - 1
        line = lines[number]
        places.append(None if line is None else (line + start - starts[number], line + end - starts[number]))
    return places


class _Line(NamedTuple):
    """A line for the citations after the place `after`: its beginning in the text and in the content of its token, and
    its length. A cell's content lacks the backslashes before pipes; `cell` has them.
    """

    after: int
    begun: int
    token: Token
    start: int = 0
    length: int = 0
    cell: str = ""

    def beside(self, citation: PlacedCitation, end: int, parsing: Parsing) -> Beside:
        """A citation with this end in the text, in the content; at most at the end of the line."""
        last = min(end - self.begun, self.length)
        first = end - self.begun - (citation.end - citation.start)
        span = (max(0, last if first < 0 or first > last else first), max(0, last))
        start, stop = (self.start + at - self.cell.count("\\|", 0, self.start + at) for at in span)
        if start == stop:
            start = stop = after_word(self.token.content, stop)
        return Beside(parsing.sources.resolve_label(citation.label), start, stop, self.begun - self.start)


def note_beside(state: StateCore) -> None:
    """The core rule that gives each token the citations `beside` it, in `meta`, with their places in its content. Each
    is of the last line that begins before it, or of the first of its top-level block, which gets one if it lacks text.
    """
    parsing: Parsing = state.env[PARSING]
    end = parsing.begun + len(state.src)
    cited = [one for one in parsing.citations if parsing.cited_from < max(one.end, 1) <= end]
    if cited and not state.tokens and state.src.strip():
        # It defines only links.
        state.tokens += Token("paragraph_open", "p", 1, map=[0, 1]), Token("paragraph_close", "p", -1)
    lines = list(_lines(state)) if cited else []
    begins = [line.after for line in lines]
    for citation in cited if lines else ():
        place = citation.end - parsing.begun
        line = lines[max(0, bisect_left(begins, place) - 1)]
        line.token.meta.setdefault("beside", []).append(line.beside(citation, place, parsing))
    for token in state.tokens:
        if token.type == "html_block" and "beside" in token.meta:
            token.content = "".join(_marked(token.content, token.meta["beside"], parsing))


def _lines(state: StateCore) -> Iterator[_Line]:
    starts = _line_starts(state.src)
    cursor = 0
    block: int | None = None
    """The beginning of the top-level block without found lines."""
    for index, token in enumerate(state.tokens):
        if block is not None and token.nesting < 0:
            state.tokens.insert(index, Token("inline", "", 0, children=[]))
            yield _Line(block, block, state.tokens[index])
            block = None
        if token.level == 0 and token.map:
            block = starts[token.map[0]]
        if token.type in _WITHOUT_TEXT and token.map:
            yield _Line(starts[token.map[0]], starts[token.map[0]], token)
            block = None
        elif token.type in _WITH_TEXT and token.map:
            cell = token.content.replace("|", "\\|") if state.tokens[index - 1].type in _CELLS else ""
            content = cell or token.content
            found, cursor = _found_lines(state.src, content, starts, token.map, cursor)
            for begun, start, line in zip(found, _line_starts(content), content.split("\n"), strict=False):
                if begun is not None:
                    yield _Line(begun if block is None else block, begun, token, start, len(line), cell)
                    block = None


def _marked(html: str, beside: Iterable[Beside], parsing: Parsing) -> Iterator[str]:
    """Raw HTML with its citations, those within a tag or a bracket after it."""
    complete = [found.span() for found in _COMPLETE.finditer(html)]
    at = 0
    for one in beside:
        start, end = one.start, one.end
        index = bisect_left(complete, (end,)) - 1
        if index >= 0 and end < complete[index][1]:
            start = end = complete[index][1]
        before, at = html[at:start], max(at, end)
        mark = CitationMark((one.match,), "", (start + one.moved, end + one.moved))
        yield f"{before}{space_after(before)}{parsing.place(mark)}"
    yield html[at:]
