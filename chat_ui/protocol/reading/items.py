"""Items of a body, in order: values, and text other than JSON, such as a page or an error of a web server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import Final, NamedTuple

import msgspec

from chat_ui.protocol.events import AnswerWarning, Json
from chat_ui.protocol.reading.json_text import decode, object_at, parts_in

NOT_CLOSED: Final = "not closed before the next value"
MOST_UNREAD: Final = 10_000
"""Consecutive parts other than JSON after which reading ends."""
_SHOWN: Final = 80
"""Bytes shown of reported text."""
_WORDS: Final = 600
"""Bytes of text other than JSON that are looked at."""
_DONE: Final = re.compile(r"\[DONE\]", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"(?:[\s,]|data:)*+")
_GLUE: Final = re.compile(r'data:|(?<![\s:,\[{(\\])(?=\{[ \t]*")')
_LONGEST: Final = 1024 * 1024
"""Characters of a searched line."""
_MOST_TRIES: Final = 100
"""Places of a line at which an object is searched for in vain."""
PAGE: Final = re.compile(
    rb"<(?:!doctype\b|!--|\?xml\b"
    rb"|(?:html|head|body|title|meta|link|style|script|noscript|center|form|div|h[1-6]|p|table)\b)",
    re.IGNORECASE,
)
"""The beginning of a page or of its part; br and b do not count, as PHP's notices begin with them."""
COMPLETE_PAGE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
"""The beginning of a whole page, after white space."""
_ERROR: Final = re.compile(
    rb"""
    \s*(?:
        internal\ server\ error | bad\ gateway | service\ (?:temporarily\ )?unavailable | gateway\ time-?out
        | too\ many\ requests | no\ healthy\ upstream | error\ code:\ \d | HTTP/\d(?:\.\d)?\ [45]\d\d\b
        | upstream\ (?:connect\ error|request\ time-?out|timed\ out|prematurely\ closed|error)
        | (?:stream|request|response|connection)\ (?:time-?out|timed\ out)
        | an?\ (?:\w{1,30}\ )?error\ (?:has\ )?occurred | \[(?:error|fatal)\] | fatal:
        | [\w.]{0,100}(?:error|exception):\s
        | \{\s{0,9}'(?:error|detail)'\s{0,9}:
    )""",
    re.IGNORECASE | re.VERBOSE,
)


class Framed(msgspec.Struct, frozen=True, gc=False):
    """A JSON value; `event` is the name of its server-sent event, if any."""

    value: Json
    event: str | None = None


class StreamDone(NamedTuple):
    """The `[DONE]` that ends a server-sent event stream."""


class Unfinished(NamedTuple):
    """The body ended inside a value; `detail` gives its place and its beginning."""

    detail: str


OtherItem = StreamDone | AnswerWarning | Unfinished
FrameItem = Framed | OtherItem


class Limits(NamedTuple):
    """The largest value that is read: in bytes, and in parts (see `parts_in`)."""

    value_bytes: int
    value_parts: int

    @property
    def shown(self) -> int:
        """Bytes of a value in a report, at most as many as are kept of a too large one."""
        return min(_SHOWN, self.value_bytes)

    @property
    def too_many_parts(self) -> str:
        """The fault of a value with too many parts, in words."""
        return f"more than {self.value_parts:,} parts"

    def are_too_many_parts(self, data: bytes | bytearray) -> bool:
        """Whether `data` may be made of more parts than a value may."""
        return len(data) > self.value_parts and parts_in(data) > self.value_parts


class Items:
    """Collects items. Values belong to the server-sent event named `event`."""

    __slots__ = ("event", "found", "unread")

    def __init__(self) -> None:
        self.found: list[FrameItem] = []
        self.event: str | None = None
        self.unread = 0
        """Parts other than JSON since the last value."""

    @property
    def are_unreadable(self) -> bool:
        """Whether reading has ended after too many parts other than JSON."""
        return self.unread >= MOST_UNREAD

    def take(self) -> list[FrameItem]:
        """Items found since the last call."""
        found, self.found = self.found, []
        return found

    def give_all(self, values: Iterable[Framed]) -> None:
        """Values were found together."""
        self.found += values
        self.unread = 0

    def give(self, value: Json) -> None:
        """A value was found; some servers write `[DONE]` as a JSON string."""
        self.found.append(StreamDone() if isinstance(value, str) and is_done(value) else Framed(value, self.event))
        self.unread = 0

    def give_each(self, value: Json) -> None:
        """A value was found; the items of an array are separate."""
        for item in value if isinstance(value, list) else (value,):
            self.give(item)

    def give_glued(self, text: str, position: Callable[[int], int], why: str) -> None:
        """Give the values glued together in `text`, and report the rest with the reason `why`; if that is empty, the
        end is unfinished. `position` is the place in the body of a character of `text`.
        """
        parts = unglued(text)
        for part, following in zip_longest(parts, parts[1:]):
            if part.value is not None:
                self.give(part.value)
            elif following is not None:
                head = text[part.start : following.start].encode()
                self.warn("not_json", position(part.start), head, NOT_CLOSED)
        start = parts[-1].start if parts else 0
        if parts and parts[-1].value is not None:
            return
        rest = text[start : start + _WORDS].encode(errors="surrogatepass")
        if why:
            self.give_words(rest, position(start), why)
        else:
            self.found.append(Unfinished(where(position(start), rest)))

    def give_words(self, words: bytes | bytearray, position: int, why: str) -> None:
        """Report text other than JSON: the words of an error, a page, or text unread for the reason `why`."""
        head = bytes(words[:_WORDS])
        if PAGE.match(head):
            self.warn("html_page", position, head, "a page")
        elif error := next((line for line in head.splitlines() if is_error(line)), None):
            # Lines of a trace may come before it.
            self.found.append(Framed(decode(head[head.index(error) :]), "error"))
        else:
            self.warn("not_json", position, head, why if head[:1] in (b"{", b"[") else "not JSON")

    def warn(self, code: str, position: int, head: bytes, why: str) -> None:
        """Report that the value with the beginning `head` at `position` of the body is not read."""
        detail = f"{where(position, head)} ({why})"
        self.found.append(AnswerWarning(code, detail))
        self.unread += 1
        if self.unread == MOST_UNREAD:
            detail = f"{MOST_UNREAD:,} parts in a row are not JSON, the last of them {detail}"
            self.found.append(AnswerWarning("unreadable", detail))


def is_done(line: str) -> bool:
    """Whether a line is the mark that ends a stream."""
    return _DONE.fullmatch(line.strip()) is not None


def where(position: int, head: bytes) -> str:
    """A place of the body in words, with its beginning."""
    beginning = repr(head[:_SHOWN].decode("utf-8", "replace"))
    return f"at byte {position}: {beginning}"


class Glued(NamedTuple):
    """A part of a line, from the character `start` on: an object, `[DONE]`, or None for unreadable text."""

    start: int
    value: Json


def unglued(text: str) -> list[Glued]:
    """The parts of a line of several values, in order; empty without a readable object.

    Proxies that lose a line end send `{"id": "c", "objdata: {"id": …}`. Strings of JSON do not have a brace before a
    plain quote, so a whole object there is a separate one.
    """
    if len(text) > _LONGEST:
        return []
    parts: list[Glued] = []
    at = tries = 0
    while at < len(text) and tries < _MOST_TRIES:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        if done := _DONE.match(text, at):
            parts.append(Glued(at, done[0]))
            at = done.end()
        elif found := object_at(text, at):
            parts.append(Glued(at, found[0]))
            at = found[1]
        elif at < len(text):
            tries += 1
            if not parts or parts[-1].value is not None:
                parts.append(Glued(at, None))
            glue = _GLUE.search(text, at + 1)
            at = glue.end() if glue else len(text)
    return parts if any(isinstance(part.value, dict) for part in parts) else []


def is_error(text: bytes) -> bool:
    """Whether text other than JSON begins like an error: with its status in words, or the name of an exception."""
    return _ERROR.match(text) is not None
