"""A lock for the one server of a SQLite database: a second would take running answers of the first for abandoned."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from filelock import AsyncFileLock, Timeout

_WAIT_SECONDS: Final = 5.0
"""Seconds for which a former server may still be ending."""


class DatabaseInUseError(Exception):
    """Another server uses the database; the message is for the operator."""


async def lock_database(database: Path) -> AsyncFileLock:
    """A lock that the only server of the SQLite database in this file holds for as long as it lives.

    Raises:
        DatabaseInUseError: another server has it.
    """
    lock = AsyncFileLock(database.with_name(f"{database.name}.server"), timeout=_WAIT_SECONDS, mode=0o600)
    try:
        await asyncio.to_thread(database.parent.mkdir, mode=0o700, parents=True, exist_ok=True)
        await lock.acquire()
    except Timeout:
        raise DatabaseInUseError(
            f"Another server uses the database {database}, and this one does not start beside it. End that one first, "
            "or give this one a CHAT_UI_DATA_DIR of its own. Several that serve the same people share a PostgreSQL and "
            "a Redis: see “Several processes” in docs/operations.md."
        ) from None
    except OSError:
        # The store reports a folder that cannot be used.
        pass
    return lock
