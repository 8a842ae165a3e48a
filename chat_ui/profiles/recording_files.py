"""The recordings of people on disk: those that they dropped on the page, and those that the page made for them.

A file that is still being written has a suffix of its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from chat_ui.conversations.people.person_folders import (
    bytes_of,
    delete_folder,
    folder_of,
    is_id,
    new_id,
    purge_folders,
    written_at,
)
from chat_ui.protocol.translatable import msg, plural_msg
from chat_ui.recordings.recording_format import RecordingError

logger = logging.getLogger(__name__)

MOST_FILES: Final = 20
"""Recordings of one person."""
ALL_BYTES: Final = 10 * 2**30
"""Bytes of the recordings of all people."""
_PEOPLE: Final = 20
"""People that find room beside each other."""
_DAY: Final = 86_400
_WHOLE: Final = ".jsonl"
_COMING: Final = ".part"
"""The end of the name of a file that a browser sends."""
_MADE: Final = ".open"
"""The end of the name of a recording that is being made."""
_LONGEST_UPLOAD: Final = 3600
"""Seconds after which a file that was coming was left by a server that ended."""


class RecordingFiles:
    """The recordings of people below `folder`, each of `file_bytes` at most, for `keep_days`."""

    def __init__(self, folder: Path, *, file_bytes: int, keep_days: float, all_bytes: int = ALL_BYTES) -> None:
        self.file_bytes = file_bytes
        self.keep_days = keep_days
        self._folder = folder
        self._all_bytes = all_bytes

    def new(self, person: str, *, is_sent: bool) -> tuple[str, Path]:
        """The id of one more recording of a person, which a browser sends or the page makes, and where it is to be
        written.

        Raises:
            RecordingError: the person has as many as are kept, or there is no room for another.
            OSError: the folder cannot be made.
        """
        folder = self._of(person)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._drop_old(folder)
        mine = list(folder.iterdir())
        if len(mine) >= MOST_FILES:
            raise RecordingError(
                plural_msg(
                    "You have one recording here, and no more are kept. Remove one in the menu of backends.",
                    "You have {count} recordings here, and no more are kept. Remove one in the menu of backends.",
                    MOST_FILES,
                )
            )
        room = self._all_bytes, max(self._all_bytes // _PEOPLE, self.file_bytes)
        taken = self._taken(self._every()), self._taken(mine)
        if any(bytes_taken + self.file_bytes > most for bytes_taken, most in zip(taken, room, strict=True)):
            raise RecordingError(msg("There is no room for another recording on this page's server at the moment."))
        recording_id = new_id()
        path = folder / f"{recording_id}{_COMING if is_sent else _MADE}"
        if is_sent:
            # It counts from now on, not from its first byte.
            path.touch(0o600)
        return recording_id, path

    def find(self, person: str, recording_id: str) -> Path | None:
        """The person's recording of that id, once it is whole; None where there is none, or not any more."""
        if not is_id(recording_id):
            return None
        path = self._of(person) / f"{recording_id}{_WHOLE}"
        return path if path.is_file() and not self._is_old(path) else None

    def finish(self, path: Path) -> Path:
        """Have the recording that was written at `path` be found from now on.

        Raises:
            OSError: it is gone.
        """
        return path.rename(path.with_suffix(_WHOLE))

    def being_made(self, person: str) -> list[Path]:
        """Recordings of a person that are being made, or were when a server ended."""
        return sorted(self._of(person).glob(f"*{_MADE}"))

    def drop(self, person: str, recording_id: str) -> None:
        """Delete one recording of a person, if it is there."""
        if (path := self.find(person, recording_id)) is not None:
            path.unlink(missing_ok=True)

    def forget_all(self, person: str) -> None:
        """Delete every recording of a person.

        Raises:
            OSError: they cannot be deleted.
        """
        delete_folder(self._of(person))

    def purge(self) -> None:
        """Delete what is older than it is kept for."""
        try:
            purge_folders(self._folder, self._drop_old)
        except OSError as error:
            logger.warning("old recordings cannot be deleted: %s", error.strerror)

    def _drop_old(self, folder: Path) -> None:
        for path in folder.iterdir():
            if self._is_old(path):
                path.unlink(missing_ok=True)

    def _is_old(self, path: Path) -> bool:
        kept = _LONGEST_UPLOAD if path.suffix == _COMING else self.keep_days * _DAY
        return written_at(path) < time.time() - kept

    def _every(self) -> Iterator[Path]:
        return self._folder.glob("*/*")

    def _taken(self, files: Iterable[Path]) -> int:
        """Bytes of these files; one that is not whole yet may become as large as any."""
        return sum(bytes_of(file) if file.suffix == _WHOLE else self.file_bytes for file in files)

    def _of(self, person: str) -> Path:
        return folder_of(self._folder, person)
