"""Recording exchanges to a file, as they happen."""

from __future__ import annotations

import fcntl
import math
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from chat_ui.protocol.answers.redaction import names_secret, url_without_secrets, without_secrets
from chat_ui.protocol.reading.content_coding import ContentDecoder, coding_not_read
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.recordings.line_writer import LineWriter, reason_of
from chat_ui.recordings.masking import Piece, SecretMask
from chat_ui.recordings.recording import Recording
from chat_ui.recordings.recording_format import (
    LARGEST_READING,
    Ending,
    Exchange,
    Header,
    How,
    Reading,
    RecordingError,
    now,
    path_of,
)
from chat_ui.recordings.request_facts import RequestFacts

_OF_THE_CONNECTION: Final = frozenset(
    {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "proxy-connection"}
)
"""Headers that say nothing of an answer (RFC 9110, 7.6.1)."""
_NOT_KEPT: Final = _OF_THE_CONNECTION | {"set-cookie", "set-cookie2", "authorization", "proxy-authenticate"}
_ADDRESSES: Final = frozenset({"location", "content-location"})
"""Headers that hold an address, which leads to the same place of a replay where it has the origin of the request."""


class Recorder:
    """Appends exchanges to the file at `path`, which gets `header` where it is new or empty.

    A thread writes each line whole, as soon as the disk takes it; whoever is recorded never waits for it. Where a line
    cannot be written, `on_failure` gets the words for the person, once, perhaps on that thread, and nothing more is
    written. A file that is there is read first: a large one in a thread.

    Raises:
        RecordingError: the file is no recording, is of a newer version, is being recorded to, or cannot be written.
    """

    def __init__(
        self, path: Path, header: Header, *, on_failure: Callable[[str], None], most_bytes: float = math.inf
    ) -> None:
        self.path = path
        self._on_failure = on_failure
        self._last = 0
        """The number of the exchange whose line stands last."""
        try:
            file = path.open("ab", buffering=0)
        except OSError as error:
            raise RecordingError(_cannot_write(path, reason_of(error))) from error
        try:
            self._number = self._prepare(file, header)
        except OSError as error:
            file.close()
            raise RecordingError(_cannot_write(path, reason_of(error))) from error
        except BaseException:
            file.close()
            raise
        self._writer = LineWriter(file, on_failure=self._failed, most_bytes=most_bytes)

    def _prepare(self, file: FileIO, header: Header) -> int:
        """The number of the last exchange, once the file is this recorder's own and has a header."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            words = msg("{path} is being recorded to already. Choose another file.", path=str(self.path))
            raise RecordingError(words) from error
        if not self.path.stat().st_size:
            _write_whole(file, header.line)
            return 0
        with self.path.open("rb") as written:
            written.seek(-1, os.SEEK_END)
            ends_in_a_line = written.read() == b"\n"
        number = max((exchange.number for exchange in Recording.open(self.path).exchanges), default=0)
        if not ends_in_a_line:
            _write_whole(file, b"\n")
        return number

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def has_failed(self) -> bool:
        """Whether something could not be written."""
        return self._writer.has_failed

    @property
    def is_full(self) -> bool:
        """Whether that was because the file would have more than `most_bytes`."""
        return self._writer.is_full

    def stop(self) -> None:
        """Write nothing of what still comes. What came is written, and then the file is closed, without waiting."""
        self._writer.stop()

    def close(self) -> None:
        """Write nothing of what still comes, and wait until what came is written, or the disk has stalled for long."""
        self._writer.close()

    def begin(self, facts: RequestFacts) -> Taking:
        """Record the exchange of a request that goes out now."""
        return Taking(self, facts)

    def begin_exchange(
        self, facts: RequestFacts, at: str, status: int | None, headers: Mapping[str, str], answered: float
    ) -> int:
        """Write the line of an exchange; its number."""
        self._number += 1
        self._last = self._number
        exchange = Exchange(
            number=self._number,
            at=at,
            method=facts.method,
            path=facts.path,
            question=facts.question,
            place=facts.place,
            request=facts.request,
            is_second=facts.is_second,
            status=status,
            headers=headers,
            answered=answered,
        )
        self._writer.add(exchange.line)
        return self._number

    def add(self, number: int, piece: Piece) -> None:
        """Write the line of a reading, of a very large one several."""
        for at in range(0, len(piece.data), LARGEST_READING):
            part = piece.data[at : at + LARGEST_READING]
            self._writer.add(Reading(piece.seconds, part, self._named(number)).line)

    def end(self, number: int, seconds: float, how: How, why: str) -> None:
        """Write the line of an end."""
        self._writer.add(Ending(seconds, how, why, self._named(number)).line)

    def _named(self, number: int) -> int | None:
        return None if number == self._last else number

    def _failed(self, reason: str) -> None:
        problem, advice = _cannot_write(self.path, reason), msg("What is asked goes on without it.")
        self._on_failure(msg("{problem} {advice}", problem=problem, advice=advice))


def is_being_recorded(path: Path) -> bool:
    """Whether a recorder, here or in another process, writes to that file."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


class Taking:
    """The recording of one exchange. Times are seconds since the request."""

    def __init__(self, recorder: Recorder, facts: RequestFacts) -> None:
        self._recorder = recorder
        self._facts = facts
        self._at = now()
        self._number: int | None = None
        self._mask = SecretMask(facts.secrets.in_recordings)
        self._decoder: ContentDecoder | None = None
        self._is_damaged = False

    def answered(self, status: int, headers: Mapping[str, str], seconds: float) -> None:
        """The status and the headers came."""
        kept = {name.lower(): self._kept_header(name.lower(), value) for name, value in headers.items()}
        kept = {name: value for name, value in kept.items() if name not in _NOT_KEPT}
        coding = kept.get("content-encoding", "")
        if coding and not coding_not_read(coding):
            self._decoder = ContentDecoder(coding)
            kept = {name: value for name, value in kept.items() if name not in {"content-encoding", "content-length"}}
        self._number = self._recorder.begin_exchange(self._facts, self._at, status, kept, seconds)

    def _kept_header(self, name: str, value: str) -> str:
        if names_secret(name):
            return "…"
        if name in _ADDRESSES and self._facts.origin and origin_of(value) == self._facts.origin:
            value = path_of(value)
        return without_secrets(url_without_secrets(value), self._facts.secrets.in_recordings)

    def reading(self, seconds: float, data: bytes) -> None:
        """Bytes of the body came at once."""
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
        """The exchange is over."""
        if self._number is None:
            self._number = self._recorder.begin_exchange(self._facts, self._at, None, {}, seconds)
        self._add(self._mask.close())
        is_unfinished = self._is_damaged or (self._decoder is not None and self._decoder.is_unfinished)
        how = "cut" if how == "end" and is_unfinished else how
        self._recorder.end(self._number, seconds, how, why)


def _write_whole(file: FileIO, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[file.write(left) :]


def _cannot_write(path: Path, reason: str) -> str:
    return msg("The recording {path} cannot be written: {reason}.", path=str(path), reason=reason)
