"""A recording: an index of its file, and the readings as they are played."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from chat_ui.protocol.events import Json
from chat_ui.recordings.matching import NotRecorded, RequestShape, matching, nearest, shape_of
from chat_ui.recordings.questions import asked_in
from chat_ui.recordings.recording_format import (
    LONGEST_HEADER,
    Ending,
    Exchange,
    Header,
    How,
    Reading,
    RecordingError,
    exchange_in,
    header_in,
    reading_or_ending_in,
)

_READ_AT_ONCE: Final = 64
"""Lines that are read together."""
_BEGINNING: Final = 200
"""Bytes of an object in which it says that it begins an exchange."""


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """An exchange of a file: see `Exchange`.

    It ended after `seconds`, in the way `how`; with a file that was cut, when its last line was written. `readings`
    counts the pieces of its body. `shape` is what it is found by, and its lines begin at `offset`.
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
                header = header_in(file.readline(LONGEST_HEADER))
                if not header.created_at:
                    written = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
                    header = replace(header, created_at=written.isoformat(timespec="seconds"))
                return cls(path, header, tuple(_indexed(file)))
        except OSError as error:
            raise RecordingError(f"The recording {path} cannot be read: {error.strerror}.") from error

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
            RecordingError: the file is gone.
        """
        latest = exchange.answered
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise RecordingError(f"The recording {self.path} cannot be read: {error.strerror}.") from error
        with file:
            file.seek(exchange.offset)
            lines = _items(file, exchange.number)
            while batch := await asyncio.to_thread(lambda: [*islice(lines, _READ_AT_ONCE)]):
                for number, item in batch:
                    if number != exchange.number or isinstance(item, Exchange):
                        continue
                    latest = max(latest, item.seconds)
                    yield replace(item, seconds=latest)
                    if isinstance(item, Ending):
                        return
        yield Ending(latest, "cut")


def _items(file: BinaryIO, current: int | None = None) -> Iterator[tuple[int | None, Exchange | Reading | Ending]]:
    """What the lines that are left of a file hold, each with the number of its exchange; `current` is that of the
    exchange begun last. What belongs to an exchange that cannot be read has None.
    """
    # Not by iterating over the file, which does not tell its place then.
    for line in iter(file.readline, b""):
        if line.lstrip()[:1] == b"{":
            if (exchange := exchange_in(line)) is not None:
                current = exchange.number
                yield current, exchange
            elif b'"exchange"' in line[:_BEGINNING]:
                current = None
        elif (item := reading_or_ending_in(line)) is not None:
            yield item.exchange or current, item


def _indexed(file: BinaryIO) -> list[RecordedExchange]:
    """The exchanges of a file whose header is read already."""
    found: dict[int, RecordedExchange] = {}
    latest: dict[int, float] = {}
    readings: Counter[int] = Counter()
    endings: dict[int, Ending] = {}
    for number, item in _items(file):
        if isinstance(item, Exchange):
            if item.number in found:
                raise RecordingError(f"This recording has two exchanges with the number {item.number}.")
            found[item.number] = _recorded(item, file.tell())
            latest[item.number] = item.answered
        elif number in found and number not in endings:
            latest[number] = max(latest[number], item.seconds)
            if isinstance(item, Ending):
                endings[number] = item
            else:
                readings[number] += 1
    cut = Ending(0.0, "cut")
    return [
        replace(one, seconds=latest[number], how=end.how, why=end.why, readings=readings[number])
        for number, one in found.items()
        for end in [endings.get(number, cut)]
    ]


def _recorded(exchange: Exchange, offset: int) -> RecordedExchange:
    return RecordedExchange(
        number=exchange.number,
        at=exchange.at,
        method=exchange.method,
        path=exchange.path,
        question=exchange.question,
        place=exchange.place,
        status=exchange.status,
        headers=exchange.headers,
        answered=exchange.answered,
        is_second=exchange.is_second,
        shape=shape_of(
            exchange.method, exchange.path, exchange.request, question=exchange.question, place=exchange.place
        ),
        offset=offset,
    )
