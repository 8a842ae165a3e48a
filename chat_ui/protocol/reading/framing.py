"""A body's bytes to its JSON values, without I/O and without trust in content types.

Three rules read every layout. An object ends where its brackets balance outside strings, so objects may be glued
together, pretty printed, or in an array. A field of a server-sent event begins a line (see `event_data`). Everything
else is read line by line: JSON, or other text. A line of the AI SDK's data stream is a value after a character for its
kind: `0:"Hello"` becomes `{"type": "0:", "value": "Hello"}`.

An unclosed object does not swallow the next one: a line that is a whole object ends it. The items do not depend on how
the bytes are split.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from chat_ui.protocol.errors import NotJsonError
from chat_ui.protocol.reading.blocks import LONGEST, OpenObject, read_events, read_objects
from chat_ui.protocol.reading.event_data import EventData
from chat_ui.protocol.reading.items import NOT_CLOSED, Framed, FrameItem, Items, Limits, Unfinished, is_done, where
from chat_ui.protocol.reading.json_text import decode, parse, read_as_object, read_value

MAX_VALUE_BYTES: Final = 32 * 1024 * 1024
MAX_VALUE_PARTS: Final = 10_000_000
_BETWEEN = re.compile(rb"(?:[ \t\r\n,\x1e]++|\xef\xbb\xbf)*+")
_BOM_BEGUN = re.compile(rb"\xef(?:\xbb)?\Z")
_FIELD = re.compile(rb"(data|event|id|retry|error)?: ?")
_CODED = re.compile(rb'(?:[03g](?=:")|[28](?=:\[)|[14-79a-fh-k](?=:\{)|aui-[a-z-]{1,30}(?=:[\[{])):')
"""Kinds of lines of the AI SDK's data stream and of assistant-ui, each before the beginning of its value."""
_ARRAY = re.compile(rb"\[[ \t\r\n]{0,4096}+(?=[{\]])")
_ARRAY_UNDECIDED = re.compile(rb"\[[ \t\r\n]{0,4096}+\Z")
_EVENT_BEGUN = re.compile(rb"(?:event:[^\r\n]*\r?\n?)?(?:data:[^\r\n]*)?\Z")
_MAY_END = re.compile(rb"\}[ \t\r\n,\x1e]*+(?:[{\[]|\Z)")
_PRETTY = (b"{\n", b"{\r\n")
_JOINED: Final = 4096
"""Bytes of the beginning of an object or event that are joined with the next piece."""
_SHORT: Final = 80
"""Bytes of the rest of a line that are tried as JSON although the whole line was not."""
_BY_ITSELF = re.compile(rb"(?:data: ?)?(?=\{)")
_MAY_HOLD = re.compile(rb"[\[,:]\s*\Z")
"""The end of a line after which a nested object may follow."""
_LOOK_BACK: Final = 64


class Framer:
    """Takes a body in pieces of any size and gives its values as they become complete.

    `feed` and `close` return the items in the order of the body. A value of more than `max_value_bytes` or
    `max_value_parts` is reported and skipped; a large one is skipped to the end of its line and not kept in memory.
    """

    def __init__(self, max_value_bytes: int = MAX_VALUE_BYTES, max_value_parts: int = MAX_VALUE_PARTS) -> None:
        self._limits = Limits(max_value_bytes, max_value_parts)
        self._longest = min(LONGEST, max_value_bytes)
        self._items = Items()
        self._event = EventData(self._items, self._limits)
        self._data = bytearray()
        self._at = 0
        """The index in `_data` before which everything is read."""
        self._dropped = 0
        self._is_last = False
        self._begins_line = True
        self._skips_line_feed = False
        self._searched = 0
        self._found = -1
        self._open: OpenObject | None = None
        self._is_in_array = False
        """Whether an array of objects has begun and not ended: each is an item."""
        self._broken = 0
        """The position before which an unclosed object is read again, line by line."""
        self._one_by_one_until = 0
        """The position before which blocks of values are not looked for."""
        self._tried_until = 0
        """The position of the end of the last line that was not JSON as a whole."""
        self._skips_line = False
        self._is_between = True
        """Whether earlier bytes do not affect the next ones, except for the beginning of a line."""

    def feed(self, data: bytes) -> list[FrameItem]:
        """The items that `data` completes."""
        if self._skips_line_feed and data:
            self._skips_line_feed = False
            if data[0] == 0x0A:
                data = data[1:]
                self._dropped += 1
        read = 0
        if self._is_between and data and len(self._data) < _JOINED:
            # Most pieces are whole values, which need not go through the buffer.
            if self._data:
                data = bytes(self._data) + data
                self._data.clear()
            read = self._read_block(data, 0)
            self._dropped += read
        if read < len(data):
            self._data += data[read:]
            self._read()
        return self._items.take()

    def close(self) -> list[FrameItem]:
        """The items that the end of the body completes; an open value is reported as `Unfinished`."""
        self._is_last = True
        self._read()
        while self._open is not None:
            self._break(self._open, len(self._data))
            self._read()
        if self._is_in_array:
            end = self._position(len(self._data))
            self._items.found.append(Unfinished(f"at byte {end}: the array was not closed"))
        self._event.end(is_last=True)
        return self._items.take()

    def _read(self) -> None:
        while self._at < len(self._data) and self._step():
            pass
        if self._at:
            del self._data[: self._at]
            self._dropped += self._at
            self._at = 0
        self._is_between = not (
            self._open or self._is_in_array or self._skips_line or self._event.has_begun or self._items.are_unreadable
        )

    def _step(self) -> bool:
        """Read the next part; whether reading goes on, or needs more bytes."""
        if self._items.are_unreadable:
            self._at, self._open, self._is_in_array = len(self._data), None, False
            return False
        if self._skips_line:
            return self._skip_line()
        if self._open is not None:
            return self._follow(self._open)
        data, at = self._data, self._at
        end = _BETWEEN.match(data, at).end()  # type: ignore[union-attr]
        line = max(data.rfind(b"\n", at, end), data.rfind(b"\r", at, end)) + 1
        if line:
            self._begins_line = True
            self._event.end_at_empty_line()
        elif b"\x1e" in data[at:end] or data.startswith(codecs.BOM_UTF8, at):
            self._begins_line = True
        # A line that continues the value of an event keeps the white space it begins with.
        self._at = at = end if not self._event.is_open else max(at, line)
        return at < len(data) and self._begin(at)

    def _begin(self, at: int) -> bool:
        data, first = self._data, self._data[at]
        if not (self._event.has_begun or self._is_in_array):
            if self._begins_line and not self._is_last and len(data) - at < _JOINED and _EVENT_BEGUN.match(data, at):
                return False
            if read := self._read_block(data, at):
                self._at += read
                return True
            if first == 0x7B and not self._is_last and len(data) - at < _JOINED and not _MAY_END.search(data, at):
                return False
        field = _FIELD.match(data, at) if self._begins_line else None
        if field is None and not self._event.is_open:
            if first == 0x7B:
                self._open = OpenObject()
                return True
            if first == 0x5D and self._is_in_array:
                self._is_in_array = False
                return self._go_on(at + 1)
            if first == 0x5B and not self._is_in_array:
                if array := _ARRAY.match(data, at):
                    self._is_in_array = True
                    return self._go_on(array.end())
                if _ARRAY_UNDECIDED.match(data, at):
                    self._is_in_array = self._is_last
                    return self._go_on(at + 1) if self._is_last else False
            if first == 0xEF and not self._is_last and _BOM_BEGUN.match(data, at):
                return False
        end = self._line_end(at)
        stop = len(data) if end is None else end
        if stop - (field.end() if field else at) > self._limits.value_bytes:
            self._event.end_before_field()
            return self._begin_to_skip(at)
        if end is None:
            return False
        if field is not None:
            self._read_field(field, end)
        elif self._event.is_open:
            self._event.add(data, at, end, self._position(at))
        else:
            return self._read_words(at, end)
        return self._end_line(end)

    def _read_block(self, data: bytes | bytearray, at: int) -> int:
        """Read what begins at `at` as many values together, as in most streams; the bytes read."""
        position = self._position(at)
        if position < self._one_by_one_until:
            return 0
        most = min(len(data), at + self._longest)
        end = data.rfind(b"\n", at, most) + 1
        if data[at] == 0x7B:
            read = read_objects
            if data.startswith(_PRETTY, at):
                last = data.rfind(b"\n}", at, most)
                end = last + len(b"\n}") if last >= 0 else 0
            elif end < most:
                end = max(end, data.rfind(b"\r", at, most) + 1)
                end = end or (most if data[most - 1] == 0x7D else data.rfind(b"}{", at, most) + 1)
        elif self._begins_line and data[at] in b"de":
            read = read_events
        else:
            return 0
        if not end:
            if most - at > _JOINED:
                self._one_by_one_until = self._position(most)
            return 0
        block = bytes(data[at:end])
        found, size = ([], 0) if self._limits.are_too_many_parts(block) else read(block)
        if not size:
            self._one_by_one_until = position + len(block)
            return 0
        self._items.give_all(found)
        self._begins_line = block[size - 1] in b"\r\n"
        return size

    def _read_field(self, field: re.Match[bytes], end: int) -> None:
        name, start = field.group(1), field.end()
        if name == b"data":
            self._event.end_before_field()
            self._event.add(self._data, start, end, self._position(start))
        elif name == b"event":
            self._event.set_name(decode(self._data[start:end]).strip() or None)
        elif name == b"error":
            self._event.end_before_field()
            text = decode(self._data[start:end])
            try:
                self._items.found.append(Framed(parse(text), "error"))
            except NotJsonError:
                self._items.found.append(Framed(text, "error"))

    def _read_words(self, at: int, end: int) -> bool:
        """Read a line, or the rest of a line, that does not begin with an object."""
        if self._limits.are_too_many_parts(self._data[at:end]):
            self._items.warn("value_too_large", self._position(at), self._head(at), self._limits.too_many_parts)
            return self._go_on(end)
        is_within = not self._begins_line or self._event.has_begun or self._is_in_array
        kind = None if is_within else _CODED.match(self._data, at)
        # A long line is tried once.
        is_tried = end - at > _SHORT and self._position(at) < self._tried_until
        text = "" if is_tried else decode(self._data[kind.end() if kind else at : end])
        try:
            value = parse(text)
        except NotJsonError as error:
            self._tried_until = self._position(end)
            if kind and self._is_last and end == len(self._data):
                self._items.found.append(Unfinished(where(self._position(at), self._head(at))))
                return self._go_on(end)
            if is_done(text):
                self._items.give(text.strip())
                return self._go_on(end)
            if kind:
                self._give_glued(at, end, str(error))
                return self._go_on(end)
            brace = self._data.find(b"{", at + 1, end)
            end = brace if brace >= 0 else end
            self._items.give_words(self._data[at:end], self._position(at), str(error))
            return self._go_on(end)
        if kind:
            self._items.give({"type": decode(kind.group()), "value": value})
        else:
            self._items.give_each(value)
        return self._go_on(end)

    # --- an object that has begun ---

    def _follow(self, value: OpenObject) -> bool:
        """Follow the brackets of the object at `_at`, line by line."""
        data, start, most = self._data, self._at, self._limits.value_bytes
        while True:
            line = start + value.line
            if line == len(data):
                return False
            end = self._line_end(line)
            stop = len(data) if end is None else end
            if value.line and (own := _BY_ITSELF.match(data, line)):
                if stop - start > most:
                    return self._begin_to_skip(start, line)
                if end is None:
                    return False
                if read_as_object(data, own.end(), end) is not None:
                    value.next = value.next or value.line
                    if not _MAY_HOLD.search(data, max(start, line - _LOOK_BACK), line) or start < self._broken:
                        return self._break(value, line)
            after = min(stop + 1, len(data))
            ended = value.end(data, start, after)
            if ended is not None and ended - start <= most:
                self._open = None
                return self._read_object(start, ended)
            if ended is not None or stop - start > most:
                return self._begin_to_skip(start, line)
            if end is None:
                return False
            value.line = after - start

    def _read_object(self, start: int, end: int) -> bool:
        if self._limits.are_too_many_parts(self._data[start:end]):
            why = self._limits.too_many_parts
            self._items.warn("value_too_large", self._position(start), self._head(start), why)
            return self._go_on(end)
        try:
            self._items.give(read_value(self._data, start, end))
        except NotJsonError as error:
            self._give_glued(start, end, str(error))
        return self._go_on(end)

    def _give_glued(self, start: int, end: int, why: str) -> None:
        position, text = self._position(start), decode(self._data[start:end])
        self._items.give_glued(text, lambda at: position + len(text[:at].encode()), why)

    def _break(self, value: OpenObject, known: int) -> bool:
        """Report the object at `_at` as unclosed, and go on at the next line that is a whole object. Up to the index
        `known` such lines are not parts of other objects.
        """
        start, self._open, self._is_in_array = self._at, None, False
        self._broken = self._position(known)
        end = start + value.next if value.next else len(self._data)
        self._give_glued(start, end, NOT_CLOSED if value.next else "")
        return self._go_on(end, begins_line=True)

    # --- lines ---

    def _go_on(self, index: int, *, begins_line: bool = False) -> bool:
        self._at, self._begins_line = index, begins_line
        return True

    def _end_line(self, end: int) -> bool:
        at = min(end + 1, len(self._data))
        if self._data[end:at] == b"\r":
            self._skips_line_feed = at == len(self._data)
            at += self._data[at : at + 1] == b"\n"
        return self._go_on(at, begins_line=True)

    def _line_end(self, start: int) -> int | None:
        """The index of the line's end; None if it has not come, and the whole rest at the end of the body."""
        data = self._data
        if self._found >= self._position(start):
            return self._found - self._dropped
        searched = max(start, self._searched - self._dropped)
        line_feed = data.find(b"\n", searched)
        carriage_return = data.find(b"\r", searched, line_feed if line_feed >= 0 else len(data))
        end = carriage_return if carriage_return >= 0 else line_feed
        if end >= 0:
            self._found = self._position(end)
            return end
        self._searched = self._position(len(data))
        return len(data) if self._is_last else None

    def _begin_to_skip(self, start: int, line: int | None = None) -> bool:
        """Report a too large part at `start`, and skip the rest of its line."""
        why = f"longer than {self._limits.value_bytes:,} bytes"
        self._items.warn("value_too_large", self._position(start), self._head(start), why)
        self._open, self._is_in_array, self._skips_line = None, False, True
        self._at = start if line is None else line
        return True

    def _skip_line(self) -> bool:
        end = self._line_end(self._at)
        if end is None:
            self._at = len(self._data)
            return False
        self._skips_line = False
        return self._end_line(end)

    def _position(self, index: int) -> int:
        """The position in the body of the byte at `index` of `_data`."""
        return self._dropped + index

    def _head(self, start: int) -> bytes:
        return bytes(self._data[start : start + self._limits.shown])
