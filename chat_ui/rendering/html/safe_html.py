"""Untrusted HTML to safe HTML, with our own controls put in afterwards.

There are four steps. Foreign tags that are not markup become text. nh3 keeps a tight list of tags and attributes and
balances them. The balanced result is walked tag by tag (headings levelled, tables wrapped, images replaced, direction
set). Text is walked for placeholders, so that controls are put only into text, never inside a tag.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape, unescape
from typing import Final
from unicodedata import bidirectional

import nh3

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.markup import TAGS, Kind, known_markup
from chat_ui.rendering.citations.citation_forms import AROUND_CITED, form_at
from chat_ui.rendering.citations.citations import Match, SourceIndex
from chat_ui.rendering.html.claims import HEADINGS, BlockText, ClaimFinder
from chat_ui.rendering.html.image_html import image_part
from chat_ui.rendering.html.links import DIRECTION_MARKS, OVERRIDES, beside_label, link_href
from chat_ui.rendering.html.parts import CitationSpot, CopyTable, Part, Span
from chat_ui.rendering.html.placeholders import PLACEHOLDER, CitationMark, Control, foreign_html, strip_reserved

# Without `dir`, which could reorder the pieces of a link's label, so that they pass for another address.
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
    "td": {"align": {"left", "right", "center"}},
    "th": {"align": {"left", "right", "center"}, "scope": {"row", "col", "rowgroup", "colgroup"}},
}
_SMALL_NUMBER = re.compile(r"-?\d{1,4}")
_START_NUMBER = re.compile(r"-?\d{1,9}")


def _attribute(tag: str, name: str, value: str) -> str | None:
    if tag == "a" and name == "href":
        return link_href(value)
    if name in ("colspan", "rowspan"):
        return value if _SMALL_NUMBER.fullmatch(value) else None
    if name == "start":
        return value if _START_NUMBER.fullmatch(value) else None
    return value


CLEANER: Final = nh3.Cleaner(
    tags=set(TAGS),
    clean_content_tags=set(),
    attributes=_ATTRIBUTES,
    tag_attribute_values=_ATTRIBUTE_VALUES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel="noopener noreferrer nofollow",
    set_tag_attribute_values={"a": {"target": "_blank"}},
    strip_comments=True,
)


_START = re.compile(r' start="([-0-9]+)"')
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)((?:\"[^\"]*\"|[^\">])*)>")
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')
_NO_TEXT = re.compile(r"<[^>]*>?|&#?\w+;")
# The outermost element finds its direction by all of its text, except elements with a direction. Inner ones have it
# from the stylesheet, since attributes of a thousand rows are long.
_DIRECTED = frozenset(str.split("p h1 h2 h3 h4 h5 h6 ul ol blockquote dl summary pre"))
# The space between a figure and its unit or currency.
_UNBROKEN = re.compile(
    r"(?<=\d) (?=[%‰°€£¥]|(?:[A-Z]{3}|[kcm]?m|k?g|[kMG]B|k?Wh?|[hlst]|min)\b)|(?<=[€£¥]) (?=\d)"
    r"|(?<=\b[A-Z]{3}) (?=\d|[a-z]{1,2}\))"
)
_NO_BREAK_SPACE = "\u00a0"
_CELLS = frozenset(("td", "th"))
_CELL_END = re.compile(r"<(?:/t[hd]|t[hdr]|/tr|/?table)\b")
_CELL_READ = 300
# Characters of a cell that is not broken, of one with few words, and of a word that paper can break.
_SHORT_CELL = 12
_FEW_WORDS = 32
_LONG_WORD = 18
VERBATIM = frozenset({"a", "code", "pre", "kbd", "samp", "tt"})
"""Elements in which a bracket is text."""

Outline = tuple[int, ...]
"""The levels of the headings above the text, outermost first, as the text itself numbers them."""

_LEVELS_ABOVE = 2
"""Levels of headings above any text: the page's, and that of the question or panel."""


@dataclass(frozen=True, slots=True)
class SafeParts:
    """The parts of a block, its `text` for claims, and `outline`, the headings above the next block. A spot without
    near text in the block gets an empty claim: it then belongs to the text before the block.
    """

    parts: tuple[Part, ...]
    text: BlockText
    outline: Outline


def safe_parts(
    html: str,
    controls: Sequence[Control | CitationMark],
    sources: SourceIndex,
    outline: Outline = (),
    *,
    kind: Kind = "text",
) -> SafeParts:
    """A block of untrusted HTML as safe HTML; its foreign tags that are not markup in HTML of this `kind` become text.

    `controls` are the placeholders of `html`, by index; undecided ones are resolved against `sources` here. `outline`
    are the headings above the block. Each of its own headings is one level below the nearest higher one, so that levels
    are not skipped, whatever level an answer begins with.
    """
    return _Walk(controls, sources, outline).run(CLEANER.clean(known_markup(html, kind)))


def foreign_parts(html: str, kind: Kind) -> tuple[Part, ...]:
    """Untrusted HTML outside answers (a passage, a page) as safe parts; brackets in it stay text."""
    return safe_parts(foreign_html(strip_reserved(html)), (), SourceIndex(()), kind=kind).parts


@dataclass(slots=True)
class _Walk:
    controls: Sequence[Control | CitationMark]
    sources: SourceIndex
    outline: Outline
    parts: list[Part] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    cited: ClaimFinder = field(default_factory=ClaimFinder)
    tables: int = 0
    headings: list[str] = field(default_factory=list)
    """The elements for the open headings, which HTML can nest."""
    directed: int = 0
    """The number of open elements with a direction."""
    verbatim: int = 0
    anchors: list[str] = field(default_factory=list)
    """The elements for the open links: `a`, or `span` for one without a target."""
    href: str = ""
    label: list[str] = field(default_factory=list)
    """The target of the open link, and its text so far."""
    beside: list[CitationMark] = field(default_factory=list)
    """Citations other than brackets in a verbatim element: they follow it."""

    def run(self, html: str) -> SafeParts:
        position = 0
        for match in _TAG.finditer(html):
            if match.start() > position:
                self.text(html[position : match.start()])
            position = match.end()
            self.tag(bool(match.group(1)), match.group(2), self.attributes(match.group(3)), html, position)
        if position < len(html):
            self.text(html[position:])
        self.cut()
        text = self.cited.end()
        claims = iter(enumerate(self.cited.claims))
        leading = frozenset(self.cited.leading)

        def claimed(spot: CitationSpot) -> CitationSpot:
            index, claim = next(claims)
            return replace(spot, claim=claim, leads_in=index in leading)

        parts = (claimed(part) if isinstance(part, CitationSpot) else part for part in self.parts)
        return SafeParts(tuple(parts), text, self.outline)

    def put(self, part: Part) -> None:
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
        self.cited.tag(name, closing=closing)
        if name in VERBATIM:
            self.verbatim += -1 if closing else 1
        if name == "img":
            self.image(attributes)
        elif name == "a":
            self.anchor(closing, attributes)
        elif name == "table":
            self.table(closing, attributes, html, position)
        elif name in HEADINGS:
            self.heading(closing, int(name[1]), attributes)
        elif name in _CELLS and not closing:
            self.plain_tag(closing, name, attributes + cell_class(html[position : position + _CELL_READ]))
        else:
            self.plain_tag(closing, name, attributes + _marker_width(name, attributes))
        if self.beside and not self.verbatim:
            for mark in self.beside:
                self.cite(mark.matches or (), mark.place)
            self.beside.clear()

    def plain_tag(self, closing: bool, name: str, attributes: str) -> None:
        if closing:
            self.directed -= name in _DIRECTED
            self.html.append(f"</{name}>")
            return
        if name in _DIRECTED:
            self.directed += 1
            if self.directed == 1:
                attributes += ' dir="auto"'
        self.html.append(f"<{name}{attributes}>")

    def heading(self, closing: bool, level: int, attributes: str) -> None:
        if closing:
            self.plain_tag(True, self.headings.pop(), "")
            return
        self.outline = (*(above for above in self.outline if above < level), level)
        self.headings.append(f"h{min(_LEVELS_ABOVE + len(self.outline), 6)}")
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
            # An element with a direction is isolated from its surroundings.
            self.html.append(f'<a{attributes} dir="auto">')
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
            self.html.append(f'<div class="table-scroll" role="group" tabindex="0" aria-label="{label}"{direction}>')
            self.put(CopyTable())
        self.tables += 1
        self.directed += 1
        self.html.append(f"<table{attributes}>")

    def attributes(self, attributes: str) -> str:
        """Attributes with brackets as written."""

        def written(match: re.Match[str]) -> str:
            control = self.controls[int(match.group(1))]
            return escape(control.source) if isinstance(control, CitationMark) else ""

        return PLACEHOLDER.sub(written, attributes).translate(OVERRIDES)

    def text(self, text: str) -> None:
        position = 0
        for match in PLACEHOLDER.finditer(text):
            self.plain(text[position : match.start()])
            position = match.end()
            self.control(self.controls[int(match.group(1))])
        self.plain(text[position:])

    def plain(self, text: str) -> None:
        if text:
            text = text.translate(DIRECTION_MARKS if "a" in self.anchors else OVERRIDES)
            self.html.append(text if self.verbatim else _UNBROKEN.sub(_NO_BREAK_SPACE, text))
            self.read(unescape(text))

    def control(self, control: Control | CitationMark) -> None:
        if isinstance(control, Control):
            for part in control.parts:
                self.put(part.translate(OVERRIDES) if isinstance(part, str) else part)
            self.read(control.text)
        elif self.verbatim:
            self.plain(escape(control.source))
            self.beside += [] if control.source else [control]
        elif control.matches is None:
            self.undecided(control.source, control.place)
        else:
            self.cite(control.matches, control.place)

    def undecided(self, source: str, place: Span | None) -> None:
        """A bracket or another form of citations in raw HTML, which may be text."""
        if source[0] == "[":
            matches = self.sources.resolve(source[1:-1], self.cited.before)
            is_text = not matches and source[1:-1] not in AROUND_CITED
        else:
            form = form_at(source, 0, len(source))
            found = form.matches(self.sources) if form else None
            matches, is_text = found or (), found is None
            if form and form.words and not is_text:
                self.plain(escape(source[slice(*form.words)]))
                # A copy has the words as well.
                place = None
        if is_text:
            self.plain(escape(source))
        else:
            self.cite(matches, place)

    def cite(self, matches: tuple[Match, ...], place: Span | None) -> None:
        self.put(CitationSpot(matches, "", place))
        self.cited.cite()

    def read(self, text: str) -> None:
        self.cited.read(text)
        if self.anchors:
            self.label.append(text)


def _marker_width(name: str, attributes: str) -> str:
    """The class of a reversed list, or one that starts with several figures: the length of its first number."""
    start = _START.search(attributes) if name == "ol" else None
    length = len(start.group(1)) if start else 0
    return f' class="d{min(length, 9)}"' if length > 1 or (length and "reversed" in attributes) else ""


def cell_class(html: str) -> str:
    """The classes of a cell with this content for its least width; none for a few letters or a figure with a unit."""
    text = unescape(_TAG.sub("", PLACEHOLDER.sub("", _CELL_END.split(html, 1)[0]))).strip()
    if len(text) <= _SHORT_CELL:
        return ""
    kinds = "words" if len(text) <= _FEW_WORDS else "text"
    is_unbroken = any(len(word) > _LONG_WORD for word in text.split())
    return f' class="{kinds} unbroken"' if is_unbroken else f' class="{kinds}"'


def _direction(html: str) -> str:
    """The direction of a table by its first letter; browsers would look for it again with every new cell."""
    kinds = map(bidirectional, _NO_TEXT.sub("", html))
    return next(("ltr" if kind == "L" else "rtl" for kind in kinds if kind in ("L", "R", "AL")), "ltr")


def _table_label(html: str) -> str:
    row = html.partition("</tr>")[0]
    cells = [unescape(PLACEHOLDER.sub("", cell)) for cell in _TAG.sub("\0", row).split("\0")]
    words = ", ".join(cell.strip() for cell in cells if cell.strip()).translate(OVERRIDES)
    return gettext("Table: {columns}", columns=words[:80]) if words else gettext("Table")
