"""The database behind the store: SQLite in a data folder, or PostgreSQL by its URL."""

from __future__ import annotations

import asyncio
import inspect
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import asyncpg  # type: ignore[import-untyped]
import filelock
from alembic.util import CommandError
from sqlalchemy import event, make_url, text
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from chat_ui.conversations.migrations.upgrade import upgrade

_SQLITE_BUSY_MS: Final = 1000
_SQLITE_CONNECTIONS: Final = 5
_POSTGRESQL_SECONDS: Final = 5.0
_WAL_BYTES: Final = 16 * 1024 * 1024
_OF_DRIVER: Final = frozenset({*inspect.signature(asyncpg.connect).parameters, "prepared_statement_cache_size"})
"""What a URL can set that SQLAlchemy and its driver know; all else is libpq's, such as `sslmode`."""
_DISK_FULL: Final = "53100"
_BROKEN = (SQLAlchemyError, OSError, TimeoutError, filelock.Timeout)


class StoreUnavailableError(Exception):
    """The database cannot be used at the moment; what was to be written is not."""


class TooLongError(Exception):
    """A query was ended because it took longer than it may."""


class StoreRefusedError(StoreUnavailableError):
    """The database takes no value of this kind, now or later."""


class Database:
    """Connections to one database. Every failure of it is a `StoreUnavailableError`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @classmethod
    async def open(cls, url: str) -> Database:
        """Connect to the database at a SQLAlchemy or libpq URL and bring it to the newest schema.

        Raises:
            StoreUnavailableError: it cannot be reached, or holds the schema of a newer version.
        """
        try:
            engine = engine_at(url)
        except (ArgumentError, OSError) as error:
            raise StoreUnavailableError(f"the database cannot be used: {type(error).__name__}") from error
        try:
            await upgrade(engine)
        except (*_BROKEN, CommandError) as error:
            await engine.dispose()
            raise StoreUnavailableError(f"the database cannot be used: {error}") from error
        return cls(engine)

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite and not PostgreSQL."""
        return self._engine.dialect.name == "sqlite"

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()

    @asynccontextmanager
    async def reading(self, seconds: float | None = None) -> AsyncIterator[AsyncConnection]:
        """A connection for queries, which are ended after so many seconds.

        Raises:
            TooLongError: they were.
        """
        try:
            async with self._engine.connect() as connection:
                if seconds is None:
                    yield connection
                else:
                    async with self._ending_after(seconds, connection):
                        yield connection
        except _BROKEN as error:
            raise StoreUnavailableError(f"the database cannot be read: {type(error).__name__}") from error

    @asynccontextmanager
    async def _ending_after(self, seconds: float, connection: AsyncConnection) -> AsyncIterator[None]:
        """Have the database end the queries within this after so many seconds."""
        if not self.is_sqlite:
            await connection.execute(text(f"SET LOCAL statement_timeout = {int(1000 * seconds)}"))
        driver = (await connection.get_raw_connection()).driver_connection
        begun = time.monotonic()
        ends = asyncio.create_task(_interrupt_after(seconds, driver)) if self.is_sqlite else None
        try:
            yield
        except SQLAlchemyError as error:
            if time.monotonic() - begun >= seconds:
                raise TooLongError from error
            raise
        finally:
            if ends is not None:
                ends.cancel()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A connection in a transaction, which is committed at the end and rolled back on any error."""
        try:
            async with self._engine.begin() as connection:
                yield connection
        except (IntegrityError, DataError) as error:
            raise StoreRefusedError(f"the database refused: {type(error).__name__}") from error
        except _BROKEN as error:
            why = "the disk is full" if _is_full(error) else type(error).__name__
            raise StoreUnavailableError(f"the database cannot be written: {why}") from error


def _is_full(error: BaseException) -> bool:
    origin = error.orig if isinstance(error, DBAPIError) else None
    sqlite_code, state = getattr(origin, "sqlite_errorcode", None), getattr(origin, "sqlstate", None)
    return sqlite_code == sqlite3.SQLITE_FULL or state == _DISK_FULL


async def _interrupt_after(seconds: float, driver: Any) -> None:
    await asyncio.sleep(seconds)
    await driver.interrupt()


def engine_at(url: str) -> AsyncEngine:
    """The engine for a URL as operators write it.

    Raises:
        sqlalchemy.exc.ArgumentError: it is no URL of a known database.
        OSError: the data folder cannot be made.
    """
    try:
        address = make_url(url)
    except ValueError:
        # Its words are a part of the URL.
        raise ArgumentError("the port is no number") from None
    match address.get_backend_name():
        case "sqlite":
            if address.database:
                Path(address.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                Path(address.database).touch(mode=0o600)
            # One that is in memory is gone with its last connection, and each connection has one of its own.
            engine = create_async_engine(
                address.set(drivername="sqlite+aiosqlite"),
                hide_parameters=True,
                poolclass=AsyncAdaptedQueuePool,
                pool_size=_SQLITE_CONNECTIONS if address.database else 1,
                max_overflow=0,
                connect_args={"timeout": _SQLITE_BUSY_MS / 1000},
            )
            event.listen(engine.sync_engine, "connect", _prepare_sqlite)
            return engine
        case "postgresql" | "postgres":
            libpq = [name for name in address.query if name not in _OF_DRIVER]
            return create_async_engine(
                address.set(drivername="postgresql+asyncpg").difference_update_query(libpq),
                hide_parameters=True,
                pool_pre_ping=True,
                pool_timeout=_POSTGRESQL_SECONDS,
                connect_args={
                    "dsn": f"postgresql://?{urlencode({name: address.query[name] for name in libpq}, doseq=True)}",
                    "timeout": _POSTGRESQL_SECONDS,
                    "command_timeout": 6 * _POSTGRESQL_SECONDS,
                },
            )
        case other:
            raise ArgumentError(f"{other} is not a database that this app knows")


def _prepare_sqlite(connection: Any, _record: object) -> None:
    cursor: sqlite3.Cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        # What was committed outlives the process; the last moments may be lost with the machine's power.
        "synchronous=NORMAL",
        "foreign_keys=ON",
        f"busy_timeout={_SQLITE_BUSY_MS}",
        # Once it is written back, the log of what was written is cut to this.
        f"journal_size_limit={_WAL_BYTES}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
