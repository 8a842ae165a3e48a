"""Where the brackets of a text stand in it, so that a copy of the text can have numbers in their place.

What markdown-it reads of a paragraph has lost what stands before each of its lines (the marks of lists and quotes), and
that of a table's cell the backslashes before pipes. Each line is found again in its own line of the text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from markdown_it.rules_core import StateCore

from chat_ui.rendering.citations.citation_forms import RAW_BRACKET
from chat_ui.rendering.html.parts import Span
from chat_ui.rendering.markdown.token_html import PARSING, Parsing

_CELLS = ("td_open", "th_open")


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
        if token.type not in ("inline", "html_block") or not token.map:
            continue
        content = token.content
        is_cell = state.tokens[index - 1].type in _CELLS
        cited = [child for child in token.children or () if child.type == "citation"]
        if token.type == "inline":
            spans = [(child.meta["offset"], child.meta["offset"] + len(child.content)) for child in cited]
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
