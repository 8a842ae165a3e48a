"""Recording exchanges to a file, as they happen."""

from __future__ import annotations

import errno
import fcntl
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from chat_ui.protocol.answers.redaction import names_secret, url_without_secrets, without_secrets
from chat_ui.protocol.reading.content_coding import ContentDecoder, coding_not_read
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.recordings.masking import Piece, SecretMask
from chat_ui.recordings.recording import Recording
from chat_ui.recordings.recording_format import (
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

    Each line is written whole and at once, so the file of a killed process can be used up to its last line. Where one
    cannot be written, `on_failure` gets the words for the person, once, and nothing more is written. A file that is
    there is read first: a large one in a thread.

    Raises:
        RecordingError: the file is no recording, is of a newer version, is being recorded to, or cannot be written.
    """

    def __init__(self, path: Path, header: Header, *, on_failure: Callable[[str], None]) -> None:
        self.path = path
        self._on_failure = on_failure
        self._is_over = False
        self._last = 0
        """The number of the exchange whose line stands last."""
        with ExitStack() as opened:
            try:
                self._file = opened.enter_context(path.open("ab", buffering=0))
                self._number = self._prepared(header)
            except OSError as error:
                raise RecordingError(_cannot_write(path, error)) from error
            opened.pop_all()

    def _prepared(self, header: Header) -> int:
        """The number of the last exchange, once the file is this recorder's own and has a header."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RecordingError(f"{self.path} is being recorded to already. Choose another file.") from error
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

    def __exit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write nothing of what still comes."""
        self._is_over = True
        self._file.close()

    def begin(self, facts: RequestFacts) -> Taking:
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
        self._write(exchange.line)
        return self._number

    def add(self, number: int, piece: Piece) -> None:
        self._write(Reading(piece.seconds, piece.data, self._named(number)).line)

    def end(self, number: int, seconds: float, how: How, why: str) -> None:
        self._write(Ending(seconds, how, why, self._named(number)).line)

    def _named(self, number: int) -> int | None:
        return None if number == self._last else number

    def _write(self, line: bytes) -> None:
        if self._is_over:
            return
        try:
            if not os.fstat(self._file.fileno()).st_nlink:
                raise FileNotFoundError(errno.ENOENT, "the file is gone")
            self._append(line)
        except OSError as error:
            self._is_over = True
            self._on_failure(f"{_cannot_write(self.path, error)} What is asked goes on without it.")

    def _append(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[self._file.write(left) :]


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
        if self._number is None:
            self._number = self._recorder.begin_exchange(self._facts, self._at, None, {}, seconds)
        self._add(self._mask.close())
        is_unfinished = self._is_damaged or (self._decoder is not None and self._decoder.is_unfinished)
        how = "cut" if how == "end" and is_unfinished else how
        self._recorder.end(self._number, seconds, how, why)


def _cannot_write(path: Path, error: OSError) -> str:
    return f"The recording {path} cannot be written: {error.strerror}."
