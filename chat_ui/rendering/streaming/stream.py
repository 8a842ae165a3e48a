"""An answer's growing text, rendered block by block.

Top-level blocks of Markdown are decided line by line, so a block is finished once the next one has begun on complete
lines. Only the text after the last finished block is parsed again, and of a long open block only its last piece:
`shortening` settles the rest. A finished block is rendered as a whole, and its shown HTML is corrected if different. It
is rendered again after new data points (`set_data_points`), or a later definition of a link reference or footnote that
it names. A change of its sources' numbers by these renders it again too.

A flush does at most `OPEN_WORK`, for any text. More work waits for the end, when everything is read once more. Until
then a long block that has ended stays as shown. An open block that is too much work to be read repeatedly is shown as
plain text, with all that follows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.citations.citations import Citation, CitationUse, SourceIndex
from chat_ui.rendering.html.claims import BlockText
from chat_ui.rendering.html.parts import CitationGroup, NumberedPart, RenderedBlock, page_html
from chat_ui.rendering.html.safe_html import Outline
from chat_ui.rendering.markdown.code_blocks import CodeState
from chat_ui.rendering.markdown.half_typed import without_half_line
from chat_ui.rendering.markdown.markdown import Definitions, TopBlock, parse, parse_ended
from chat_ui.rendering.markdown.token_html import Parsing
from chat_ui.rendering.streaming.block import (
    Block,
    PlainParagraph,
    finished_count,
    plain_paragraph,
    rendered,
    rendered_blocks,
    source_of,
)
from chat_ui.rendering.streaming.elements import fragments
from chat_ui.rendering.streaming.numbering import START, Numbers, UnnumberedHtml
from chat_ui.rendering.streaming.shortening import SETTLE_BEYOND, retry_after, shorter_block
from chat_ui.rendering.streaming.streaming_block import Change, StreamingBlock, StreamingBlocks
from chat_ui.rendering.streaming.work import work_of, work_of_points

OPEN_WORK: Final = 8_000
"""Work that one flush may do, except the last."""

_STEP: Final = 400
"""Characters that are read at once, when more of them came."""

_FINISHING_WORK: Final = 15_000
"""Work that finishing one block may be, since it is done once."""

LIVE_WORK: Final = 2_000_000
"""Work of a whole answer beyond which it is shown as plain text while it grows."""

_PLAIN_PARAGRAPH: Final = 4_000
"""Characters of a paragraph beyond which it is settled in part even if it goes on with plain words."""
MOST_COMPARED: Final = 200
"""Citations of an answer up to which its sentences are compared with their passages while it grows."""
_LONGEST_CLOSING: Final = 900
"""Characters of the last item or row. A longer one may have been cut."""
_AS_TEXT: Final = msg("Long text: shown as plain text until the answer is finished.")


@dataclass(frozen=True, slots=True)
class _Reading:
    """The unfinished blocks at the end of the text, and how they were parsed.

    `finished` blocks were read before them: the parser's lines count from there. The first block, of a shorter source,
    has ended if it `is_followed` by another.
    """

    blocks: Sequence[Block]
    tops: Sequence[TopBlock]
    parsing: Parsing
    finished: int = 0
    is_followed: bool = False

    def ends_with(self, tail: str) -> bool:
        """Whether all of `tail` was shown."""
        return sum(len(block.source) for block in self.blocks) == len(tail)


@dataclass(frozen=True, slots=True)
class _Cited:
    """The parts of a block with citations, the settled ones first. If its last sentence, item or row may go on,
    `closing` ends with it, else it is empty.
    """

    index: int
    settled: Sequence[NumberedPart]
    parts: Sequence[NumberedPart]
    closing: str


class Ending(NamedTuple):
    """The data of a stream's last flush, with the blocks as they are shown."""

    text: str
    points: tuple[DataPoint, ...]
    citations: tuple[PlacedCitation, ...]
    shown: tuple[StreamingBlock, ...]


class AnswerStream:
    """Renders a streaming answer. `feed` text, `flush` the changes of `blocks`; `flush(final=True)` ends it."""

    def __init__(self, data_points: Sequence[DataPoint] = ()) -> None:
        self._points = tuple(data_points)
        self._sources = SourceIndex(data_points)
        self._citations: tuple[PlacedCitation, ...] = ()
        """The citations beside the text."""
        self._length = self._kept_from = 0
        """The length of the text that was read, and the beginning of its part that is neither finished nor left out."""
        self._definitions = Definitions()
        self._finished: list[Block] = []
        self._outline: Outline = ()
        self._numbered = 0
        self._numbers = Numbers()
        self._numbers_finished = self._numbers.position
        self._uncompared: dict[int, _Cited] = {}
        self._open: _Cited | None = None
        self._compared = 0, 0
        """The index of an open block, and the number of its complete cited sentences when it was taken."""
        self._open_source: list[str] = []
        self._tail = ""
        self._streaming = StreamingBlock()
        self._next_try = SETTLE_BEYOND
        self._plain_paragraph: PlainParagraph | None = None
        self._unread: list[str] = []
        self.blocks = StreamingBlocks()
        self._work = 0
        self._waits_for_the_end = False
        self._is_plain = False

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations in the flushed text, in order of first use."""
        return tuple(self._numbers.citations)

    @property
    def uses(self) -> tuple[CitationUse, ...]:
        """Every use of a citation in the flushed text, in document order."""
        return tuple(self._numbers.uses)

    @property
    def finished(self) -> int:
        """The number of finished blocks, from the first."""
        return len(self._finished)

    @property
    def is_long(self) -> bool:
        """Whether finishing the answer costs more than a flush."""
        return bool(self._streaming.prefix) or self._waits_for_the_end

    @property
    def is_too_long(self) -> bool:
        """Whether the whole answer is too long to be shown while it grows."""
        return self._work > LIVE_WORK

    def final_work(self, most: int) -> int:
        """The work of finishing the answer, counted up to `most`."""
        if self._waits_for_the_end:
            return self._work + work_of_points(self._points, self._citations)
        return work_of("".join([*self._open_source, *self._unread]), most) + work_of_points((), self._citations)

    @property
    def ending(self) -> Ending:
        """The input of `last_changes` for the last flush, in another process."""
        sources = (block.source for block in self._finished)
        text = "".join([*sources, *self._open_source, *self._unread])
        shown = self.blocks.copies()
        if self._is_plain:
            # Plain text is shown anew in any case: it differs from its beginning on.
            del shown[-1].settled[1:]
        return Ending(text, self._points, self._citations, shown)

    def take_uncompared(self) -> tuple[dict[int, RenderedBlock], tuple[CitationUse, ...]]:
        """The blocks with complete cited sentences, by index, and the uses; all other uses are without a claim.

        A finished block is taken once, and an open block again with each further sentence.
        """
        taken, self._uncompared = self._uncompared, {}
        is_short = len(self._numbers.uses) <= MOST_COMPARED
        if is_short and (going_on := self._open) and going_on.index == self._numbered:
            complete = len(self._complete_uses(going_on))
            if complete and self._compared != (self._numbered, complete):
                taken[going_on.index] = going_on
                self._compared = self._numbered, complete
        uses = [replace(use, claim="") for use in self._numbers.uses[:MOST_COMPARED]]
        for one in taken.values():
            for use in self._complete_uses(one):
                uses[use] = self._numbers.uses[use]
        return {one.index: RenderedBlock((*one.settled, *one.parts)) for one in taken.values()}, tuple(uses)

    def _complete_uses(self, block: _Cited) -> list[int]:
        """The uses of a block whose sentences are complete."""
        if len(block.closing) > _LONGEST_CLOSING:
            return []
        groups = (part for part in (*block.settled, *block.parts) if isinstance(part, CitationGroup))
        closing = block.closing.rpartition("\n")[2]
        cited = [use for one in groups for use in one.uses]
        while closing and cited and self._numbers.uses[cited[-1]].claim in closing:
            cited.pop()
        return cited

    def feed(self, text: str) -> None:
        """Append clean text. Any split of an answer over calls gives the same blocks in the end."""
        text = source_of(text)
        self._unread.append(text)
        self._work += work_of(text)

    def set_data_points(self, points: Sequence[DataPoint]) -> None:
        """Replace the data points and match and number everything anew, at the end if that is much work."""
        if tuple(points) == self._points:
            return
        self._points = tuple(points)
        if self._work + work_of_points(self._points) > OPEN_WORK:
            self._waits_for_the_end = True
        else:
            self._start_over()

    def set_citations(self, citations: Sequence[PlacedCitation]) -> None:
        """Replace the citations beside the text: their blocks change, at the end if that is much work."""
        now, before = Counter(citations), Counter(self._citations)
        changed = {max(one.end, 1) for one in (now - before) | (before - now)}
        if not changed:
            return
        self._citations, self._plain_paragraph = tuple(citations), None
        spans = enumerate(pairwise(self._begins()))
        late = [index for index, (start, end) in spans if any(start < place <= end for place in changed)]
        # The settled part of the open block lacks their places, or has other numbers.
        is_settled = bool(self._streaming.prefix) and (bool(late) or min(changed) <= self._kept_from)
        again = (*(self._finished[index].source for index in late), *(self._open_source if is_settled else ()))
        self._waits_for_the_end |= sum(map(work_of, again)) > OPEN_WORK
        if not (self._waits_for_the_end or self._is_plain):
            if is_settled:
                self._read_from("".join(self._open_source))
            self._render_again(late)

    def _begins(self) -> list[int]:
        """The indices in the text of each finished block, and of the unfinished part."""
        return list(accumulate((len(block.source) for block in self._finished), initial=0))

    def _start_over(self) -> None:
        self._plain_paragraph = None
        self._is_plain = self._waits_for_the_end = False
        self._sources = SourceIndex(self._points)
        self._read_from("".join([*(block.source for block in self._finished), *self._open_source]))
        self._definitions = Definitions()
        self._finished = []
        self._outline = ()
        self._renumber()

    def flush(self, final: bool = False) -> list[Change]:
        """The changes since the last flush, in order.

        With `final` the text has ended: text held back is shown as it is, and every block is finished.
        """
        if final and self._waits_for_the_end:
            self._start_over()
        unread, self._unread = "".join(self._unread), []
        step = len(unread) or 1 if final else _STEP
        for start in range(0, len(unread) or 1, step):
            piece = unread[start : start + step]
            self._open_source.append(piece)
            self._length += len(piece)
            if not self._is_plain:
                self._read_on(piece, final)
            elif piece:
                self.blocks.settle(len(self._finished), escape(piece), 1)
        return self.blocks.take_changes()

    def _read_on(self, unread: str, final: bool) -> None:
        self._tail += unread
        paragraph, self._plain_paragraph = self._plain_paragraph, None
        is_cited = self._citations and self._citations[-1].end > self._length - len(unread)
        if paragraph is not None and len(self._tail) <= _PLAIN_PARAGRAPH and not (final or is_cited):
            self._plain_paragraph = paragraph.followed_by(unread)
        if self._plain_paragraph is not None:
            self.blocks.open(len(self.blocks) - 1, self._plain_paragraph.closed)
            return
        reading = self._read(final)
        if reading is None:
            self._show_plain()
            return
        if self._streaming.prefix:
            self._numbers.back_to(self._streaming.numbers)
        else:
            self._numbers.back_to(self._numbers_finished)
            for index in range(self._numbered, len(self._finished)):
                block, used = self._finished[index], len(self._numbers.uses)
                parts = self._numbered_parts(block)
                if used < len(self._numbers.uses) <= MOST_COMPARED:
                    self._uncompared[index] = _Cited(
                        index, (), parts, block.text.closing if block.text.leads_in else ""
                    )
                self.blocks.show(index, page_html(parts))
            self._numbered = len(self._finished)
            self._numbers_finished = self._numbers.position
        first = self._numbered
        if reading.blocks:
            self._show_streaming(reading)
        if reading.is_followed:
            self._finish_as_shown(reading.blocks[0])
        for index, block in enumerate(reading.blocks[1:], first + 1):
            self.blocks.show(index, page_html(self._numbered_parts(block)))
        self.blocks.end_at(first + len(reading.blocks))
        if reading.is_followed or not reading.blocks:
            return
        if not self.blocks[-1].settled and reading.ends_with(self._tail):
            source = reading.blocks[-1].source
            if len(source) <= _PLAIN_PARAGRAPH:
                self._plain_paragraph = plain_paragraph(source, reading.tops[-1], self.blocks[-1].open or "")

    def _show_plain(self) -> None:
        self._is_plain = self._waits_for_the_end = True
        index = len(self._finished)
        self.blocks.end_at(index)
        text = escape("".join(self._open_source))
        why = f'<p class="as-text">{escape(gettext(_AS_TEXT))}</p>'
        self.blocks.settle(index, f'{why}<div class="plain-text">{text}', 1)

    def _show_streaming(self, reading: _Reading) -> None:
        """Show the growing block, and settle its finished parts."""
        index, html, block = self._numbered, reading.blocks[0].html, self.blocks[self._numbered]
        if block.settled and block is not self._streaming:
            block = self.blocks.begin_anew(index)
        self._streaming = block
        start = len(block.prefix)
        parts = fragments(html.text[start:], block.depth)
        while len(parts) > 1 and html.text[start + parts[-1].start : start + parts[-1].end].isspace():
            parts.pop()
        last = parts[-1]
        for fragment, following in pairwise(parts):
            piece = html.between(start + fragment.start, start + fragment.end)
            ends = html.text[start + fragment.end : start + following.start]
            numbered = self._numbers.parts(piece)
            self.blocks.settle(index, page_html(numbered), following.depth, ends)
            block.parts += (*numbered, ends)
        opening = html.between(start + last.start, start + last.end)
        if len(parts) > 1:
            block.prefix, block.numbers = html.text[: start + last.start], self._numbers.position
        if len(reading.blocks) == 1 and not reading.finished and len(self._tail) >= self._next_try:
            self._next_try = retry_after(len(self._tail))
            shortened = shorter_block(reading.blocks[0], reading.tops[0], reading.parsing, self._definitions)
            if shortened is not None:
                short, prefix, way, kept_from = shortened
                open_part = short.html.between(len(prefix), len(short.html.text))
                cut = len(html.text) - len(open_part.text)
                if cut >= start + last.start:
                    piece = html.between(start + last.start, cut)
                    numbered = self._numbers.parts(piece)
                    self.blocks.settle(index, page_html(numbered), way.depth)
                    block.parts += numbered
                    self._tail = way.source + self._tail[len(reading.blocks[0].source) :]
                    self._kept_from = kept_from
                    self._next_try = max(SETTLE_BEYOND, 2 * len(way.source))
                    block.prefix, block.numbers, block.code = prefix, self._numbers.position, way.code_from
                    opening = open_part.between(0, fragments(open_part.text, way.depth)[0].end)
        numbered = self._numbers.parts(opening)
        self.blocks.open(index, page_html(numbered))
        text = reading.blocks[0].text
        goes_on = len(reading.blocks) == 1 or text.leads_in
        self._open = _Cited(index, block.parts, numbered, text.closing if goes_on else "")
        self._numbers.end_block(text)

    def _numbered_parts(self, block: Block) -> tuple[NumberedPart, ...]:
        parts = self._numbers.parts(block.html)
        self._numbers.end_block(block.text)
        return parts

    def _renumber(self) -> None:
        self._numbered = 0
        self._uncompared, self._compared = {}, (0, 0)
        self._numbers_finished = START

    def _read_from(self, source: str, next_try: int = SETTLE_BEYOND) -> None:
        """Take `source` as the unfinished part, without settled parts."""
        self._tail = source
        self._kept_from = self._length - len(source)
        self._open_source = [source]
        self._streaming, self._next_try = StreamingBlock(), next_try

    def _read(self, final: bool) -> _Reading | None:
        """Finish the finished blocks; returns the open ones, rendered. None if that is too much work."""
        if not final and self.is_too_long:
            return None
        is_complete = bool(self._streaming.prefix)
        if is_complete:
            reading = None if final else self._read_shortened()
            if reading is not None and not reading.is_followed:
                return reading
            source = "".join(self._open_source)
            if not final and work_of(source, _FINISHING_WORK) > _FINISHING_WORK:
                return reading
            self._read_from(source, retry_after(len(source)))
        most = _FINISHING_WORK if is_complete else OPEN_WORK
        if not final and work_of(self._tail, most) > most:
            return None
        text = self._tail if final else without_half_line(self._tail)
        definitions = self._definitions.copy()
        parsing = self._parsing(open_ended=not final)
        if final:
            text, tops, definitions = parse_ended(text, definitions, parsing)
        else:
            tops = parse(text, definitions, parsing)
        count = len(tops) if final else finished_count(tops, text)
        blocks = rendered_blocks(text, tops, count, parsing)
        if count or final:
            finished_length = sum(len(block.source) for block in blocks[:count])
            line = tops[count].start if count < len(tops) else text.count("\n") + 1
            self._read_from("" if final else self._tail[finished_length:])
            before = len(self._finished)
            self._finished.extend(blocks[:count])
            self._outline = blocks[count].outline if count < len(blocks) else parsing.outline
            new = self._definitions.keep(definitions, line, tops[:count])
            # The unfinished part may still define other labels.
            others = definitions.beyond(self._definitions)
            if final or not self._puts_off(new | others):
                self._render_again(self._naming(new, 0, before))
                self._render_again(self._naming(others, before, len(self._finished)))
        return _Reading(blocks[count:], tops[count:], parsing, count)

    def _finish_as_shown(self, block: Block) -> None:
        """Finish a long block, of which `block` is the end, as it was shown while it grew."""
        following = self._tail[len(block.source) :]
        source = "".join(self._open_source)
        shown = source[: len(source) - len(following)]
        self._finished.append(Block(shown, UnnumberedHtml("", ()), BlockText(), frozenset(), self._outline))
        self._numbered = len(self._finished)
        self._numbers_finished = self._numbers.position
        self._waits_for_the_end = True
        self._read_from(following)

    def _read_shortened(self) -> _Reading | None:
        """The open blocks, read from the shortened source; None if that fails or is too much work."""
        if work_of(self._tail, OPEN_WORK) > OPEN_WORK:
            return None
        text = without_half_line(self._tail)
        parsing = self._parsing(open_ended=True, code_start=self._streaming.code)
        tops = parse(text, self._definitions.copy(), parsing)
        if not tops:
            return None
        finished = finished_count(tops, text)
        blocks = rendered_blocks(text, tops, finished, parsing)
        if not blocks[0].html.text.startswith(self._streaming.prefix):
            return None
        return _Reading(blocks, tops, parsing, is_followed=finished > 0)

    def _puts_off(self, labels: frozenset[str]) -> bool:
        """Whether blocks that name one of the labels are too much work before the end."""
        if labels and self._work > OPEN_WORK and not self._waits_for_the_end:
            self._waits_for_the_end = any(not labels.isdisjoint(block.labels) for block in self._finished)
        return self._waits_for_the_end

    def _parsing(self, *, open_ended: bool, code_start: CodeState | None = None) -> Parsing:
        """The parsing of the unfinished part."""
        begun = self._length - len(self._tail)
        return Parsing(
            self._sources,
            self._citations,
            begun,
            self._kept_from,
            open_ended=open_ended,
            code_start=code_start,
            outline=self._outline,
        )

    def _naming(self, labels: frozenset[str], start: int, end: int) -> list[int]:
        """The finished blocks between two that name one of the labels."""
        numbers = range(start, end) if labels else ()
        return [index for index in numbers if not labels.isdisjoint(self._finished[index].labels)]

    def _render_again(self, indexes: Sequence[int]) -> None:
        if not indexes:
            return
        definitions, begins = self._definitions.copy(), self._begins()
        for index in indexes:
            block, begun = self._finished[index], begins[index]
            parsing = Parsing(self._sources, self._citations, begun, begun, outline=block.outline)
            blocks = parse(block.source, definitions, parsing)
            again = rendered(block.source, blocks[0], parsing) if blocks else block
            if (again.html, again.text) != (block.html, block.text):
                block.html, block.text = again.html, again.text
                if index < self._numbered:
                    self._renumber()


def last_changes(ending: Ending) -> tuple[list[Change], StreamingBlocks]:
    """The changes of a stream's last flush, and the shown blocks then."""
    stream = AnswerStream(ending.points)
    stream.set_citations(ending.citations)
    stream.feed(ending.text)
    stream.blocks = StreamingBlocks(ending.shown)
    return stream.flush(final=True), stream.blocks
