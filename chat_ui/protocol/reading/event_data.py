"""The name and the data of the server-sent event that is being read.

A line of data that is one value, as nearly all are, is that value. Data that continue over lines are read by structure,
line by line, as they come. The data of an error event are given at its end: its objects, or else its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.events import Json, Warning  # noqa: A004
from chat_ui.protocol.reading.buffer import Buffer
from chat_ui.protocol.reading.items import Framed, FrameItem, Items, Limits, Unfinished
from chat_ui.protocol.reading.json_text import NOT_STRICT, NotJsonError, decode, parse, read_strict
from chat_ui.protocol.reading.values import LARGE, ValueFramer

_MOST_OF_ERROR: Final = 1000
"""Values and reports of one error event that are kept."""
_MOST_TEXT: Final = 16 * 1024
"""Bytes of an event's data that are kept as its text: more than is shown of any error."""


class EventData:
    """Takes the lines of an event out of `buffer` and gives what they hold to `items`, whose `event` is its name."""

    def __init__(self, buffer: Buffer, items: Items, limits: Limits) -> None:
        self._buffer = buffer
        self._items = items
        self._limits = limits
        self._framer: ValueFramer | None = None
        """Reads data that are not one value on one line."""
        self._text = bytearray()
        """The data lines so far."""
        self._is_named_late = False
        """Whether the event was called an error after its data."""
        self._of_error: list[FrameItem] = []
        """Items of an error event so far: which of them count is known at the event's end."""

    @property
    def has_begun(self) -> bool:
        """Whether a name or data of an event came."""
        return self._items.event is not None or self._framer is not None or bool(self._text)

    @property
    def is_open(self) -> bool:
        """Whether a value of the data has begun and not ended."""
        return self._framer is not None and self._framer.is_open

    def set_name(self, name: str | None) -> None:
        """Name the event. It is over at its empty line, by the rules of server-sent events, so the name may come after
        the data; where more data follow, it is the name of an event whose empty line before it is missing.
        """
        if self._items.event == "error" and self._text:
            self.end()
        if name == "error" and self._text:
            self._is_named_late = True
        else:
            self._items.event = name

    def add(self, start: int, end: int) -> None:
        """Take the data that stand from `start` to `end` of the buffer."""
        buffer, limits = self._buffer, self._limits
        if self._is_named_late:
            self._is_named_late = False
            self.end()
            self._items.event = "error"
        self._keep_text(start, end)
        position = buffer.position(start)
        if end - start > limits.value_parts and limits.are_too_many_parts(buffer.data[start:end]):
            head = bytes(buffer.data[start : start + limits.shown])
            self._items.warn("value_too_large", position, head, limits.too_many_parts)
            return
        if self._items.event == "error" or self.is_open:
            self._feed(bytes(buffer.data[start:end]), position)
            return
        with memoryview(buffer.data) as whole, whole[start:end] as data:
            try:
                self._give(read_strict(data))
            except NOT_STRICT:
                text = decode(data)
            else:
                return
        if end - start > LARGE:
            buffer.at = end
            buffer.drop()
        try:
            self._give(parse(text))
        except NotJsonError:
            rest = self._items.give_glued(text, position)
            if rest:
                self._feed(rest.encode(), position + len(text.encode()) - len(rest.encode()))

    def continue_with(self, start: int, end: int) -> None:
        """Take a line without a field's name, which stands from `start` to `end` of the buffer, as more of the data."""
        self._keep_text(start, end)
        self._feed(bytes(self._buffer.data[start:end]), self._buffer.position(start))

    def end(self, *, is_last: bool = False) -> None:
        """The event is over; `is_last` where that is because the body is."""
        framer, self._framer = self._framer, None
        for item in framer.close() if framer is not None else ():
            if isinstance(item, Unfinished) and not is_last:
                detail = f"{item.detail} of an event's data (not finished)"
                self._take([Warning("not_json", detail)])
            else:
                self._take([item])
        if self._items.event == "error" and self._text:
            self._give_error()
        elif self._is_named_late and not is_last:
            self._items.found.append(Framed(self._whole_text(), "error"))
        self._items.event = None
        self._is_named_late = False
        self._text.clear()

    def _give(self, value: Json) -> None:
        """Give a value, of an array each of its own: arrays read the same with and without `data:`."""
        for item in value if isinstance(value, list) else (value,):
            self._items.give(item)

    def _keep_text(self, start: int, end: int) -> None:
        room = _MOST_TEXT - len(self._text)
        if room > 0:
            self._text += self._buffer.data[start : min(end, start + room)] + b"\n"

    def _whole_text(self) -> str:
        return decode(self._text).removesuffix("\n")

    def _feed(self, data: bytes, position: int) -> None:
        if self._framer is None:
            self._framer = ValueFramer(self._limits)
        self._framer.count_from(position)
        self._take(self._framer.feed(data + b"\n"))

    def _take(self, items: list[FrameItem]) -> None:
        if self._items.event == "error":
            self._of_error += items[: _MOST_OF_ERROR - len(self._of_error)]
            return
        for item in items:
            self._items.pass_on(item)

    def _give_error(self) -> None:
        """Give the data of an error event: its objects, or else all its text (several `data:` lines are one text, by
        the
        rules of server-sent events).
        """
        items, self._of_error = self._of_error, []
        text = self._whole_text()
        has_object = any(isinstance(item, Framed) and isinstance(item.value, Mapping) for item in items)
        if has_object and text.lstrip()[:1] in {"{", "["}:
            for item in items:
                self._items.pass_on(item)
            return
        self._items.found += [item for item in items if isinstance(item, Unfinished)]
        try:
            self._items.give(parse(text))
        except NotJsonError:
            self._items.give(text)
