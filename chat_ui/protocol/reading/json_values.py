"""Bytes to JSON values by structure alone: no lines, no fields, no I/O.

A value ends where its brackets balance outside strings, so JSON lines, objects glued together as `}{`, pretty printing,
arrays (item by item) and JSON text sequences all come out as the same values. What cannot be read is reported, and
reading goes on at the next place where a value can begin.
"""

from __future__ import annotations

import codecs
import re
from typing import Final, NamedTuple

import msgspec

from chat_ui.protocol.events import Json, Warning  # noqa: A004
from chat_ui.protocol.reading.html_pages import PAGE
from chat_ui.protocol.reading.json_text import NOT_STRICT, NotJsonError, decode, parse, parts_in, read_strict
from chat_ui.protocol.reading.open_value import Broken, OpenValue

MAX_VALUE_BYTES: Final = 32 * 1024 * 1024
MAX_VALUE_PARTS: Final = 10_000_000
MOST_UNREAD: Final = 10_000
"""Parts in a row that are no JSON, after which nothing more is read."""
LARGE: Final = 1024 * 1024
"""Bytes from which on a value is not kept twice."""
DETAIL_BYTES: Final = 80


class Framed(msgspec.Struct, frozen=True, gc=False):
    """One JSON value; `event` is the name of the server-sent event that carried it, if one did."""

    value: Json
    event: str | None = None


class StreamDone(NamedTuple):
    """The `[DONE]` that ends a server-sent event stream: nothing more is to come."""


class Unfinished(NamedTuple):
    """The body ended inside a value; `detail` says where it began and how."""

    detail: str


FrameItem = Framed | StreamDone | Warning | Unfinished

_BETWEEN = re.compile(rb"(?:[ \t\r\n,\x1e]|\xef\xbb\xbf)*")
_BOM_BEGUN = re.compile(rb"\xef(?:\xbb)?\Z")
_TOKEN = re.compile(rb'[^ \t\r\n,\x1e\[\]{}"]+')
_ARRAY_HEAD = re.compile(rb'\[[ \t\r\n]{0,4096}+(?:[{\["\]]|-?\d|(?:true|false|null|NaN|-?Infinity)[ \t\r\n,\]])')
_ARRAY_UNDECIDED = re.compile(rb"\[[ \t\r\n]{0,4096}+[-\w]{0,10}\Z")
_DONE = re.compile(rb"\[DONE\]", re.IGNORECASE)
_GARBAGE_END = re.compile(rb"[\r\n{]")
_MAX_SCALAR = 4096
_PARTS_UNWALKED = 200
"""Parts of a value for which its end is looked for at the end of its line alone: one after them may be another's."""
_LOOK_BACK = 4096
_NOT_SOUGHT = -1


class ValueFramer:
    """Takes a body in pieces of any size and gives its values as they become complete.

    `feed` and `close` return the items in the order of the body; the same bytes give the same items however
    they are split. A value larger than `max_value_bytes` is not kept in memory: it is reported and skipped, and so is
    one of more than `max_value_parts` parts.
    """

    def __init__(self, max_value_bytes: int = MAX_VALUE_BYTES, max_value_parts: int = MAX_VALUE_PARTS) -> None:
        self._max = max_value_bytes
        self._max_parts = max_value_parts
        self._shown = min(DETAIL_BYTES, max_value_bytes)
        """How much of a value that is reported is shown: no more than is surely kept of one that is too large."""
        self._buffer = bytearray()
        self._dropped = 0
        """Bytes of the body that went before the buffer: positions in reports are of the body."""
        self._items: list[FrameItem] = []
        self._closing = False
        self._line_start = True
        self._arrays = 0
        self._open: OpenValue | None = None
        self._line_sought = _NOT_SOUGHT
        """The position up to which the end of the open value's line was looked for."""
        self._no_line_end_before = 0
        """A position up to which, from the last place where a line's end was looked for, there is none."""
        self._may_end_at = -1
        """The last position found at which a value may end."""
        self._event: str | None = None
        self._head = b""
        """How a value that is too large to be kept began."""
        self._in_garbage = False
        self._garbage = bytearray()
        self._garbage_from = 0
        self._unread = 0
        """Parts that were no JSON since the last value."""

    @property
    def is_open(self) -> bool:
        """Whether a value has begun and not ended."""
        return self._open is not None or self._arrays > 0

    def count_from(self, position: int) -> None:
        """Count positions in reports from `position` on, as far as nothing has begun that was counted otherwise."""
        if not (self._open or self._buffer or self._in_garbage):
            self._dropped = position

    def feed(self, data: bytes) -> list[FrameItem]:
        """The items that `data` completes."""
        self._buffer += data
        self._advance()
        return self._take()

    def close(self) -> list[FrameItem]:
        """The items that the end of the body completes; an open value is reported as `Unfinished`."""
        self._closing = True
        self._advance()
        self._end()
        return self._take()

    def _take(self) -> list[FrameItem]:
        items, self._items = self._items, []
        return items

    def _end(self) -> None:
        self._end_garbage()
        if self._open is not None:
            head = self._head or bytes(self._buffer[: self._shown])
            self._items.append(Unfinished(_where(self._open.start, head)))
        elif self._arrays:
            end = self._position(len(self._buffer))
            self._items.append(Unfinished(f"at byte {end}: the array was not closed"))
        self._open = None
        self._arrays = 0
        self._buffer.clear()

    def _position(self, index: int) -> int:
        return self._dropped + index

    def _warn(self, code: str, position: int, head: bytes, why: str) -> None:
        self._report(code, f"{_where(position, head)} ({why})")

    def _report(self, code: str, detail: str) -> None:
        self._items.append(Warning(code, detail))
        self._unread += 1
        if self._unread == MOST_UNREAD:
            self._items.append(
                Warning("unreadable", f"{MOST_UNREAD} parts in a row are no JSON, the last of them {detail}")
            )

    def _give(self, value: Json) -> None:
        self._items.append(Framed(value, self._event))
        self._unread = 0

    def _drop(self, count: int) -> None:
        if count:
            del self._buffer[:count]
            self._dropped += count

    def _advance(self) -> None:
        """Read as far as the buffer allows, then drop what was read."""
        at = 0
        while (following := self._read_on(at)) >= 0:
            at = following
        self._drop(-following - 1)

    # Each reader below returns the index where reading goes on, or -(index + 1) when more bytes are needed
    # and everything before index is done with.

    def _read_on(self, at: int) -> int:
        if self._unread >= MOST_UNREAD:
            self._open, self._arrays = None, 0
            return -len(self._buffer) - 1
        if self._in_garbage:
            return self._read_garbage(at)
        if self._open is not None:
            return self._walk(self._open, at)
        return self._begin(at)

    def _begin(self, at: int) -> int:
        start = self._skip_between(at)
        return -start - 1 if start == len(self._buffer) else self._begin_value(start)

    def _skip_between(self, at: int) -> int:
        """The index of the next byte that may begin a value or a line."""
        start = _BETWEEN.match(self._buffer, at).end()  # type: ignore[union-attr]
        between = self._buffer[at:start]
        if b"\n" in between or b"\r" in between:
            self._line_start = True
            self._note_line_end()
        elif 0x1E in between or between.startswith(codecs.BOM_UTF8):
            self._line_start = True
        return start

    def _note_line_end(self) -> None:
        """A line end was passed between values: of no concern to values alone."""

    def _begin_value(self, start: int) -> int:
        first = self._buffer[start]
        if first in b'{"':
            return self._open_value(start, string=first == 0x22)
        if first == 0x5B:
            return self._begin_array(start)
        if first == 0x5D and self._arrays:
            self._arrays -= 1
            self._line_start = False
            return start + 1
        if first == 0xEF and not self._closing and _BOM_BEGUN.match(self._buffer, start):
            return -start - 1
        return self._read_token(start)

    def _open_value(self, start: int, *, string: bool = False) -> int:
        self._open = OpenValue(self._position(start), self._max, string=string)
        of_line = not (string or self._arrays)
        self._line_sought = max(self._position(start), self._no_line_end_before) if of_line else _NOT_SOUGHT
        self._head = b""
        self._line_start = False
        return start

    def _begin_array(self, start: int) -> int:
        buffer = self._buffer
        if len(buffer) - start < 6 and not self._closing and b"[DONE]".startswith(bytes(buffer[start:]).upper()):
            return -start - 1
        done = _DONE.match(buffer, start)
        if done:
            self._items.append(StreamDone())
            self._line_start = False
            return done.end()
        if self._arrays:
            return self._open_value(start)
        if _ARRAY_HEAD.match(buffer, start):
            self._arrays = 1
            self._line_start = False
            return start + 1
        if not self._closing and _ARRAY_UNDECIDED.match(buffer, start):
            return -start - 1
        if self._closing and not buffer[start + 1 :].strip():
            self._arrays = 1
            return start + 1
        self._begin_garbage(start)
        return start

    def _read_token(self, start: int) -> int:
        buffer = self._buffer
        token = _TOKEN.match(buffer, start)
        end = token.end() if token else start + 1
        if end == len(buffer) and not self._closing and end - start <= _MAX_SCALAR and token:
            return -start - 1
        if token and end - start <= _MAX_SCALAR:
            try:
                value = parse(decode(buffer[start:end]))
            except NotJsonError:
                pass
            else:
                self._give(value)
                self._line_start = False
                return end
        self._begin_garbage(start)
        return start

    def _walk(self, value: OpenValue, start: int) -> int:
        following = self._read_rest_of_line(start) if self._line_sought != _NOT_SOUGHT else None
        if following is not None:
            return following
        too_large = self._position(len(self._buffer)) - value.start > self._max or value.parts > self._max_parts
        awaits_line_end = self._line_sought != _NOT_SOUGHT and not self._closing and value.parts <= _PARTS_UNWALKED
        if awaits_line_end and not too_large and not self._may_have_ended(value):
            value.count_parts(self._buffer, self._dropped)
            return -start - 1
        step = value.walk(self._buffer, self._dropped, closing=self._closing)
        if step is None:
            value.count_parts(self._buffer, self._dropped)
            if not too_large:
                return -start - 1
            self._line_sought = _NOT_SOUGHT
            self._head = self._head or bytes(self._buffer[start : start + self._shown])
            return -max(start, value.unread(self._dropped) - _LOOK_BACK) - 1
        self._open = None
        size = self._position(step.index) - value.start
        head = (self._head or bytes(self._buffer[start : start + self._shown]))[:size]
        if isinstance(step, Broken):
            self._warn("not_json", value.start, head, "not closed before the next value")
            self._line_start = True
            return step.index
        if size > self._max:
            self._warn("value_too_large", value.start, head, f"{size} bytes, more than {self._max}")
            return step.index
        if self._head or self._has_too_many_parts(start, step.index):
            self._warn_too_many_parts(value.start, head)
            return step.index
        return self._read_whole(value.start, start, step.index, head)

    def _may_have_ended(self, value: OpenValue) -> bool:
        if self._may_end_at < value.start:
            found = value.may_end(self._buffer, self._dropped)
            if found is None:
                return False
            self._may_end_at = found
        return True

    def _has_too_many_parts(self, start: int, end: int) -> bool:
        return end - start > self._max_parts and self._are_too_many_parts(self._buffer[start:end])

    def _are_too_many_parts(self, data: bytes | bytearray) -> bool:
        return len(data) > self._max_parts and parts_in(data) > self._max_parts

    def _warn_too_many_parts(self, position: int, head: bytes) -> None:
        self._warn("value_too_large", position, head, f"more than {self._max_parts} parts")

    def _read_rest_of_line(self, start: int) -> int | None:
        """Read the open value as all of its line, which nearly every large one is, without a walk; None where it is
        not, or its line has not ended.
        """
        end = self._buffer.find(b"\n", self._line_sought - self._dropped)
        if end < 0:
            self._line_sought = self._no_line_end_before = self._position(len(self._buffer))
            return None
        self._line_sought = _NOT_SOUGHT
        if end - start > self._max or self._has_too_many_parts(start, end):
            return None
        try:
            with memoryview(self._buffer) as whole, whole[start:end] as line:
                self._give(read_strict(line))
        except NOT_STRICT:
            return None
        self._open = None
        return end

    def _read_whole(self, position: int, start: int, end: int, head: bytes) -> int:
        with memoryview(self._buffer) as whole, whole[start:end] as data:
            try:
                self._give(read_strict(data))
            except NOT_STRICT:
                text = decode(data)
            else:
                return end
        if end - start > LARGE:
            # A large value is in memory as bytes, as text and as itself: the bytes go first.
            self._drop(end)
            end = 0
        try:
            self._give(parse(text))
        except NotJsonError as error:
            self._warn("not_json", position, head, str(error))
        return end

    def _begin_garbage(self, start: int) -> None:
        self._in_garbage = True
        self._garbage = bytearray()
        self._garbage_from = self._position(start)
        self._line_start = False

    def _read_garbage(self, start: int) -> int:
        found = _GARBAGE_END.search(self._buffer, start)
        end = found.start() if found else len(self._buffer)
        room = DETAIL_BYTES - len(self._garbage)
        if room > 0:
            self._garbage += self._buffer[start : min(end, start + room)]
        if not found:
            return -end - 1
        self._end_garbage()
        return end

    def _end_garbage(self) -> None:
        if self._in_garbage:
            head = bytes(self._garbage)
            is_page = PAGE.match(head) is not None
            self._warn(
                "html_page" if is_page else "not_json", self._garbage_from, head, "a page" if is_page else "not JSON"
            )
            self._in_garbage = False


def _where(position: int, head: bytes) -> str:
    shown = head[:DETAIL_BYTES].decode("utf-8", "replace")
    return f"at byte {position}: {shown!r}"
