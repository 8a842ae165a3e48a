"""Citations that come beside the text, put into it as brackets.

OpenAI's Responses and chat completions tell in `annotations` which part of a text rests on which source. Where that
part is a mark of the model (`【4:0†source】`) or a link to the source, the bracket takes its place, else it follows it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from chat_ui.protocol.answers.data_points import annotation_id, cited_in
from chat_ui.protocol.answers.growing_text import GrowingText
from chat_ui.protocol.events import Json, JsonObject

MOST: Final = 1_000
"""Citations that are placed in one answer."""
_MOST_REVISED: Final = 500_000
"""Characters of a text that is put together again."""
_MARK: Final = r"【[^【】\n]{0,200}】"
_LINK: Final = r"\(?\[[^\[\]\n]{0,500}\]\([^()\s]{1,2000}\)\)?"
_REPLACED: Final = re.compile(rf"\s*(?:{_MARK}|{_LINK})\s*")
_MAY_BE_REPLACED: Final = re.compile(
    r" ?(?:【[^【】\n]{0,200}】?|\(?\[[^\[\]\n]{0,500}(?:\](?:\([^()\s]{0,2000}(?:\)\)?)?)?)?|\()\Z"
)
"""The end of a text that is a mark or a link, or may become one."""
_WORD: Final = re.compile(r"[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{0,40}")
_NOT_IN_A_LABEL: Final = {ord("["): "%5B", ord("]"): "%5D"}


class PlacedCitation(NamedTuple):
    """A citation of the source `label`, of the text from `start` to `end`, in characters; where `start` is None, only
    where it ends is known.
    """

    label: str
    start: int | None
    end: int


def placed_citations(annotations: Sequence[Json], begun: int, length: int) -> list[PlacedCitation]:
    """The citations of OpenAI's annotations of a text that begins there in the answer's and is so long."""
    return [_of(annotation, begun, length) for annotation in annotations if isinstance(annotation, Mapping)]


def _of(annotation: JsonObject, begun: int, length: int) -> PlacedCitation:
    cited = cited_in(annotation)
    start, end, index = (_position(cited, key) for key in ("start_index", "end_index", "index"))
    if end is None and cited.get("type") != "file_path":
        # The index of a path to a file is none in the text.
        end = index
    return PlacedCitation(
        annotation_id(annotation), None if start is None else begun + start, begun + (length if end is None else end)
    )


def _position(annotation: JsonObject, key: str) -> int | None:
    position = annotation.get(key)
    return position if isinstance(position, int) and not isinstance(position, bool) else None


class CitedText:
    """The text of one answer as it came, and the citations to place in it.

    `feed` and `cite` give the text to release. With `waits`, a mark or a link at the end is held back until what
    follows it is there: the citation that takes its place, or more text.
    """

    def __init__(self) -> None:
        self.waits = False
        self._text = GrowingText()
        self._held = ""
        self._placed: list[_Placed] = []
        self._is_late = False

    def feed(self, text: str, citations: Sequence[PlacedCitation] = ()) -> str:
        """The text that the next piece of it releases, with the citations in that piece."""
        begun = self._text.length
        self._text.append(text)
        held, self._held = self._held, ""
        if citations:
            named = [citation for citation in citations if citation.label]
            for citation in named[: MOST - len(self._placed)]:
                self._placed.append(self._place(citation))
            return held + self._from(begun)
        text = held + text
        if self.waits and (found := _MAY_BE_REPLACED.search(text, max(0, len(text) - 2_800))):
            self._held = text[found.start() :]
        return text[: len(text) - len(self._held)]

    def cite(self, citation: PlacedCitation) -> str:
        """The text that a citation releases."""
        if len(self._placed) >= MOST or not citation.label:
            return ""
        placed = self._place(citation)
        self._placed.append(placed)
        _, start, end = placed
        released = self._text.length - len(self._held)
        if start < released:
            self._is_late = True
            return ""
        before, self._held = self._held[: start - released], self._held[end - released :]
        return before + _bracket(placed, before or self._text.whole()[max(0, start - 1) : start])

    def close(self) -> str:
        """The text held back."""
        held, self._held = self._held, ""
        return held

    def revised(self) -> str | None:
        """The whole text with every citation in its place; None where all was released like this, or is too long."""
        return self._from(0) if self._is_late and self._text.length <= _MOST_REVISED else None

    def _place(self, citation: PlacedCitation) -> _Placed:
        text = self._text.whole()
        end = max(0, min(citation.end, len(text)))
        start = end if citation.start is None else max(0, min(citation.start, end))
        is_taken = any(one.start < end and start < one.end for one in self._placed)
        # By OpenAI's reference the end is the last character, by its answers it is the one after that.
        for last in (end, end + 1) if start < end and not is_taken else ():
            if _REPLACED.fullmatch(text, start, last):
                return _Placed(citation.label, start, last)
        # Never within a word: some count in other units.
        if end > 0 and _WORD.fullmatch(text, end - 1, end) and (word := _WORD.match(text, end)):
            end = word.end()
        return _Placed(citation.label, end, end)

    def _from(self, begun: int) -> str:
        """The text from a position on, with its citations."""
        text = self._text.whole()
        pieces: list[str] = []
        at, last = begun, text[max(0, begun - 1) : begun]
        for placed in sorted(self._placed, key=lambda one: (one.start, one.end)):
            if placed.start < at:
                continue
            last = text[at : placed.start] or last
            pieces += (text[at : placed.start], last := _bracket(placed, last))
            at = placed.end
        return "".join((*pieces, text[at:]))


class _Placed(NamedTuple):
    label: str
    start: int
    end: int


def _bracket(placed: _Placed, before: str) -> str:
    bracket = f"[{placed.label.translate(_NOT_IN_A_LABEL)}]"
    return bracket if not before or before[-1].isspace() or before[-1] in "]([" else f" {bracket}"
