"""A body's bytes to its JSON values, without I/O and without trust in content types.

Three readers share one buffer. Blocks of whole objects or events are read at once (`blocks`). Else a field of a
server-sent event at the beginning of a line is read here, and its data by `event_data`: `event:` names the event,
`error:` is an error, comments and other fields say nothing, an empty line ends the event. A line of the AI SDK's data
stream is a value behind a character that says its kind: `0:"Hello"`. It becomes `{"type": "0:", "value": "Hello"}`,
where all of the line reads like that. Everything else is read by structure (`values`).

Each reader takes what it can from where the buffer stands and says whether to go on, or that more bytes are needed. The
same bytes give the same items however they are split.
"""

from __future__ import annotations

import re
from typing import Final

from chat_ui.protocol.reading.blocks import JOINED_BYTES, BlockReader
from chat_ui.protocol.reading.buffer import Buffer, Step
from chat_ui.protocol.reading.event_data import EventData
from chat_ui.protocol.reading.items import Framed, FrameItem, Items, Limits, Unfinished, where
from chat_ui.protocol.reading.json_text import NotJsonError, decode, parse
from chat_ui.protocol.reading.open_value import MAY_END
from chat_ui.protocol.reading.values import ValueReader

MAX_VALUE_BYTES: Final = 32 * 1024 * 1024
MAX_VALUE_PARTS: Final = 10_000_000
_LINE_ENDS = re.compile(rb"[\r\n]*")
_FIELD = re.compile(rb"(data|event|id|retry|error)?:")
_LONGEST_FIELD = len("error:")
_CODED = re.compile(rb'(?:[03g](?=:")|[28](?=:\[)|[14-79a-fh-k](?=:\{)|aui-[a-z-]{1,30}(?=:[\[{])):')
"""The kinds of the AI SDK's data stream and those that assistant-ui adds, each before the beginning of a value that it
may have.
"""
_EVENT_BEGUN = re.compile(rb"(?:event:[^\r\n]*\r?\n?)?(?:data:[^\r\n]*)?\Z")


class Framer:
    """Takes a body in pieces of any size and gives its values as they become complete.

    `feed` and `close` return the items in the order of the body. A value larger than `max_value_bytes` is not kept in
    memory: it is reported and skipped, and so is one of more than `max_value_parts` parts.
    """

    def __init__(self, max_value_bytes: int = MAX_VALUE_BYTES, max_value_parts: int = MAX_VALUE_PARTS) -> None:
        self._limits = limits = Limits(max_value_bytes, max_value_parts)
        self._buffer, self._items = Buffer(), Items()
        self._blocks = BlockReader(self._buffer, self._items, limits)
        self._values = ValueReader(self._buffer, self._items, limits)
        self._event = EventData(self._buffer, self._items, limits)
        self._is_event_over = False
        """Whether an empty line came since the event's last one."""
        self._is_between = True
        """Whether nothing that came before the buffer bears on what comes next, but for where a line begins."""
        self._skips_line_feed = False
        self._searched = 0
        """The position up to which the end of the line was looked for."""
        self._has_coded_lines = False
        self._long_line: tuple[int, bytes] | None = None
        """The position and the beginning of a line that is too long to be kept."""

    def feed(self, data: bytes) -> list[FrameItem]:
        """The items that `data` completes."""
        buffer, items = self._buffer, self._items
        if self._is_between and not items.are_unreadable and len(buffer.data) < JOINED_BYTES:
            # Most pieces are whole objects, which need not go through the buffer.
            if buffer.data:
                data = bytes(buffer.data) + data
                buffer.data.clear()
            if self._blocks.read_lines(data):
                return items.take()
            read = self._blocks.read(data, 0) if data else 0
            buffer.dropped += read
            if read == len(data):
                return items.take()
            data = data[read:]
        buffer.data += data
        self._read()
        self._is_between = not (
            self._values.is_within
            or self._values.is_in_array
            or self._event.has_begun
            or self._skips_line_feed
            or self._long_line is not None
        )
        return items.take()

    def close(self) -> list[FrameItem]:
        """The items that the end of the body completes; an open value is reported as `Unfinished`."""
        self._buffer.is_last = True
        self._read()
        self._values.end_garbage()
        self._end_event(is_last=True)
        if self._long_line is not None:
            self._warn_too_long(*self._long_line)
        self._values.end()
        return self._items.take()

    def _read(self) -> None:
        while self._step() is Step.GO_ON:
            pass
        self._buffer.drop()

    def _step(self) -> Step:
        if self._long_line is not None:
            return self._skip_long_line(*self._long_line)
        if self._items.are_unreadable or self._values.is_within:
            return self._values.read()
        return self._begin()

    def _begin(self) -> Step:
        buffer = self._buffer
        if self._skips_line_feed and buffer.at < len(buffer.data):
            self._skips_line_feed = False
            if buffer.data[buffer.at] == 0x0A:
                buffer.at += 1
        if self._event.is_open:
            return self._begin_line_of_open_event()
        if buffer.skip_between():
            self._is_event_over = True
        start = buffer.at
        if start == len(buffer.data):
            return Step.NEED_MORE
        self._end_event_before()
        if not (self._values.is_in_array or self._event.has_begun):
            if not buffer.is_last and len(buffer.data) - start < JOINED_BYTES and self._only_begins(start):
                return Step.NEED_MORE
            following = self._blocks.read(buffer.data, start)
            if following > start:
                return buffer.go_on_at(following)
        return self._begin_field_or_value(start)

    def _begin_line_of_open_event(self) -> Step:
        """A line that continues an event's value keeps the white space it begins with."""
        buffer = self._buffer
        start = _LINE_ENDS.match(buffer.data, buffer.at).end()  # type: ignore[union-attr]
        self._is_event_over = self._is_event_over or start > buffer.at
        buffer.at = start
        if start == len(buffer.data):
            return Step.NEED_MORE
        return self._begin_field_or_value(start) if buffer.data[start] == 0x3A else self._continue_event(start)

    def _begin_field_or_value(self, start: int) -> Step:
        data = self._buffer.data
        if self._buffer.begins_line:
            if field := _FIELD.match(data, start):
                return self._read_field(start, field)
            if not (self._values.is_in_array or self._event.has_begun) and (kind := _CODED.match(data, start)):
                return self._read_coded_line(start, kind)
        return self._values.begin()

    def _read_coded_line(self, start: int, kind: re.Match[bytes]) -> Step:
        buffer, most = self._buffer, self._limits.value_bytes
        end = self._line_end(start)
        if end is None and len(buffer.data) - start <= most:
            return Step.NEED_MORE
        if end is None or end - start > most or self._limits.are_too_many_parts(buffer.data[start:end]):
            self._long_line = buffer.position(start), self._head(start)
            return Step.GO_ON
        try:
            value = parse(decode(buffer.data[kind.end() : end]))
        except NotJsonError:
            if not (buffer.is_last and end == len(buffer.data) and self._has_coded_lines):
                return self._values.begin()
            self._items.found.append(Unfinished(where(buffer.position(start), self._head(start))))
            return buffer.go_on_at(end)
        self._has_coded_lines = True
        self._items.give({"type": decode(kind.group()), "value": value})
        return buffer.go_on_at(self._after_line(end))

    def _only_begins(self, start: int) -> bool:
        """Whether an object or an event begins at `start`, and nothing can have ended yet."""
        data = self._buffer.data
        if data[start] == 0x7B:
            return data.find(b"\n", start) < 0 and MAY_END.search(data, start) is None
        return self._buffer.begins_line and _EVENT_BEGUN.match(data, start) is not None

    def _read_field(self, start: int, field: re.Match[bytes]) -> Step:
        buffer, most = self._buffer, self._limits.value_bytes + _LONGEST_FIELD
        end = self._line_end(start)
        if end is None:
            if len(buffer.data) - start <= most:
                return Step.NEED_MORE
            self._end_event_before()
            self._long_line = buffer.position(start), self._head(start)
            return Step.GO_ON
        name, value_from = field.group(1), field.end()
        if value_from < end and buffer.data[value_from] == 0x20:
            value_from += 1
        following = buffer.position(self._after_line(end))
        self._end_event_before()
        if end - start > most:
            self._warn_too_long(buffer.position(start), self._head(start))
        elif name == b"data":
            self._event.add(value_from, end)
        elif name == b"event":
            self._event.set_name(decode(buffer.data[value_from:end]).strip() or None)
        elif name == b"error":
            self._give_error(decode(buffer.data[value_from:end]))
        return buffer.go_on_at(following - buffer.dropped)

    def _give_error(self, text: str) -> None:
        try:
            self._items.found.append(Framed(parse(text), "error"))
        except NotJsonError:
            self._items.found.append(Framed(text, "error"))

    def _continue_event(self, start: int) -> Step:
        """A line without a field's name while an event's value is open continues that value."""
        buffer = self._buffer
        if field := _FIELD.match(buffer.data, start):
            return self._read_field(start, field)
        end = self._line_end(start)
        if end is None:
            return Step.NEED_MORE
        self._is_event_over = False
        self._event.continue_with(start, end)
        return buffer.go_on_at(self._after_line(end))

    def _end_event_before(self) -> None:
        """End the event before an empty line."""
        if self._is_event_over:
            self._end_event()

    def _end_event(self, *, is_last: bool = False) -> None:
        self._is_event_over = False
        self._event.end(is_last=is_last)

    def _line_end(self, start: int) -> int | None:
        """The index of the line's end, None where it has not come; the whole rest where the body is over."""
        data = self._buffer.data
        searched = max(start, self._searched - self._buffer.dropped)
        line_feed = data.find(b"\n", searched)
        carriage_return = data.find(b"\r", searched, line_feed if line_feed >= 0 else len(data))
        if carriage_return >= 0:
            return carriage_return
        if line_feed >= 0:
            return line_feed
        self._searched = self._buffer.position(len(data))
        return len(data) if self._buffer.is_last else None

    def _after_line(self, end: int) -> int:
        """The index after the line that ends at `end`."""
        data = self._buffer.data
        self._buffer.begins_line = True
        self._skips_line_feed = end < len(data) and data[end] == 0x0D
        return min(end + 1, len(data))

    def _skip_long_line(self, position: int, head: bytes) -> Step:
        buffer = self._buffer
        end = self._line_end(buffer.at)
        if end is None or (buffer.is_last and end == len(buffer.data)):
            return buffer.need_more_after(len(buffer.data))
        self._warn_too_long(position, head)
        self._long_line = None
        return buffer.go_on_at(self._after_line(end))

    def _head(self, start: int) -> bytes:
        return bytes(self._buffer.data[start : start + self._limits.shown])

    def _warn_too_long(self, position: int, head: bytes) -> None:
        self._items.warn("value_too_large", position, head, f"longer than {self._limits.value_bytes:,} bytes")
