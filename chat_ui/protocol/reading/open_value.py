"""The end of a JSON value that has begun, found by its brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chat_ui.protocol.reading.json_text import parts_in

# Strings that hold a raw line end are left to the walk, which looks at where they end.
# So are long ones, whose end is found faster without a pattern.
_NO_STRUCTURE = re.compile(rb'(?:[^"{}\[\]]++|"[^"\\\r\n]{0,200}+(?:\\[^\r\n][^"\\\r\n]{0,200}+){0,3}+")*+')
_STRING_REST = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_BRACE_OPENS_LINE = re.compile(rb"[\r\n][ \t]*(\{)[ \t]*\Z")
MAY_END = re.compile(rb"\}[ \t\r,\x1e]*+(?:[{\[]|\Z)")
_FEW = 16
_MOST_BACKSLASHES = 64
_KNOWN_DEPTH = 64
_ARRAY = -2
_OBJECT = _NOWHERE = -1
_WHITE_SPACE = re.compile(rb"[ \t\r\n]*+")
_SOUND = -2
_UNDECIDED = -1


@dataclass(frozen=True, slots=True)
class Ended:
    """The value ends before `index` of the buffer."""

    index: int


@dataclass(frozen=True, slots=True)
class Broken:
    """The value was never closed: the next one begins at `index` of the buffer."""

    index: int


class OpenValue:
    """Walks a value bracket by bracket, each byte once, over however many pieces it comes in.

    All positions are of the body; `dropped` is how many bytes of it are no longer in the buffer. Nothing is dropped of
    the first `most` bytes while they are walked.

    A line that breaks off after a comma or a colon is not to take the next one with it: no object may follow a comma
    inside an object, and one that begins a line inside another value is part of that only if a comma or a closing
    bracket follows it. Else the outer value is broken, and what is read again is that inner one, which is whole: each
    byte is walked twice at most.
    """

    __slots__ = (
        "_at", "_counted", "_depth", "_ended", "_holders", "_in_string", "_most", "_seen", "_string_from", "parts",
        "start",
    )  # fmt: skip

    def __init__(self, start: int, most: int, *, string: bool) -> None:
        self.start = start
        self._most = most
        self._holders: list[int] = []
        """The open values around the walk, outermost first, to a bounded depth: `_ARRAY`, `_OBJECT`, or the position of
        an object that began its line."""
        self._ended = _NOWHERE
        """The position of the inner object that began its line and has just ended."""
        self._at = start + string
        self._depth = 0
        self._in_string = string
        self._string_from = start
        self._seen = self._at
        self._counted = start
        self.parts = 0
        """The parts of what has come of it, as far as they were counted."""

    def walk(self, buffer: bytearray, dropped: int, *, closing: bool) -> Ended | Broken | None:
        """Follow the value to its end; None when more bytes are needed."""
        at, depth, size = self._at - dropped, self._depth, len(buffer)
        while at < size:
            if self._in_string:
                at = _string_end(buffer, at)
                if at == size or buffer[at] == 0x5C:
                    break
                resume = self._ran_over(buffer, dropped, at, closing=closing)
                if resume == _UNDECIDED:
                    break
                if resume != _SOUND:
                    return Broken(resume)
                self._in_string = False
                at += 1
                if depth == 0:
                    return Ended(at)
                continue
            if self._ended != _NOWHERE:
                at = _WHITE_SPACE.match(buffer, at).end()  # type: ignore[union-attr]
                if at == size:
                    break
                if buffer[at] not in b",}]" and at + dropped - self.start <= self._most:
                    return Broken(self._ended - dropped)
                self._ended = _NOWHERE
            at = _NO_STRUCTURE.match(buffer, at).end()  # type: ignore[union-attr]
            if at == size:
                break
            byte = buffer[at]
            if byte == 0x22:
                self._in_string = True
                self._string_from = at + dropped
            elif byte in b"}]":
                depth -= 1
                if depth <= 0:
                    return Ended(at + 1)
                if depth < _KNOWN_DEPTH:
                    self._ended = max(self._holders.pop(), _NOWHERE)
            else:
                if byte == 0x7B and depth and not self._may_nest(buffer, at, depth):
                    return Broken(at)
                if depth < _KNOWN_DEPTH:
                    begins_line = byte == 0x7B and depth and buffer[at - 1] in b"\r\n"
                    self._holders.append(_ARRAY if byte == 0x5B else at + dropped if begins_line else _OBJECT)
                depth += 1
            at += 1
        self._at, self._depth = at + dropped, depth
        if closing and self._ended != _NOWHERE and self._at - self.start <= self._most:
            return Broken(self._ended - dropped)
        return None

    def _may_nest(self, buffer: bytearray, brace: int, depth: int) -> bool:
        """Whether an object may stand at `brace` inside another value: after a colon, and in an array after a comma or
        its bracket.
        """
        before = brace - 1
        while before > 0 and buffer[before] in b" \t\r\n":
            before -= 1
        in_object = depth <= _KNOWN_DEPTH and self._holders[-1] != _ARRAY
        return buffer[before] in (b":" if in_object else b":,[")

    def count_parts(self, buffer: bytearray, dropped: int) -> None:
        """Count the parts of what has come since this was last called."""
        self.parts += parts_in(buffer[self._counted - dropped :])
        self._counted = len(buffer) + dropped

    def may_end(self, buffer: bytearray, dropped: int) -> int:
        """The first position since the last call at which the value may have ended; -1 without one. A walk that can
        wait for the end of the line may never be needed.
        """
        since, self._seen = self._seen - dropped, len(buffer) + dropped
        found = MAY_END.search(buffer, since)
        return found.start() + dropped if found else _NOWHERE

    def unread(self, dropped: int) -> int:
        """The index that the walk has come to."""
        return self._at - dropped

    def _ran_over(self, buffer: bytearray, dropped: int, quote: int, *, closing: bool) -> int:
        """The index of the next object if the string that ends at `quote` was never closed on its own line.

        A raw line end inside a string is accepted, but one with `{"` after it and then neither a comma, a
        colon nor a closing bracket begins the next line's object.
        """
        if buffer[quote - 1] not in b"{ \t":
            return _SOUND
        opened = max(0, self._string_from - dropped)
        brace = _BRACE_OPENS_LINE.search(buffer, max(opened, quote - 64), quote)
        if brace is None:
            return _SOUND
        if quote + 1 == len(buffer):
            return _SOUND if closing else _UNDECIDED
        return _SOUND if buffer[quote + 1] in b",:}] \t\r\n" else brace.start(1)


def _string_end(buffer: bytearray, at: int) -> int:
    """The index of the quote that ends the string around `at`; of a last backslash, or the end, without one."""
    found = at
    for _ in range(_FEW):
        quote = buffer.find(b'"', found)
        end = quote if quote >= 0 else len(buffer)
        before = buffer[max(at, end - _MOST_BACKSLASHES) : end]
        backslashes = len(before) - len(before.rstrip(b"\\"))
        if backslashes == _MOST_BACKSLASHES:
            break
        if backslashes % 2 == 0:
            return end
        if quote < 0:
            return end - 1
        found = quote + 1
    return _STRING_REST.match(buffer, at).end()  # type: ignore[union-attr]
