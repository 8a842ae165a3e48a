"""The text of a block of HTML, read leaf by leaf, with the claim of each citation."""

from __future__ import annotations

from dataclasses import dataclass, field

from chat_ui.rendering.citations.brackets import before_bracket
from chat_ui.rendering.citations.sentences import CLAIM_REACH, claim_at, has_words, sentence_starts

_LEAVES = frozenset(
    str.split("p h1 h2 h3 h4 h5 h6 li td th tr div blockquote table ul ol dd dt dl caption summary figcaption hr pre")
)
_NAMING = frozenset({"code", "kbd", "samp", "sub", "tt", "var"})
"""Elements that may name a variable."""


@dataclass(slots=True)
class ClaimFinder:
    """Reads tags, text and citations in their order. A citation without near text in the block gets an empty claim: it
    then belongs to the text before the block.
    """

    claims: list[str] = field(default_factory=list)
    """The claim of each citation."""
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

    def tag(self, name: str, *, closing: bool) -> None:
        """Go on after a tag."""
        if name in _LEAVES:
            self._end_leaf()
        elif name == "br":
            self.read(" ")
        elif closing and name not in _NAMING:
            self.before = ""
        if name == "tr":
            self._end_row()
            self._in_row = not closing

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

    def end(self) -> str:
        """End the block; the last sentence of its text."""
        self._end_leaf()
        self._end_row()
        return self._closing()

    def _end_leaf(self) -> None:
        text = "".join(self._leaf)
        if has_words(text):
            places = [at for _, at in self._cited]
            starts = tuple(sentence_starts(text)) if places or self._waiting else ()
            if self._waiting:
                self._claim_waiting(claim_at(text, 0, places, starts))
            for citation, at in self._cited:
                self.claims[citation] = claim_at(text, at, places, starts)
            self._earlier = self._beside = text[-CLAIM_REACH:]
        else:
            self._waiting += [citation for citation, _ in self._cited]
            if self._waiting and (self._beside or not self._in_row):
                self._claim_waiting(self._closing())
        self._leaf.clear()
        self.before = ""
        self._cited.clear()
        self._length = 0

    def _end_row(self) -> None:
        if self._waiting:
            self._claim_waiting(self._closing())
        self._beside = ""

    def _closing(self) -> str:
        return claim_at(self._earlier, len(self._earlier))

    def _claim_waiting(self, claim: str) -> None:
        for citation in self._waiting:
            self.claims[citation] = claim
        self._waiting.clear()
