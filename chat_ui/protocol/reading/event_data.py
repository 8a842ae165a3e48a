"""The name and the data of the current server-sent event.

Nearly every line of data is an object, and is given at once. All other data are one text, by the rules of server-sent
events, read at the end of the event: a value on several lines, or the words of an error.
"""

from __future__ import annotations

import re
from typing import Final

from chat_ui.protocol.errors import NotJsonError
from chat_ui.protocol.events import Json
from chat_ui.protocol.reading.items import Framed, Items, Limits, is_done, unglued
from chat_ui.protocol.reading.json_text import decode, parse, parts_in, read_as_object

_MOST_TEXT: Final = 16 * 1024
"""Characters of an error that are given."""
_VALUE_BEGUN: Final = re.compile(rb'\s{0,99}(?:"|[{\[]\s{0,99}(?:["{\[]|\Z))')
_MOST_EMPTY: Final = 10
"""Empty lines within a value at which its beginning is read: each reading costs as much as the value so far."""


class EventData:
    """Takes the lines of an event and gives their values to `items`, whose `event` is its name."""

    def __init__(self, items: Items, limits: Limits) -> None:
        self._items = items
        self._limits = limits
        self._text = bytearray()
        self._positions: list[int] = []
        """The position of each line in the body."""
        self._parts = 0
        """The parts of these lines (see `parts_in`)."""
        self._empty_lines = 0
        self._is_over = False
        """Whether the last line was empty, after a value without its end."""

    @property
    def has_begun(self) -> bool:
        """Whether a name or data of an event came."""
        return self._items.event is not None or bool(self._positions)

    @property
    def is_open(self) -> bool:
        """Whether a value of the data lacks its end, which the next line may bring."""
        return bool(self._positions) and _VALUE_BEGUN.match(self._text) is not None

    def set_name(self, name: str | None) -> None:
        """Name the event, also after its data; a second name is that of the next event, without an empty line."""
        self.end_before_field()
        if self._items.event is not None and self._positions:
            self.end()
        self._items.event = name

    def add(self, data: bytearray, start: int, end: int, position: int) -> None:
        """Take the data from `start` to `end`, at this position of the body."""
        self._is_over = False
        head = bytes(data[start : min(end, start + self._limits.shown)])
        if end - start > self._limits.value_parts and self._limits.are_too_many_parts(data[start:end]):
            self._items.warn("value_too_large", position, head, self._limits.too_many_parts)
            return
        if not (self._positions and self._items.event == "error"):
            value: Json = read_as_object(data, start, end)
            if value is None and is_done(line := decode(head)) and end - start == len(head):
                value = line.strip()
            if value is not None:
                self._give_text()
                self._items.give(value)
                return
        self._parts += parts_in(data[start:end])
        if self._parts > self._limits.value_parts or len(self._text) + end - start > self._limits.value_bytes:
            why = f"with what came before, longer than {self._limits.value_bytes:,} bytes or of too many parts"
            self._items.warn("value_too_large", position, head, why)
            self._clear()
            return
        self._text += b"\n" * bool(self._positions) + data[start:end]
        self._positions.append(position)

    def end_at_empty_line(self) -> None:
        """End the event, unless its value goes on: some servers do not escape empty lines in strings."""
        if self._is_over:
            return
        if self.is_open and self._items.event != "error" and self._empty_lines < _MOST_EMPTY and not self._reads():
            self._empty_lines += 1
            self._is_over = True
            return
        self.end()

    def end_before_field(self) -> None:
        """End the event if an empty line came before this field."""
        if self._is_over:
            self.end()

    def end(self, *, is_last: bool = False) -> None:
        """End the event; `is_last` at the end of the body."""
        self._give_text(is_last=is_last)
        self._items.event = None

    def _reads(self) -> bool:
        try:
            parse(decode(self._text))
        except NotJsonError:
            return False
        return True

    def _give_text(self, *, is_last: bool = False) -> None:
        if not self._positions:
            return
        text, positions = decode(self._text), self._positions
        is_open, is_error = self.is_open, self._items.event == "error"
        self._clear()
        if not (is_error or text.strip()):
            return
        try:
            self._items.give_each(parse(text))
        except NotJsonError as error:
            if is_error and not (is_open and unglued(text)):
                self._items.found.append(Framed(text[:_MOST_TEXT], "error"))
                return

            def position(at: int) -> int:
                begun = text.rfind("\n", 0, at) + 1
                return positions[text.count("\n", 0, at)] + len(text[begun:at].encode())

            self._items.give_glued(text, position, "" if is_last and is_open else str(error))

    def _clear(self) -> None:
        self._text, self._positions, self._is_over = bytearray(), [], False
        self._parts = self._empty_lines = 0
