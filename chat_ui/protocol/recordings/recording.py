"""A recording: an index of its file, the search for an exchange that answers a request, and the played readings."""

from __future__ import annotations

import asyncio
import math
import os
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import unquote

from chat_ui.protocol.answers.redaction import url_without_secrets
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.events import Json
from chat_ui.protocol.recordings.recording_format import (
    LONGEST_HEADER,
    Ending,
    Exchange,
    Header,
    How,
    Reading,
    exchange_in,
    header_in,
    reading_or_ending_in,
)
from chat_ui.protocol.recordings.request_facts import Asked, asked_in, normalised

_READ_AT_ONCE: Final = 64
_BEGINNING: Final = 200
"""Bytes of an object in which it says that it begins an exchange."""
_NEAREST: Final = 3
_MASK: Final = "…"
_LONGEST_COMPARED: Final = 400
"""Characters of a question that are compared."""
_MOST_COMPARED: Final = 2_000
"""Questions that are compared with one that was not recorded."""
_ELSEWHERE: Final = 2
"""The distance of another path than the requested one, with and without its `/stream`."""
_RANGE: Final = re.compile(r"bytes=(\d{1,18})-(\d{0,18})\Z")
_PART: Final = re.compile(r"bytes (\d{1,18})-(\d{1,18})/")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class RequestShape:
    """Facts by which a request is found: the hash of its question's words (None without a question), its place and its
    path. Further facts are its query without credentials, whether it asks for a stream, and the hashed names in its
    body.
    """

    path: str
    query: tuple[str, ...]
    words: bytes | None
    place: int | None
    stream: bool
    form: bytes


def _shape_of(path: str, body: Json, asked: Asked | None) -> RequestShape:
    """The shape of a request with this path, from `/` on, and this body, which asks `asked`."""
    bare, _, query = url_without_secrets(path).partition("?")
    names: tuple[str, ...] = tuple(sorted(body)) if isinstance(body, Mapping) else ()
    return RequestShape(
        path=unquote(bare),
        query=tuple(sorted(pair for pair in query.split("&") if pair and _MASK not in pair)),
        words=_hash(normalised(asked.question)) if asked else None,
        place=asked.place if asked else None,
        stream=bool(isinstance(body, Mapping) and body.get("stream")),
        form=_hash(" ".join(names)),
    )


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedExchange(Exchange):
    """An exchange of a file without the body of its request.

    It ended after `seconds`, in the way `how`; in a cut file, with its last line. `readings` counts the pieces of its
    body. `shape` identifies it, and its lines begin at `offset`.
    """

    shape: RequestShape = field(repr=False)
    offset: int = field(repr=False)
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
        """Index the file at `path` in one scan, whose memory grows only with the number of exchanges. It takes seconds
        for a gigabyte: call it in a thread. A header without a date gets that of the file.

        Raises:
            RecordingError: it cannot be read, is not a recording, or is of a newer version.
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

    def matching(
        self,
        method: str,
        path: str,
        body: Json = None,
        *,
        headers: Mapping[str, str] | None = None,
        strict: bool = False,
        in_second_column: bool | None = None,
    ) -> tuple[RecordedExchange, ...]:
        """All recordings of a request, in order.

        A question is found by its words and its place in the conversation, preferably at its path; `strict` takes no
        other path or place. Recordings of the same column of a comparison are preferred. Other requests are found by
        method, path and names in the body, and by the range in `headers`.
        """
        asked = _shape_of(path, body, asked_in(body))
        found = [one for one in self.exchanges if one.method == method and one.shape.words == asked.words]
        if asked.words is None:
            there = [one for one in found if _is_same(one.shape.path, asked.path)]
            there = [one for one in there if (one.shape.query, one.shape.form) == (asked.query, asked.form)]
            return _of_the_range(there, {name.lower(): value for name, value in (headers or {}).items()})
        if in_second_column is not None:
            found = [one for one in found if one.is_second is in_second_column] or found
        ranked = [(_rank(one.shape, asked), one) for one in found]
        if strict:
            ranked = [(rank, one) for rank, one in ranked if rank[0] < _ELSEWHERE and not rank[1]]
        best = min((rank for rank, _ in ranked), default=None)
        return tuple(one for rank, one in ranked if rank == best)

    def nearest(self, asked: Asked) -> tuple[str, ...]:
        """The recorded questions most like `asked`, else the first of conversations. Slow: call it in a thread."""
        words = _words_of(asked.question)
        answered = [one for one in self.exchanges if one.question is not None and one.status == 200][:_MOST_COMPARED]
        recorded = {normalised(one.question or ""): one for one in reversed(answered)}
        likenesses = {key: _likeness(words, _words_of(key)) for key in recorded}
        ordered = sorted(recorded, key=lambda key: (-likenesses[key], recorded[key].place or 0, recorded[key].number))
        return tuple(recorded[key].question or "" for key in ordered[:_NEAREST])

    async def readings(self, exchange: RecordedExchange) -> AsyncGenerator[Reading | Ending, None]:
        """The readings of an exchange and its end, read lazily from the file; their times never go backwards.

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
    """The items in the remaining lines of a file, each with the number of its exchange. `current` is the number of the
    last begun exchange. Items of an unreadable exchange have None.
    """
    # Iterating over the file would hide its position.
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
    kept: dict[str, Any] = {one.name: getattr(exchange, one.name) for one in fields(Exchange)} | {"request": None}
    body, question = exchange.request, exchange.question
    asked = asked_in(body) if question is None else Asked(question, exchange.place)
    return RecordedExchange(**kept, shape=_shape_of(exchange.path, body, asked), offset=offset)


def _rank(recorded: RequestShape, asked: RequestShape) -> tuple[int, bool, bool, bool]:
    """The distance between a recorded question and an asked one, for sorting."""
    if _is_same(recorded.path, asked.path):
        away = 0
    else:
        away = 1 if _is_same(_without_stream(recorded.path), _without_stream(asked.path)) else _ELSEWHERE
    is_elsewhere_in_conversation = None not in (recorded.place, asked.place) and recorded.place != asked.place
    return away, is_elsewhere_in_conversation, recorded.stream != asked.stream, recorded.form != asked.form


def _without_stream(path: str) -> str:
    return path.rstrip("/").removesuffix("/stream")


def _is_same(recorded: str, asked: str) -> bool:
    """Whether two paths are the same; recorded parts with a masked credential match any."""
    if _MASK not in recorded:
        return recorded == asked
    pairs = recorded.split("/"), asked.split("/")
    return len(pairs[0]) == len(pairs[1]) and all(
        one == other or _MASK in one for one, other in zip(*pairs, strict=True)
    )


def _of_the_range(found: Sequence[RecordedExchange], headers: Mapping[str, str]) -> tuple[RecordedExchange, ...]:
    """Those of `found` that answer the requested range, or the whole; without a range the whole first."""
    if "if-none-match" not in headers and "if-modified-since" not in headers:
        found = [one for one in found if one.status != 304]
    wanted = _RANGE.match(headers.get("range", "").strip())
    of_parts = [one for one in found if one.status == 206]
    if wanted:
        last = int(wanted[2]) if wanted[2] else math.inf
        parts = [(one, _PART.match(one.headers.get("content-range", ""))) for one in of_parts]
        those = [(int(part[2]), one) for one, part in parts if part and part[1] == wanted[1] and int(part[2]) <= last]
        if those:
            # A server may send less than the requested range, above all at the end of a document.
            longest = max(end for end, _ in those)
            return tuple(one for end, one in those if end == longest)
    complete = [one for one in found if one.status not in {206, 416}]
    return tuple(complete or found)


def _words_of(question: str) -> Counter[str]:
    return Counter(_WORD.findall(normalised(question[:_LONGEST_COMPARED])))


def _likeness(some: Counter[str], others: Counter[str]) -> float:
    """The share of common words of two texts (Dice's coefficient)."""
    return 2 * (some & others).total() / max(1, some.total() + others.total())
