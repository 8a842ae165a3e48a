"""Bytes to JSON values by structure alone: no lines, no fields, no I/O.

A value ends where its brackets balance outside strings, so JSON lines, objects glued together as `}{`, pretty printing,
arrays (item by item) and JSON text sequences all come out as the same values. What cannot be read is reported, and
reading goes on at the next place where a value can begin.

A value of an object that begins a line is tried as all of its line first, which nearly every large one is; else it is
walked bracket by bracket (`open_value`). A large value is never kept twice: its bytes are dropped before its text is
read.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from chat_ui.protocol.reading.buffer import Buffer, Step
from chat_ui.protocol.reading.error_texts import PAGE, is_error
from chat_ui.protocol.reading.items import NOT_CLOSED, Framed, FrameItem, Items, Limits, StreamDone, Unfinished, where
from chat_ui.protocol.reading.json_text import NOT_STRICT, NotJsonError, decode, parse, read_strict
from chat_ui.protocol.reading.open_value import Broken, OpenValue

LARGE: Final = 1024 * 1024
"""Bytes from which on a value is not kept twice."""
_BOM_BEGUN = re.compile(rb"\xef(?:\xbb)?\Z")
_TOKEN = re.compile(rb'[^ \t\r\n,\x1e\[\]{}"]+')
_ARRAY_HEAD = re.compile(rb'\[[ \t\r\n]{0,4096}+(?:[{\["\]]|-?\d|(?:true|false|null|NaN|-?Infinity)[ \t\r\n,\]])')
_ARRAY_UNDECIDED = re.compile(rb"\[[ \t\r\n]{0,4096}+[-\w]{0,10}\Z")
_DONE = re.compile(rb"\[DONE\]", re.IGNORECASE)
_GARBAGE_END = re.compile(rb"[\r\n{]")
_GARBAGE_SHOWN = 600
_MAX_SCALAR = 4096
_PARTS_UNWALKED = 200
"""Parts of a value for which its end is looked for at the end of its line alone: one after them may be another's."""
_LOOK_BACK = 4096
_NOT_SOUGHT = -1


class _State(Enum):
    BETWEEN = auto()
    IN_VALUE = auto()
    IN_GARBAGE = auto()


class ValueReader:
    """Reads values out of `buffer` and gives them to `items`."""

    def __init__(self, buffer: Buffer, items: Items, limits: Limits) -> None:
        self._buffer = buffer
        self._items = items
        self._limits = limits
        self._state = _State.BETWEEN
        self.is_in_array = False
        """Whether an array has begun and not ended: its items are values of their own."""
        self._open: OpenValue
        self._line_sought = _NOT_SOUGHT
        """The position up to which the end of the open value's line was looked for."""
        self._no_line_end_before = 0
        """A position up to which, from the last place where a line's end was looked for, there is none."""
        self._may_end_at = -1
        """The last position found at which a value may end."""
        self._head = b""
        """The beginning of a value that is too large to be kept."""
        self._garbage = bytearray()
        self._garbage_from = 0

    @property
    def is_within(self) -> bool:
        """Whether something has begun that is no value yet."""
        return self._state is not _State.BETWEEN

    @property
    def is_open(self) -> bool:
        """Whether a value has begun and not ended."""
        return self._state is _State.IN_VALUE or self.is_in_array

    def read(self) -> Step:
        """Go on with the value that has begun, or begin the next."""
        if self._items.are_unreadable:
            return self.abandon()
        if self._state is _State.IN_GARBAGE:
            return self._read_garbage()
        if self._state is _State.IN_VALUE:
            return self._walk(self._open, self._buffer.at)
        self._buffer.skip_between()
        return self.begin() if self._buffer.at < len(self._buffer.data) else Step.NEED_MORE

    def abandon(self) -> Step:
        """Read nothing more."""
        self._state, self.is_in_array = _State.BETWEEN, False
        return self._buffer.need_more_after(len(self._buffer.data))

    def begin(self) -> Step:
        """Begin with the byte at which the buffer stands."""
        buffer, start = self._buffer, self._buffer.at
        first = buffer.data[start]
        if first in b'{"':
            return self._open_value(start, is_string=first == 0x22)
        if first == 0x5B:
            return self._begin_array(start)
        if first == 0x5D and self.is_in_array:
            self.is_in_array = False
            buffer.begins_line = False
            return buffer.go_on_at(start + 1)
        if first == 0xEF and not buffer.is_last and _BOM_BEGUN.match(buffer.data, start):
            return Step.NEED_MORE
        return self._read_scalar(start)

    def end(self) -> None:
        """The body is over: an open value is `Unfinished`."""
        self.end_garbage()
        buffer = self._buffer
        if self._state is _State.IN_VALUE:
            lost = "" if self._head else decode(buffer.data)
            rest = self._items.give_glued(lost, self._open.start)
            if rest or not lost:
                head = rest.encode() or self._head or bytes(buffer.data[: self._limits.shown])
                self._items.found.append(Unfinished(where(self._open.start, head[: self._limits.shown])))
        elif self.is_in_array:
            end = buffer.position(len(buffer.data))
            self._items.found.append(Unfinished(f"at byte {end}: the array was not closed"))
        self._state, self.is_in_array = _State.BETWEEN, False
        buffer.data.clear()

    def _open_value(self, start: int, *, is_string: bool = False) -> Step:
        position = self._buffer.position(start)
        self._state, self._open = _State.IN_VALUE, OpenValue(position, self._limits.value_bytes, string=is_string)
        is_of_line = not (is_string or self.is_in_array)
        self._line_sought = max(position, self._no_line_end_before) if is_of_line else _NOT_SOUGHT
        self._head = b""
        self._buffer.begins_line = False
        return Step.GO_ON

    def _begin_array(self, start: int) -> Step:
        buffer, data = self._buffer, self._buffer.data
        if len(data) - start < 6 and not buffer.is_last and b"[DONE]".startswith(bytes(data[start:]).upper()):
            return Step.NEED_MORE
        if done := _DONE.match(data, start):
            self._items.found.append(StreamDone())
            buffer.begins_line = False
            return buffer.go_on_at(done.end())
        if self.is_in_array:
            return self._open_value(start)
        if _ARRAY_HEAD.match(data, start):
            self.is_in_array = True
            buffer.begins_line = False
            return buffer.go_on_at(start + 1)
        if not buffer.is_last and _ARRAY_UNDECIDED.match(data, start):
            return Step.NEED_MORE
        if buffer.is_last and not data[start + 1 :].strip():
            self.is_in_array = True
            return buffer.go_on_at(start + 1)
        return self._begin_garbage(start)

    def _read_scalar(self, start: int) -> Step:
        """Read a number or a word such as `true`, which ends at what cannot be of it."""
        buffer = self._buffer
        token = _TOKEN.match(buffer.data, start)
        end = token.end() if token else start + 1
        if end == len(buffer.data) and not buffer.is_last and end - start <= _MAX_SCALAR and token:
            return Step.NEED_MORE
        if token and end - start <= _MAX_SCALAR:
            try:
                value = parse(decode(buffer.data[start:end]))
            except NotJsonError:
                pass
            else:
                self._items.give(value)
                buffer.begins_line = False
                return buffer.go_on_at(end)
        return self._begin_garbage(start)

    def _walk(self, value: OpenValue, start: int) -> Step:
        buffer, limits = self._buffer, self._limits
        if self._line_sought != _NOT_SOUGHT and (end := self._read_rest_of_line(start)) is not None:
            return buffer.go_on_at(end)
        size = buffer.position(len(buffer.data)) - value.start
        is_too_large = size > limits.value_bytes or value.parts > limits.value_parts
        awaits_line_end = self._line_sought != _NOT_SOUGHT and not buffer.is_last and value.parts <= _PARTS_UNWALKED
        if awaits_line_end and not is_too_large and not self._may_have_ended(value):
            value.count_parts(buffer.data, buffer.dropped)
            return Step.NEED_MORE
        walked = value.walk(buffer.data, buffer.dropped, closing=buffer.is_last)
        if walked is None:
            value.count_parts(buffer.data, buffer.dropped)
            if not is_too_large:
                return Step.NEED_MORE
            self._line_sought = _NOT_SOUGHT
            self._head = self._head or bytes(buffer.data[start : start + limits.shown])
            return buffer.need_more_after(max(start, value.unread(buffer.dropped) - _LOOK_BACK))
        self._state = _State.BETWEEN
        end = walked.index
        size = buffer.position(end) - value.start
        head = (self._head or bytes(buffer.data[start : start + limits.shown]))[:size]
        if isinstance(walked, Broken):
            # How much more was needed to know of the break depends on how the bytes were cut.
            is_kept = not self._head and size + limits.shown <= limits.value_bytes
            lost = decode(buffer.data[start:end]) if is_kept else ""
            rest = self._items.give_glued(lost, value.start)
            if rest or not lost:
                begun = value.start + len(lost.encode()) - len(rest.encode())
                self._items.warn("not_json", begun, rest[: limits.shown].encode() or head, NOT_CLOSED)
            buffer.begins_line = True
        elif size > limits.value_bytes:
            why = f"{size:,} bytes, more than {limits.value_bytes:,}"
            self._items.warn("value_too_large", value.start, head, why)
        elif self._head or self._has_too_many_parts(start, end):
            self._items.warn("value_too_large", value.start, head, limits.too_many_parts)
        else:
            return self._read_whole(value.start, start, end, head)
        return buffer.go_on_at(end)

    def _may_have_ended(self, value: OpenValue) -> bool:
        if self._may_end_at < value.start:
            self._may_end_at = value.may_end(self._buffer.data, self._buffer.dropped)
        return self._may_end_at >= value.start

    def _has_too_many_parts(self, start: int, end: int) -> bool:
        limits = self._limits
        return end - start > limits.value_parts and limits.are_too_many_parts(self._buffer.data[start:end])

    def _read_rest_of_line(self, start: int) -> int | None:
        """Read the open value as all of its line, without a walk, and return where that ends; None where it is not, or
        its line has not ended.
        """
        buffer = self._buffer
        end = buffer.data.find(b"\n", self._line_sought - buffer.dropped)
        if end < 0:
            self._line_sought = self._no_line_end_before = buffer.position(len(buffer.data))
            return None
        self._line_sought = _NOT_SOUGHT
        if end - start > self._limits.value_bytes or self._has_too_many_parts(start, end):
            return None
        try:
            with memoryview(buffer.data) as whole, whole[start:end] as line:
                self._items.give(read_strict(line))
        except NOT_STRICT:
            return None
        self._state = _State.BETWEEN
        return end

    def _read_whole(self, position: int, start: int, end: int, head: bytes) -> Step:
        buffer = self._buffer
        buffer.at = end
        with memoryview(buffer.data) as whole, whole[start:end] as data:
            try:
                self._items.give(read_strict(data))
            except NOT_STRICT:
                text = decode(data)
            else:
                return Step.GO_ON
        if end - start > LARGE:
            buffer.drop()
        try:
            self._items.give(parse(text))
        except NotJsonError as error:
            rest = self._items.give_glued(text, position)
            if rest and is_error(head):
                self._items.found.append(Framed(text, "error"))
            elif rest:
                self._items.warn("not_json", position, head, str(error))
        return Step.GO_ON

    def _begin_garbage(self, start: int) -> Step:
        self._state = _State.IN_GARBAGE
        self._garbage = bytearray()
        self._garbage_from = self._buffer.position(start)
        self._buffer.begins_line = False
        return Step.GO_ON

    def _read_garbage(self) -> Step:
        buffer, start = self._buffer, self._buffer.at
        found = _GARBAGE_END.search(buffer.data, start)
        end = found.start() if found else len(buffer.data)
        room = _GARBAGE_SHOWN - len(self._garbage)
        if room > 0:
            self._garbage += buffer.data[start : min(end, start + room)]
        buffer.at = end
        if not found:
            return Step.NEED_MORE
        self.end_garbage()
        return Step.GO_ON

    def end_garbage(self) -> None:
        """Report text that is no JSON, where it has ended."""
        if self._state is not _State.IN_GARBAGE:
            return
        self._state = _State.BETWEEN
        head = bytes(self._garbage)
        if is_error(head):
            self._items.found.append(Framed(decode(head), "error"))
            return
        code, why = ("html_page", "a page") if PAGE.match(head) else ("not_json", "not JSON")
        self._items.warn(code, self._garbage_from, head, why)


class ValueFramer:
    """Takes bytes in pieces of any size and gives their values as they become complete; no line has a meaning."""

    def __init__(self, limits: Limits) -> None:
        self._buffer, self._items = Buffer(), Items()
        self._reader = ValueReader(self._buffer, self._items, limits)

    @property
    def is_open(self) -> bool:
        """Whether a value has begun and not ended."""
        return self._reader.is_open

    def count_from(self, position: int) -> None:
        """Count positions in reports from `position` on, as far as nothing has begun that was counted otherwise."""
        if not (self._reader.is_within or self._buffer.data):
            self._buffer.dropped = position

    def feed(self, data: bytes) -> list[FrameItem]:
        """The items that `data` completes."""
        self._buffer.data += data
        return self._read()

    def close(self) -> list[FrameItem]:
        """The items that the end completes; an open value is `Unfinished`."""
        self._buffer.is_last = True
        items = self._read()
        self._reader.end()
        return items + self._items.take()

    def _read(self) -> list[FrameItem]:
        while self._reader.read() is Step.GO_ON:
            pass
        self._buffer.drop()
        return self._items.take()
