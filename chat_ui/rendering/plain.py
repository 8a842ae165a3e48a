"""An answer as text: Markdown with numbered references to take along, and the words of its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape

from markdown_it.token import Token

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import Citation, Match, SourceIndex
from chat_ui.rendering.html.links import link_href
from chat_ui.rendering.html.parts import html_without_buttons
from chat_ui.rendering.markdown.markdown import Definitions, parse
from chat_ui.rendering.markdown.token_html import Parsing

_TAG = re.compile(r"<(?:\"[^\"]*\"|[^\"<>])*>")
_IN_BRACKETS = str.maketrans({"<": "%3C", ">": "%3E"})
_BRACKET = re.compile(r"\[([^\[\]]+)\]")


def copy_markdown(
    text: str, rendered: RenderedAnswer, data_points: Sequence[DataPoint], *, with_citations: bool = True
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


def copy_html(rendered: RenderedAnswer, data_points: Sequence[DataPoint]) -> str:
    """The answer as rich text: its citations as `[1]`, a list of references at its end, and no controls."""
    parts = (part for block in rendered.blocks for part in block.parts)
    body = html_without_buttons(parts, lambda citation, _: f"<sup>[{citation.number}]</sup>", with_languages=False)
    return f"{body}{references_html(rendered, data_points)}"


def references_html(rendered: RenderedAnswer, data_points: Sequence[DataPoint]) -> str:
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
