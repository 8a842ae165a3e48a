"""A body's bytes to its JSON values, without I/O and without trust in content types.

Values are found by structure (`json_values`). Here is what goes by lines: server-sent events, whose `data:` lines
are put together and read by structure in turn, comments, `error:` fields, and the short way for lines that are one
object each, which most streams are made of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.events import Json, Warning  # noqa: A004
from chat_ui.protocol.reading.json_text import NOT_STRICT, NotJsonError, decode, parse, read_strict, read_strict_values
from chat_ui.protocol.reading.json_values import (
    LARGE,
    MAX_VALUE_BYTES,
    MAX_VALUE_PARTS,
    MOST_UNREAD,
    Framed,
    FrameItem,
    StreamDone,
    Unfinished,
    ValueFramer,
)
from chat_ui.protocol.reading.open_value import MAY_END

__all__ = ["MAX_VALUE_BYTES", "FrameItem", "Framed", "Framer", "StreamDone", "Unfinished"]

_LINE_ENDS = re.compile(rb"[\r\n]*")
_FIELD = re.compile(rb"(data|event|id|retry|error)?:")
_LONGEST_FIELD = len("error:")
_EVENT_HEAD = re.compile(rb"(?:event:([^\r\n]*)\r?\n)?data:")
_EVENT_BEGUN = re.compile(rb"(?:event:[^\r\n]*\r?\n?)?(?:data:[^\r\n]*)?\Z")
_JOINED_BYTES = 4096
"""Bytes of a value that only begins which are put before the next piece, to be read with it at once."""
_MOST_OF_ERROR: Final = 1000
"""Values and reports of one error event that are kept."""
_MOST_SAID: Final = 16 * 1024
"""Bytes of an event's data that are kept as its text: more than any error's words that are shown."""


class Framer(ValueFramer):
    """A `ValueFramer` that reads server-sent events as well."""

    def __init__(self, max_value_bytes: int = MAX_VALUE_BYTES, max_value_parts: int = MAX_VALUE_PARTS) -> None:
        super().__init__(max_value_bytes, max_value_parts)
        self._skip_line_feed = False
        self._searched = 0
        """The position up to which the end of the line was looked for."""
        self._too_long_from = -1
        self._between_values = True
        """Whether nothing that came before the buffer bears on what comes next, but for where a line begins."""
        self._window = min(LARGE, max_value_bytes)
        self._one_by_one_until = 0
        """The position up to which what comes is no block that can be read at once."""
        self._event_over = False
        self._payload: ValueFramer | None = None
        """What reads an event's data when it is not one value on one line."""
        self._said = bytearray()
        """The data lines of the event so far, as its text."""
        self._is_named_late = False
        """Whether the event was called an error after its data."""
        self._of_error: list[FrameItem] = []
        """What the data of an error event gave so far: which of it counts is known at the event's end."""

    def _end(self) -> None:
        self._end_garbage()
        self._end_event(last=True)
        if self._too_long_from >= 0:
            self._warn_too_long(self._too_long_from, self._head)
        super()._end()

    def _read_on(self, at: int) -> int:
        return self._skip_long_line(at) if self._too_long_from >= 0 else super()._read_on(at)

    def _begin(self, at: int) -> int:
        buffer = self._buffer
        if self._skip_line_feed and at < len(buffer):
            self._skip_line_feed = False
            if buffer[at] == 0x0A:
                at += 1
        payload = self._payload
        if payload is not None and payload.is_open:
            # A line that continues an event's value keeps the white space it begins with.
            start = _LINE_ENDS.match(buffer, at).end()  # type: ignore[union-attr]
            self._event_over = self._event_over or start > at
            if start == len(buffer):
                return -start - 1
            return self._read_token(start) if buffer[start] == 0x3A else self._continue_payload(start)
        start = self._skip_between(at)
        if start == len(buffer):
            return -start - 1
        self._end_event_before()
        if not (self._arrays or self._payload or self._event or self._said):
            if not self._closing and len(self._buffer) - start < _JOINED_BYTES and self._only_begins(start):
                return -start - 1
            following = self._read_block(self._buffer, start)
            if following > start:
                return following
        return self._begin_value(start)

    def _note_line_end(self) -> None:
        self._event_over = True

    def feed(self, data: bytes) -> list[FrameItem]:
        """The items that `data` completes."""
        if self._between_values and self._unread < MOST_UNREAD and len(self._buffer) < _JOINED_BYTES:
            # Most pieces are whole objects, which need not go through the buffer.
            if self._buffer:
                data = bytes(self._buffer) + data
                self._buffer.clear()
            if self._is_lines_of_objects(data):
                return self._take()
            read = self._read_block(data, 0) if data else 0
            self._dropped += read
            if read == len(data):
                return self._take()
            data = data[read:]
        items = super().feed(data)
        self._between_values = (
            self._open is None
            and self._payload is None
            and self._event is None
            and not self._said
            and not (self._arrays or self._in_garbage or self._skip_line_feed or self._too_long_from >= 0)
        )
        return items

    def _is_lines_of_objects(self, data: bytes) -> bool:
        """Read `data` where it is nothing but whole lines of objects, as most pieces are."""
        if data[:1] != b"{" or data[-1:] != b"\n" or len(data) > self._window or self._dropped < self._one_by_one_until:
            return False
        try:
            read = self._read_objects(data)
        except NOT_STRICT:
            return False
        self._dropped += read
        return read > 0

    def _only_begins(self, start: int) -> bool:
        """Whether an object or an event begins at `start`, and nothing can have ended yet."""
        if self._buffer[start] == 0x7B:
            return self._buffer.find(b"\n", start) < 0 and MAY_END.search(self._buffer, start) is None
        return self._line_start and _EVENT_BEGUN.match(self._buffer, start) is not None

    def _read_block(self, buffer: bytes | bytearray, at: int) -> int:
        """Read what has come from `at` on at once where it is nothing but objects, each on a line or glued to the next,
        or nothing but events of one name; the index where reading goes on, `at` where it is anything else.
        """
        if self._dropped + at < self._one_by_one_until:
            return at
        objects = buffer[at] == 0x7B
        if not (objects or self._line_start):
            return at
        window = min(len(buffer), at + self._window)
        end = buffer.rfind(b"\n", at, window) + 1
        if objects:
            end = max(end, buffer.rfind(b"\r", at, window) + 1)
        if objects and not end:
            end = buffer.rfind(b"}{", at, window) + 1 or (window if buffer[window - 1] == 0x7D else 0)
        if not end:
            if window - at > _JOINED_BYTES:
                self._one_by_one_until = self._position(window)
            return at
        try:
            read = (self._read_objects if objects else self._read_events)(bytes(buffer[at:end]))
        except NOT_STRICT:
            read = 0
        if not read:
            self._one_by_one_until = self._position(end)
        return at + read

    def _read_objects(self, block: bytes) -> int:
        """Read a block of objects; its length, or 0 where something else is among them.

        Raises:
            NOT_STRICT: it is not JSON to the letter.
        """
        if self._are_too_many_parts(block):
            return 0
        values = read_strict_values(block)
        for value in values:
            if type(value) is not dict:
                return 0
        self._items += [Framed(value) for value in values]
        self._unread = 0
        self._line_start = block[-1] in b"\r\n"
        return len(block)

    def _read_events(self, block: bytes) -> int:
        """Read a block of events, each a line of data, after a name or none, and an empty line; the length of what was
        read, or 0 where something else is among them.

        Raises:
            NOT_STRICT: their data is not JSON to the letter.
        """
        head = _EVENT_HEAD.match(block)
        if head is None or self._are_too_many_parts(block):
            return 0
        line_end = b"\r\n" if b"\r" in block else b"\n"
        event_end = 2 * line_end
        end = block.rfind(event_end, head.end())
        if end < 0:
            return 0
        between = event_end + head.group()
        data = block[head.end() : end].split(between)
        end += len(event_end)
        for part in (b"\r", b"\n"):
            if block.count(part, 0, end) != len(data) * between.count(part):
                return 0
        name = decode(head.group(1) or b"").strip() or None
        values = [read_strict(value) for value in data]
        if list in map(type, values):
            return 0
        self._items += [Framed(value, name) for value in values]
        self._unread = 0
        return end

    def _read_token(self, start: int) -> int:
        field = _FIELD.match(self._buffer, start) if self._line_start else None
        return super()._read_token(start) if field is None else self._read_field(start, field)

    def _read_field(self, start: int, field: re.Match[bytes]) -> int:
        end = self._line_end(start)
        if end < 0:
            if len(self._buffer) - start <= self._max + _LONGEST_FIELD:
                return -start - 1
            self._end_event_before()
            self._head = bytes(self._buffer[start : start + self._shown])
            self._too_long_from = self._position(start)
            return start
        name, value_from = field.group(1), field.end()
        if value_from < end and self._buffer[value_from] == 0x20:
            value_from += 1
        following = self._position(self._after_line(end))
        self._end_event_before()
        if end - start > self._max + _LONGEST_FIELD:
            self._warn_too_long(self._position(start), bytes(self._buffer[start : start + self._shown]))
        elif name == b"data":
            self._read_data(value_from, end)
        elif name == b"event":
            self._name_event(decode(self._buffer[value_from:end]).strip() or None)
        elif name == b"error":
            self._read_error_text(value_from, end)
        return following - self._dropped

    def _warn_too_long(self, position: int, head: bytes) -> None:
        self._warn("value_too_large", position, head, f"longer than {self._max} bytes")

    def _line_end(self, start: int) -> int:
        """The index of the line's end, or -1 if it has not come; the whole rest when the body is over."""
        buffer = self._buffer
        searched = max(start, self._searched - self._dropped)
        line_feed = buffer.find(b"\n", searched)
        carriage_return = buffer.find(b"\r", searched, line_feed if line_feed >= 0 else len(buffer))
        if carriage_return >= 0:
            return carriage_return
        if line_feed >= 0:
            return line_feed
        self._searched = self._position(len(buffer))
        return len(buffer) if self._closing else -1

    def _after_line(self, end: int) -> int:
        self._line_start = True
        self._skip_line_feed = end < len(self._buffer) and self._buffer[end] == 0x0D
        return min(end + 1, len(self._buffer))

    def _skip_long_line(self, start: int) -> int:
        end = self._line_end(start)
        if end < 0 or (self._closing and end == len(self._buffer)):
            return -len(self._buffer) - 1
        self._warn_too_long(self._too_long_from, self._head)
        self._too_long_from = -1
        return self._after_line(end)

    def _name_event(self, name: str | None) -> None:
        """Name the event. It is over at its empty line, by the rules of server-sent events, so the name may come after
        the data; where more data follow, it is the name of an event whose empty line before it is missing.
        """
        if self._event == "error" and self._said:
            self._end_event(last=False)
        if name == "error" and self._said:
            self._is_named_late = True
        else:
            self._event = name

    def _read_data(self, start: int, end: int) -> None:
        if self._is_named_late:
            self._is_named_late = False
            self._end_event(last=False)
            self._event = "error"
        self._keep_said(start, end)
        if self._has_too_many_parts(start, end):
            self._warn_too_many_parts(self._position(start), bytes(self._buffer[start : start + self._shown]))
            return
        payload = self._payload
        if self._event == "error" or (payload is not None and payload.is_open):
            self._feed_payload(bytes(self._buffer[start:end]), self._position(start))
            return
        with memoryview(self._buffer) as whole, whole[start:end] as data:
            try:
                self._give_unfolded(read_strict(data))
            except NOT_STRICT:
                text = decode(data)
            else:
                return
        position = self._position(start)
        if end - start > LARGE:
            self._drop(end)
        try:
            self._give_unfolded(parse(text))
        except NotJsonError:
            self._feed_payload(text.encode(), position)

    def _give_unfolded(self, value: Json) -> None:
        """Give a value, of an array each of its own: arrays read the same with and without `data:`."""
        for item in value if isinstance(value, list) else (value,):
            self._give(item)

    def _keep_said(self, start: int, end: int) -> None:
        room = _MOST_SAID - len(self._said)
        if room > 0:
            self._said += self._buffer[start : min(end, start + room)] + b"\n"

    def _continue_payload(self, start: int) -> int:
        """A line without a field name while an event's value is open continues that value."""
        field = _FIELD.match(self._buffer, start)
        if field:
            return self._read_field(start, field)
        if not self._closing and len(self._buffer) - start < _LONGEST_FIELD and b"\n" not in self._buffer[start:]:
            return -start - 1
        end = self._line_end(start)
        if end < 0:
            return -start - 1
        self._event_over = False
        self._keep_said(start, end)
        self._feed_payload(bytes(self._buffer[start:end]), self._position(start))
        return self._after_line(end)

    def _feed_payload(self, data: bytes, position: int) -> None:
        if self._payload is None:
            self._payload = ValueFramer(self._max, self._max_parts)
        self._payload.count_from(position)
        self._take_in(self._payload.feed(data + b"\n"))

    def _take_in(self, items: list[FrameItem]) -> None:
        if self._event == "error":
            self._of_error += items[: _MOST_OF_ERROR - len(self._of_error)]
            return
        for item in items:
            self._pass_on(item)

    def _pass_on(self, item: FrameItem) -> None:
        if isinstance(item, Framed):
            self._give(item.value)
        elif isinstance(item, Warning):
            self._report(item.code, item.detail)
        else:
            self._items.append(item)

    def _said_text(self) -> str:
        return decode(self._said).removesuffix("\n")

    def _tell_error(self) -> None:
        """Tell what an error event says: the objects that its data are, else all their text (of several `data:` lines
        one text, as the rules of server-sent events have it).
        """
        items, self._of_error = self._of_error, []
        text = self._said_text()
        found = any(isinstance(item, Framed) and isinstance(item.value, Mapping) for item in items)
        if found and text.lstrip()[:1] in {"{", "["}:
            for item in items:
                self._pass_on(item)
            return
        for item in items:
            if isinstance(item, Unfinished):
                self._items.append(item)
        try:
            self._give(parse(text))
        except NotJsonError:
            self._give(text)

    def _read_error_text(self, start: int, end: int) -> None:
        data = bytes(self._buffer[start:end])
        try:
            value = parse(decode(data))
        except NotJsonError:
            value = decode(data)
        self._items.append(Framed(value, "error"))

    def _end_event_before(self) -> None:
        """Where an empty line came, the event before it is over."""
        if self._event_over:
            self._end_event(last=False)

    def _end_event(self, *, last: bool) -> None:
        self._event_over = False
        payload, self._payload = self._payload, None
        if payload is not None:
            for item in payload.close():
                if isinstance(item, Unfinished) and not last:
                    item = Warning("not_json", f"{item.detail} of an event's data (not finished)")  # noqa: PLW2901
                self._take_in([item])
        if self._event == "error" and self._said:
            self._tell_error()
        elif self._is_named_late and not last:
            self._items.append(Framed(self._said_text(), "error"))
        self._event = None
        self._is_named_late = False
        self._said.clear()
