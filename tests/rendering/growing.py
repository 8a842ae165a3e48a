"""A page that follows an `AnswerStream`, as a test sees it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.growing.shown import BlockChange
from chat_ui.rendering.growing.stream import AnswerStream

_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)(?:\"[^\"]*\"|[^\">])*>")
_VOID = {"br", "col", "hr", "img", "input", "wbr"}


@dataclass
class ShownBlock:
    """HTML with an open part between what stands before it and the ends of the elements that it stands in."""

    before: str = ""
    open: str = ""
    after: str = ""

    @property
    def html(self) -> str:
        return self.before + _ended(self.open) + self.after

    def show(self, html: str, *, anew: bool = False, settles: int | None = None) -> None:
        """Take a change: the open part is `html`, in a block that may begin anew, and may be settled with it."""
        if anew:
            self.before, self.after = "", ""
        self.open = html
        if settles is not None:
            self._settle(settles)

    def _settle(self, depth: int) -> None:
        html = self.html
        ends = [tag.start() for tag in _TAG.finditer(html) if tag.group(1)]
        position = ends[-depth] if depth else len(html)
        assert re.fullmatch(r"(</[a-z0-9]+>)*", html[position:]), "something stands after the open part"
        self.before, self.open, self.after = html[:position], "", html[position:]


def _ended(html: str) -> str:
    """`html`, and the ends of its elements that have none."""
    inside = []
    for tag in _TAG.finditer(html):
        if tag.group(1):
            assert inside.pop() == tag.group(2)
        elif tag.group(2) not in _VOID:
            inside.append(tag.group(2))
    return html + "".join(f"</{name}>" for name in reversed(inside))


class Page:
    """What stands on the screen after the changes of each flush."""

    def __init__(self, data_points: Sequence[DataPoint] = ()) -> None:
        self.stream = AnswerStream()
        self.stream.set_data_points(data_points)
        self._blocks: list[ShownBlock] = []

    def type(self, text: str) -> list[BlockChange]:
        self.stream.feed(text)
        return self._follow(self.stream.flush())

    def end(self) -> list[BlockChange]:
        return self._follow(self.stream.flush(final=True))

    def _follow(self, changes: list[BlockChange]) -> list[BlockChange]:
        for change in changes:
            if change.html is None:
                del self._blocks[change.index :]
                continue
            if change.index == len(self._blocks):
                self._blocks.append(ShownBlock())
            self._blocks[change.index].show(change.html, anew=change.anew, settles=change.settles)
        return changes

    @property
    def blocks(self) -> tuple[str, ...]:
        return tuple(block.html for block in self._blocks)

    @property
    def html(self) -> str:
        return "".join(self.blocks)


def typed(pieces: Iterable[str], data_points: Sequence[DataPoint] = ()) -> Page:
    page = Page(data_points)
    for piece in pieces:
        page.type(piece)
    page.end()
    return page
