"""Blocks of a body: whole objects, or events with one line of data each, and an object without its end.

Most streams are blocks. A block is read at once, with a decoder of many values. Its values are objects, one to a line,
pretty printed or glued together, or events that all have the same name or all lack one. A block with anything else is
not read here.
"""

from __future__ import annotations

import re
from typing import Final

from chat_ui.protocol.reading.items import Framed
from chat_ui.protocol.reading.json_text import NOT_STRICT, decode, read_strict, read_strict_values

LONGEST: Final = 1024 * 1024
"""Bytes of a block at most: it is copied."""
_EVENT_HEAD = re.compile(rb"(?:event:([^\r\n]*)\r?\n)?data:")
# Python before 3.11.5 does not go back to the quote of a string without an end, unless the string is an atomic group.
_PLAIN = re.compile(rb'(?:[^"{}\[\]]++|(?>"(?:[^"\\]++|\\.)*+"))*+', re.DOTALL)
_REST_OF_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)


def read_objects(block: bytes) -> tuple[list[Framed], int]:
    """The objects of a block, and its size; 0 if it has anything else."""
    try:
        values = read_strict_values(block)
    except NOT_STRICT:
        return [], 0
    for value in values:
        if type(value) is not dict:
            return [], 0
    return [Framed(value) for value in values], len(block)


def read_events(block: bytes) -> tuple[list[Framed], int]:
    """The data of the whole events in a block (an optional name, one line of data), and their size; 0 for others."""
    head = _EVENT_HEAD.match(block)
    line_end = b"\r\n" if b"\r" in block else b"\n"
    event_end = 2 * line_end
    end = block.rfind(event_end, head.end()) if head else -1
    if head is None or end < 0:
        return [], 0
    between = event_end + head.group()
    data = block[head.end() : end].split(between)
    end += len(event_end)
    for part in (b"\r", b"\n"):
        if block.count(part, 0, end) != len(data) * between.count(part):
            return [], 0
    name = decode(head.group(1) or b"").strip() or None
    try:
        values = [read_strict(value) for value in data]
    except NOT_STRICT:
        return [], 0
    if not {list, str}.isdisjoint(map(type, values)):
        return [], 0
    return [Framed(value, name) for value in values], end


class OpenObject:
    """An object without its end: how far its brackets are followed, as bytes after its beginning."""

    __slots__ = ("_at", "_depth", "_is_in_string", "line", "next")

    def __init__(self) -> None:
        self._at = self._depth = 0
        self._is_in_string = False
        self.line = 0
        self.next = 0
        """The beginning of the first line in it that is a whole object by itself; 0 without one."""

    def end(self, data: bytearray, start: int, stop: int) -> int | None:
        """The index after its end, followed from its beginning at `start` up to `stop`; None without an end."""
        at = start + self._at
        while at < stop:
            if self._is_in_string:
                at = _REST_OF_STRING.match(data, at, stop).end()  # type: ignore[union-attr]
                if at == stop or data[at] != 0x22:
                    break
                self._is_in_string = False
                at += 1
            at = _PLAIN.match(data, at, stop).end()  # type: ignore[union-attr]
            if at == stop:
                break
            if data[at] == 0x22:
                self._is_in_string = True
            elif data[at] in b"{[":
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth <= 0:
                    return at + 1
            at += 1
        self._at = at - start
        return None
