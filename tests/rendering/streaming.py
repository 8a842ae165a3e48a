"""A test's view of a page that follows an `AnswerStream`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.streaming.stream import AnswerStream
from chat_ui.rendering.streaming.streaming_block import ANEW, Change

_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)(?:\"[^\"]*\"|[^\">])*>")
_VOID = {"br", "col", "hr", "img", "input", "wbr"}


@dataclass
class ShownBlock:
    """HTML with an open part between its beginning and the end tags of its open elements."""

    before: str = ""
    open: str = ""
    after: str = ""

    @property
    def html(self) -> str:
        return self.before + _ended(self.open) + self.after

    def change(self, kept: int, added: str, *settles: int) -> None:
        if kept < 0:
            self.before, self.after = "", ""
        self.open = self.open.encode("utf-16-le")[: 2 * max(kept, 0)].decode("utf-16-le") + added
        for depth in settles:
            self._settle(depth)

    def _settle(self, depth: int) -> None:
        html = self.html
        ends = [tag.start() for tag in _TAG.finditer(html) if tag.group(1)]
        position = ends[-depth] if depth else len(html)
        assert re.fullmatch(r"(</[a-z0-9]+>)*", html[position:]), "something stands after the open part"
        self.before, self.open, self.after = html[:position], "", html[position:]


def _ended(html: str) -> str:
    """`html` with its missing end tags."""
    inside = []
    for tag in _TAG.finditer(html):
        if tag.group(1):
            assert inside.pop() == tag.group(2)
        elif tag.group(2) not in _VOID:
            inside.append(tag.group(2))
    return html + "".join(f"</{name}>" for name in reversed(inside))


class ShownBlocks:
    """The blocks on the screen after changes."""

    def __init__(self) -> None:
        self.blocks: list[ShownBlock] = []

    def take(self, changes: Iterable[Sequence[Any]]) -> None:
        for index, *change in changes:
            if not change:
                del self.blocks[index:]
                continue
            if index == len(self.blocks):
                self.blocks.append(ShownBlock())
            self.blocks[index].change(*change)

    @property
    def html(self) -> tuple[str, ...]:
        return tuple(block.html for block in self.blocks)


class Page:
    """The content of the screen after each flush."""

    def __init__(self, data_points: Sequence[DataPoint] = ()) -> None:
        self.stream = AnswerStream()
        self.stream.set_data_points(data_points)
        self._shown = ShownBlocks()

    def type(self, text: str) -> list[Change]:
        self.stream.feed(text)
        return self._follow(self.stream.flush())

    def end(self) -> list[Change]:
        return self._follow(self.stream.flush(final=True))

    def _follow(self, changes: list[Change]) -> list[Change]:
        self._shown.take(changes)
        return changes

    @property
    def blocks(self) -> tuple[str, ...]:
        return self._shown.html

    @property
    def html(self) -> str:
        return "".join(self.blocks)

    def expect(self, complete: RenderedAnswer) -> None:
        """Check that the page ends like an answer that was rendered at once."""
        assert self.blocks == complete.html
        assert self.stream.citations == complete.citations
        assert self.stream.uses == complete.uses


def begun_anew(changes: Iterable[Change]) -> list[int | str]:
    """The blocks that begin, or begin anew."""
    return [change[0] for change in changes if change[1:2] == (ANEW,)]


def settled(changes: Iterable[Change]) -> bool:
    return any(len(change) > 3 for change in changes)


def characters(changes: Iterable[Change]) -> int:
    """The characters of HTML in the changes."""
    return sum(len(str(change[2])) for change in changes if len(change) > 2)


def typed(pieces: Iterable[str], data_points: Sequence[DataPoint] = ()) -> Page:
    page = Page(data_points)
    for piece in pieces:
        page.type(piece)
    page.end()
    return page
