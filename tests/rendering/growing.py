"""A page that follows an `AnswerStream`, as a test sees it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chat_ui.protocol.answer import DataPoint
from chat_ui.rendering.stream import AnswerStream, BlockChange


class Page:
    """What stands on the screen after the changes of each flush."""

    def __init__(self, data_points: Sequence[DataPoint] = ()) -> None:
        self.stream = AnswerStream()
        self.stream.set_data_points(data_points)
        self._blocks: dict[int, str] = {}

    def type(self, text: str) -> list[BlockChange]:
        self.stream.feed(text)
        return self._follow(self.stream.flush())

    def end(self) -> list[BlockChange]:
        return self._follow(self.stream.flush(final=True))

    def _follow(self, changes: list[BlockChange]) -> list[BlockChange]:
        for change in changes:
            if change.html is None:
                del self._blocks[change.index]
            else:
                self._blocks[change.index] = change.html
        assert sorted(self._blocks) == list(range(len(self._blocks)))
        return changes

    @property
    def blocks(self) -> tuple[str, ...]:
        return tuple(self._blocks[index] for index in sorted(self._blocks))

    @property
    def html(self) -> str:
        return "".join(self.blocks)


def typed(pieces: Iterable[str], data_points: Sequence[DataPoint] = ()) -> Page:
    page = Page(data_points)
    for piece in pieces:
        page.type(piece)
    page.end()
    return page
