"""The lines of a recording's file, and the exchange that each belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from chat_ui.recordings.recording_format import LONGEST_LINE, exchange_in

_NUMBER: Final = re.compile(rb'"\s*,\s*(\d{1,15})\s*\]\s*\Z')
"""The number of an exchange at the end of a line. A line without one ends with a string."""
_LONGEST_NUMBER: Final = 40
_BEGINNING: Final = 200


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """The lines that are left of a file; too long ones come empty."""
    while line := file.readline(LONGEST_LINE):
        is_whole = line.endswith(b"\n") or len(line) < LONGEST_LINE
        while not is_whole and (rest := file.readline(LONGEST_LINE)):
            line, is_whole = b"", rest.endswith(b"\n")
        yield line if is_whole else b""


def begun_in(line: bytes, current: int | None) -> int | None:
    """The number of the exchange begun last, after a line that is an object: None where that begins an exchange which
    cannot be read.
    """
    begun = exchange_in(line)
    if begun is not None:
        return begun.number
    return None if b'"exchange"' in line[:_BEGINNING] else current


def exchange_of(line: bytes, current: int | None) -> int | None:
    """The number of the exchange that a reading or an end belongs to; `current` is that of the exchange begun last."""
    if line.endswith(b'"]\n'):
        return current
    found = _NUMBER.search(line, max(0, len(line) - _LONGEST_NUMBER))
    return int(found[1]) if found else current
