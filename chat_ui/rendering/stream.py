"""An answer's text as it grows, rendered block by block.

Top-level blocks of Markdown are decided line by line, so a block is finished once the next one has begun on
lines that are complete. Only what follows the last finished block is parsed again. A finished block is
rendered again in three cases alone: other data points arrive (`set_data_points`), a link reference or
footnote that it names is defined later, or one of these changes the number of a source that it cites.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from markdown_it.common.utils import normalizeReference

from chat_ui.protocol.answer import DataPoint
from chat_ui.rendering.citations import RULE_MISSING, Citation, CitationUse, SourceIndex
from chat_ui.rendering.half_typed import without_half_line
from chat_ui.rendering.markdown import Definitions, TopBlock, parse, unsafe_html
from chat_ui.rendering.raw_html import is_costly
from chat_ui.rendering.safe_html import CitationSpot, Part, safe_parts, strip_reserved
from chat_ui.rendering.token_html import Parsing

_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_BRACKETED = re.compile(r"\[([^\[\]]{1,999})\]")


@dataclass(frozen=True, slots=True)
class BlockChange:
    """The newest safe HTML of the block at `index`; None where that block is gone."""

    index: int
    html: str | None


@dataclass(slots=True)
class _Block:
    """A top-level block: its source, its HTML cut at citations, and the labels it may refer to."""

    source: str
    parts: tuple[Part, ...]
    labels: frozenset[str]


class _Numbers:
    """Numbers for sources, in order of first use."""

    def __init__(self, before: _Numbers | None = None) -> None:
        self.citations: list[Citation] = list(before.citations) if before else []
        self.uses: list[CitationUse] = list(before.uses) if before else []
        self._by_key: dict[tuple[str, int | str], int] = dict(before._by_key) if before else {}

    def html(self, block: _Block) -> str:
        """The block's HTML with its citations numbered after those of the blocks before it."""
        return "".join(part if isinstance(part, str) else self._buttons(part) for part in block.parts)

    def _buttons(self, spot: CitationSpot) -> str:
        buttons: list[str] = []
        for match in spot.matches:
            number = self._by_key.get(match.key)
            if number is None:
                number = self._by_key[match.key] = len(self.citations) + 1
                self.citations.append(Citation(number, match.label, match.data_point, match.rule))
            buttons.append(_button(self.citations[number - 1], len(self.uses)))
            self.uses.append(CitationUse(number, spot.claim))
        return "".join(buttons)


def _button(citation: Citation, use: int) -> str:
    missing = citation.rule == RULE_MISSING
    kind = "citation citation-missing" if missing else "citation"
    words = f"Citation {citation.number}: {citation.label[:200]}"
    if missing:
        words += ", not found among the sources"
    return (
        f'<button type="button" class="{kind}" data-citation="{citation.number}" '
        f'data-use="{use}" aria-label="{escape(words)}">{citation.number}</button>'
    )


class AnswerStream:
    """Renders a growing answer. `feed` text, `flush` what changed; `flush(final=True)` ends it."""

    def __init__(self, data_points: Sequence[DataPoint] = ()) -> None:
        """Start an empty answer over `data_points`."""
        self._sources = SourceIndex(data_points)
        self._definitions = Definitions()
        self._finished: list[_Block] = []
        self._numbered = 0
        self._numbers = _Numbers()
        self._tail = ""
        self._carriage_return = False
        self._open_numbers = self._numbers
        self._shown: list[str] = []

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What is cited in the text flushed so far, in order of first use."""
        return tuple(self._open_numbers.citations)

    @property
    def uses(self) -> tuple[CitationUse, ...]:
        """Every place where something is cited in the text flushed so far, in document order."""
        return tuple(self._open_numbers.uses)

    @property
    def finished(self) -> int:
        """How many blocks, counted from the first, are finished."""
        return len(self._finished)

    def feed(self, text: str) -> None:
        """Append text. Any split of an answer over calls gives the same blocks in the end."""
        if self._carriage_return and not text.startswith("\n"):
            text = "\n" + text
        self._carriage_return = text.endswith("\r")
        text = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        self._tail += strip_reserved(_UNSHOWABLE.sub("", text))

    def set_data_points(self, points: Sequence[DataPoint]) -> None:
        """Replace the data points; every match and number is decided anew at the next flush."""
        if tuple(points) == self._sources.points:
            return
        self._sources = SourceIndex(points)
        self._tail = "".join(block.source for block in self._finished) + self._tail
        self._definitions = Definitions()
        self._finished = []
        self._renumber()

    def flush(self, final: bool = False) -> list[BlockChange]:
        """What changed since the last flush, by block index, in order.

        With `final` the text has ended: what was held back is shown as the text it is, and every block is
        finished.
        """
        if final and self._carriage_return:
            self._tail += "\n"
            self._carriage_return = False
        first_changed = self._numbered
        open_blocks = self._advance(final)
        first_changed = min(first_changed, self._numbered)
        htmls = []
        for block in self._finished[self._numbered :]:
            htmls.append(self._numbers.html(block))
            self._numbered += 1
        self._open_numbers = _Numbers(self._numbers) if open_blocks else self._numbers
        htmls.extend(self._open_numbers.html(block) for block in open_blocks)
        return self._show(first_changed, htmls)

    def _show(self, first: int, htmls: list[str]) -> list[BlockChange]:
        changes: list[BlockChange] = []
        shown = self._shown
        for index, html in enumerate(htmls, first):
            if index == len(shown):
                shown.append(html)
            elif shown[index] == html:
                continue
            else:
                shown[index] = html
            changes.append(BlockChange(index, html))
        end = first + len(htmls)
        changes.extend(BlockChange(index, None) for index in range(end, len(shown)))
        del shown[end:]
        return changes

    def _renumber(self) -> None:
        self._numbered = 0
        self._numbers = _Numbers()

    def _advance(self, final: bool) -> list[_Block]:
        """Finish the blocks that are finished; the open ones, rendered."""
        text = self._tail if final else without_half_line(self._tail)
        definitions = self._definitions.copy()
        parsing = Parsing(self._sources, open_ended=not final)
        blocks = parse(text, definitions, parsing)
        lines = text.split("\n")
        count = len(blocks) if final else _finished_count(blocks, len(lines) - 1)
        ends = [block.start for block in blocks[1:]] + [len(lines)]
        starts = [0, *ends]
        rendered = [
            _rendered("\n".join(lines[start:end]) + ("\n" if end < len(lines) else ""), block, parsing)
            for start, end, block in zip(starts, ends, blocks, strict=False)
        ]
        if count:
            line = ends[count - 1]
            finished_length = sum(len(one.source) for one in rendered[:count])
            self._tail = "" if final else self._tail[finished_length:]
            self._define(definitions, line, blocks[:count])
            self._finished.extend(rendered[:count])
        return rendered[count:]

    def _define(self, found: Definitions, line: int, blocks: Sequence[TopBlock]) -> None:
        """Keep what the finished lines define; finished blocks that name it are rendered again."""
        new: set[str] = set()
        for label, reference in found.references.items():
            if label not in self._definitions.references and reference["map"][0] < line:
                self._definitions.references[label] = reference
                new.add(label)
        for top in blocks:
            for token in top.tokens:
                if token.type == "footnote_reference_open":
                    label = token.meta["label"]
                    if f":{label}" not in self._definitions.footnotes:
                        self._definitions.footnotes[f":{label}"] = -1
                        new.add(normalizeReference(f"^{label}"))
        if not new:
            return
        definitions = self._definitions.copy()
        for index, block in enumerate(self._finished):
            if not new.isdisjoint(block.labels):
                self._render_again(index, block, definitions)

    def _render_again(self, index: int, block: _Block, definitions: Definitions) -> None:
        parsing = Parsing(self._sources)
        blocks = parse(block.source, definitions, parsing)
        if not blocks:
            return
        parts = _rendered(block.source, blocks[0], parsing).parts
        if parts != block.parts:
            block.parts = parts
            if index < self._numbered:
                self._renumber()


def _finished_count(blocks: Sequence[TopBlock], complete_lines: int) -> int:
    """How many blocks are followed by one that began on two complete lines (a table needs both)."""
    return sum(1 for block in blocks[1:] if block.start + 2 <= complete_lines)


def _rendered(source: str, block: TopBlock, parsing: Parsing) -> _Block:
    html = unsafe_html(block, parsing)
    if is_costly(html):
        html = f"<p>{escape(source)}</p>"
    labels = frozenset(normalizeReference(match.group(1)) for match in _BRACKETED.finditer(source))
    return _Block(source, safe_parts(html, parsing.controls, parsing.sources), labels)
