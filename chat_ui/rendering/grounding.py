"""The share of an answer that its sources support: sentences with a citation, and citations without a source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Final

from chat_ui.languages.translation import current_language, gettext, gettext_html, ngettext, quoted_html
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import Citation
from chat_ui.rendering.citations.sentences import COUNTED_WORD, has_words, leads_in, sentences
from chat_ui.rendering.copies import references_html
from chat_ui.rendering.html.claims import HEADINGS, LEAVES, LISTS
from chat_ui.rendering.html.image_html import icon_html
from chat_ui.rendering.html.parts import html_without_buttons
from chat_ui.rendering.panels.strip import strip_html

_FOUND: Final = "\ufdd0"
_NOT_FOUND: Final = "\ufdd1"
"""Placeholders for citations with and without a source; safe HTML never contains these characters."""

_LINE_END = re.compile(r"</(?:p|h[1-6]|li|tr|blockquote|pre|dd|dt|summary|caption|figcaption|div)>|<(?:br|hr)\b[^>]*>")
_CELL_END = re.compile(r"</t[dh]>\s*(?=<t[dh])")
_TAG = re.compile(r"(<(?:\"[^\"]*\"|[^\"<>])*>)")
_SPACE = re.compile(r"\s+")
_SPACE_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|$))")
_NO_CLAIMS = re.compile(r"<(pre|math)\b.*?</\1>", re.DOTALL)
_MIN_WORDS: Final = 3
_SHOWN_LABELS: Final = 3
_TOLD_LABELS: Final = 20
_SEVERAL: Final = 3
_MEANING: Final = msg(
    "A claim is a sentence, a list item or a table row. Headings, code and very short sentences are not counted."
)
_LOW: Final = msg("Few claims are cited. Check the others.")
_NOT_THERE: Final = msg("A citation without a retrieved source may be made up. Check its statement.")


@dataclass(frozen=True, slots=True)
class Grounding:
    """`sentences` of an answer, the number of `cited` ones, the number of found and cited `sources`, and the labels of
    `missing` ones. `first_use` is the index among the uses of the first missing one.
    """

    sentences: int
    cited: int
    sources: int
    missing: tuple[str, ...]
    first_use: int = -1


def grounding(rendered: RenderedAnswer) -> Grounding:
    """Count sentences and citations. Headings, code, formulas and sentences of fewer than three words make no claims.
    A short sentence with a missing source does.

    A citation at the start of a line belongs to the sentence that it begins; a lone one there, or one after a full
    stop or `See also`, to the sentence before. A row of a table counts as one sentence, its header never. The rows or
    items of a cited lead-in, header or caption are cited, as are those before a line of only citations. A lead-in
    without a citation is not counted if its list has one.
    """
    count = _Count()
    for block in rendered.blocks:
        count.read(html_without_buttons(block.parts, _found_mark, with_languages=False))
    cited = [claim.is_cited for claim in count.claims if claim.is_counted]
    missing = {citation.number: citation.label for citation in rendered.citations if citation.data_point is None}
    first_use = next((position for position, use in enumerate(rendered.uses) if use.number in missing), -1)
    sources = len(rendered.citations) - len(missing)
    return Grounding(len(cited), sum(cited), sources, tuple(missing.values()), first_use)


@dataclass(slots=True)
class _Claim:
    """A sentence or row."""

    is_cited: bool = False
    is_counted: bool = False


@dataclass(slots=True)
class _Listed:
    """A list or table: the index of its first claim, the number of citations before, and its lead-in without a
    citation.
    """

    start: int
    marks: int
    lead: _Claim
    is_cited: bool


@dataclass(slots=True)
class _Count:
    """Finds the claims of blocks, leaf by leaf, as `ClaimFinder` reads them."""

    claims: list[_Claim] = field(default_factory=list)
    _leaf: list[str] = field(default_factory=list)
    _marks: int = 0
    _last: _Claim = field(default_factory=_Claim)
    """The claim before, which is not a heading."""
    _lead: _Claim | None = None
    """The line before, if it leads in."""
    _open: list[_Listed] = field(default_factory=list)
    _closed: _Listed | None = None
    """The list or table before, unless words come between."""
    _in_row: bool = False
    _in_head: bool = False
    _has_cell: bool = False
    _is_foot: bool = False
    """Whether the last row has only citations."""

    def read(self, html: str) -> None:
        """Read a block."""
        for index, piece in enumerate(_TAG.split(_NO_CLAIMS.sub(r"<\1>", html))):
            if index % 2:
                self._tag(piece.strip("</>").partition(" ")[0], closing=piece.startswith("</"))
            else:
                self._leaf.append(piece)
        self._end_leaf("")

    def _tag(self, name: str, *, closing: bool) -> None:
        if name in LEAVES and not self._in_row:
            self._end_leaf(name if closing else "")
        elif name in LEAVES or name == "br":
            self._leaf.append("\n")
        match name:
            case "tr":
                if self._in_row:
                    self._end_row()
                self._in_row, self._has_cell = not closing, False
            case "td":
                self._has_cell = True
            case "thead":
                self._in_head = not closing
            case "pre" | "math" | "hr":
                self._lead = self._closed = None
            case _ if name in LISTS and not self._in_row:
                self._end_list() if closing else self._begin_list()

    def _text(self) -> str:
        text = unescape("".join(self._leaf))
        self._leaf.clear()
        self._marks += text.count(_FOUND)
        return text

    def _end_leaf(self, ended: str) -> None:
        text = self._text()
        is_heading = ended in HEADINGS
        last = self._read_lines(text, is_heading=is_heading)
        if has_words(text):
            self._lead = last if is_heading or leads_in(text.replace(_FOUND, "").replace(_NOT_FOUND, "")) else None
            self._closed = None
        elif _FOUND in text:
            if self._lead:
                self._lead.is_cited = True
            if self._closed:
                self._cite(self._closed)
            self._closed = None
        if ended == "caption" and _FOUND in text and self._open:
            self._open[-1].is_cited = True

    def _read_lines(self, text: str, *, is_heading: bool) -> _Claim:
        """Read the sentences of a leaf; returns the last one."""
        last = _Claim()
        for line in _lines(text):
            for position, sentence in enumerate(sentences(line)):
                words = COUNTED_WORD.findall(sentence) if has_words(sentence) else []
                if (position and sentence.startswith(_FOUND)) or (_FOUND in sentence and not words):
                    (last if is_heading else self._last).is_cited = True
                is_cited = _FOUND in (sentence.lstrip(_FOUND + " ") if position else sentence)
                if words and is_heading:
                    last = _Claim(is_cited)
                elif words:
                    last = self._add(words, sentence, is_cited=is_cited)
        return last

    def _add(self, words: Sequence[str], text: str, *, is_cited: bool) -> _Claim:
        self._last = _Claim(is_cited or self._is_led, len(words) >= _MIN_WORDS or _NOT_FOUND in text)
        self.claims.append(self._last)
        return self._last

    @property
    def _is_led(self) -> bool:
        return bool(self._open) and self._open[-1].is_cited

    def _end_row(self) -> None:
        text = self._text()
        words = COUNTED_WORD.findall(text)
        is_cited = _FOUND in text
        self._is_foot = is_cited and not words
        if self._in_head or not self._has_cell:
            if is_cited and self._open:
                self._open[-1].is_cited = True
        elif words:
            self._add(words, text, is_cited=is_cited)
        elif is_cited:
            self._last.is_cited = True

    def _begin_list(self) -> None:
        lead = self._lead or _Claim()
        is_cited = lead.is_cited or self._is_led
        self._open.append(_Listed(len(self.claims), self._marks, _Claim() if is_cited else lead, is_cited))
        self._lead, self._closed, self._is_foot = None, None, False

    def _end_list(self) -> None:
        if not self._open:
            return
        one = self._open.pop()
        if self._marks > one.marks:
            one.lead.is_counted = False
        if self._is_foot:
            self._cite(one)
        self._lead, self._closed, self._is_foot = None, one, False

    def _cite(self, listed: _Listed) -> None:
        """Count all claims of a list or table as cited."""
        for claim in self.claims[listed.start :]:
            claim.is_cited = True
        listed.lead.is_counted = False


def _lines(text: str) -> Iterator[str]:
    return (_SPACE_BEFORE_STOP.sub("", _SPACE.sub(" ", line)).strip() for line in text.split("\n"))


def plain_text(html: str) -> str:
    """The words of a rendered block without its buttons, a line for each paragraph, item or row."""
    text = unescape(_TAG.sub("", _LINE_END.sub("\n", _CELL_END.sub(", ", html))))
    return "\n".join(filter(None, _lines(text)))


def _found_mark(citation: Citation, _use: int) -> str:
    return _NOT_FOUND if citation.data_point is None else _FOUND


def grounds(
    answer: Answer, rendered: RenderedAnswer, *, is_live: bool = False, with_marked_blocks: bool = False
) -> str:
    """Safe HTML for the support of an answer: how much of it is cited, which parts of it differ from their passages, a
    strip of its sources, and the references.

    A live answer has only the strip. A page shows the text before its claims are checked: `with_marked_blocks`, a
    `template` has each block with marks, and its index from the end.
    """
    strip = strip_html(answer, rendered)
    if is_live:
        return f'<div class="grounding-head"></div>{strip}'
    references = references_html(rendered, answer.data_points, on_paper=True)
    marked = _marked_blocks(rendered) if with_marked_blocks else ""
    return (
        grounding_html(grounding(rendered), len(answer.data_points), strip, references, rendered.checks.line) + marked
    )


def _marked_blocks(rendered: RenderedAnswer) -> str:
    count = len(rendered.blocks)
    return "".join(
        f'<template data-block="{index - count}">{block.html}</template>'
        for index, block in enumerate(rendered.blocks)
        if block.has_marks
    )


def grounding_html(found: Grounding, points: int, strip: str = "", references: str = "", claims: str = "") -> str:
    """The HTML under an answer over so many data `points`: a warning for missing citations, a line with the cited
    share, the line about compared `claims`, and the `strip` of its sources. It may be empty.

    `references` is safe HTML for the paper on which the answer is printed; a screen does not show it.
    """
    if not points and not found.missing:
        return ""
    head = f"{_warning(found)}{_line(found, points)}{claims}"
    return f'<div class="grounding-head">{head}</div>{strip}<div class="references">{references}</div>'


def is_low(found: Grounding) -> bool:
    """Whether sources support less than a third of an answer of several sentences."""
    return found.sentences >= _SEVERAL and found.cited * 3 < found.sentences


def _line(found: Grounding, points: int) -> str:
    sources = ngettext(
        "{cited} of {count} source cited", "{cited} of {count} sources cited", points, cited=found.sources
    )
    look, icon, meaning = "grounding", "", gettext(_MEANING)
    if is_low(found):
        look, icon, meaning = "grounding grounding-low", icon_html("warning"), f"{gettext(_LOW)} {meaning}"
    if points:
        meaning = f"{sources}. {meaning}"
    words = f'<span dir="{current_language().direction}">{escape(_words(found, sources))}</span>'
    return f'<p class="{look}" tabindex="0" title="{escape(meaning)}">{icon}{words}</p>'


def _words(found: Grounding, sources: str) -> str:
    """The cited share of the claims, or the cited `sources` of an answer whose claims have no citations."""
    if not (found.cited or found.sources or found.missing):
        return gettext("No sources cited")
    if not found.sentences or not (found.cited or found.missing or is_low(found)):
        return sources
    if found.cited == found.sentences and not found.missing:
        return gettext("All claims cited")
    return ngettext(
        "{cited} of {count} claim cited", "{cited} of {count} claims cited", found.sentences, cited=found.cited
    )


def _warning(found: Grounding) -> str:
    """A button that names the missing sources, with the index of the first use as `data-first-use`."""
    if not found.missing:
        return ""
    labels = [escape(label) for label in found.missing]
    said = _not_found(labels, _TOLD_LABELS)
    shown = _not_found([f"<bdi>{label}</bdi>" for label in labels], _SHOWN_LABELS)
    return (
        f'<p class="grounding-warning" role="note"><button type="button" data-first-use="{found.first_use}" '
        f'aria-label="{said}" title="{said}. {escape(gettext(_NOT_THERE))}">{icon_html("warning")}'
        f'<span dir="{current_language().direction}">{shown}</span></button></p>'
    )


def _not_found(names: Sequence[str], most: int) -> str:
    """Safe HTML with the names of the missing sources, safe HTML each."""
    listed = quoted_html(names[:most])
    if len(names) > most:
        listed = gettext_html("{sources} and {more} more", sources=listed, more=str(len(names) - most))
    counted = ngettext("{count} cited source not found:", "{count} cited sources not found:", len(names))
    return f"{escape(counted)} {listed}"
