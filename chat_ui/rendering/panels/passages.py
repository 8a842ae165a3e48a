"""Passages of sources as safe HTML, with the sentences of a claim marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from itertools import pairwise
from typing import Final

from chat_ui.languages.foreign_text import attributes_of
from chat_ui.languages.translation import gettext, ngettext
from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.citations.sentences import sentence_starts, terms_of
from chat_ui.rendering.html.parts import Part, html_without_buttons, page_html
from chat_ui.rendering.html.safe_html import foreign_parts
from chat_ui.rendering.html.source_titles import LONGEST, SourceTitle, cut_in_the_middle, source_title

MIN_OVERLAP: Final = 0.35
"""Share of a claim's terms in a sentence that is marked."""

MIN_COMMON_TERMS: Final = 2
"""Common terms of a sentence and a claim, unless the claim has fewer."""

MAX_PASSAGE: Final = 200_000
"""Characters of a passage that are shown in a page; a note counts the others."""

MOST_CLAIMS: Final = 100

FOLDED: Final = 480
"""Characters of a folded passage, about."""

BEGINNING: Final = 240
"""Characters, about, of a passage before it is opened."""

_NEIGHBOUR: Final = 160
"""Characters that are shown of a sentence beside a marked one."""

_LEFT_OUT: Final = 120
"""Characters that are worth an ellipsis: fewer are shown."""

_SEARCHED: Final = 300_000
"""Characters of a passage that are searched for a claim."""

_COMPLETE_HTML: Final = 6_000
"""Characters of HTML up to which a passage is not folded, as for tables."""

_HTML = re.compile(r"</?(?:table|tr|td|th|p|div|ul|ol|li|br|b|i|em|strong|h[1-6]|img|a)\b[^<>]*>", re.IGNORECASE)
_NUMBERED = re.compile(r"Source \d+")
_LINE_END = re.compile(r"\n")
_TAG = re.compile(r"(<[^>]*>)")
_LINES = "table|caption|tr|p|div|ul|ol|li|dl|dt|dd|h[1-6]|blockquote|pre"
_BLOCK = re.compile(rf"<(/?)(?:{_LINES}|thead|tbody|tfoot|td|th)\b")
_LINE = re.compile(rf"<(?:br|/?(?:{_LINES}))\b[^>]*>")
_CELL = re.compile(r"<t[dh]\b[^>]*>")
_SPACES = re.compile(r"[^\S\n]+")
_LINE_ENDS = re.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Folded:
    """The first shown part of a passage, as safe HTML; `hidden` counts the characters of the rest."""

    html: str
    hidden: int


def passage_html(text: str, claim: str = "", *, with_buttons: bool = True) -> str:
    """Safe HTML for a passage, as HTML or plain text, with the sentences of `claim` marked, if any."""
    terms = terms_of(claim)
    return _passage(text, lambda part: "<mark>" if terms and _carries(part, terms) else "", with_buttons=with_buttons)


def passage_with_uses(text: str, claims: Mapping[int, str]) -> str:
    """Safe HTML for a whole passage without buttons, each sentence of any of the `claims` in a `mark`. Its `data-uses`
    are the keys of those, separated by spaces. At most `MOST_CLAIMS` different claims are looked for.
    """
    uses: dict[frozenset[str], list[int]] = {}
    for use, claim in claims.items():
        terms = terms_of(claim)
        if terms and (terms in uses or len(uses) < MOST_CLAIMS):
            uses.setdefault(terms, []).append(use)

    def mark(part: str) -> str:
        held = terms_of(part) if uses else frozenset()
        carried = sorted(use for terms, those in uses.items() if _is_carried(held, terms) for use in those)
        return f'<mark data-uses="{" ".join(map(str, carried))}">' if carried else ""

    return _passage(text, mark, with_buttons=False)


def _passage(text: str, mark: Callable[[str], str], *, with_buttons: bool) -> str:
    """A whole passage; `mark` gives the tag that begins a marked sentence, or piece of HTML, else an empty text."""

    def marked(html: str, part: str) -> str:
        tag = mark(part)
        return f"{tag}{html}</mark>" if tag else html

    if (parts := passage_parts(text)) is not None:
        pieces = _TAG.split(_with_line_breaks(page_html(parts) if with_buttons else html_without_buttons(parts)))
        pieces[::2] = [marked(piece, piece) if piece.strip() else piece for piece in pieces[::2]]
        html = "".join(pieces)
        body = f'<div class="passage passage-html"{attributes_of(html)}>{html}</div>'
    else:
        shown = text[:MAX_PASSAGE]
        position = 0
        pieces = []
        for start, end in _sentence_spans(shown):
            pieces += [escape(shown[position:start]), marked(escape(shown[start:end]), shown[start:end])]
            position = end
        pieces.append(escape(shown[position:]))
        body = f'<div class="passage passage-text"{attributes_of(text)}>{"".join(pieces)}</div>'
    return body + _cut_note(len(text) - MAX_PASSAGE)


def _cut_note(cut: int) -> str:
    if cut <= 0:
        return ""
    words = ngettext("{count} more character is not shown.", "{count} more characters are not shown.", cut)
    return f'<p class="passage-cut">{escape(words)}</p>'


def passage_parts(text: str) -> tuple[Part, ...] | None:
    """The safe parts of a passage in HTML; None for plain text."""
    shown = text[:MAX_PASSAGE]
    return foreign_parts(shown, "passage") if _HTML.search(shown) else None


def folded_passage(text: str, claim: str = "", length: int = FOLDED, *, with_buttons: bool = True) -> Folded:
    """About `length` characters of a passage: the sentences of `claim` with their neighbours and ellipses; without such
    a sentence, the beginning. A little longer passage is whole, as is a page of HTML with the claim.
    """
    plain = _without_tags(text[:_SEARCHED])
    marked = marked_spans(plain, claim)
    is_complete_page = length >= FOLDED and len(text) <= _COMPLETE_HTML and marked and _HTML.search(text)
    if len(text) <= length * 3 // 2 or is_complete_page:
        return Folded(passage_html(text, claim, with_buttons=with_buttons), 0)
    shown = _parts(plain, marked, length) if marked else [(0, _word_end(plain, 0, length))]
    goes_on = shown[-1][1] < len(plain) or len(text) > _SEARCHED
    hidden = max(0, len(text) - sum(end - start for start, end in shown))
    return Folded(_parts_html(plain, shown, marked, goes_on=goes_on), hidden)


def first_words(text: str, length: int) -> str:
    """The first `length` characters of a passage, about, on one line and without markup."""
    plain = " ".join(_without_tags(text[: 20 * length]).split())
    return plain if len(plain) <= length else f"{plain[: _word_end(plain, 0, length)]} …"


def title_of_source(point: DataPoint, label: str, page: int | None = None) -> SourceTitle:
    """The title of a source, with a cited `page`; the first words of the passage replace a mere number."""
    title = source_title(point, label, page)
    if not _NUMBERED.fullmatch(title.title):
        return title
    words = cut_in_the_middle(first_words(point.text, LONGEST)) or gettext("Unnamed source")
    return replace(title, title=words, id=words)


def marked_spans(text: str, claim: str) -> list[tuple[int, int]]:
    """The sentences of a claim in plain text: start and end of each, without white space."""
    terms = terms_of(claim)
    if not terms:
        return []
    spans: list[tuple[int, int]] = []
    for start, end in _sentence_spans(text[:_SEARCHED]):
        if _carries(text[start:end], terms):
            spans.append((start, end))
    return spans


def carries(text: str, claim: str) -> bool:
    """Whether a page would mark a sentence of a passage, plain text or HTML, for `claim`."""
    return bool(marked_spans(_without_tags(text[:_SEARCHED]), claim))


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence; the end of a line ends one too."""
    ends = {len(text), *sentence_starts(text), *(match.end() for match in _LINE_END.finditer(text))}
    for start, end in pairwise([0, *sorted(ends)]):
        sentence = text[start:end]
        if sentence.strip():
            yield start + len(sentence) - len(sentence.lstrip()), start + len(sentence.rstrip())


def _carries(sentence: str, claim: frozenset[str]) -> bool:
    return _is_carried(terms_of(sentence), claim)


def _is_carried(terms: frozenset[str], claim: frozenset[str]) -> bool:
    common = len(terms & claim)
    return common >= min(MIN_COMMON_TERMS, len(claim)) and common >= MIN_OVERLAP * len(claim)


def _without_tags(text: str) -> str:
    if not _HTML.search(text):
        return text
    lines = _CELL.sub(" ", _LINE.sub("\n", _with_line_breaks(html_without_buttons(foreign_parts(text, "passage")))))
    return _LINE_ENDS.sub("\n", _SPACES.sub(" ", unescape(_TAG.sub("", lines)))).strip()


def _with_line_breaks(html: str) -> str:
    """Safe HTML with the line breaks of text beside markup, but not of blocks."""
    pieces = _TAG.split(html)
    depth = 0
    for index, piece in enumerate(pieces):
        if index % 2:
            block = _BLOCK.match(piece)
            if block is not None:
                depth += -1 if block[1] else 1
        elif depth == 0 and "\n" in piece:
            before, after = pieces[max(0, index - 1)], pieces[min(index + 1, len(pieces) - 1)]
            text = piece.lstrip("\n") if index and (_BLOCK.match(before) or before.startswith("<br")) else piece
            text = text.rstrip("\n") if _BLOCK.match(after) else text
            pieces[index] = text.replace("\n", "<br>")
    return "".join(pieces)


def _parts(text: str, marked: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """The parts of `text` around the marked spans, in their order; close ones are joined."""
    near = min(_LEFT_OUT, length // 4)
    shown: list[tuple[int, int]] = []
    for span in _with_neighbours(text, marked, length):
        start, end = span if span[0] > near else (0, span[1])
        if sum(one[1] - one[0] for one in shown) >= length:
            break
        if shown and start - shown[-1][1] <= near:
            start = shown.pop()[0]
        shown.append((start, end if len(text) - end > near else len(text)))
    return shown


def _with_neighbours(text: str, marked: Sequence[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """Each marked sentence with the one before and the one after it; long ones are cut between words."""
    most = min(_NEIGHBOUR, length // 4)
    sentences = [(0, 0), *_sentence_spans(text), (len(text), len(text))]
    wanted = set(marked)
    for before, (first, last), after in zip(sentences, sentences[1:], sentences[2:], strict=False):
        if (first, last) in wanted:
            cut = _word_end(text, first, min(last, first + 2 * length))
            end = _word_end(text, cut, min(after[1], cut + most)) if cut == last else cut
            yield _word_start(text, max(before[0], first - most), first), end


def _word_start(text: str, start: int, before: int) -> int:
    """The first beginning of a word from `start` on, else `before`."""
    if start == 0 or text[start - 1].isspace():
        return start
    space = text.find(" ", start, before)
    return space + 1 if space >= 0 else before


def _word_end(text: str, start: int, end: int) -> int:
    """The last end of a word up to `end`, or `end` itself where the text from `start` on is one word."""
    if end >= len(text) or text[end].isspace():
        return min(end, len(text))
    space = text.rfind(" ", start + 1, end)
    return space if space > start else end


def _parts_html(
    text: str, parts: Sequence[tuple[int, int]], marked: Sequence[tuple[int, int]], *, goes_on: bool
) -> str:
    shown = " … ".join(_marked_text(text, start, end, marked) for start, end in parts)
    before, after = "… " if parts[0][0] else "", " …" if goes_on else ""
    return f'<div class="passage passage-text"{attributes_of(text)}>{before}{shown}{after}</div>'


def _marked_text(text: str, start: int, end: int, marked: Sequence[tuple[int, int]]) -> str:
    pieces: list[str] = []
    position = start
    inside = ((max(first, start), min(last, end)) for first, last in marked if first < end and last > start)
    for first, last in inside:
        pieces += [escape(text[position:first]), f"<mark>{escape(text[first:last])}</mark>"]
        position = last
    return "".join([*pieces, escape(text[position:end])])
