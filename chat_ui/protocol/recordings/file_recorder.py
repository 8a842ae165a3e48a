"""Recording of exchanges to a file, as they happen, by a transport around a client's own."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Self

import httpx2

from chat_ui.protocol.answers.redaction import names_secret, url_without_secrets, without_secrets
from chat_ui.protocol.errors import CertificateRefusedError, RecordingError
from chat_ui.protocol.reading.content_coding import ContentDecoder, coding_not_read
from chat_ui.protocol.recordings.masking import Piece, SecretMask
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.recording_format import (
    NO_CONNECTION,
    NOTHING_CAME,
    Ending,
    Exchange,
    Header,
    How,
    Reading,
    path_of,
)
from chat_ui.protocol.recordings.request_facts import RequestFacts, request_facts
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.protocol.transport.network_stream import NetworkStream
from chat_ui.protocol.transport.throttle import Throttle

_OF_THE_CONNECTION: Final = frozenset(
    {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "proxy-connection"}
)
"""Headers that concern the connection and not the answer (RFC 9110, 7.6.1)."""
_NOT_KEPT: Final = _OF_THE_CONNECTION | {"set-cookie", "set-cookie2", "authorization", "proxy-authenticate"}
_ADDRESSES: Final = frozenset({"location", "content-location"})
"""Headers with an address, which a replay redirects to itself if it has the origin of the request."""
_LONG: Final = 64 * 1024
"""Bytes of a request above which a thread reads its question."""


class Recorder:
    """Appends exchanges to the file at `path`, which gets `header` if it is new or empty.

    Each line is written whole and at once, so the file of a killed process is usable up to its last line. After a
    failed write, `on_failure` gets the words for the person, once, and writing ends. An existing file is read first, a
    large one in a thread.

    Raises:
        RecordingError: the file is not a recording, is of a newer version, is being recorded to, or cannot be written.
    """

    def __init__(self, path: Path, header: Header, *, on_failure: Callable[[str], None]) -> None:
        self.path = path
        self._on_failure = on_failure
        self._is_over = False
        with ExitStack() as opened:
            try:
                self._file = opened.enter_context(path.open("ab", buffering=0))
                self._number = self._prepared(header)
            except OSError as error:
                raise RecordingError(_cannot_write(path, error)) from error
            opened.pop_all()

    def _prepared(self, header: Header) -> int:
        """The number of the last exchange, once the file is locked and has a header."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RecordingError(f"{self.path} is already in use for recording. Name another file.") from error
        if not self.path.stat().st_size:
            self._append(header.line)
            return 0
        with self.path.open("rb") as written:
            written.seek(-1, os.SEEK_END)
            ends_in_a_line = written.read() == b"\n"
        number = max((exchange.number for exchange in Recording.open(self.path).exchanges), default=0)
        if not ends_in_a_line:
            self._append(b"\n")
        return number

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop writing."""
        self._is_over = True
        self._file.close()

    def begin(self, facts: RequestFacts) -> Taking:
        """The exchange that begins with this request."""
        return Taking(self, facts)

    def begin_exchange(self, exchange: Exchange) -> int:
        """Write the line of an exchange; returns its number."""
        self._number += 1
        self._write(replace(exchange, number=self._number).line)
        return self._number

    def add(self, number: int, piece: Piece) -> None:
        """Write bytes of the answer to the exchange `number`, with their time."""
        self._write(Reading(piece.seconds, piece.data, self._named(number)).line)

    def end(self, number: int, seconds: float, how: How, why: str) -> None:
        """Write the end of the exchange `number`, so many seconds after its request."""
        self._write(Ending(seconds, how, why, self._named(number)).line)

    def _named(self, number: int) -> int | None:
        return None if number == self._number else number

    def _write(self, line: bytes) -> None:
        if self._is_over:
            return
        try:
            if not os.fstat(self._file.fileno()).st_nlink:
                raise FileNotFoundError(errno.ENOENT, "the file is gone")
            self._append(line)
        except OSError as error:
            self._is_over = True
            self._on_failure(f"{_cannot_write(self.path, error)} Requests continue without it.")

    def _append(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[self._file.write(left) :]


class Taking:
    """The recording of one exchange. Times are seconds since the request."""

    def __init__(self, recorder: Recorder, facts: RequestFacts) -> None:
        self._recorder = recorder
        self._facts = facts
        self._number: int | None = None
        self._mask = SecretMask(facts.secrets.in_recordings)
        self._decoder: ContentDecoder | None = None
        self._is_damaged = False

    def answered(self, status: int, headers: Mapping[str, str], seconds: float) -> None:
        """Write the exchange, whose headers came so many seconds after its request, without credentials."""
        kept = {name.lower(): self._kept_header(name.lower(), value) for name, value in headers.items()}
        kept = {name: value for name, value in kept.items() if name not in _NOT_KEPT}
        coding = kept.get("content-encoding", "")
        if coding and not coding_not_read(coding):
            self._decoder = ContentDecoder(coding)
            kept = {name: value for name, value in kept.items() if name not in {"content-encoding", "content-length"}}
        exchange = replace(self._facts.exchange, status=status, headers=kept, answered=seconds)
        self._number = self._recorder.begin_exchange(exchange)

    def _kept_header(self, name: str, value: str) -> str:
        if names_secret(name):
            return "…"
        if name in _ADDRESSES and self._facts.origin and origin_of(value) == self._facts.origin:
            value = path_of(value)
        return without_secrets(url_without_secrets(value), self._facts.secrets.in_recordings)

    def reading(self, seconds: float, data: bytes) -> None:
        """Write bytes of the body as they came, uncompressed; a possible secret is kept back until it is masked."""
        for part in self._decoded(data):
            if part:
                self._add(self._mask.feed(seconds, part))

    def _decoded(self, data: bytes) -> Iterator[bytes]:
        if self._decoder is None:
            yield data
            return
        try:
            yield from self._decoder.pieces(data)
        except zlib.error:
            self._is_damaged = True

    def _add(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            if self._number is not None:
                self._recorder.add(self._number, piece)

    def ended(self, seconds: float, how: How, why: str = "") -> None:
        """Write the bytes kept back, and the end; a compressed body without its end is a cut."""
        if self._number is None:
            self._number = self._recorder.begin_exchange(replace(self._facts.exchange, answered=seconds))
        self._add(self._mask.close())
        is_unfinished = self._is_damaged or (self._decoder is not None and self._decoder.is_unfinished)
        how = "cut" if how == "end" and is_unfinished else how
        self._recorder.end(self._number, seconds, how, why)


class RecordingTransport(httpx2.AsyncBaseTransport):
    """Sends requests through `inner`, asks for uncompressed answers, and records both with `recorder`.

    Readings are not throttled, so that each is recorded as it came. `is_second` marks requests of the second column of
    a comparison.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, recorder: Recorder, *, is_second: bool = False) -> None:
        self._inner = inner
        self._recorder = recorder
        self._is_second = is_second

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """As httpx2 has it."""
        request.headers["Accept-Encoding"] = "identity"
        taking = self._recorder.begin(await self._facts(request))
        started = time.perf_counter()
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as error:
            taking.ended(time.perf_counter() - started, *_end_with(error))
            raise
        taking.answered(response.status_code, response.headers, time.perf_counter() - started)
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            raise TypeError
        response.stream = _RecordedBody(response.stream, taking, started)
        if isinstance(connection := response.extensions.get("network_stream"), NetworkStream):
            response.extensions["network_stream"] = _Unthrottled(connection)
        return response

    async def _facts(self, request: httpx2.Request) -> RequestFacts:
        body = await request.aread()
        facts = partial(
            request_facts, request.method, str(request.url), dict(request.headers), body, is_second=self._is_second
        )
        return await asyncio.to_thread(facts) if len(body) > _LONG else facts()

    async def aclose(self) -> None:
        """Close the transport within; the recorder stays open."""
        await self._inner.aclose()


class _Unthrottled:
    """A connection whose reading is never throttled."""

    def __init__(self, connection: NetworkStream) -> None:
        self._connection = connection
        self.throttle: Throttle | None = None

    @property
    def read_timeout(self) -> float | None:
        return self._connection.read_timeout

    @read_timeout.setter
    def read_timeout(self, seconds: float | None) -> None:
        self._connection.read_timeout = seconds


class _RecordedBody(httpx2.AsyncByteStream):
    """The body of an answer, whose readings are recorded as they are given out."""

    def __init__(self, body: httpx2.AsyncByteStream, taking: Taking, started: float) -> None:
        self._body = body
        self._taking = taking
        self._started = started
        self._is_over = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._body:
                self._taking.reading(time.perf_counter() - self._started, data)
                yield data
        except httpx2.HTTPError as error:
            self._end(*_end_with(error))
            raise
        self._end("end")

    async def aclose(self) -> None:
        self._end("stopped")
        await self._body.aclose()

    def _end(self, how: How, why: str = "") -> None:
        if not self._is_over:
            self._is_over = True
            self._taking.ended(time.perf_counter() - self._started, how, why)


def _end_with(error: BaseException) -> tuple[How, str]:
    """The kind of an exchange's end after `error`, and its reason if known."""
    match error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout() | CertificateRefusedError():
            return "cut", NO_CONNECTION
        case httpx2.TimeoutException() | asyncio.CancelledError():
            return "stopped", NOTHING_CAME
        case httpx2.ReadError():
            return "reset", ""
        case _:
            return "cut", ""


def _cannot_write(path: Path, error: OSError) -> str:
    return f"The recording {path} cannot be written: {error.strerror}."
