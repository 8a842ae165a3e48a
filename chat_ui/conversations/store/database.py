"""The database behind the store: SQLite in a data folder, or PostgreSQL by its URL."""

from __future__ import annotations

import asyncio
import errno
import inspect
import secrets
import sqlite3
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode
from weakref import WeakSet

import aiosqlite
import asyncpg  # type: ignore[import-untyped]
import filelock
from alembic.util import CommandError
from sqlalchemy import URL, Connection, event, make_url, text
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from chat_ui.conversations.running_time import within
from chat_ui.conversations.store.migrations.upgrade import Schema, schema_of, upgrade
from chat_ui.errors import (
    StoreDamagedError,
    StoreFullError,
    StoreMovedError,
    StoreRefusedError,
    StoreTooNewError,
    StoreUnavailableError,
    TooCostlyError,
)

_SQLITE_BUSY_MS: Final = 1000
_POSTGRESQL_SECONDS: Final = 5.0
_CONNECTIONS: Final = 5
READS_AT_ONCE: Final = 2 * _CONNECTIONS
"""Simultaneous reads: PostgreSQL has a connection for each of them, SQLite for half."""
ANSWER_SECONDS: Final = 1.0
"""Seconds to wait for a connection to a silent PostgreSQL; after twice that it is away."""
STILL_SECONDS: Final = 5.0
"""Seconds for which a process may idle within a transaction; then PostgreSQL releases its locks."""
WRITE_SECONDS: Final = 2.0
"""Seconds without progress of a write, after which the database stands still."""
_ROWS_AT_ONCE: Final = 64
_WAL_BYTES: Final = 16 * 1024 * 1024
_OF_DRIVER: Final = frozenset({*inspect.signature(asyncpg.connect).parameters, "prepared_statement_cache_size"})
"""Parameters of a URL that SQLAlchemy and its driver know; all others are libpq's, such as `sslmode`."""
_GOODBYE_SECONDS: Final = 0.2
_LAST_SECONDS: Final = 1.0
"""Seconds for the last reads and writes when the database is closed."""
_INTERRUPT_SECONDS: Final = 0.005
_ENDING: Final = WeakSet[asyncio.Future[None]]()
"""Ends of connections to SQLite that may outlast a cancelled caller."""
_STATEMENTS: Final = "statements"
"""The key of a connection's count of ended statements."""
_TRIES: Final = 20
_DISK_FULL: Final = "53100"
_OF_NO_VALUE: Final = ("08", "25", "28", "3D", "3F", "42", "53", "55", "57", "58")
"""Classes of PostgreSQL's errors about the connection, rights and names, never about values."""
_TOO_NEW: Final = (
    "the database has the schema of a newer version of this app; start that version, or set another database"
)
_MEMORY_IS_SHARED: Final = sqlite3.sqlite_version_info >= (3, 36)
"""Whether connections share the content of SQLite's `memdb`, where they wait for each other as at a file."""
_BROKEN = (
    SQLAlchemyError,
    OSError,
    TimeoutError,
    filelock.Timeout,
    # SQLAlchemy passes on its drivers' errors of connections that it did not open.
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    sqlite3.Error,
)


class Database:
    """Connections to one database. Every failure of it is a `StoreUnavailableError`."""

    def __init__(self, writers: AsyncEngine, address: URL) -> None:
        """Use separate connections for reading and writing, so that reads do not delay writes."""
        self._writers = writers
        self._readers = _engine_beside(writers, address, _CONNECTIONS)
        self._watching = _engine_beside(writers, address, 1)
        self._turns = {self._readers: asyncio.Semaphore(READS_AT_ONCE)}
        self._waiting: set[asyncio.Timeout] = set()
        self._watched: dict[asyncio.Timeout, _Use | None] = {}
        """Writes, and reads of SQLite, by their timeouts; None for a waiting write."""
        self.statements = 0
        """Statements that have ended over connections for writing."""
        event.listen(writers.sync_engine, "after_cursor_execute", self._note_statement)
        self._is_unused = asyncio.Event()
        self._is_unused.set()
        self._file = self._file_there
        self._is_settled = False
        self.is_unavailable = False

    @classmethod
    async def open(cls, url: str, *, to_read: bool = False) -> Database:
        """Connect to the database at a SQLAlchemy or libpq URL and bring it to the newest schema. With `to_read`, take
        it as it is, also while a server uses it, without any change.

        Raises:
            StoreUnavailableError: it is unreachable, or has an unreadable or newer schema.
        """
        try:
            writers = engine_at(url, to_read=to_read)
        except (ArgumentError, OSError) as error:
            raise unavailable("used", error) from error
        try:
            if to_read:
                _expect_newest(await schema_of(writers))
            else:
                await upgrade(writers)
        except StoreUnavailableError:
            await writers.dispose()
            raise
        except (*_BROKEN, CommandError) as error:
            await writers.dispose()
            raise unavailable("used", error) from error
        return cls(writers, make_url(url))

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite and not PostgreSQL."""
        return self._writers.dialect.name == "sqlite"

    @property
    def is_replaced(self) -> bool:
        """Whether another file has replaced the file of the database."""
        return self._file_there not in (None, self._file)

    @property
    def _file_there(self) -> tuple[int, int] | None:
        database = self._writers.url.database
        return file_at(Path(database)) if self.is_sqlite and database else None

    def _check_in_place(self) -> None:
        """Check that writes go to the file that the next start opens.

        Raises:
            StoreMovedError: they do not.
        """
        if self._file_there != self._file:
            raise StoreMovedError(
                f"the file {self._writers.url.database} was moved or deleted while in use; put it back, or restart "
                "the server with a new one"
            )

    @property
    def _timeout(self) -> float | None:
        """Seconds within which the server answers; None for a file on a disk."""
        return None if self.is_sqlite else ANSWER_SECONDS

    async def close(self) -> None:
        """Close every connection once it is unused; long uses are cut off.

        A connection in use would be left open, and SQLite's file would lack the log beside it.
        """
        self.is_unavailable = True
        await self._until_unused()
        _cut_off(self._waiting)
        await self._until_unused()
        for engine in (self._readers, self._watching, self._writers):
            await engine.dispose()
        loop = asyncio.get_running_loop()
        if ending := [one for one in _ENDING if one.get_loop() is loop]:
            await asyncio.wait(ending, timeout=_LAST_SECONDS)

    async def touch(self) -> None:
        """Check that the database answers; until it does, other tasks do not wait for it.

        Raises:
            StoreUnavailableError: it does not.
        """
        self._check_in_place()
        if self.stands_still:
            raise unavailable("written", TimeoutError())
        try:
            try:
                await self._touch_once()
            except _BROKEN:
                # A broken idle connection, or a server that stood still, does not prove that the database is away.
                await self._touch_once()
        except _BROKEN as error:
            self.is_unavailable = True
            _cut_off(self._waiting)
            raise unavailable("reached", error) from error
        self.is_unavailable = False

    @property
    def stands_still(self) -> bool:
        """Whether a use has been without progress for `WRITE_SECONDS`; further writes then fail at once."""
        return any(use is not None and use.still >= WRITE_SECONDS for use in self._watched.values())

    def look(self, seconds: float) -> bool:
        """Count `seconds` for uses without progress since the last call; whether the database stands still.

        The caller counts only seconds in which its loop ran: a write that has ended on a busy loop says so late.
        """
        for use in self._watched.values():
            if use is not None:
                use.look(seconds)
        if self.stands_still:
            _cut_off(waiting for waiting, use in self._watched.items() if use is None)
        return self.stands_still

    @asynccontextmanager
    async def until_still(self) -> AsyncIterator[None]:
        """Wait for a turn to write within this, until the database stands still.

        Raises:
            StoreUnavailableError: it does.
        """
        if self.stands_still:
            raise unavailable("written", TimeoutError())
        try:
            async with asyncio.timeout(None) as waiting:
                self._watched[waiting] = None
                try:
                    yield
                finally:
                    del self._watched[waiting]
        except TimeoutError as error:
            raise unavailable("written", error) from error

    async def _until_unused(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await self._is_unused.wait()

    async def _touch_once(self) -> None:
        async with within(self._timeout), self._watching.connect() as connection:
            await connection.execute(text("SELECT count(*) FROM alembic_version"))

    @asynccontextmanager
    async def reading(self, seconds: float | None = None) -> AsyncIterator[AsyncConnection]:
        """A connection for queries, which are ended after so many seconds.

        Raises:
            TooCostlyError: they were.
        """
        try:
            async with self._connected(self._readers, self._timeout) as connection:
                if seconds is None:
                    yield connection
                else:
                    async with self._ending_after(seconds, connection):
                        yield connection
        except _BROKEN as error:
            raise unavailable("read", error) from error

    async def settle(self) -> None:
        """Move SQLite's log into its file; by itself the log stays beside it until it grows."""
        if self._is_settled or not self.is_sqlite:
            return
        try:
            async with self._connected(self._writers, None) as connection:
                self._is_settled = await write_back(connection)
        except _BROKEN as error:
            raise unavailable("written", error) from error

    @asynccontextmanager
    async def _connected(self, engine: AsyncEngine, seconds: float | None) -> AsyncIterator[AsyncConnection]:
        """A connection, if available within so many seconds, and until the database is away.

        Raises:
            TimeoutError: it is away, or silent.
            StoreMovedError: its file is gone.
        """
        self._check_in_place()
        writes = engine is self._writers
        if self.is_unavailable or (writes and self.stands_still):
            raise TimeoutError
        async with asyncio.timeout(None) as waiting:
            self._waiting.add(waiting)
            self._is_unused.clear()
            if writes:
                self._watched[waiting] = None
            try:
                async with AsyncExitStack() as opened:
                    # A wait for other readers does not mean that the database is away.
                    await opened.enter_async_context(self._turns.get(engine) or nullcontext())
                    async with within(seconds):
                        connection = await opened.enter_async_context(engine.connect())
                    if writes or self.is_sqlite:
                        driver = (await connection.get_raw_connection()).driver_connection
                        self._watched[waiting] = _Use(connection.info, driver)
                    yield connection
            finally:
                self._waiting.discard(waiting)
                self._watched.pop(waiting, None)
                if not self._waiting:
                    self._is_unused.set()

    def _note_statement(self, connection: Connection, *_: object) -> None:
        self.statements += 1
        connection.info[_STATEMENTS] = connection.info.get(_STATEMENTS, 0) + 1

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
                raise TooCostlyError from error
            raise
        finally:
            if ends is not None:
                ends.cancel()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A connection in a transaction, which is committed at the end and rolled back on any error."""
        try:
            async with self._connected(self._writers, None) as connection, connection.begin():
                if not self.is_sqlite:
                    still = f"SET LOCAL idle_in_transaction_session_timeout = {int(1000 * STILL_SECONDS)}"
                    await connection.execute(text(still))
                yield connection
                self._is_settled = False
        except (IntegrityError, DataError) as error:
            raise StoreRefusedError(f"the database refused: {type(error).__name__}") from error
        except _BROKEN as error:
            raise unavailable("written", error) from error


class _Use:
    """A use of a connection; `still` counts its seconds without progress.

    Each statement in `info` is progress, as is computing by the thread of SQLite's `driver`.
    """

    def __init__(self, info: dict[Any, Any], driver: Any) -> None:
        self.still = 0.0
        self._info = info
        self._driver = driver
        self._seen = self._moved

    def look(self, seconds: float) -> None:
        """Count `seconds`, unless it made progress."""
        seen, self._seen = self._seen, self._moved
        is_at_work = getattr(self._driver, "is_at_work", True)
        self.still = self.still + seconds if is_at_work and seen == self._seen else 0.0

    @property
    def _moved(self) -> tuple[int, float]:
        return self._info.get(_STATEMENTS, 0), getattr(self._driver, "computed", 0.0)


def _cut_off(waiting: Iterable[asyncio.Timeout]) -> None:
    for one in waiting:
        if not one.expired():
            one.reschedule(0)


async def write_back(connection: AsyncConnection) -> bool:
    """Move SQLite's committed log into its file, over a connection without a transaction; whether all of it moved.

    Current reads may prevent it.
    """
    driver: Any = (await connection.get_raw_connection()).driver_connection
    async with driver.execute("PRAGMA wal_checkpoint(PASSIVE)") as cursor:
        _, pages, written = await cursor.fetchone()
    return bool(pages == written)


def file_at(path: Path) -> tuple[int, int] | None:
    """The identity of the file, as the system knows it; None without a file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def unavailable(how: str, error: BaseException) -> StoreUnavailableError:
    """The meaning of an error of the database, in words for the operator."""
    origin = (error.orig if isinstance(error, DBAPIError) else None) or error
    sqlite_code, state = getattr(origin, "sqlite_errorcode", 0) & 0xFF, getattr(origin, "sqlstate", None)
    if isinstance(error, CommandError):
        return StoreTooNewError(_TOO_NEW)
    if sqlite_code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreDamagedError(f"the database file is damaged ({origin}); stop the server and restore a backup")
    if sqlite_code == sqlite3.SQLITE_FULL or state == _DISK_FULL or getattr(origin, "errno", None) == errno.ENOSPC:
        return StoreFullError(f"the database cannot be {how}: the disk is full")
    if isinstance(origin, TimeoutError):
        return StoreUnavailableError(f"the database cannot be {how}: it does not respond")
    return StoreUnavailableError(f"the database cannot be {how}: {_reason(origin)}")


def _reason(origin: BaseException) -> str:
    """The words of an error, without written values and without a password."""
    if isinstance(origin, ArgumentError):
        # Its words may be a part of the URL.
        return "its URL is not valid; percent-encode special characters in names and passwords"
    of_driver = origin.__cause__ or origin
    is_told = (
        isinstance(origin, sqlite3.Error | OSError)
        or isinstance(of_driver, asyncpg.exceptions.ClientConfigurationError)
        or (getattr(origin, "sqlstate", None) or "").startswith(_OF_NO_VALUE)
    )
    return str(origin) if is_told else type(of_driver).__name__


async def _interrupt_after(seconds: float, driver: Any) -> None:
    await asyncio.sleep(seconds)
    await driver.interrupt()


def _expect_newest(schema: Schema) -> None:
    match schema:
        case Schema.NONE:
            raise StoreUnavailableError("the database is empty")
        case Schema.OLDER:
            raise StoreUnavailableError(
                "the database has the schema of an older version of this app; start the server once to upgrade it"
            )
        case Schema.NEWER:
            raise StoreTooNewError(_TOO_NEW)


def engine_at(url: str, *, to_read: bool = False) -> AsyncEngine:
    """The engine for an operator's URL, for writing, or `to_read` existing data.

    Raises:
        sqlalchemy.exc.ArgumentError: the URL is not of a known database.
        OSError: the data folder cannot be made, or has nothing to read.
    """
    try:
        address = make_url(url)
    except ValueError:
        # Its words are a part of the URL.
        raise ArgumentError("the port is not a number") from None
    match address.get_backend_name():
        case "sqlite":
            if address.database:
                file = Path(address.database)
                if not to_read:
                    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    file.touch(mode=0o600)
                elif not file.exists() or file.stat().st_size == 0:
                    # SQLite's own words would not name it.
                    raise OSError(f"{file} is missing or empty")
            return _sqlite_engine(address, 1, "BEGIN" if to_read else "BEGIN IMMEDIATE")
        case "postgresql" | "postgres":
            return _postgresql_engine(address, _CONNECTIONS)
        case other:
            raise ArgumentError(f"{other} is not a supported database; use sqlite or postgresql")


class _Connection(asyncpg.Connection):  # type: ignore[misc]  # it has no types
    """A connection to PostgreSQL whose server may be silent."""

    async def close(self, *, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 - as asyncpg has it
        """Close it within a moment, with or without an answer."""
        with suppress(TimeoutError):
            await super().close(timeout=_GOODBYE_SECONDS)


class _SQLiteConnection(aiosqlite.Connection):
    """A connection to SQLite at a place, a URI, that releases its locks when a query is cancelled.

    SQLite closes a connection with an unfinished statement only when Python collects that, and keeps its locks until
    then.
    """

    def __init__(self, place: str, _database: str, **options: Any) -> None:
        self._connect_to_file = partial(sqlite3.connect, place, uri=True, **options)
        self._opened: sqlite3.Connection | None = None
        self.is_at_work = False
        self._cursors = WeakSet[sqlite3.Cursor]()
        self._clock: int | None = None
        super().__init__(self._open, _ROWS_AT_ONCE)
        # The process ends without waiting for a query.
        self._thread.daemon = True
        self._closing: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """End running and waiting queries, release every lock, and close, also if the caller is cancelled meanwhile."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._let_go_and_close())
            _ENDING.add(self._closing)
        await asyncio.shield(self._closing)

    def stop(self) -> asyncio.Future[None] | None:
        """Close after the running query; a connection that is already closing is left alone."""
        if self._closing is not None and self._connection is not None:
            return None
        # aiosqlite forgets a connection whose caller leaves while it is opened.
        self._tx.put_nowait((None, self._close_opened))
        if (ended := super().stop()) is not None:
            _ENDING.add(ended)
        return ended

    def _open(self) -> sqlite3.Connection:
        self._opened = self._connect_to_file()
        if sys.platform == "linux":
            self._clock = time.pthread_getcpuclockid(threading.get_ident())
        return self._opened

    async def _execute(self, fn: Any, *args: Any, **options: Any) -> Any:
        return await super()._execute(self._work, fn, *args, **options)  # type: ignore[no-untyped-call]  # it has no types

    def _work(self, fn: Any, *args: Any, **options: Any) -> Any:
        self.is_at_work = True
        try:
            result = fn(*args, **options)
        finally:
            self.is_at_work = False
        if isinstance(result, sqlite3.Cursor):
            self._cursors.add(result)
        return result

    def _end_queries(self) -> None:
        """End the queries with rows left: SQLite closes only after them, and an interrupt lasts as long."""
        for cursor in self._cursors:
            cursor.close()

    @property
    def computed(self) -> float:
        """Processor seconds of its thread, which stand still where the system does not return from a read or a write.
        Systems without them for threads give those of the process, which never stand still.
        """
        return time.process_time() if self._clock is None else time.clock_gettime(self._clock)

    def _close_opened(self) -> None:
        if self._opened is not None:
            self._opened.close()

    async def _let_go_and_close(self) -> None:
        # An interrupt of a query may hit the end of its transaction as well.
        for _ in range(_TRIES):
            if not self._running or self._connection is None:
                break
            if await self._has_let_go():
                # An interrupt after the end of a query lasts until the next one, and would stop SQLite's last write of
                # its log.
                await self._execute(self._end_queries)
                await self.execute_fetchall("SELECT 1")
                break
        await super().close()

    async def _has_let_go(self) -> bool:
        """Interrupt the running and waiting queries until the transaction is rolled back; whether it is."""
        letting_go = asyncio.ensure_future(self.rollback())
        while letting_go not in (await asyncio.wait([letting_go], timeout=_INTERRUPT_SECONDS))[0]:
            await self.interrupt()
        return letting_go.exception() is None or not self.in_transaction


def _engine_beside(writers: AsyncEngine, address: URL, connections: int) -> AsyncEngine:
    """An engine with so many connections for reading, at the same address as `writers`.

    All queries over a connection before it is given back see one moment.
    """
    if writers.dialect.name != "sqlite":
        return _postgresql_engine(address, connections, isolation_level="REPEATABLE READ")
    # In memory, readers would delay writes in any case.
    return _sqlite_engine(writers.url, connections, "BEGIN") if writers.url.database else writers


async def _connect_in_time(*args: Any, **options: Any) -> Any:
    async with within(_POSTGRESQL_SECONDS):
        return await asyncpg.connect(*args, **options)


def _postgresql_engine(address: URL, connections: int, **options: str) -> AsyncEngine:
    libpq = [name for name in address.query if name not in _OF_DRIVER]
    return create_async_engine(
        address.set(drivername="postgresql+asyncpg").difference_update_query(libpq),
        hide_parameters=True,
        pool_size=connections,
        max_overflow=connections,
        pool_pre_ping=True,
        pool_timeout=None,
        connect_args={
            "dsn": f"postgresql://?{urlencode({name: address.query[name] for name in libpq}, doseq=True)}",
            "async_creator_fn": _connect_in_time,
            "timeout": None,
            "command_timeout": 6 * _POSTGRESQL_SECONDS,
            "connection_class": _Connection,
        },
        **options,
    )


def _sqlite_engine(address: URL, connections: int, begin: str) -> AsyncEngine:
    """An engine whose transactions start with the statement `begin`: Python's own leave out queries and the schema."""
    # SQLite would make a new file in place of a removed one.
    place = f"file:{quote(address.database)}?mode=rw" if address.database else _place_in_memory()
    engine = create_async_engine(
        address.set(drivername="sqlite+aiosqlite"),
        hide_parameters=True,
        poolclass=AsyncAdaptedQueuePool,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=None,
        connect_args={"timeout": _SQLITE_BUSY_MS / 1000, "async_creator_fn": partial(_SQLiteConnection, place)},
    )
    if not address.database:
        kept = sqlite3.connect(place, uri=True, check_same_thread=False)
        event.listen(engine.sync_engine, "engine_disposed", lambda _: kept.close())
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


def _place_in_memory() -> str:
    """A new database in memory, which exists as long as a connection to it.

    An engine closes the connection of a cancelled query, as when a reader leaves.
    """
    name = secrets.token_hex(8)
    return f"file:/{name}?vfs=memdb" if _MEMORY_IS_SHARED else f"file:{name}?mode=memory&cache=shared"


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    cursor: sqlite3.Cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        # Commits outlive the process; the last ones may be lost with the machine's power.
        "synchronous=NORMAL",
        "foreign_keys=ON",
        f"busy_timeout={_SQLITE_BUSY_MS}",
        f"journal_size_limit={_WAL_BYTES}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
