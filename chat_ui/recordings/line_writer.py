"""Writing the lines of a recording on a thread, so that a disk that stalls holds up nothing that is recorded."""

from __future__ import annotations

import errno
import math
import os
import time
from collections.abc import Callable
from io import FileIO
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Final

from chat_ui.protocol.translatable import msg

MOST_QUEUED: Final = 32 * 1024 * 1024
"""Bytes of lines that wait for the disk."""
PATIENCE: Final = 5.0
"""Seconds that are waited, at the end, for a disk that takes nothing."""
_AT_ONCE: Final = 4 * 1024 * 1024
"""Bytes after which it is known that the disk does not stall."""
_REST: Final = 0.0001
"""Seconds in which the thread that writes gets its turn."""
_END: Final = b""
"""Stands behind the last line."""


class LineWriter:
    """Appends lines to `file`, which is this writer's from now on: in their order, each as soon as the disk takes it.

    One thread adds them and never waits. Where the disk does not take one, where the file would have more than
    `most_bytes`, or where more than `MOST_QUEUED` bytes would wait, nothing more is written, and `on_failure` gets the
    reason, in words, once: on the thread that writes or on the one that adds.
    """

    def __init__(self, file: FileIO, *, on_failure: Callable[[str], None], most_bytes: float = math.inf) -> None:
        self.has_failed = False
        self.is_full = False
        """Whether it failed because the file would have more than `most_bytes`."""
        self._file = file
        self._most_bytes = most_bytes
        self._on_failure = on_failure
        self._failing = Lock()
        """Held from the first failure on; nobody waits for it."""
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._added = 0
        """Bytes, which the thread that adds counts."""
        self._written = 0
        """Bytes, which the thread that writes counts."""
        self._written_at = 0.0
        self._stopped_at: float | None = None
        # At its end, Python would wait for a thread that is no daemon, and so for the disk.
        self._thread = Thread(target=self._write_lines, name="recording", daemon=True)
        self._thread.start()

    def add(self, line: bytes) -> None:
        """Have a line written, unless the writer failed or stopped."""
        if self.has_failed or self._stopped_at is not None:
            return
        queued = self._added + len(line) - self._written
        if queued > MOST_QUEUED:
            self._fail(msg("the disk is too slow"))
            return
        if queued > MOST_QUEUED // 2:
            # An event loop that never rests takes Python's lock back before the thread that writes has it.
            time.sleep(_REST)
        self._added += len(line)
        self._lines.put(line)

    def stop(self) -> None:
        """Take no more lines. The file is closed once those that wait are written, which nobody waits for here."""
        if self._stopped_at is None:
            self._stopped_at = time.monotonic()
            self._lines.put(_END)

    def close(self) -> None:
        """Return when all lines are written, or when the disk took none for `PATIENCE` seconds, which is a failure."""
        self.stop()
        while self._thread.is_alive() and not self.has_failed:
            left = max(self._stopped_at or 0.0, self._written_at) + PATIENCE - time.monotonic()
            if left <= 0:
                self._fail(msg("the disk is too slow"))
            else:
                self._thread.join(left)

    def _write_lines(self) -> None:
        try:
            with self._file:
                is_over = False
                while not is_over and not self.has_failed:
                    # All that waits at once, since a busy loop lets this thread run every few milliseconds only.
                    lines = [self._lines.get() for _ in range(max(1, self._lines.qsize()))]
                    is_over = lines[-1] == _END
                    self._write(b"".join(lines))
        except OSError as error:
            self._fail(reason_of(error))

    def _write(self, lines: bytes) -> None:
        """Write lines, or those of them that there is room for.

        Raises:
            OSError: the file is gone, would be too large, or is not taken by the disk.
        """
        file = os.fstat(self._file.fileno())
        if not file.st_nlink:
            raise FileNotFoundError
        self.is_full = file.st_size + len(lines) > self._most_bytes
        if self.is_full:
            room = max(0, int(self._most_bytes) - file.st_size)
            lines = lines[: lines.rfind(b"\n", 0, room) + 1]
        left = memoryview(lines)
        while left:
            count = self._file.write(left[:_AT_ONCE])
            self._written += count
            self._written_at = time.monotonic()
            left = left[count:]
        if self.is_full:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))

    def _fail(self, reason: str) -> None:
        if self._failing.acquire(blocking=False):
            self.has_failed = True
            self._on_failure(reason)


def reason_of(error: OSError) -> str:
    """Why a file cannot be written, in words."""
    return os.strerror(error.errno) if error.errno else msg("the file is gone")
