"""An answer as text: Markdown with numbered references to take along, and the words of its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape
from typing import Protocol

from markdown_it.token import Token

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.citations.citations import Citation, Match, SourceIndex
from chat_ui.rendering.html.links import link_href
from chat_ui.rendering.markdown.markdown import Definitions, parse
from chat_ui.rendering.markdown.token_html import Parsing

_BUTTON = re.compile(r"<button\b[^>]*>.*?</button>|<span class=\"code-language\">.*?</span>", re.DOTALL)
_CITATION = re.compile(r'<button type="button" class="citation[^>]*data-citation="(\d+)"[^>]*>.*?</button>', re.DOTALL)
_LINE_END = re.compile(r"</(?:p|h[1-6]|li|tr|blockquote|pre|dd|dt|summary|caption|figcaption|div)>|<(?:br|hr)\b[^>]*>")
_CELL_END = re.compile(r"</t[dh]>\s*(?=<t[dh])")
_TAG = re.compile(r"<(?:\"[^\"]*\"|[^\"<>])*>")
_SPACE = re.compile(r"\s+")
_LOOSE_STOP = re.compile(r" (?=[.,;:!?](?:\s|$))")
_IN_BRACKETS = str.maketrans({"<": "%3C", ">": "%3E"})
_BRACKET = re.compile(r"\[([^\[\]]+)\]")


class Rendered(Protocol):
    """What is known of a rendered answer's sources."""

    @property
    def citations(self) -> Sequence[Citation]:
        """The sources cited, in order of first use."""


class RenderedBlocks(Rendered, Protocol):
    """A rendered answer with its text."""

    @property
    def blocks(self) -> Sequence[str]:
        """Safe HTML of each top-level block."""


def copy_markdown(
    text: str, rendered: Rendered, data_points: Sequence[DataPoint], *, with_citations: bool = True
) -> str:
    """The answer's Markdown with its citations as `[1]`, and a list of what the numbers stand for at its end.

    `rendered` is the rendering of the same `text` over the same `data_points`. Without citations it is the text alone.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    numbers = {_key(citation): citation.number for citation in rendered.citations}
    pieces: list[str] = []
    position = 0
    for start, end, matches in _citation_places(text, SourceIndex(data_points)):
        known = [numbers[match.key] for match in matches if match.key in numbers]
        if len(known) != len(matches):
            continue
        before = text[position:start]
        if with_citations:
            pieces += [before, "".join(f"[{number}]" for number in known)]
        else:
            pieces.append(before.rstrip(" ") if before.strip() else before)
        position = end
    body = "".join(pieces) + text[position:]
    if not rendered.citations or not with_citations:
        return body
    references = "\n".join(_reference(citation, data_points) for citation in rendered.citations)
    return f"{body.rstrip()}\n\nReferences:\n\n{references}\n"


def copy_html(rendered: RenderedBlocks, data_points: Sequence[DataPoint]) -> str:
    """The answer as rich text: its citations as `[1]`, a list of references at its end, and no controls."""
    body = "".join(rendered.blocks)
    body = _BUTTON.sub("", _CITATION.sub(lambda button: f"<sup>[{button.group(1)}]</sup>", body))
    return f"{body}{references_html(rendered, data_points)}"


def references_html(rendered: Rendered, data_points: Sequence[DataPoint]) -> str:
    """What the numbers of the citations stand for, as a list; empty where nothing is cited."""
    items = "".join(f"<li>{escape(_reference(one, data_points).partition(' ')[2])}</li>" for one in rendered.citations)
    return f"<p><strong>References</strong></p><ol>{items}</ol>" if items else ""


def _key(citation: Citation) -> tuple[str, int | str]:
    return Match(citation.label, citation.data_point, citation.rule).key


def _reference(citation: Citation, data_points: Sequence[DataPoint]) -> str:
    if citation.data_point is None:
        return f"{citation.number}. {citation.label} (not found among the sources)"
    url = (link_href(data_points[citation.data_point].url or "") or "").translate(_IN_BRACKETS)
    return f"{citation.number}. {citation.label}" + (f" <{url}>" if url and url != citation.label else "")


def _citation_places(text: str, sources: SourceIndex) -> Iterator[tuple[int, int, tuple[Match, ...]]]:
    """Where the citations of `text` stand in it: start, end, and what each refers to, in order."""
    blocks = parse(text, Definitions(), Parsing(sources))
    line_starts = [0]
    for line in text.split("\n"):
        line_starts.append(line_starts[-1] + len(line) + 1)
    cursor = 0
    for block in blocks:
        for token in block.tokens:
            if token.map:
                cursor = max(cursor, line_starts[token.map[0]])
            if token.type not in ("inline", "html_block"):
                continue
            places = _lines_in(text, token.content, cursor)
            brackets = _inline_brackets(token) if token.type == "inline" else _raw_brackets(token, sources)
            for offset, source, matches in brackets:
                start = _position(token.content, places, offset)
                if start is not None and text.startswith(source, start):
                    yield start, start + len(source), matches
            if places:
                cursor = max(cursor, places[-1] + len(token.content.rpartition("\n")[2]))


def _lines_in(text: str, content: str, cursor: int) -> list[int]:
    """Where each line of a token's content stands in the text; empty when one is not there as it is."""
    places: list[int] = []
    for line in content.split("\n"):
        found = text.find(line, cursor)
        if found < 0:
            return []
        places.append(found)
        cursor = found + len(line)
    return places


def _position(content: str, places: Sequence[int], offset: int) -> int | None:
    if not places:
        return None
    line = content.count("\n", 0, offset)
    return places[line] + offset - (content.rfind("\n", 0, offset) + 1)


def _inline_brackets(token: Token) -> Iterator[tuple[int, str, tuple[Match, ...]]]:
    for child in token.children or ():
        if child.type == "citation":
            yield child.meta["offset"], child.content, child.meta["matches"]


def _raw_brackets(token: Token, sources: SourceIndex) -> Iterator[tuple[int, str, tuple[Match, ...]]]:
    without_tags = _TAG.sub(lambda tag: " " * len(tag.group()), token.content)
    cited_until = -1
    for bracket in _BRACKET.finditer(without_tags):
        before = without_tags[max(0, bracket.start() - 80) : bracket.start()]
        matches = sources.resolve(unescape(bracket.group(1)), "" if cited_until == bracket.start() else before)
        if matches:
            cited_until = bracket.end()
            yield bracket.start(), bracket.group(), matches


def plain_text(html: str) -> str:
    """The words of a rendered block, a line for each paragraph, item or row; controls say nothing."""
    html = _LINE_END.sub("\n", _CELL_END.sub(", ", _BUTTON.sub("", html)))
    lines = (_LOOSE_STOP.sub("", _SPACE.sub(" ", line)).strip() for line in unescape(_TAG.sub("", html)).split("\n"))
    return "\n".join(line for line in lines if line)
