"""A recording: an index of its file, and the readings as they are played."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from chat_ui.protocol.events import Json
from chat_ui.protocol.translatable import msg
from chat_ui.recordings.file_lines import begun_in, exchange_of, lines_of
from chat_ui.recordings.matching import NotRecorded, RequestShape, matching, nearest, shape_of
from chat_ui.recordings.questions import asked_in
from chat_ui.recordings.recording_format import (
    LONGEST_LINE,
    Ending,
    Header,
    How,
    Reading,
    RecordingError,
    cannot_be_read,
    exchange_in,
    header_in,
    outline_in,
    reading_or_ending_in,
)

MOST_EXCHANGES: Final = 20_000
_MOST_IN_INDEX: Final = 2_000
"""Characters that the index keeps of a text."""
_MOST_HEADERS: Final = 8 * 1024
"""Characters that the index keeps of an exchange's headers."""
_READ_AT_ONCE: Final = 256 * 1024
"""Bytes of lines that are read before other tasks run."""
_HEAD: Final = re.compile(rb'\s*\[\s*([-+.\deE]{1,30})\s*,\s*"(\w{1,20})"')


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """An exchange of a file: see `Exchange`.

    It ended after `seconds`, in the way `how`; with a file that was cut, when its last line was written. `readings`
    counts the pieces of its body, `size` the bytes of their lines. `shape` and `words` are what it is found by.
    """

    number: int
    at: str
    method: str
    path: str
    question: str | None
    place: int | None
    status: int | None
    headers: Mapping[str, str]
    answered: float
    shape: RequestShape = field(repr=False)
    offset: int = field(repr=False)
    is_second: bool = False
    seconds: float = 0.0
    how: How = "cut"
    why: str = ""
    readings: int = 0
    size: int = 0


class Recording:
    """The recording at `path`, as it was when it was opened."""

    def __init__(self, path: Path, header: Header, exchanges: tuple[RecordedExchange, ...]) -> None:
        self.path = path
        self.header = header
        self.exchanges = exchanges

    @classmethod
    def open(cls, path: Path) -> Recording:
        """Index the file at `path` in one scan, whose memory grows with the number of exchanges alone. It takes seconds
        for a gigabyte: call it in a thread. A header without a date gets that of the file.

        Raises:
            RecordingError: it cannot be read, is no recording, or is of a newer version.
        """
        try:
            with path.open("rb") as file:
                header = header_in(file.readline(LONGEST_LINE))
                if not header.created_at:
                    written = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
                    header = replace(header, created_at=written.isoformat(timespec="seconds"))
                return cls(path, header, tuple(_Index(file).scanned()))
        except OSError as error:
            raise RecordingError(cannot_be_read(path, error)) from error

    def without(self, body: Json) -> NotRecorded:
        """What to say of a request with this body that is not in the recording. Call it in a thread: it compares
        thousands of questions.
        """
        asked = asked_in(body)
        return NotRecorded(asked.question if asked else None, nearest(self.exchanges, asked) if asked else ())

    def matching(
        self,
        method: str,
        path: str,
        body: Json = None,
        *,
        headers: Mapping[str, str] | None = None,
        strict: bool = False,
        in_second_arm: bool | None = None,
    ) -> tuple[RecordedExchange, ...]:
        """All recordings of a request, in order.

        A question is found by its words and its place in the conversation, preferably at its path; `strict` takes no
        other path or place. In an arm of a comparison those are preferred that were recorded in that arm. Other
        requests are found by method and path, and by the range that `headers` ask for.
        """
        return matching(
            self.exchanges, shape_of(method, path, body), headers or {}, strict=strict, in_second_arm=in_second_arm
        )

    async def readings(self, exchange: RecordedExchange) -> AsyncGenerator[Reading | Ending, None]:
        """The readings of an exchange and its end, read from the file as they are asked for; their times never go
        backwards.

        Raises:
            RecordingError: the file has changed since it was opened.
        """
        with self._at(exchange) as file:
            self._line_of(exchange, file)
            current: int | None = exchange.number
            latest = exchange.answered
            while batch := await asyncio.to_thread(_next_lines, file):
                for line in batch:
                    if line.lstrip()[:1] == b"{":
                        current = begun_in(line, current)
                        continue
                    if exchange_of(line, current) != exchange.number:
                        continue
                    item = reading_or_ending_in(line)
                    if item is None:
                        continue
                    latest = max(latest, item.seconds)
                    yield replace(item, seconds=latest)
                    if isinstance(item, Ending):
                        return
            yield Ending(latest, "cut")

    def _at(self, exchange: RecordedExchange) -> BinaryIO:
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise RecordingError(_gone(self.path)) from error
        file.seek(exchange.offset)
        return file

    def _line_of(self, exchange: RecordedExchange, file: BinaryIO) -> bytes:
        line = file.readline(LONGEST_LINE)
        found = exchange_in(line)
        if found is None or found.number != exchange.number:
            raise RecordingError(_gone(self.path))
        return line


class _Index:
    """One scan over the lines of a file, whose header is read already."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._found: dict[int, RecordedExchange] = {}
        self._open: dict[int, _Body] = {}
        self._current: int | None = None

    def scanned(self) -> list[RecordedExchange]:
        for line in lines_of(self._file):
            if line.startswith(b"[") or line.lstrip()[:1] != b"{":
                self._add(line)
            else:
                self._begin(line, self._file.tell() - len(line))
        return [self._with_body(number) for number in self._found]

    def _begin(self, line: bytes, offset: int) -> None:
        exchange = exchange_in(line)
        if exchange is None:
            self._current = begun_in(line, self._current)
            return
        if exchange.number in self._found:
            raise RecordingError(
                msg("This recording has two exchanges with the number {number}.", number=str(exchange.number))
            )
        if len(self._found) == MOST_EXCHANGES:
            raise RecordingError(
                msg("This recording has more than {most} exchanges. Cut it in parts.", most=MOST_EXCHANGES)
            )
        outline = outline_in(line, has_question=exchange.question is not None)
        self._current = exchange.number
        self._open[exchange.number] = _Body(exchange.answered)
        self._found[exchange.number] = RecordedExchange(
            number=exchange.number,
            at=exchange.at,
            method=exchange.method,
            path=exchange.path[:_MOST_IN_INDEX],
            question=exchange.question[:_MOST_IN_INDEX] if exchange.question is not None else None,
            place=exchange.place,
            status=exchange.status,
            headers=_bounded(exchange.headers),
            answered=exchange.answered,
            is_second=exchange.is_second,
            shape=shape_of(exchange.method, exchange.path, outline, question=exchange.question, place=exchange.place),
            offset=offset,
        )

    def _add(self, line: bytes) -> None:
        head = _HEAD.match(line)
        body = self._open.get(exchange_of(line, self._current) or 0)
        is_whole = line.endswith(b"]\n") or line.rstrip().endswith(b"]")
        if head is None or body is None or body.how is not None or not is_whole:
            return
        if head[2] in {b"text", b"base64"}:
            body.readings += 1
            body.size += len(line)
            body.at(head[1])
        elif isinstance(ending := reading_or_ending_in(line), Ending):
            body.how, body.why = ending.how, ending.why
            body.at(head[1])

    def _with_body(self, number: int) -> RecordedExchange:
        body = self._open[number]
        return replace(
            self._found[number],
            seconds=body.seconds,
            how=body.how or "cut",
            why=body.why[:_MOST_IN_INDEX],
            readings=body.readings,
            size=body.size,
        )


@dataclass(slots=True)
class _Body:
    """What the index counts of a body."""

    seconds: float
    how: How | None = None
    why: str = ""
    readings: int = 0
    size: int = 0

    def at(self, seconds: bytes) -> None:
        try:
            self.seconds = max(self.seconds, float(seconds))
        except ValueError:
            return


def _bounded(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that find room in an index."""
    room, kept = _MOST_HEADERS, {}
    for name, value in headers.items():
        if (size := len(name) + len(value)) <= room:
            room, kept[name] = room - size, value
    return kept


def _next_lines(file: BinaryIO) -> list[bytes]:
    """Some of the lines that are left."""
    lines: list[bytes] = []
    size = 0
    for line in lines_of(file):
        lines.append(line)
        size += len(line)
        if size >= _READ_AT_ONCE:
            break
    return lines


def _gone(path: Path) -> str:
    return msg("The recording {path} has changed since it was opened. Open it again.", path=str(path))
