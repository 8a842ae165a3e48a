"""Bytes to JSON values, without I/O and without trust in content types.

A body is read by structure: an object ends where its brackets balance outside strings, so JSON lines, objects
glued together as `}{`, pretty printing, arrays, JSON text sequences and server-sent events all come out as
the same values. Three speeds: a whole line that is one value goes straight to the JSON scanner; anything else
is walked bracket by bracket, each byte once, over however many pieces it comes in; a string is skipped quote
by quote. What cannot be read is reported and reading goes on at the next place where a value can begin.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from chat_ui.protocol.events import Json, Warning  # noqa: A004

MAX_VALUE_BYTES: Final = 32 * 1024 * 1024


class Framed(NamedTuple):
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
_LINE_ENDS = re.compile(rb"[\r\n]*")
_BOM_BEGUN = re.compile(rb"\xef(?:\xbb)?\Z")
_TOKEN = re.compile(rb'[^ \t\r\n,\x1e\[\]{}"]+')
_ARRAY_HEAD = re.compile(rb'\[[ \t\r\n]*(?:[{\["\]]|-?\d|(?:true|false|null|NaN|-?Infinity)[ \t\r\n,\]])')
_ARRAY_UNDECIDED = re.compile(rb"\[[ \t\r\n]*[-\w]{0,10}\Z")
_DONE = re.compile(rb"\[DONE\]", re.IGNORECASE)
_FIELD = re.compile(rb"(data|event|id|retry|error)?:")
# Strings that hold a raw line end are left to the walk, which looks at where they end.
_NO_STRUCTURE = re.compile(rb'(?:[^"{}\[\]]++|"[^"\\\r\n]*+(?:\\.[^"\\\r\n]*+)*+")*+', re.DOTALL)
_STRING_REST = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_GARBAGE_END = re.compile(rb"[\r\n{]")
_BRACE_OPENS_LINE = re.compile(rb"[\r\n][ \t]*(\{)[ \t]*\Z")
_TRAILING_COMMA = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")|,(?=\s*[}\]])', re.DOTALL)
_MAX_SCALAR = 4096
_DETAIL_BYTES = 80
_FAST_LINE = 1024 * 1024

_decoder = json.JSONDecoder(strict=False)
_scan = _decoder.raw_decode
_scan_once: Callable[[str, int], tuple[Json, int]] = vars(_decoder)["scan_once"]


class _NotJsonError(ValueError):
    pass


def _decode(data: memoryview | bytearray | bytes) -> str:
    return codecs.utf_8_decode(data, "replace", True)[0]


def _parse(text: str) -> Json:
    try:
        try:
            value, end = _scan(text)
        except json.JSONDecodeError:
            text = _TRAILING_COMMA.sub(r"\1", text)
            value, end = _scan(text)
    except RecursionError as error:
        raise _NotJsonError("nested too deeply") from error
    except ValueError as error:
        raise _NotJsonError(getattr(error, "msg", None) or str(error)) from error
    if end != len(text) and text[end:].strip(" \t\r\n"):
        raise _NotJsonError("extra data")
    return value  # type: ignore[no-any-return]


class Framer:
    """Takes a body in pieces of any size and gives its values as they become complete.

    `feed` and `close` return the items in the order of the body; the same bytes give the same items however
    they are split. A value larger than `max_value_bytes` is not kept in memory: it is reported and skipped.
    """

    def __init__(self, max_value_bytes: int = MAX_VALUE_BYTES, *, fields: bool = True) -> None:
        self._max = max_value_bytes
        self._fields = fields
        self._buffer = bytearray()
        self._dropped = 0
        """Bytes of the body that went before the buffer: positions in reports are of the body."""
        self._items: list[FrameItem] = []
        self._line_start = True
        self._arrays = 0
        self._searched = 0
        self._closing = False
        self._skip_line_feed = False
        # The value being walked.
        self._open = False
        self._open_from = 0
        """Where the open value began, as a position in the body."""
        self._depth = 0
        self._in_string = False
        self._string_from = 0
        self._at = 0
        self._head = b""
        # What cannot be a value, up to the end of its line.
        self._in_garbage = False
        self._garbage = bytearray()
        self._garbage_from = 0
        self._too_long_from = -1
        # The server-sent event being read.
        self._event: str | None = None
        self._event_over = False
        self._payload: Framer | None = None

    @property
    def is_open(self) -> bool:
        """Whether a value has begun and not ended."""
        return self._open or self._arrays > 0

    def feed(self, data: bytes) -> list[FrameItem]:
        """The items that `data` completes."""
        self._buffer += data
        self._advance()
        return self._take()

    def close(self) -> list[FrameItem]:
        """The items that the end of the body completes; an open value is reported as `Unfinished`."""
        self._closing = True
        self._advance()
        self._end_garbage()
        self._end_event(last=True)
        if self._too_long_from >= 0:
            self._warn("value_too_large", self._too_long_from, self._head, f"longer than {self._max} bytes")
        elif self._open:
            head = bytes(self._buffer[:_DETAIL_BYTES]) if not self._head else self._head
            self._items.append(Unfinished(self._where(self._open_from, head)))
        elif self._arrays:
            self._items.append(Unfinished(f"at byte {self._position(len(self._buffer))}: the array was not closed"))
        self._open = False
        self._arrays = 0
        self._buffer.clear()
        return self._take()

    def _take(self) -> list[FrameItem]:
        items, self._items = self._items, []
        return items

    def _position(self, index: int) -> int:
        return self._dropped + index

    @staticmethod
    def _where(position: int, head: bytes) -> str:
        shown = head[:_DETAIL_BYTES].decode("utf-8", "replace")
        return f"at byte {position}: {shown!r}"

    def _warn(self, code: str, position: int, head: bytes, why: str) -> None:
        self._items.append(Warning(code, f"{self._where(position, head)} ({why})"))

    def _drop(self, count: int) -> None:
        if count:
            del self._buffer[:count]
            self._dropped += count
            self._at = max(0, self._at - count)
            self._searched = max(0, self._searched - count)

    def _advance(self) -> None:
        """Read as far as the buffer allows, then drop what was read."""
        at = 0
        while True:
            if self._in_garbage:
                following = self._read_garbage(at)
            elif self._too_long_from >= 0:
                following = self._skip_long_line(at)
            elif self._open:
                following = self._walk(at)
            else:
                following = self._begin(at)
            if following < 0:
                at = -following - 1
                break
            at = following
        self._drop(at)

    def _read_plain_lines(self, at: int) -> int:
        """Read the lines from `at` on that are each one object, bare or as an event's whole data; where the
        first other line begins.
        """
        buffer, append = self._buffer, self._items.append
        limit = min(_FAST_LINE, self._max)
        find = buffer.find
        try:
            while (end := find(b"\n", at, at + limit)) >= 0:
                if end == at:
                    at += 1
                    continue
                line = buffer[at:end].decode("utf-8", "replace")
                if line[0] == "{":
                    value, stop = _scan_once(line, 0)
                elif line.startswith("data: {") and buffer[end + 1] == 0x0A:
                    value, stop = _scan_once(line, 6)
                else:
                    break
                if stop != len(line) and line[stop:].strip(" \t\r"):
                    break
                append(Framed(value))
                at = end + 1
        except (StopIteration, ValueError, RecursionError, IndexError):
            pass
        return at

    # Each reader below returns the index where reading goes on, or -(index + 1) when more bytes are needed
    # and everything before index is done with.

    def _begin(self, at: int) -> int:
        buffer = self._buffer
        if self._skip_line_feed and at < len(buffer):
            self._skip_line_feed = False
            if buffer[at] == 0x0A:
                at += 1
        if self._line_start and not (self._arrays or self._payload or self._event):
            at = self._read_plain_lines(at)
        payload = self._payload if self._payload is not None and self._payload.is_open else None
        # A line that continues an event's value keeps the white space it begins with.
        start = (_BETWEEN if payload is None else _LINE_ENDS).match(buffer, at).end()  # type: ignore[union-attr]
        if start > at:
            between = buffer[at:start]
            if b"\n" in between or b"\r" in between:
                self._line_start = True
                self._event_over = True
            elif 0x1E in between or between.startswith(codecs.BOM_UTF8):
                self._line_start = True
        if start == len(buffer):
            return -start - 1
        first = buffer[start]
        if payload is not None:
            if first != 0x3A:
                return self._continue_payload(payload, start)
        elif self._event_over:
            self._end_event(last=False)
        if first == 0x7B:
            self._open_value(start, depth=0, in_string=False, at=start)
            return start
        if first == 0x5B:
            return self._begin_array(start)
        if first == 0x5D and self._arrays:
            self._arrays -= 1
            self._line_start = False
            return start + 1
        if first == 0x22:
            self._open_value(start, depth=0, in_string=True, at=start + 1)
            return start
        if first == 0xEF and not self._closing and _BOM_BEGUN.match(buffer, start):
            return -start - 1
        return self._read_token(start)

    def _open_value(self, start: int, *, depth: int, in_string: bool, at: int) -> None:
        self._open = True
        self._open_from = self._position(start)
        self._depth = depth
        self._in_string = in_string
        self._string_from = self._position(start)
        self._at = at
        self._head = b""
        self._line_start = False

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
            self._open_value(start, depth=0, in_string=False, at=start)
            return start
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
        if self._fields and self._line_start and token:
            field = _FIELD.match(buffer, start)
            if field:
                return self._read_field(start, field)
        if end == len(buffer) and not self._closing and end - start <= _MAX_SCALAR and token:
            return -start - 1
        if token and end - start <= _MAX_SCALAR:
            try:
                value = _parse(_decode(buffer[start:end]))
            except _NotJsonError:
                pass
            else:
                self._items.append(Framed(value, self._event))
                self._line_start = False
                return end
        self._begin_garbage(start)
        return start

    # --- values that are not one line ---

    def _walk(self, start: int) -> int:
        """Follow the open value's brackets from where the last piece ended."""
        buffer, at, depth = self._buffer, self._at, self._depth
        size = len(buffer)
        while at < size:
            if self._in_string:
                at = self._string_end(at)
                if at == size or buffer[at] == 0x5C:
                    break
                resync = self._string_ran_over(at)
                if resync == -1:
                    break
                if resync >= 0:
                    return self._abandon(start, resync)
                self._in_string = False
                at += 1
                if depth == 0:
                    return self._complete(start, at)
                continue
            at = _NO_STRUCTURE.match(buffer, at).end()  # type: ignore[union-attr]
            if at == size:
                break
            byte = buffer[at]
            if byte == 0x22:
                self._in_string = True
                self._string_from = self._position(at)
            elif byte in b"}]":
                depth -= 1
                if depth <= 0:
                    return self._complete(start, at + 1)
            else:
                if byte == 0x7B and depth and not self._may_nest(start, at):
                    return self._abandon(start, at)
                depth += 1
            at += 1
        self._at, self._depth = at, depth
        return self._wait_in_value(start)

    def _string_end(self, at: int) -> int:
        """The index of the quote that ends the string around `at`; of a last backslash, or the end, without one."""
        buffer = self._buffer
        quote = buffer.find(b'"', at)
        end = quote if quote >= 0 else len(buffer)
        backslash = buffer.find(b"\\", at, end)
        return end if backslash < 0 else _STRING_REST.match(buffer, backslash).end()  # type: ignore[union-attr]

    def _wait_in_value(self, start: int) -> int:
        size = self._position(len(self._buffer)) - self._open_from
        if size > self._max:
            if not self._head:
                self._head = bytes(self._buffer[start : start + _DETAIL_BYTES])
            # Enough is kept to look back at what stands before a bracket.
            keep = max(start, self._at - 4096)
            return -keep - 1
        return -start - 1

    def _may_nest(self, start: int, brace: int) -> bool:
        """Whether an object may stand at `brace` inside the open value: only after a colon, a comma or a
        bracket.
        """
        buffer = self._buffer
        before = brace - 1
        while before > start and buffer[before] in b" \t\r\n":
            before -= 1
        return buffer[before] in b":,["

    def _string_ran_over(self, quote: int) -> int:
        """Where the next object begins if the string that ends at `quote` was never closed on its own line.

        A raw line end inside a string is accepted, but one with `{"` after it and then neither a comma, a
        colon nor a closing bracket begins the next line's object. -2: the string is sound; -1: the next byte
        is needed.
        """
        buffer = self._buffer
        if quote == 0 or buffer[quote - 1] not in b"{ \t":
            return -2
        opened = max(0, self._string_from - self._dropped)
        brace = _BRACE_OPENS_LINE.search(buffer, max(opened, quote - 64), quote)
        if brace is None:
            return -2
        if quote + 1 == len(buffer):
            return -2 if self._closing else -1
        return -2 if buffer[quote + 1] in b",:}] \t\r\n" else brace.start(1)

    def _complete(self, start: int, end: int) -> int:
        self._open = False
        size = self._position(end) - self._open_from
        head = self._head or bytes(self._buffer[start : min(end, start + _DETAIL_BYTES)])
        if size > self._max:
            self._warn("value_too_large", self._open_from, head, f"{size} bytes, more than {self._max}")
            return end
        try:
            with memoryview(self._buffer) as whole, whole[start:end] as data:
                text = _decode(data)
            if size > _FAST_LINE:
                # A large value is in memory as bytes, as text and as itself: the bytes go first.
                self._drop(end)
                end = 0
            self._items.append(Framed(_parse(text), self._event))
        except _NotJsonError as error:
            self._warn("not_json", self._open_from, head, str(error))
        return end

    def _abandon(self, start: int, resume: int) -> int:
        head = self._head or bytes(self._buffer[start : min(resume, start + _DETAIL_BYTES)])
        self._warn("not_json", self._open_from, head, "not closed before the next value")
        self._open = False
        self._line_start = True
        return resume

    # --- what is no value ---

    def _begin_garbage(self, start: int) -> None:
        self._in_garbage = True
        self._garbage = bytearray()
        self._garbage_from = self._position(start)
        self._line_start = False
        self._at = start

    def _read_garbage(self, start: int) -> int:
        found = _GARBAGE_END.search(self._buffer, start)
        end = found.start() if found else len(self._buffer)
        room = _DETAIL_BYTES - len(self._garbage)
        if room > 0:
            self._garbage += self._buffer[start : min(end, start + room)]
        if not found:
            return -end - 1
        self._end_garbage()
        return end

    def _end_garbage(self) -> None:
        if self._in_garbage:
            self._warn("not_json", self._garbage_from, bytes(self._garbage), "not JSON")
            self._in_garbage = False

    # --- server-sent events ---

    def _read_field(self, start: int, field: re.Match[bytes]) -> int:
        end = self._line_end(start)
        if end < 0:
            if self._position(len(self._buffer)) - self._position(start) > self._max + 64:
                self._head = bytes(self._buffer[start : start + _DETAIL_BYTES])
                self._too_long_from = self._position(start)
                self._searched = 0
                return start
            return -start - 1
        name, value_from = field.group(1), field.end()
        if value_from < end and self._buffer[value_from] == 0x20:
            value_from += 1
        following = self._position(self._after_line(end))
        if self._event_over:
            self._end_event(last=False)
        if end - start > self._max + 64:
            head = bytes(self._buffer[start : start + _DETAIL_BYTES])
            self._warn("value_too_large", self._position(start), head, f"longer than {self._max} bytes")
        elif name == b"data":
            self._read_data(value_from, end)
        elif name == b"event":
            self._event = self._buffer[value_from:end].decode("utf-8", "replace").strip() or None
        elif name == b"error":
            self._read_error_text(value_from, end)
        return following - self._dropped

    def _line_end(self, start: int) -> int:
        """The index of the line's end, or -1 if it has not come; the whole rest when the body is over."""
        buffer = self._buffer
        searched = max(start, self._searched)
        line_feed = buffer.find(b"\n", searched)
        carriage_return = buffer.find(b"\r", searched, line_feed if line_feed >= 0 else len(buffer))
        if carriage_return >= 0:
            return carriage_return
        if line_feed >= 0:
            return line_feed
        self._searched = len(buffer)
        return len(buffer) if self._closing else -1

    def _after_line(self, end: int) -> int:
        self._searched = 0
        self._line_start = True
        if end < len(self._buffer) and self._buffer[end] == 0x0D:
            self._skip_line_feed = True
        return min(end + 1, len(self._buffer))

    def _skip_long_line(self, start: int) -> int:
        end = self._line_end(start)
        if end < 0 or (self._closing and end == len(self._buffer)):
            self._searched = 0
            return -len(self._buffer) - 1
        self._warn("value_too_large", self._too_long_from, self._head, f"longer than {self._max} bytes")
        self._too_long_from = -1
        return self._after_line(end)

    def _read_data(self, start: int, end: int) -> None:
        payload = self._payload
        if payload is not None and payload.is_open:
            self._feed_payload(payload, bytes(self._buffer[start:end]))
            return
        with memoryview(self._buffer) as whole, whole[start:end] as data:
            text = _decode(data)
        if end - start > _FAST_LINE:
            self._drop(end)
        try:
            self._items.append(Framed(_parse(text), self._event))
        except _NotJsonError:
            if self._event == "error" and text.strip()[:1] not in {"{", "["}:
                self._items.append(Framed(text, "error"))
                return
            if payload is None:
                payload = self._payload = Framer(self._max, fields=False)
            self._feed_payload(payload, text.encode())

    def _continue_payload(self, payload: Framer, start: int) -> int:
        """A line without a field name while an event's value is open continues that value."""
        field = _FIELD.match(self._buffer, start)
        if field:
            return self._read_field(start, field)
        if not self._closing and b"\n" not in self._buffer[start : start + 6] and len(self._buffer) - start < 6:
            return -start - 1
        end = self._line_end(start)
        if end < 0:
            return -start - 1
        self._event_over = False
        self._feed_payload(payload, bytes(self._buffer[start:end]))
        return self._after_line(end)

    def _feed_payload(self, payload: Framer, data: bytes) -> None:
        for item in payload.feed(data + b"\n"):
            self._items.append(Framed(item.value, self._event) if isinstance(item, Framed) else item)

    def _read_error_text(self, start: int, end: int) -> None:
        data = bytes(self._buffer[start:end])
        try:
            value = _parse(_decode(data))
        except _NotJsonError:
            value = _decode(data)
        self._items.append(Framed(value, "error"))

    def _end_event(self, *, last: bool) -> None:
        self._event_over = False
        if self._payload is not None:
            for item in self._payload.close():
                if isinstance(item, Framed):
                    self._items.append(Framed(item.value, self._event))
                elif isinstance(item, Unfinished) and not last:
                    self._items.append(Warning("not_json", f"{item.detail} of an event's data (not finished)"))
                else:
                    self._items.append(item)
            self._payload = None
        self._event = None
