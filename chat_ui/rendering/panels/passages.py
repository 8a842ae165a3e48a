"""Passages of sources as safe HTML, with the sentences and rows of a claim marked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape
from typing import Final

from chat_ui.languages.foreign_text import attributes_of
from chat_ui.languages.translation import gettext, ngettext
from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.protocol.answers.place import NOWHERE, Place
from chat_ui.rendering.citations.sentences import claim_lines, sentence_starts, terms_of
from chat_ui.rendering.html.parts import Part, Span, html_without_buttons, page_html
from chat_ui.rendering.html.placeholders import OPEN as SPOT
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

_LONGEST_ROW: Final = 400
"""Characters of a table's row that is marked as a whole."""

_LEFT_OUT: Final = 120
"""Characters that are worth an ellipsis: fewer are shown."""

_SEARCHED: Final = 300_000
"""Characters of a passage that are searched for a claim."""

_COMPLETE_HTML: Final = 6_000
"""Characters of HTML up to which a passage is not folded, as for tables."""

_HTML = re.compile(r"</?(?:table|tr|td|th|p|div|ul|ol|li|br|b|i|em|strong|h[1-6]|img|a)\b[^<>]*>", re.IGNORECASE)
_NUMBERED = re.compile(r"Source \d+")
_LINE_END = re.compile(r"\n")
_PIPED = re.compile(r"^[^\S\n]*\|.*$", re.MULTILINE)
_ROW = re.compile(r"<(/?)tr\b[^>]*>")
_TAG = re.compile(r"(<[^>]*>)")
_LINES = "table|caption|tr|p|div|ul|ol|li|dl|dt|dd|h[1-6]|blockquote|pre"
_BLOCK = re.compile(rf"<(/?)(?:{_LINES}|thead|tbody|tfoot|td|th)\b")
_LINE = re.compile(rf"<(?:br|/?(?:{_LINES}))\b[^>]*>")
_CELL = re.compile(r"<t[dh]\b[^>]*>")
GAP: Final = "\u2003"
"""The space between cells in an excerpt."""
_SPACES = re.compile(r"[^\S\n]+")
_LINE_ENDS = re.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Folded:
    """The first shown part of a passage, as safe HTML; `hidden` counts the characters of the rest."""

    html: str
    hidden: int


def plain_passage(text: str) -> str:
    """The shown part of a passage as plain text."""
    return _read(text[:MAX_PASSAGE]).text


def passage_html(text: str, claim: str = "", parts: Sequence[Span] = (), *, with_buttons: bool = True) -> str:
    """Safe HTML for a passage, as HTML or plain text, with the sentences and rows of `claim` marked, if any.

    `parts` are places in the plain text with counterparts of the claim. They are marked in their sentences.
    """
    passage = _read(text[:MAX_PASSAGE])
    marks = _marks(_evidence(passage, claim, parts), parts)
    return _passage(text, passage, marks, with_buttons=with_buttons)


def passage_with_uses(text: str, claims: Mapping[int, str]) -> str:
    """Safe HTML for a whole passage without buttons, each sentence or row of any of the `claims` in a `mark`. Its
    `data-uses` are the keys of those, separated by spaces. At most `MOST_CLAIMS` different claims, items and rows are
    looked for.
    """
    keys: dict[str, list[int]] = {}
    for use, claim in claims.items():
        keys.setdefault(claim, []).append(use)
    passage = _read(text[:MAX_PASSAGE])
    held = passage.terms
    uses: dict[int, list[int]] = {}
    room = MOST_CLAIMS
    for claim, those in keys.items():
        wanted = _Wanted.of(claim, room)
        room -= wanted.size
        for unit in wanted.found_in(held):
            uses.setdefault(unit, []).extend(those)
    marks = [
        (*passage.units[unit], f'<mark data-uses="{" ".join(map(str, sorted(those)))}">')
        for unit, those in sorted(uses.items())
    ]
    return _passage(text, passage, marks, with_buttons=False)


Mark = tuple[int, int, str]
"""Start and end of a marked part, and the tag that begins it."""


@dataclass(frozen=True, slots=True)
class _Passage:
    """A passage as plain text, its `units` that can be marked (sentences and rows of tables), and its parts in HTML."""

    text: str
    units: Sequence[Span]
    parts: tuple[Part, ...] | None = None

    @property
    def terms(self) -> list[frozenset[str]]:
        """The meaningful words of each unit."""
        return [terms_of(self.text[start:end]) for start, end in self.units]


def _read(text: str) -> _Passage:
    parts = passage_parts(text)
    if parts is None:
        return _Passage(text, list(_units(text, (line.span() for line in _PIPED.finditer(text)))))
    pieces: list[str] = []
    rows: list[Span] = []
    length = 0
    slash = "/"
    html = _with_line_breaks(html_without_buttons(parts))
    for index, piece in enumerate(_ROW.split(html)):
        if index % 2:
            slash = piece
        elif plain := _without_tags(piece):
            rows += [] if slash else [(length, length + len(plain))]
            pieces.append(plain)
            length += len(plain) + 1
    plain = "\n".join(pieces)
    return _Passage(plain, list(_units(plain, rows)), parts)


def _without_tags(html: str) -> str:
    lines = _CELL.sub(GAP, _LINE.sub("\n", html))
    return _LINE_ENDS.sub("\n", _SPACES.sub(_one_space, unescape(_TAG.sub("", lines)))).strip()


def _one_space(spaces: re.Match[str]) -> str:
    return GAP if GAP in spaces.group() else " "


def _units(text: str, rows: Iterable[Span]) -> Iterator[Span]:
    """The sentences of `text` and its `rows` in order, without white space around them; a long row is cut into
    sentences, and the end of a line ends one.
    """
    complete = [row for row in rows if row[1] - row[0] <= _LONGEST_ROW]
    inside = {at for start, end in complete for at in (start, end)}
    ends = sorted({*sentence_starts(text), *(match.end() for match in _LINE_END.finditer(text)), *inside, len(text)})
    following = iter([*complete, (len(text), len(text))])
    row = next(following)
    start = 0
    for end in ends:
        if row[1] < end:
            row = next(following)
        if row[0] < end < row[1]:
            continue
        unit = text[start:end]
        if unit.strip():
            yield start + len(unit) - len(unit.lstrip()), start + len(unit.rstrip())
        start = end


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The meaningful words of a claim: of its sentence or lead-in, and of its items and rows, if any."""

    sentence: frozenset[str]
    items: Sequence[frozenset[str]] = ()

    @classmethod
    def of(cls, claim: str, most: int = MOST_CLAIMS) -> _Wanted:
        """The words of a claim with up to so many items."""
        if most <= 0:
            return cls(frozenset())
        sentence, lines = claim_lines(claim)
        return cls(terms_of(sentence), [terms for line in lines[:most] if (terms := terms_of(line))])

    @property
    def size(self) -> int:
        return max(1, len(self.items))

    def found_in(self, held: Sequence[frozenset[str]]) -> list[int]:
        """The indices of the units with these terms that carry the claim: those nearest to each item, else to its
        sentence or lead-in. An item of one word is looked for beside the words of the lead-in.
        """
        found: set[int] = set()
        for terms in self.items:
            near = terms if len(terms) >= MIN_COMMON_TERMS else terms | self.sentence
            found.update(_nearest(held, terms, near, 2 / 3))
        if not found and self.sentence:
            found.update(_nearest(held, self.sentence, self.sentence, 1 / 2))
        return sorted(found)


def _nearest(
    held: Sequence[frozenset[str]], terms: frozenset[str], near: frozenset[str], share: float
) -> Iterator[int]:
    """The indices of the units that carry `terms` and share with `near` more terms than this share of the most."""
    common = {index: len(unit & near) for index, unit in enumerate(held) if _is_carried(unit, terms)}
    most = max(common.values(), default=0)
    return (index for index, count in common.items() if count > share * most)


def _evidence(passage: _Passage, claim: str, parts: Sequence[Span] = ()) -> list[Span]:
    """The sentences and rows of a passage that carry a claim, or have its `parts`."""
    carrying = _Wanted.of(claim).found_in(passage.terms) if claim else ()
    having = (bisect_right(passage.units, (start, len(passage.text))) - 1 for start, _ in parts)
    return [passage.units[index] for index in sorted({*carrying, *having}) if index >= 0]


def _marks(marked: Sequence[Span], parts: Sequence[Span]) -> list[Mark]:
    """The marks of sentences and rows, and of the `parts` in them."""
    marks: list[Mark] = []
    for first, last in marked:
        position = first
        for start, end in parts:
            if position <= start < last:
                part = start, min(end, last), '<mark class="claim-part">'
                marks += [(position, start, "<mark>"), part]
                position = part[1]
        marks.append((position, last, "<mark>"))
    return [mark for mark in marks if mark[0] < mark[1]]


def _passage(text: str, passage: _Passage, marks: Sequence[Mark], *, with_buttons: bool) -> str:
    """A whole passage with `marks`: start, end and tag of each."""
    if passage.parts is not None:
        html = _marked_html(passage, marks, with_buttons=with_buttons)
        body = f'<div class="passage passage-html"{attributes_of(html)}>{html}</div>'
    else:
        html = _marked_text(passage.text, 0, len(passage.text), marks)
        body = f'<div class="passage passage-text"{attributes_of(text)}>{html}</div>'
    return body + _cut_note(len(text) - MAX_PASSAGE)


def _marked_html(passage: _Passage, marks: Sequence[Mark], *, with_buttons: bool) -> str:
    """The passage's HTML. Positions of its plain text are found again by their number of characters that show."""
    widgets = [part for part in passage.parts or () if not isinstance(part, str)]
    html = _with_line_breaks("".join(part if isinstance(part, str) else SPOT for part in passage.parts or ()))
    spans = _shown_spans(passage.text, marks)
    pieces: list[str] = []
    position = 0
    for index, piece in enumerate(re.split(f"(<[^>]*>|{SPOT})", html)):
        if piece == SPOT:
            widget = widgets.pop(0)
            pieces.append(page_html([widget]) if with_buttons else html_without_buttons([widget]))
            position += _shown(_TAG.sub("", html_without_buttons([widget])))
        elif index % 2 or not piece.strip():
            pieces.append(piece)
        else:
            length = _shown(piece)
            while spans and spans[-1][1] <= position:
                spans.pop()
            is_marked = bool(spans) and spans[-1][0] < position + length
            pieces.append(_marked_piece(unescape(piece), position, spans) if is_marked else piece)
            position += length
    return "".join(pieces)


def _shown(html: str) -> int:
    """The number of characters that are not white space."""
    return len("".join(unescape(html).split()))


def _shown_spans(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """The marks in reverse order, by the number of characters that show before them."""
    found: list[Mark] = []
    position = shown = 0
    for start, end, tag in marks:
        first = shown + len("".join(text[position:start].split()))
        shown = first + len("".join(text[start:end].split()))
        found.append((first, shown, tag))
        position = end
    return found[::-1]


def _marked_piece(text: str, position: int, spans: Sequence[Mark]) -> str:
    """A piece of text whose first shown character is at `position`, with the marks that begin or end in it."""
    places = [at for at, character in enumerate(text) if not character.isspace()]
    marks: list[Mark] = []
    for first, last, tag in reversed(spans):
        if first >= position + len(places):
            break
        start = places[first - position] if first >= position else 0
        end = places[last - position - 1] + 1 if last <= position + len(places) else len(text)
        marks.append((start, end, tag))
    return _marked_text(text, 0, len(text), marks)


def _cut_note(cut: int) -> str:
    if cut <= 0:
        return ""
    words = ngettext("{count} more character is not shown.", "{count} more characters are not shown.", cut)
    return f'<p class="passage-cut">{escape(words)}</p>'


def passage_parts(text: str) -> tuple[Part, ...] | None:
    """The safe parts of a passage in HTML; None for plain text."""
    return foreign_parts(text, "passage") if _HTML.search(text) else None


def folded_passage(
    text: str, claim: str = "", length: int = FOLDED, *, parts: Sequence[Span] = (), with_buttons: bool = True
) -> Folded:
    """About `length` characters of a passage: the sentences of `claim` with their neighbours and ellipses; without such
    a sentence, the beginning. A little longer passage is whole, as is a page of HTML with the claim.
    """
    passage = _read(text[:_SEARCHED])
    plain, marked = passage.text, _evidence(passage, claim, parts)
    is_complete_page = length >= FOLDED and len(text) <= _COMPLETE_HTML and marked and passage.parts is not None
    if len(text) <= length * 3 // 2 or is_complete_page:
        return Folded(passage_html(text, claim, parts, with_buttons=with_buttons), 0)
    shown = _parts(passage, marked, length) if marked else [(0, _beginning(passage, length))]
    goes_on = shown[-1][1] < len(plain) or len(text) > _SEARCHED
    hidden = max(0, len(text) - sum(end - start for start, end in shown))
    return Folded(_parts_html(plain, shown, _marks(marked, parts), goes_on=goes_on), hidden)


def first_words(text: str, length: int) -> str:
    """The first `length` characters of a passage, about, on one line and without markup."""
    plain = " ".join(_read(text[: 20 * length]).text.split())
    return plain if len(plain) <= length else f"{plain[: _word_end(plain, 0, length)]} …"


def title_of_source(point: DataPoint, label: str, place: Place = NOWHERE) -> SourceTitle:
    """The title of a source, with a cited `place`; the first words of the passage replace a mere number."""
    title = source_title(point, label, place)
    if not _NUMBERED.fullmatch(title.title):
        return title
    words = cut_in_the_middle(first_words(point.text, LONGEST)) or gettext("Unnamed source")
    return replace(title, title=words, id=words)


def carries(text: str, claim: str) -> bool:
    """Whether a page would mark a part of a passage, plain text or HTML, for `claim`."""
    return bool(_evidence(_read(text[:_SEARCHED]), claim))


def cited_units(text: str, claim: str) -> tuple[str, list[str]]:
    """A passage as plain text, and its sentences and rows that carry a claim, most alike first, else all of them."""
    passage, terms = _read(text[:_SEARCHED]), terms_of(claim)
    units = (passage.text[start:end] for start, end in _evidence(passage, claim) or passage.units)
    return passage.text, sorted(units, key=lambda unit: -len(terms & terms_of(unit)))


def _is_carried(terms: frozenset[str], claim: frozenset[str]) -> bool:
    common = len(terms & claim)
    return common >= min(MIN_COMMON_TERMS, len(claim)) and common >= MIN_OVERLAP * len(claim)


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


def _beginning(passage: _Passage, length: int) -> int:
    """The end of the last sentence that is not longer than `length`, else the end of a word."""
    ends = (end for _, end in passage.units if length // 2 <= end <= length)
    return max(ends, default=_word_end(passage.text, 0, length))


def _parts(passage: _Passage, marked: Sequence[Span], length: int) -> list[Span]:
    """The parts of the text around the marked spans, in their order; close ones are joined."""
    text = passage.text
    near = min(_LEFT_OUT, length // 4)
    shown: list[Span] = []
    for span in _with_neighbours(passage, marked, length):
        start, end = span if span[0] > near else (0, span[1])
        if sum(one[1] - one[0] for one in shown) >= length:
            break
        if shown and start - shown[-1][1] <= near:
            start = shown.pop()[0]
        shown.append((start, end if len(text) - end > near else len(text)))
    return shown


def _with_neighbours(passage: _Passage, marked: Sequence[Span], length: int) -> Iterator[Span]:
    """Each marked sentence with the one before and the one after it; long ones are cut between words."""
    text = passage.text
    most = min(_NEIGHBOUR, length // 4)
    sentences = [(0, 0), *passage.units, (len(text), len(text))]
    wanted = set(marked)
    for before, (first, last), after in zip(sentences, sentences[1:], sentences[2:], strict=False):
        if (first, last) in wanted:
            cut = _word_end(text, first, min(last, first + 2 * length))
            goes_on = cut == last and after not in wanted
            end = _word_end(text, cut, min(after[1], cut + most)) if goes_on else cut
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


def _parts_html(text: str, parts: Sequence[Span], marks: Sequence[Mark], *, goes_on: bool) -> str:
    shown = " … ".join(_marked_text(text, start, end, marks) for start, end in parts)
    before, after = "… " if parts[0][0] else "", " …" if goes_on else ""
    return f'<div class="passage passage-text"{attributes_of(text)}>{before}{shown}{after}</div>'


def _marked_text(text: str, start: int, end: int, marks: Sequence[Mark]) -> str:
    pieces: list[str] = []
    position = start
    inside = ((max(first, start), min(last, end), tag) for first, last, tag in marks if first < end and last > start)
    for first, last, tag in inside:
        pieces += [escape(text[position:first]), f"{tag}{escape(text[first:last])}</mark>"]
        position = last
    return "".join([*pieces, escape(text[position:end])])
