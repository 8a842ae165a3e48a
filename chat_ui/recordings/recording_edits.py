"""Looking for secrets in a recording, and making another of it: with some exchanges left out, or another name.

A file is read and written line by line, so its size does not matter.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final, Literal, Protocol, TypeAlias

from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import msg
from chat_ui.recordings.file_lines import exchange_of, lines_of
from chat_ui.recordings.recording_format import (
    LONGEST_LINE,
    Reading,
    RecordingError,
    cannot_be_read,
    exchange_in,
    header_in,
    json_line,
    reading_or_ending_in,
)

Part: TypeAlias = Literal["header", "request", "answer"]
_OVERLAP: Final = 1024
"""Characters of a body that are looked at again with what follows: a secret may stand across readings."""
_AT_ONCE: Final = 64 * 1024
"""Characters of a body that are looked at together at most."""
_MOST: Final = 1000
"""Suspicions that are told of, and bodies without an end that are kept."""


class Found(Protocol):
    """What a scan finds in a text: what it looks like, and where it begins and ends."""

    @property
    def kind(self) -> str:
        """What it looks like."""

    @property
    def start(self) -> int:
        """Where it begins."""

    @property
    def end(self) -> int:
        """Where it ends."""


Scan: TypeAlias = Callable[[str], Iterable[Found]]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that looks like a secret of this `kind`, in a part of an exchange (None for the header); `beginning`
    is enough of it to find it in the file.
    """

    exchange: int | None
    part: Part
    kind: str
    beginning: str


def suspicions(path: Path, scan: Scan) -> list[Suspicion]:
    """What looks like a secret in the recording at `path`, the first thousand.

    Raises:
        RecordingError: the file cannot be read, or is no recording.
    """
    with _opened(path) as (file, header):
        looked = _Scanned(scan)
        looked.at(None, "header", header.decode("utf-8", "replace"))
        current: int | None = None
        for line in lines_of(file):
            if (begun := exchange_in(line)) is not None:
                current = begun.number
                looked.at(current, "request", line.decode("utf-8", "replace"))
            elif (number := exchange_of(line, current)) is not None:
                item = reading_or_ending_in(line)
                if isinstance(item, Reading):
                    looked.add(number, item.data.decode("utf-8", "replace"))
                elif item is not None:
                    looked.end(number)
            if len(looked.found) >= _MOST:
                break
        looked.end()
        return looked.found[:_MOST]


def body_sizes(path: Path) -> dict[int, int]:
    """The bytes of the bodies in the recording at `path`, by the numbers of their exchanges.

    Raises:
        RecordingError: the file cannot be read, or is no recording.
    """
    sizes: dict[int, int] = {}
    with _opened(path) as (file, _):
        current: int | None = None
        for line in lines_of(file):
            if (begun := exchange_in(line)) is not None:
                current = begun.number
            elif (number := exchange_of(line, current)) is not None and isinstance(
                item := reading_or_ending_in(line), Reading
            ):
                sizes[number] = sizes.get(number, 0) + len(item.data)
    return sizes


@dataclass(slots=True)
class _Body:
    """What is still to be looked at of a body, after `known` characters that were."""

    texts: list[str] = field(default_factory=list)
    size: int = 0
    known: int = 0


class _Scanned:
    """What was found, and the bodies that have not ended."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._bodies: dict[int, _Body] = {}
        self.found: list[Suspicion] = []

    def at(self, exchange: int | None, part: Part, text: str, known: int = 0) -> None:
        """Look at a text; what ends in its first `known` characters was found before."""
        for one in self._scan(text):
            if one.end > known:
                size = min(6, (one.end - one.start) // 3)
                self.found.append(Suspicion(exchange, part, one.kind, text[one.start : one.start + size]))

    def add(self, exchange: int, text: str) -> None:
        """Take a reading; many are looked at together."""
        body = self._bodies.setdefault(exchange, _Body())
        body.texts.append(text)
        body.size += len(text)
        if body.size > _AT_ONCE:
            whole = "".join(body.texts)
            self.at(exchange, "answer", whole, body.known)
            self._bodies[exchange] = _Body([whole[-_OVERLAP:]], _OVERLAP, _OVERLAP)
        if len(self._bodies) > _MOST:
            self.end()

    def end(self, exchange: int | None = None) -> None:
        """Look at what is left of the body of an exchange, or of all."""
        for number in list(self._bodies) if exchange is None else [exchange]:
            if body := self._bodies.pop(number, None):
                self.at(number, "answer", "".join(body.texts), body.known)


def without(path: Path, out: Path, numbers: Collection[int]) -> None:
    """Write to `out`, a new file, the recording at `path` without the exchanges of these numbers.

    Raises:
        RecordingError: a file cannot be read or written, or there is no exchange of such a number.
    """
    left = set(numbers)

    def kept(header: bytes, file: BinaryIO) -> Iterator[bytes]:
        yield header
        current: int | None = None
        for line in lines_of(file):
            if (begun := exchange_in(line)) is not None:
                current = begun.number
                left.discard(current)
            if exchange_of(line, current) not in numbers:
                yield line
        if left:
            number = str(min(left))
            raise RecordingError(msg("There is no exchange {number} in this recording.", number=number))

    _rewritten(path, out, kept)


def renamed(path: Path, out: Path, name: str) -> None:
    """Write to `out`, a new file, the recording at `path` with another name of its backend.

    Raises:
        RecordingError: a file cannot be read or written.
    """

    def kept(header: bytes, file: BinaryIO) -> Iterator[bytes]:
        value: JsonObject = json.loads(header)
        backend = value.get("backend")
        yield json_line({**value, "backend": {**(backend if isinstance(backend, dict) else {}), "name": name}})
        yield from lines_of(file)

    _rewritten(path, out, kept)


def edited(path: Path, out: Path | None, numbers: Collection[int], name: str | None) -> None:
    """Write to `out`, a new file, or to `path` itself, the recording at `path` without the exchanges of these numbers
    and, unless it is None, with this name of its backend. The file is there whole or unchanged at each moment.

    Raises:
        RecordingError: a file cannot be read or written, is being recorded to, or has no exchange of such a number.
    """
    target = path.resolve() if out is None else out
    if out is not None and out.exists():
        raise RecordingError(_is_there(out))
    with _not_recorded_to(path):
        try:
            with TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
                cut, made = Path(folder, "cut"), Path(folder, "made")
                without(path, cut, numbers)
                renamed(cut, made, name) if name is not None else cut.rename(made)
                shutil.copymode(path, made)
                with made.open("rb") as written:
                    os.fsync(written.fileno())
                made.replace(target)
        except OSError as error:
            raise RecordingError(_cannot_be_written(target, error)) from error


@contextmanager
def _not_recorded_to(path: Path) -> Iterator[None]:
    """No recorder can have the file meanwhile.

    Raises:
        RecordingError: one has it.
    """
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError as error:
        words = msg("{path} is being recorded to. Stop that first.", path=str(path))
        raise RecordingError(words) from error
    except OSError as error:
        raise RecordingError(cannot_be_read(path, error)) from error


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, bytes]]:
    """The file of a recording behind its header, and that."""
    try:
        with path.open("rb") as file:
            header = file.readline(LONGEST_LINE)
            header_in(header)
            yield file, header
    except OSError as error:
        raise RecordingError(cannot_be_read(path, error)) from error


def _rewritten(path: Path, out: Path, kept: Callable[[bytes, BinaryIO], Iterator[bytes]]) -> None:
    with _opened(path) as (file, header):
        try:
            written = out.open("xb")
        except FileExistsError as error:
            raise RecordingError(_is_there(out)) from error
        except OSError as error:
            raise RecordingError(_cannot_be_written(out, error)) from error
        try:
            with written:
                for line in kept(header, file):
                    written.write(line if line.endswith(b"\n") or not line else line + b"\n")
        except OSError as error:
            out.unlink(missing_ok=True)
            raise RecordingError(_cannot_be_written(out, error)) from error
        except BaseException:
            out.unlink(missing_ok=True)
            raise


def _is_there(path: Path) -> str:
    return msg("{path} is there already. Choose another name.", path=str(path))


def _cannot_be_written(path: Path, error: OSError) -> str:
    return msg("{path} cannot be written: {reason}.", path=str(path), reason=os.strerror(error.errno or 0))
