"""Folders of people on this server's disk.

Each person has a folder, named by a digest of who they are. What is in it is named by random bits that the server
chose: what a page names is looked for among those names in that folder, and nowhere else.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}")


def folder_of(root: Path, person: str) -> Path:
    """The folder of a person, which may not be there."""
    return root / hashlib.sha256(person.encode()).hexdigest()[:32]


def new_id() -> str:
    """A name that nobody can guess."""
    return secrets.token_urlsafe(16)


def is_id(name: str) -> bool:
    """Whether a name has the form of those that `new_id` gives."""
    return _ID.fullmatch(name) is not None


def delete_folder(folder: Path) -> None:
    """Delete a folder with everything in it, if it is there.

    Raises:
        OSError: it cannot be deleted.
    """
    # A file in it may go away by itself meanwhile.
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    if folder.exists():
        shutil.rmtree(folder)


def purge_folders(root: Path, drop_old: Callable[[Path], None]) -> None:
    """Have `drop_old` delete what is too old in the folder of each person; a folder that is empty then goes too.

    Raises:
        OSError: one of them cannot be read.
    """
    for folder in filter(Path.is_dir, root.iterdir()) if root.is_dir() else ():
        drop_old(folder)
        with suppress(OSError):
            folder.rmdir()


def bytes_of(path: Path) -> int:
    """Bytes of a file; 0 where it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def written_at(path: Path) -> float:
    """When a file was written last, in seconds of the epoch; 0 where it is not there."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0
