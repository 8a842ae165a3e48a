from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import AsyncFileLock
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

_ADVISORY_LOCK: Final = 0x63686174
_LOCK_SECONDS: Final = 30
_HERE: Final = Path(__file__).parent


async def upgrade(engine: AsyncEngine, revision: str = "head") -> None:
    """Apply every migration up to `revision` that has not been applied yet.

    Processes that start at once wait for each other: by a file beside the SQLite database, or by an advisory lock of
    PostgreSQL.

    Raises:
        filelock.Timeout: another process locks the file for more than half a minute.
        sqlalchemy.exc.SQLAlchemyError: the database refuses.
        alembic.util.CommandError: the database was made by a newer version.
    """
    database = engine.url.database
    if engine.dialect.name == "sqlite":
        if database is None:
            await _apply(engine, revision)
            return
        async with AsyncFileLock(f"{database}.lock", timeout=_LOCK_SECONDS):
            await _apply(engine, revision)
        return
    async with engine.connect() as lock:
        await lock.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _ADVISORY_LOCK})
        try:
            await _apply(engine, revision)
        finally:
            await lock.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _ADVISORY_LOCK})


class Schema(Enum):
    """The schema of a database, compared with the newest one."""

    NONE = "none"
    OLDER = "older"
    NEWEST = "newest"
    NEWER = "newer"


async def schema_of(engine: AsyncEngine) -> Schema:
    """The schema of a database, which is not changed.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: the database refuses.
    """

    def look(connection: Connection) -> Schema:
        steps = ScriptDirectory.from_config(_config())
        found = MigrationContext.configure(connection).get_current_revision()
        if found is None:
            return Schema.NONE
        if found == steps.get_current_head():
            return Schema.NEWEST
        return Schema.OLDER if found in {step.revision for step in steps.walk_revisions()} else Schema.NEWER

    async with engine.connect() as connection:
        return await connection.run_sync(look)


async def _apply(engine: AsyncEngine, revision: str) -> None:
    def steps(connection: Connection) -> None:
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)

    async with engine.begin() as connection:
        await connection.run_sync(steps)


def _escaped(path: Path) -> str:
    return str(path).replace("%", "%%")


def _config() -> Config:
    """The places of the migrations: in the store, and in features with tables, whether installed or not."""
    config = Config()
    folders = [_HERE / "versions", *sorted(_HERE.parents[2].glob("features/*/versions"))]
    config.set_main_option("script_location", _escaped(_HERE))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(map(_escaped, folders)))
    return config
