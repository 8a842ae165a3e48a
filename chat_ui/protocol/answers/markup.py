"""The tags of foreign HTML that are markup. All other tags are text, as are comments and declarations.

A tag is markup if its element is allowed and balanced within its surroundings. So `run <path> and wait` and `if a<b
then c>d` keep their words in every HTML parser. Markup is written plainly, and hides neither tags nor words.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Final, Literal

FOREIGN: Final = "\ufde0"
"""Marks each `<` of foreign HTML; tags without it are the app's own, and known to be markup."""

MAX_DEPTH: Final = 100
"""Nested elements at most; deeper tags are text, since a parser takes the square of their number."""

MAX_WORDS: Final = 200
"""Words in one tag at most; longer tags are text, since a parser takes the square of their number."""

VOID: Final = frozenset(str.split("br col hr img wbr"))
CONTAINERS: Final = frozenset(str.split("blockquote details div dl figure ol table ul"))
"""Elements with blocks in them, which may go on after an empty line of Markdown."""
_IN_TABLES: Final = frozenset(str.split("caption colgroup col thead tbody tfoot tr td th"))
PARTS: Final = {
    "li": frozenset({"ul", "ol"}),
    "dt": frozenset({"dl"}),
    "dd": frozenset({"dl"}),
    **dict.fromkeys(_IN_TABLES, frozenset({"table"})),
}
"""The elements with optional end tags, and their parents."""
_BLOCKS: Final = CONTAINERS | PARTS.keys() | frozenset(str.split("figcaption h1 h2 h3 h4 h5 h6 p pre summary"))
_PHRASES: Final = (
    "abbr b bdi br cite code del details dfn em hr i img ins kbd q s samp small span strong sub sup tt u var wbr"
)
TAGS: Final = _BLOCKS | frozenset(("a", "time", *_PHRASES.split()))
"""The allowed elements of foreign HTML."""
_PAGE_TAGS: Final = frozenset(
    str.split(
        "address area article aside audio base bdo big body button canvas center data datalist dialog embed fieldset "
        "font footer form head header hgroup html iframe input label legend link main map menu meta meter nav noscript "
        "object optgroup option output param picture progress rp rt ruby script search section select slot source "
        "strike style template textarea title track video acronym frame frameset noframes math svg"
    )
)
"""The other elements of HTML, whose tags mean nothing to the reader of a page."""
_ROWS: Final = frozenset(str.split("tr td th"))
_GROUPS: Final = frozenset(str.split("thead tbody tfoot caption colgroup"))
_ENDED_BY: Final = {
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "td": frozenset({"td", "th"}),
    "th": frozenset({"td", "th"}),
    "tr": _ROWS,
    **dict.fromkeys(_GROUPS, _ROWS | _GROUPS),
    "p": frozenset({"p"}),
}
"""The elements that the start tag of another one ends."""
_HOLDS_NO_WORDS: Final = frozenset(str.split("table thead tbody tfoot tr colgroup"))
"""A parser puts words in these elements before the whole table."""

_ALL_TAGS: Final = TAGS | _PAGE_TAGS
_CELLS: Final = frozenset({"td", "th", "caption"})

_TAG_START: Final = re.compile(f"{FOREIGN}?<")
TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)((?:[\s/](?:[^<>\"']|(?>\"[^\"]*\"|'[^']*'))*+)?)>")
"""A tag: its slash, name and attributes."""
_GOES_ON: Final = re.compile(rf"[\n\w(\[\"'“‘„«\ufdd0\ufdd2\ufdde]|{FOREIGN}?<")
"""The beginning of an element's words: `<b> bold` is not written as markup."""
_ENDS_LINE: Final = re.compile(rf"[^\S\n]*(?:\n|{FOREIGN}?<|\Z)")
_NEXT_CELL: Final = re.compile(f"{FOREIGN}<t[dh]\\b", re.IGNORECASE)
_BEFORE_PARAGRAPH: Final = frozenset("\n>.!?:")
_OWN_END: Final = re.compile(r"</[a-z][a-z0-9]*>\s*")

Kind = Literal["text", "streaming", "passage", "page"]
"""`text` may have HTML. `streaming` text still grows, so its last elements may be open. A `passage` may be cut out of a
page. In a `page` of HTML, tags of pages are not text.
"""


@dataclass(slots=True)
class _Element:
    """An open element: its start tag as written, and the index of that in the output.

    `parts` are the tags of elements that are allowed only in this one, by their indices in the output. A table with
    words between its cells is `unfit`.
    """

    name: str
    tag: str
    at: int
    is_own: bool = False
    is_likely: bool = False
    parts: list[tuple[int, str]] = field(default_factory=list)
    unfit: bool = False


def foreign(html: str) -> str:
    """Foreign HTML as it is marked for `known_markup`."""
    return html.replace(FOREIGN, "").replace("<", f"{FOREIGN}<")


def known_markup(html: str, kind: Kind = "text") -> str:
    """The HTML with the foreign tags that are markup, and all others as text, without marks."""
    return _Reading(html, kind).run() if FOREIGN in html else html


@dataclass(slots=True)
class _Reading:
    html: str
    kind: Kind
    out: list[str] = field(default_factory=list)
    open: list[_Element] = field(default_factory=list)
    depth: int = 0
    """The number of open foreign elements."""

    def run(self) -> str:
        html, position = self.html, 0
        ends = self._last_ends() if self.kind == "streaming" else len(html)
        while start := _TAG_START.search(html, position):
            self._words(html[position : start.start()])
            tag = TAG.match(html, start.end() - 1)
            is_own = start.group() == "<"
            position = tag.end() if tag else start.end()
            if tag is None:
                self._words("<" if is_own else "&lt;")
            elif is_own:
                self._own(tag, is_cut=start.start() >= ends)
            elif tag.group(1):
                self._closing(tag, start.start())
            else:
                self._opening(tag, start.start())
        self._words(html[position:])
        self._end(0, is_cut=self.kind != "text")
        return "".join(self.out)

    def _last_ends(self) -> int:
        """The index after which only ends of our own elements follow."""
        end = len(self.html)
        while (start := self.html.rfind("<", 0, end)) >= 0 and _OWN_END.fullmatch(self.html, start, end):
            if self.html[start - 1 : start] == FOREIGN:
                break
            end = start
        return end

    def _words(self, text: str) -> None:
        self.out.append(text)
        if text and not text.isspace():
            self._unfit()

    def _unfit(self) -> None:
        """A parser would put text between the cells of a table before the table."""
        if self.open and self.open[-1].name in _HOLDS_NO_WORDS:
            table = self._holder("td", len(self.open))
            if table is not None:
                table.unfit = True

    def _holder(self, name: str, below: int) -> _Element | None:
        """The open foreign element that may be the parent of a part of this name."""
        for element in reversed(self.open[:below]):
            if element.is_own:
                return None
            if element.name in PARTS.get(name, ()):
                return element
        return None

    def _own(self, tag: re.Match[str], *, is_cut: bool) -> None:
        name = tag.group(2)
        if not tag.group(1):
            self._words(tag.group())
            if name not in VOID and name != "input":
                self.open.append(_Element(name, "", 0, is_own=True))
            return
        index = next((at for at in range(len(self.open) - 1, -1, -1) if self.open[at].is_own), -1)
        self._end(index + 1, is_cut=is_cut)
        del self.open[max(index, 0) :]
        self.out.append(tag.group())

    def _opening(self, tag: re.Match[str], start: int) -> None:
        written, name = tag.group().replace(FOREIGN, ""), tag.group(2).lower()
        before = self.html[start - 1 : start] if start else "\n"
        if name in TAGS and len(written) > MAX_WORDS and len(written.split()) > MAX_WORDS:
            self._words(_escaped(written))
            return
        if name in VOID:
            is_markup = self._is_void_markup(name, written, before, tag.end())
            self.out.append(written) if is_markup else self._words(self._as_text(name, written))
            return
        if name in _ENDED_BY:
            self._end_siblings(name)
        is_possible = name in TAGS or (name in _PAGE_TAGS if self.kind == "passage" else self.kind == "page")
        is_held = name not in _IN_TABLES or self._holder(name, len(self.open)) or self.kind in ("passage", "page")
        if not is_possible or not is_held or self.depth >= MAX_DEPTH or (name not in TAGS and written.endswith("/>")):
            self._words(self._as_text(name, written))
            return
        if name not in PARTS:
            self._unfit()
        is_paragraph = before in _BEFORE_PARAGRAPH and not self.html.startswith("<", tag.end())
        is_likely = _GOES_ON.match(self.html, tag.end()) is not None or (
            self.kind in ("streaming", "page") and tag.end() == len(self.html)
        )
        self.open.append(_Element(name, written, len(self.out), is_likely=is_likely and (name != "p" or is_paragraph)))
        self.depth += 1
        self.out.append(self._as_text(name, written))

    def _is_void_markup(self, name: str, written: str, before: str, end: int) -> bool:
        if name == "img":
            return re.search(r"\ssrc\s*=", written, re.IGNORECASE) is not None
        if name == "hr":
            return self.kind == "page" or (before in "\n>" and _ENDS_LINE.match(self.html, end) is not None)
        return name != "col" or self._holder(name, len(self.open)) is not None

    def _end_siblings(self, name: str) -> None:
        """End the elements that the start tag of `name` ends."""
        first = len(self.open)
        for at in range(first - 1, -1, -1):
            element = self.open[at]
            if element.name in _ENDED_BY[name] and not element.is_own:
                first = at
            elif element.is_own or element.name in PARTS.get(name, _BLOCKS):
                break
        self._end(first)

    def _closing(self, tag: re.Match[str], start: int) -> None:
        written, name = tag.group().replace(FOREIGN, ""), tag.group(2).lower()
        if name == "br":
            self._words("<br>")
            return
        at = self._opened(name)
        if at < 0 and self._is_left_over(name):
            return
        if at < 0:
            is_cut = self.kind == "passage" and name in _BLOCKS and self.html[start - 1 : start] != " "
            self._words("" if is_cut else self._as_text(name, written))
            return
        if name in _BLOCKS or name in _PAGE_TAGS:
            self._end(at + 1)
        element = self.open.pop(at)
        self.depth -= 1
        closing = len(self.out)
        self.out.append(self._as_text(name, written))
        holder = self._holder(name, at)
        if holder is not None:
            holder.parts += [(element.at, element.tag), (closing, written)]
        elif name not in TAGS:
            self.out[element.at] = self.out[closing] = ""
        elif not element.unfit:
            self._keep(element)
            # Without their table, a parser would join the words of two cells.
            self.out[closing] = f"{written} " if _NEXT_CELL.match(self.html, tag.end()) else written

    def _is_left_over(self, name: str) -> bool:
        """Whether a row or cell of the open table has one end tag too many: written as the table is."""
        table = self._holder(name, len(self.open)) if name in _IN_TABLES else None
        if table is None or self.open[-1].name not in _HOLDS_NO_WORDS:
            return False
        table.parts.append((len(self.out), ""))
        self.out.append(_escaped(f"</{name}>"))
        return True

    def _opened(self, name: str) -> int:
        """The index of the open element that an end tag of this name ends; -1 without one."""
        for at in range(len(self.open) - 1, -1, -1):
            element = self.open[at]
            if element.is_own:
                break
            if element.name == name:
                return at
            if name in _IN_TABLES or name == "table":
                barriers = frozenset({"table"})
            else:
                barriers = _CELLS | PARTS.get(name, frozenset()) if name in _BLOCKS else _BLOCKS
            if element.name in barriers:
                break
        return -1

    def _keep(self, element: _Element) -> None:
        """Make a start tag markup, with those of the parts of its element."""
        for at, tag in ((element.at, element.tag), *element.parts):
            self.out[at] = tag

    def _end(self, first: int, *, is_cut: bool = False) -> None:
        """End the elements from this one on, which lack end tags; `is_cut` where the text ends here."""
        while len(self.open) > first:
            element = self.open.pop()
            if element.is_own:
                continue
            self.depth -= 1
            holder = self._holder(element.name, len(self.open))
            if holder is not None:
                holder.parts.append((element.at, element.tag))
                continue
            has_parts = any(tag.startswith("</") for _, tag in element.parts)
            if self.kind == "page" or (element.is_likely and (is_cut or element.name == "p" or has_parts)):
                self._cut(element)

    def _cut(self, element: _Element) -> None:
        if element.name in _IN_TABLES:
            self.out[element.at] = ""
        elif element.name in TAGS and not element.unfit and (self.kind != "passage" or element.name in _BLOCKS):
            self._keep(element)
            self.out.append(f"</{element.name}>")

    def _as_text(self, name: str, written: str) -> str:
        """A tag that is not markup, as shown: left out in a page if it is a tag of pages."""
        is_left_out = self.kind == "page" and (name in _ALL_TAGS or written.endswith("/>"))
        return "" if is_left_out else _escaped(written)


def _escaped(tag: str) -> str:
    return tag.replace("<", "&lt;")


_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_ENDS_ROW = re.compile(r"(?:</(?:p|div|li|tr|h[1-6])[ \t]*>[ \t]*)+\n?", re.IGNORECASE)
_BETWEEN_CELLS = re.compile(r"</t[dh]\s*>\s*(?=<t[dh]\b)", re.IGNORECASE)
_WRITTEN_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)


def has_line_break(text: str) -> bool:
    """Whether `text` breaks its lines as HTML does."""
    return _BREAK.search(text) is not None


def words_of_html(text: str) -> str:
    """`text` without tags that are markup, entities read: a line for each line, block and row, bars between cells."""
    plain = known_markup(foreign(text), "passage")
    lines = _ENDS_ROW.sub("\n", _BREAK.sub("\n", _BETWEEN_CELLS.sub(" | ", plain)))
    return html.unescape(_WRITTEN_TAG.sub("", lines))
