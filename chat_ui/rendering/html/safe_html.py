"""Untrusted HTML to safe HTML, with our own controls put in afterwards.

Three steps, in this order: nh3 keeps a tight list of tags and attributes and balances them; the balanced
result is walked tag by tag (headings levelled, tables wrapped, images replaced, direction set); text is walked
for placeholders. A placeholder is made of noncharacters (U+FDD0 to U+FDDD) that are taken out of every input,
so nothing that a backend sends can stand for a control, and controls land in text positions only, never
inside a tag.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape, unescape
from typing import cast
from unicodedata import bidirectional

import nh3

from chat_ui.rendering.citations.brackets import before_bracket
from chat_ui.rendering.citations.citations import MAX_LABEL, Match, SourceIndex
from chat_ui.rendering.citations.claims import REACH, claim_at, has_words
from chat_ui.rendering.citations.sentences import sentence_starts
from chat_ui.rendering.html.images import image_part
from chat_ui.rendering.html.link_labels import DIRECTION_MARKS, OVERRIDES, beside_label
from chat_ui.rendering.html.links import link_href
from chat_ui.rendering.html.parts import (
    CitationSpot,
    CodeHeader,
    CopyTable,
    Fixture,
    Part,
    Span,
    page_html,
)
from chat_ui.rendering.html.raw_html import is_costly

OPEN, CLOSE, RAW_OPEN, RAW_CLOSE = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
"""Around a control's index; and what a square bracket inside raw HTML is while the rest is decided."""
_RAW_DIGITS = "\ufdd4\ufdd5\ufdd6\ufdd7\ufdd8\ufdd9\ufdda\ufddb\ufddc\ufddd"
"""Digits of the index of such a bracket's place, after the bracket that opens."""

_RESERVED = re.compile("[\ufdd0-\ufddd]")
_AS_RAW_DIGITS = str.maketrans("0123456789", _RAW_DIGITS)
_FROM_RAW_DIGITS = str.maketrans(_RAW_DIGITS, "0123456789")
_NUMERIC_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?")
_MASK = str.maketrans({"[": RAW_OPEN, "]": RAW_CLOSE})
_UNMASK = {
    **str.maketrans({RAW_OPEN: "[", RAW_CLOSE: "]", OPEN: None, CLOSE: None, **dict.fromkeys(_RAW_DIGITS)}),
    **OVERRIDES,
}

_TAGS = set(
    str.split(
        "a abbr b bdi blockquote br caption cite code col colgroup dd del details dfn div dl dt em "
        "figcaption figure "
        "h1 h2 h3 h4 h5 h6 hr i img ins kbd li ol p pre q s samp small span strong sub summary sup "
        "table tbody td tfoot "
        "th thead time tr tt u ul var wbr"
    )
)
_DROPPED_WITH_CONTENT = set(
    str.split(
        "script style iframe object embed applet noscript noembed noframes template textarea select "
        "svg math xmp title "
        "audio video canvas"
    )
)
_ATTRIBUTES = {
    "*": {"lang"},
    "a": {"href"},
    "img": {"src", "alt"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "ol": {"start", "reversed"},
    "details": {"open"},
}
_ATTRIBUTE_VALUES = {
    "*": {"dir": {"ltr", "rtl", "auto"}},
    "td": {"align": {"left", "right", "center"}},
    "th": {"align": {"left", "right", "center"}, "scope": {"row", "col", "rowgroup", "colgroup"}},
}
_START = re.compile(r' start="([-0-9]+)"')
_SMALL_NUMBER = re.compile(r"-?\d{1,4}")
_START_NUMBER = re.compile(r"-?\d{1,9}")

_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)((?:\"[^\"]*\"|[^\">])*)>")
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')
_NO_TEXT = re.compile(r"<[^>]*>?|&#?\w+;")
_RAW_LABEL = 4 * MAX_LABEL
_MARK = re.compile(
    f"{OPEN}([0-9]+){CLOSE}|{RAW_OPEN}([{_RAW_DIGITS}]*)([^{RAW_OPEN}{RAW_CLOSE}]{{1,{_RAW_LABEL}}}){RAW_CLOSE}"
)

# The outermost finds its direction by all of its text, which it would not look for in one that says its own. What is
# inside has the stylesheet find it line by line: a thousand rows would say it three thousand times.
_DIRECTED = frozenset(str.split("p h1 h2 h3 h4 h5 h6 ul ol blockquote dl summary pre"))
_LEAVES = frozenset(
    str.split("p h1 h2 h3 h4 h5 h6 li td th tr div blockquote table ul ol dd dt dl caption summary figcaption hr pre")
)
_HEADINGS = frozenset(str.split("h1 h2 h3 h4 h5 h6"))
VERBATIM = frozenset({"a", "code", "pre", "kbd", "samp", "tt"})
"""Elements in which a bracket is text."""
_NAMING = frozenset({"code", "kbd", "samp", "sub", "tt", "var"})
"""Elements that may name a variable."""

Outline = tuple[int, ...]
"""The levels of the headings that text stands under, outermost first, as the text itself numbers them."""

_ABOVE = 2
"""Levels of headings that stand above any text: the page's, and that of the question or panel."""


@dataclass(frozen=True, slots=True)
class Control:
    """Trusted HTML of our own for one placeholder, in parts, and the `text` it stands for where text is read."""

    parts: tuple[str | CodeHeader, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A bracket that is a citation: what it refers to, the bracket as it was written, and where, if that is known."""

    matches: tuple[Match, ...]
    source: str
    place: Span | None = None


@dataclass(frozen=True, slots=True)
class SafeParts:
    """The parts of a block, `closing`, the last sentence of its text, and `outline`, the headings that what follows it
    stands under.

    A spot has no claim where no text of the block is near it: it is then for what stands before the block.
    """

    parts: tuple[Part, ...]
    closing: str
    outline: Outline


def strip_reserved(text: str) -> str:
    """The text without the noncharacters that placeholders are made of."""
    return _RESERVED.sub("", text)


def mask_raw_html(html: str, *, brackets: bool) -> str:
    """Raw HTML of an answer, unable to name a placeholder; `brackets` keeps its square brackets for
    citations.
    """

    def reference(match: re.Match[str]) -> str:
        digits = match.group(1) or match.group(2)
        if len(digits) > 8:
            return "\ufffd"
        code = int(digits, 16 if match.group(1) else 10)
        return "" if 0xFDD0 <= code <= 0xFDEF else match.group(0)

    html = _NUMERIC_REFERENCE.sub(reference, html)
    return html.translate(_MASK) if brackets else html


def number_raw_brackets(masked: str, first: int) -> str:
    """Masked HTML in which each bracket that opens has the index of its place, counted from `first`."""
    before, *others = masked.split(RAW_OPEN)
    numbered = (RAW_OPEN + str(index).translate(_AS_RAW_DIGITS) + other for index, other in enumerate(others, first))
    return before + "".join(numbered)


def _attribute(tag: str, name: str, value: str) -> str | None:
    if tag == "a" and name == "href":
        return link_href(value)
    if name in ("colspan", "rowspan"):
        return value if _SMALL_NUMBER.fullmatch(value) else None
    if name == "start":
        return value if _START_NUMBER.fullmatch(value) else None
    return value


_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    clean_content_tags=_DROPPED_WITH_CONTENT,
    attributes=_ATTRIBUTES,
    tag_attribute_values=_ATTRIBUTE_VALUES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel="noopener noreferrer nofollow",
    set_tag_attribute_values={"a": {"target": "_blank"}},
    strip_comments=True,
)


def safe_parts(
    html: str,
    controls: Sequence[Control | CitationMark],
    sources: SourceIndex,
    outline: Outline = (),
    raw_places: Sequence[Span | None] = (),
) -> SafeParts:
    """One block of untrusted HTML as safe HTML.

    `controls` are what the placeholders of `html` stand for, by index. Brackets inside masked raw HTML are resolved
    against `sources` here; those that are numbered stand at `raw_places` in the answer's text. `outline` are the
    headings that the block stands under: each of its own is one level below the nearest that is above it, so that none
    is skipped, whatever level an answer begins with.
    """
    return _Walk(controls, sources, outline, raw_places).run(_CLEANER.clean(html))


def foreign_parts(html: str) -> tuple[Part, ...]:
    """Untrusted HTML that is no answer's (a passage, a document) as safe parts; brackets in it stay text."""
    if is_costly(html):
        return (escape(html),)
    masked = mask_raw_html(strip_reserved(html), brackets=False)
    return safe_parts(masked, (), SourceIndex(())).parts


def safe_html(html: str) -> str:
    """The same as safe HTML for a page."""
    return page_html(foreign_parts(html))


@dataclass(slots=True)
class _Walk:
    controls: Sequence[Control | CitationMark]
    sources: SourceIndex
    outline: Outline
    raw_places: Sequence[Span | None]
    parts: list[Part] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    leaf: list[str] = field(default_factory=list)
    leaf_length: int = 0
    before: str = ""
    """What stands before the next bracket, back to the last control or the end of an element."""
    cited: list[tuple[int, int]] = field(default_factory=list)
    """Of each citation of the leaf its index among the parts, and its position in the leaf's text."""
    in_row: bool = False
    beside: str = ""
    """The text of the last cell of the row that has any."""
    waiting: list[int] = field(default_factory=list)
    """Citations without a claim so far: first in the row, alone in their cells; by their index among the parts."""
    earlier: str = ""
    tables: int = 0
    headings: list[str] = field(default_factory=list)
    """The elements that stand for the headings that are open: HTML can have one in another."""
    directed: int = 0
    """How many elements that have a direction are open."""
    verbatim: int = 0
    anchors: list[str] = field(default_factory=list)
    """The elements that stand for the links that are open: `a`, or `span` where one leads nowhere."""
    href: str = ""
    label: list[str] = field(default_factory=list)
    """Where the link leads that is open, and its text so far."""

    def run(self, html: str) -> SafeParts:
        position = 0
        for match in _TAG.finditer(html):
            if match.start() > position:
                self.text(html[position : match.start()])
            position = match.end()
            self.tag(bool(match.group(1)), match.group(2), match.group(3).translate(_UNMASK), html, position)
        if position < len(html):
            self.text(html[position:])
        self.end_leaf()
        self.end_row()
        self.cut()
        return SafeParts(tuple(self.parts), self.closing(), self.outline)

    def put(self, part: str | Fixture) -> None:
        if isinstance(part, str):
            self.html.append(part)
        else:
            self.cut()
            self.parts.append(part)

    def cut(self) -> None:
        if self.html:
            self.parts.append("".join(self.html))
            self.html.clear()

    def tag(self, closing: bool, name: str, attributes: str, html: str, position: int) -> None:
        if name in _LEAVES:
            self.end_leaf()
        elif name == "br":
            self.read(" ")
        elif closing and name not in _NAMING:
            self.before = ""
        if name == "tr":
            self.end_row()
            self.in_row = not closing
        if name in VERBATIM:
            self.verbatim += -1 if closing else 1
        if name == "img":
            self.image(attributes)
        elif name == "a":
            self.anchor(closing, attributes)
        elif name == "table":
            self.table(closing, attributes, html, position)
        elif name in _HEADINGS:
            self.heading(closing, int(name[1]), attributes)
        else:
            self.plain_tag(closing, name, attributes + _room(name, attributes))

    def plain_tag(self, closing: bool, name: str, attributes: str) -> None:
        if closing:
            self.directed -= name in _DIRECTED
            self.html.append(f"</{name}>")
            return
        if name in _DIRECTED:
            self.directed += 1
            if self.directed == 1 and "dir=" not in attributes:
                attributes += ' dir="auto"'
        self.html.append(f"<{name}{attributes}>")

    def heading(self, closing: bool, level: int, attributes: str) -> None:
        if closing:
            self.plain_tag(True, self.headings.pop(), "")
            return
        self.outline = (*(above for above in self.outline if above < level), level)
        self.headings.append(f"h{min(_ABOVE + len(self.outline), 6)}")
        self.plain_tag(False, self.headings[-1], attributes)

    def anchor(self, closing: bool, attributes: str) -> None:
        if closing:
            name = self.anchors.pop() if self.anchors else "span"
            beside = beside_label("".join(self.label), self.href) if name == "a" else ""
            self.html.append(f"{beside}</{name}>")
        elif 'href="' in attributes:
            self.anchors.append("a")
            self.href = unescape(dict(_ATTRIBUTE.findall(attributes))["href"])
            self.label.clear()
            # With a direction of its own an element is isolated from what is around it.
            isolated = "" if "dir=" in attributes else ' dir="auto"'
            self.html.append(f"<a{attributes}{isolated}>")
        else:
            self.anchors.append("span")
            self.html.append("<span>")

    def image(self, attributes: str) -> None:
        values = {name: unescape(value) for name, value in _ATTRIBUTE.findall(attributes)}
        alt = values.get("alt", "")
        self.put(image_part(values.get("src", ""), alt, linked="a" in self.anchors))
        self.read(alt)

    def table(self, closing: bool, attributes: str, html: str, position: int) -> None:
        if closing:
            self.tables -= 1
            self.directed -= 1
            self.html.append("</table></div>" if self.tables == 0 else "</table>")
            return
        if self.tables == 0:
            label = escape(_table_label(html[position : position + 2_000]))
            direction = "" if self.directed else f' dir="{_direction(html[position : position + 2_000])}"'
            self.html.append(f'<div class="table-scroll" role="region" tabindex="0" aria-label="{label}"{direction}>')
            self.put(CopyTable())
        self.tables += 1
        self.directed += 1
        self.html.append(f"<table{attributes}>")

    def text(self, text: str) -> None:
        position = 0
        for match in _MARK.finditer(text):
            self.plain(text[position : match.start()])
            position = match.end()
            if match.group(1) is not None:
                self.control(int(match.group(1)))
            else:
                self.raw_bracket(match.group(2), match.group(3))
        self.plain(text[position:])

    def plain(self, text: str) -> None:
        if text:
            text = text.translate(_UNMASK)
            if "a" in self.anchors:
                text = text.translate(DIRECTION_MARKS)
            self.html.append(text)
            self.read(unescape(text))

    def control(self, index: int) -> None:
        control = self.controls[index]
        if isinstance(control, Control):
            for part in control.parts:
                self.put(part.translate(OVERRIDES) if isinstance(part, str) else part)
            self.read(control.text)
        elif self.verbatim:
            self.plain(escape(control.source))
        else:
            self.cite(control.matches, control.place)

    def raw_bracket(self, number: str, content: str) -> None:
        matches = () if self.verbatim else self.sources.resolve(unescape(content), self.before)
        if matches:
            self.cite(matches, self.raw_places[int(number.translate(_FROM_RAW_DIGITS))] if number else None)
        else:
            self.plain(f"[{content}]")

    def read(self, text: str) -> None:
        self.leaf.append(text)
        before = self.before + text
        self.before = before_bracket(before, len(before)) if text else ""
        self.leaf_length += len(text)
        if self.anchors:
            self.label.append(text)

    def cite(self, matches: tuple[Match, ...], place: Span | None) -> None:
        self.cut()
        self.cited.append((len(self.parts), self.leaf_length))
        self.parts.append(CitationSpot(matches, "", place))
        self.read("")

    def end_leaf(self) -> None:
        text = "".join(self.leaf)
        if has_words(text):
            places = [at for _, at in self.cited]
            starts = tuple(sentence_starts(text)) if places or self.waiting else ()
            if self.waiting:
                self.claim_waiting(claim_at(text, 0, places, starts))
            for spot, at in self.cited:
                self.claim(spot, claim_at(text, at, places, starts))
            self.earlier = self.beside = text[-REACH:]
        else:
            self.waiting += [spot for spot, _ in self.cited]
            if self.waiting and (self.beside or not self.in_row):
                self.claim_waiting(self.closing())
        self.leaf.clear()
        self.before = ""
        self.cited.clear()
        self.leaf_length = 0

    def end_row(self) -> None:
        if self.waiting:
            self.claim_waiting(self.closing())
        self.beside = ""

    def closing(self) -> str:
        return claim_at(self.earlier, len(self.earlier))

    def claim_waiting(self, claim: str) -> None:
        for spot in self.waiting:
            self.claim(spot, claim)
        self.waiting.clear()

    def claim(self, spot: int, claim: str) -> None:
        self.parts[spot] = replace(cast(CitationSpot, self.parts[spot]), claim=claim)


def _room(name: str, attributes: str) -> str:
    """The class of a list that begins with a number of several figures, or counts down from one: it says how long that
    is, and the stylesheet knows how many items there are.
    """
    start = _START.search(attributes) if name == "ol" else None
    length = len(start.group(1)) if start else 0
    return f' class="d{min(length, 9)}"' if length > 1 or (length and "reversed" in attributes) else ""


def _direction(html: str) -> str:
    """The direction of a table by its first letter. A browser that has to find it looks again with every cell that
    comes in, which takes it half a minute for ten thousand rows.
    """
    kinds = map(bidirectional, _NO_TEXT.sub("", html))
    return next(("ltr" if kind == "L" else "rtl" for kind in kinds if kind in ("L", "R", "AL")), "ltr")


def _table_label(html: str) -> str:
    row = html.partition("</tr>")[0]
    cells = [unescape(_MARK.sub("", cell)) for cell in _TAG.sub("\0", row).split("\0")]
    words = ", ".join(cell.strip() for cell in cells if cell.strip()).translate(_UNMASK)
    return f"Table: {words[:80]}" if words else "Table"
