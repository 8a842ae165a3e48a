"""A part of a document as safe HTML around the passage of a source, which is marked."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape, unescape
from itertools import accumulate, groupby, islice, takewhile
from typing import Final

from chat_ui.features.office.finding import Finder
from chat_ui.features.office.package import UNREADABLE
from chat_ui.features.office.text_blocks import Block
from chat_ui.languages.foreign_text import attributes_of
from chat_ui.languages.translation import gettext, gettext_html
from chat_ui.protocol.answers.place import Place
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.html.links import OVERRIDES
from chat_ui.rendering.html.parts import Span
from chat_ui.rendering.html.safe_html import cell_class
from chat_ui.rendering.panels.passages import cited_units
from chat_ui.rendering.panels.read_document import ReadDocument, Wanted

DAMAGED: Final = msg("This document cannot be shown here, because it is damaged, encrypted or too large.")
EMPTY: Final = msg("This document has no text that can be shown here.")
_AROUND: Final = 200_000
_AROUND_EXCERPT: Final = 4_000
_MOST_AROUND: Final = 2_500
"""Characters, those of an excerpt, and blocks that are shown before the passage, and as many after it begins."""
MAX_COLUMNS: Final = 100
"""Columns of a table that are shown."""
_MOST_UNITS: Final = 60
_LEAST_UNITS: Final = 4
_SEARCHED: Final = 60_000_000
"""Sentences of a passage that are looked for: fewer in a long document, but at least some, and characters in all."""
_MOST_HEADINGS: Final = 1_000
_HEADING: Final = 120
"""Headings in an outline, and characters of each."""
_LEVELS_ABOVE: Final = 2
"""Levels of headings above the document: the page's and the panel's."""


def shown_blocks(read: Callable[[bytes], list[Block]], data: bytes, is_kept: bool, wanted: Wanted) -> ReadDocument:
    """A document at its passage. `read` gives its blocks, or raises `UNREADABLE` errors."""
    try:
        # Plain tuples are pickled in a third of the time.
        blocks = [*map(Block._make, pickle.loads(data))] if is_kept else read(data)  # noqa: S301 - made below
    except UNREADABLE:
        return ReadDocument(problem=DAMAGED)
    if not blocks:
        return ReadDocument(problem=EMPTY)
    marks: dict[int, list[Span]] = {}
    named = _named(blocks, wanted.place)
    if wanted.block is None:
        found = marks_of(blocks[named.start : named.stop], wanted)
        marks = {named.start + index: spans for index, spans in found.items()}
    at = min(next(iter(marks), named.start) if wanted.block is None else wanted.block, len(blocks) - 1)
    outline = (
        (index, one.level, unescape(_title(one, escape(f"{one.number} {one.text}".strip()[:_HEADING]))))
        for index, one in enumerate(blocks)
        if one.kind == "heading"
    )
    kept = b"" if is_kept else pickle.dumps([*map(tuple, blocks)], pickle.HIGHEST_PROTOCOL)
    html = _html(blocks, at, marks, is_excerpt=wanted.is_excerpt)
    return ReadDocument(html, [*islice(outline, _MOST_HEADINGS)], kept=kept, at=at)


def _named(blocks: Sequence[Block], place: Place) -> range:
    """The blocks of a slide; all without that slide. The page of a presentation is its slide."""
    number = place.slide or place.page
    own = [index for index, block in enumerate(blocks) if number and block.slide == number]
    return range(own[0], own[-1] + 1) if own else range(len(blocks))


def marks_of(blocks: Sequence[Block], wanted: Wanted) -> dict[int, list[Span]]:
    """The marked parts of blocks, by their index; the cited sentence is first. None without a place for it."""
    passage, units = cited_units(wanted.passage, wanted.claim)
    finder = Finder(blocks, passage)
    most = _SEARCHED // (1 + sum(len(block.text) for block in blocks))
    marks: dict[int, list[Span]] = {}
    for unit in units[: max(_LEAST_UNITS, min(most, _MOST_UNITS))]:
        for index, start, end in finder.find(unit):
            marks.setdefault(index, []).append((start, end))
        if wanted.claim and not marks:
            break
    return marks


def _html(blocks: Sequence[Block], at: int, marks: Mapping[int, Sequence[Span]], *, is_excerpt: bool) -> str:
    """The blocks around the one `at` an index."""
    before = reach(reversed(blocks[max(0, at - _MOST_AROUND) : at]), is_excerpt=is_excerpt)
    shown = range(at - before, at + 1 + reach(blocks[at + 1 : at + _MOST_AROUND], is_excerpt=is_excerpt))
    slides = groupby(shown, lambda index: blocks[index].slide)
    parts = ((slide, "".join(_groups(blocks, indices, marks))) for slide, indices in slides)
    body = "".join(f'<section class="slide">{part}</section>' if slide else part for slide, part in parts)
    own = blocks[shown.start : shown.stop]
    return part_html(body, own, shown.start > 0, shown.stop < len(blocks), is_excerpt=is_excerpt)


def part_html(body: str, blocks: Sequence[Block], is_cut_before: bool, is_cut_after: bool, *, is_excerpt: bool) -> str:
    """The HTML of these blocks, with notes on the rest of the document."""
    attributes = attributes_of(" ".join(block.text for block in blocks[:40]))
    rest = gettext("The rest of this document is not shown here. Download it to see all of it.")
    cut = f'<p class="cut">{"…" if is_excerpt else escape(rest)}</p>'
    return f'{cut * is_cut_before}<div class="answer-text"{attributes}>{body}</div>{cut * is_cut_after}'


def reach(blocks: Iterable[Block], *, is_excerpt: bool) -> int:
    """The number of these blocks that are shown."""
    most = _AROUND_EXCERPT if is_excerpt else _AROUND
    return sum(1 for _ in takewhile(lambda length: length < most, accumulate(len(block.text) for block in blocks)))


def _groups(blocks: Sequence[Block], shown: Iterable[int], marks: Mapping[int, Sequence[Span]]) -> Iterator[str]:
    """Tables, lists and other blocks."""

    def table_or_kind(index: int) -> int | str:
        return blocks[index].level if blocks[index].kind == "row" else blocks[index].kind

    for key, indices in groupby(shown, table_or_kind):
        lines = "".join(_block(blocks[index], index, marks.get(index, ())) for index in indices)
        if key == "item":
            yield f"<ul>{lines}</ul>"
        elif isinstance(key, int):
            yield table(lines)
        else:
            yield lines


def table(body: str, head: str = "") -> str:
    head = f"<thead>{head}</thead>" if head else ""
    return (
        f'<div class="table-scroll" role="group" tabindex="0" aria-label="{escape(gettext("Table"))}">'
        f"<table>{head}<tbody>{body}</tbody></table></div>"
    )


def _block(block: Block, index: int, marks: Sequence[Span]) -> str:
    if block.kind == "row":
        return f"<tr>{''.join(cells_html(block, marks))}</tr>"
    if block.kind == "picture":
        words = gettext("Image: {description}", description=block.text.translate(OVERRIDES))
        return f'<p dir="auto"><em>{escape(words)}</em></p>'
    if block.kind == "notes":
        return f'<p class="notes">{escape(gettext("Notes"))}</p>'
    content = f"{_text(block.number)} {_marked(block.text, marks)}".strip()
    if block.kind == "heading":
        name = f"h{min(_LEVELS_ABOVE + block.level, 6)}"
        return f'<{name} data-block="{index}" dir="auto">{_title(block, content)}</{name}>'
    if block.kind == "item":
        numbered = ' class="numbered"' if block.number else ""
        return f'<li{numbered} data-level="{block.level}" dir="auto">{content}</li>'
    return f'<p dir="auto">{content}</p>'


def _title(block: Block, html: str) -> str:
    """The HTML of a heading; of a slide with its number."""
    if not block.slide:
        return html
    number = str(block.slide)
    if not html:
        return gettext_html("Slide {number}", number=number)
    return gettext_html("Slide {number}: {title}", number=number, title=html)


def cells_html(block: Block, marks: Sequence[Span], tag: str = "td") -> Iterator[str]:
    """The cells of a row, or of the head of a table, with marks in the text of the row."""
    at = 0
    for cell, span in zip(block.cells[:MAX_COLUMNS], block.spans, strict=False):
        columns = f' colspan="{span}"' if span > 1 else ""
        own = [(start - at, end - at) for start, end in marks]
        html = _marked(cell[: max(0, _AROUND - at)], own)
        yield f'<{tag}{cell_class(html)}{columns} dir="auto">{html}</{tag}>'
        at += len(cell) + bool(cell)


def _marked(text: str, marks: Sequence[Span]) -> str:
    pieces, position = list[str](), 0
    for start, end in sorted(marks):
        first, last = max(start, position), min(end, len(text))
        if first < last:
            pieces += [_text(text[position:first]), f'<mark class="passage-part">{_text(text[first:last])}</mark>']
            position = last
    return "".join([*pieces, _text(text[position:])])


def _text(text: str) -> str:
    return escape(text.translate(OVERRIDES)).replace("\n", "<br>")
