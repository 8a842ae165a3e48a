"""The fast path for most streams: blocks of whole objects, or of events with one line of data each.

A block is tried at once, with a decoder that reads many values: objects one to a line or glued together, or events that
all have the same name, or none. Where anything else is among them, nothing of the block is taken, and its bytes are not
tried again: the readers of values and of lines read them one by one. Both ways give the same items.
"""

from __future__ import annotations

import re
from typing import Final

from chat_ui.protocol.reading.buffer import Buffer
from chat_ui.protocol.reading.items import Framed, Items, Limits
from chat_ui.protocol.reading.json_text import NOT_STRICT, decode, read_strict, read_strict_values
from chat_ui.protocol.reading.values import LARGE

JOINED_BYTES: Final = 4096
"""Bytes of a value that only begins which are put before the next piece, to be read with it at once."""
_EVENT_HEAD = re.compile(rb"(?:event:([^\r\n]*)\r?\n)?data:")


class BlockReader:
    """Reads blocks of a body whose rest is in `buffer`, and gives their values to `items`."""

    def __init__(self, buffer: Buffer, items: Items, limits: Limits) -> None:
        self._buffer = buffer
        self._items = items
        self._limits = limits
        self._longest = min(LARGE, limits.value_bytes)
        self._not_before = 0
        """The position before which no block is looked for."""

    def read_lines(self, data: bytes) -> bool:
        """Read `data`, the next bytes of the body, where it is nothing but whole lines of objects; whether it was."""
        buffer = self._buffer
        if data[:1] != b"{" or data[-1:] != b"\n" or len(data) > self._longest or buffer.dropped < self._not_before:
            return False
        try:
            read = self._objects(data)
        except NOT_STRICT:
            return False
        buffer.dropped += read
        return read > 0

    def read(self, data: bytes | bytearray, at: int) -> int:
        """Read the block that begins at `at` of `data`, the next bytes of the body; the index after it, `at` where none
        begins there.
        """
        position = self._buffer.dropped
        if position + at < self._not_before:
            return at
        are_objects = data[at] == 0x7B
        if not (are_objects or self._buffer.begins_line):
            return at
        most = min(len(data), at + self._longest)
        end = data.rfind(b"\n", at, most) + 1
        if are_objects:
            end = max(end, data.rfind(b"\r", at, most) + 1)
        if are_objects and not end:
            end = data.rfind(b"}{", at, most) + 1 or (most if data[most - 1] == 0x7D else 0)
        if not end:
            if most - at > JOINED_BYTES:
                self._not_before = position + most
            return at
        try:
            read = (self._objects if are_objects else self._events)(bytes(data[at:end]))
        except NOT_STRICT:
            read = 0
        if not read:
            self._not_before = position + end
        return at + read

    def _objects(self, block: bytes) -> int:
        """Read a block of objects; its length, or 0 where something else is among them.

        Raises:
            NOT_STRICT: it is not JSON to the letter.
        """
        if self._limits.are_too_many_parts(block):
            return 0
        values = read_strict_values(block)
        for value in values:
            if type(value) is not dict:
                return 0
        self._items.found += [Framed(value) for value in values]
        self._items.unread = 0
        self._buffer.begins_line = block[-1] in b"\r\n"
        return len(block)

    def _events(self, block: bytes) -> int:
        """Read a block of events, each a line of data, after a name or none, and an empty line; the length of what was
        read, or 0 where something else is among them.

        Raises:
            NOT_STRICT: their data is not JSON to the letter.
        """
        head = _EVENT_HEAD.match(block)
        if head is None or self._limits.are_too_many_parts(block):
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
        if not {list, str}.isdisjoint(map(type, values)):
            return 0
        self._items.found += [Framed(value, name) for value in values]
        self._items.unread = 0
        return end
