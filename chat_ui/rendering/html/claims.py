"""The text of a block of HTML, read leaf by leaf, with the claim of each citation.

The claim of a lead-in line is the list or table after it. A lead-in ends with a colon, or is a heading with a citation.
A citation of a table's header or caption, or after a list or table without words, belongs to all of its rows or items.
The claim of a short cell is its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chat_ui.rendering.citations.brackets import before_bracket
from chat_ui.rendering.citations.sentences import (
    CLAIM_REACH,
    LISTED_REACH,
    claim_at,
    has_words,
    leads_in,
    list_claim,
    one_line,
    sentence_starts,
)

HEADINGS = frozenset(str.split("h1 h2 h3 h4 h5 h6"))
LISTS = frozenset(str.split("ul ol dl table"))
LEAVES = HEADINGS | LISTS | frozenset(str.split("p li td th tr div blockquote dd dt caption summary figcaption hr pre"))
"""Elements that begin or end a line of text."""
_SHORT_CELL = 60
"""Characters of a cell that claims little without its row."""
_NAMING = frozenset({"code", "kbd", "samp", "tt", "sub", "var"})
"""Elements that may name a variable."""


@dataclass(frozen=True, slots=True)
class BlockText:
    """The text of a block: `closing`, the claim of citations after it, and whether that `leads_in` the next block.

    `listed` are the lines of the list or table with which the block begins.
    """

    closing: str = ""
    leads_in: bool = False
    listed: str = ""


@dataclass(slots=True)
class _Listed:
    """A list or table: the index of its first line, its lead-in, and the citations whose claim it is."""

    start: int
    lead: str
    citations: list[int]
    is_first: bool


@dataclass(slots=True)
class ClaimFinder:
    """Reads tags, text and citations in their order. A citation without near text in the block gets an empty claim: it
    then belongs to the text before the block.
    """

    claims: list[str] = field(default_factory=list)
    """The claim of each citation."""
    leading: list[int] = field(default_factory=list)
    """The citations of the last leaf if it leads in; at the end those of the block's lead-in."""
    before: str = ""
    """The text before the next bracket, back to the last control or the end of an element."""
    _leaf: list[str] = field(default_factory=list)
    _length: int = 0
    _cited: list[tuple[int, int]] = field(default_factory=list)
    """The citations of the leaf: the index of each, and its position in the leaf's text."""
    _in_row: bool = False
    _beside: str = ""
    """The text of the row's last cell with text."""
    _waiting: list[int] = field(default_factory=list)
    """Citations without a claim so far: first in the row, without text in their cells."""
    _earlier: str = ""
    _leads_in: bool = False
    _lines: list[str] = field(default_factory=list)
    """The items of all lists, and the rows of all tables."""
    _open: list[_Listed] = field(default_factory=list)
    _closed: str = ""
    """The claim of a list or table, directly after it."""
    _listed: str = ""
    _cells: list[str] = field(default_factory=list)
    _row_start: int = 0
    """The row's first citation."""
    _in_head: bool = False
    _has_cell: bool = False
    """Whether the row has a cell other than headers."""
    _foot: Sequence[int] = ()
    """The citations of a table's last row, if it is without words."""

    def tag(self, name: str, *, closing: bool) -> None:
        """Go on after a tag."""
        if name in LEAVES:
            self._end_leaf(name if closing else "")
        elif name == "br":
            self.read(" ")
        elif closing and name not in _NAMING:
            self.before = ""
        if name == "tr":
            self._end_row()
            self._in_row = not closing
        elif name in LISTS:
            self._end_list() if closing else self._begin_list()
        elif name == "thead":
            self._in_head = not closing
        elif name == "td":
            self._has_cell = True

    def read(self, text: str) -> None:
        """Read on; an empty text is a control without words."""
        self._leaf.append(text)
        before = self.before + text
        self.before = before_bracket(before, len(before)) if text else ""
        self._length += len(text)

    def cite(self) -> None:
        """Read a citation."""
        self._cited.append((len(self.claims), self._length))
        self.claims.append("")
        self.read("")

    def end(self) -> BlockText:
        """End the block."""
        self._end_leaf("")
        self._end_row()
        return BlockText(self._closing(), self._leads_in, self._listed)

    def _end_leaf(self, ended: str) -> None:
        """End a leaf at a tag, or at the end tag of the element `ended`."""
        text = "".join(self._leaf)
        if has_words(text):
            places = [at for _, at in self._cited]
            starts = tuple(sentence_starts(text)) if places or self._waiting else ()
            if self._waiting:
                self._claim_waiting(claim_at(text, 0, places, starts))
            for citation, at in self._cited:
                self.claims[citation] = claim_at(text, at, places, starts)
            self._earlier = self._beside = text[-CLAIM_REACH:]
            self._closed = ""
            self._keep(text, starts, ended)
        else:
            self._waiting += [citation for citation, _ in self._cited]
            if self._waiting and (self._beside or not self._in_row):
                self.leading += self._waiting if self._leads_in else ()
                self._claim_waiting(self._closing())
        self._leaf.clear()
        self.before = ""
        self._cited.clear()
        self._length = 0

    def _keep(self, text: str, starts: Sequence[int], ended: str) -> None:
        """Keep a leaf as a cell or an item, or as a lead-in with the citations of its last sentence."""
        line = one_line(text[:CLAIM_REACH])
        if self._in_row:
            self._cells.append(line)
        elif ended == "caption" and self._open:
            self._open[-1].citations += [citation for citation, _ in self._cited]
        else:
            if self._open:
                self._lines.append(line)
            is_heading = ended in HEADINGS and bool(self._cited)
            self._leads_in = is_heading or (leads_in(text) and ended != "pre")
            last = next((start for start in reversed(starts) if has_words(text[start:])), 0)
            self.leading = [citation for citation, at in self._cited if at >= last] if self._leads_in else []

    def _end_row(self) -> None:
        if self._waiting:
            self._claim_waiting(self._closing())
        self._beside = ""
        cited = range(self._row_start, len(self.claims))
        self._foot = () if self._cells else cited
        if self._cells and (self._in_head or not self._has_cell) and self._open:
            self._open[-1].citations += cited
        elif self._cells:
            row = ", ".join(self._cells)
            self._lines.append(row)
            for citation in cited:
                if len(self.claims[citation]) <= _SHORT_CELL:
                    self.claims[citation] = row[:CLAIM_REACH]
        self._cells.clear()
        self._row_start = len(self.claims)
        self._has_cell = False

    def _begin_list(self) -> None:
        lead = self._closing() if self._leads_in else ""
        is_first = not (self._open or self._earlier or self.claims)
        self._open.append(_Listed(len(self._lines), lead, self.leading, is_first))
        self.leading, self._leads_in, self._closed = [], False, ""

    def _end_list(self) -> None:
        if not self._open:
            return
        one = self._open.pop()
        lines = self._lines[one.start : one.start + LISTED_REACH]
        found = {claim: list_claim(claim, lines) for claim in {self.claims[citation] for citation in one.citations}}
        for citation in one.citations:
            self.claims[citation] = found[self.claims[citation]]
        self._closed = list_claim(one.lead, lines)
        for citation in self._foot:
            self.claims[citation] = self._closed
        self._listed = self._closed if one.is_first else self._listed
        self.leading, self._leads_in, self._foot = [], False, ()

    def _closing(self) -> str:
        return self._closed or claim_at(self._earlier, len(self._earlier))

    def _claim_waiting(self, claim: str) -> None:
        for citation in self._waiting:
            self.claims[citation] = claim
        self._waiting.clear()
