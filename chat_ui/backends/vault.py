"""The store of people's credentials, encrypted: one for each person and origin, or own backend there."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

from sqlalchemy import Column, ColumnElement, Double, MetaData, Table, Text, delete, func, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from chat_ui.backends.credential import SEALED_FILE, Credential, Seal, may_carry_a_key, seal_key
from chat_ui.conversations.running_time import within
from chat_ui.conversations.store.database import (
    ANSWER_SECONDS,
    READS_AT_ONCE,
    engine_at,
    file_at,
    unavailable,
    write_back,
)
from chat_ui.errors import VaultError, VaultUnavailableError
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.translatable import msg

logger = logging.getLogger(__name__)

MOST_OF_A_PERSON: Final = 100
"""Credentials of one person; the length of a header bounds each."""
_REMEMBERED_BYTES: Final = 8 * 1024 * 1024
_TURN_SECONDS: Final = 15.0
_TURNS_AT_ONCE: Final = 4
"""Connections that turns may take from other reads and writes."""

METADATA = MetaData()

credential = Table(
    "credential",
    METADATA,
    Column("person", Text, primary_key=True),
    Column("origin", Text, primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("kept_at", Double, nullable=False),
)


class Vault:
    """The credentials of people in the SQLite database `credentials.db` of `folder`, which is made when first needed.

    For several processes, `connect` opens their shared database, which already has the table; while it
    `is_unavailable`, it is not asked. Credentials are encrypted with `key`, or with a key that is made in the folder.
    Every method raises `VaultUnavailableError` if the database or the key cannot be used. The headers `reserved` carry
    no key.
    """

    def __init__(
        self,
        folder: Path,
        key: str | None = None,
        connect: Callable[[], AsyncEngine] | None = None,
        reserved: Collection[str] = (),
        is_unavailable: Callable[[], bool] = lambda: False,
    ) -> None:
        self.reserved = reserved
        self._is_unavailable = is_unavailable
        self._folder = folder
        self._key = key
        self._connect = connect
        self._file: tuple[int, int] | None = None
        self._opened: tuple[AsyncEngine, Seal] | None = None
        self._remembered: RecentlyUsed[tuple[str, str], str | None] = RecentlyUsed(_REMEMBERED_BYTES)
        """Credentials found or kept last, encrypted, for times when the database cannot be used."""
        self._told_of_another_key = False
        self._turns = asyncio.Semaphore(READS_AT_ONCE)
        self._long_turns = asyncio.Semaphore(_TURNS_AT_ONCE)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def keep(self, person: str, origin: str, value: Credential, backend: str = "") -> None:
        """Keep `value` for this person, origin and own `backend` (an id), in place of an earlier value.

        Raises:
            VaultError: the person has `MOST_OF_A_PERSON` already.
        """
        origin = _row_name(origin, backend)
        async with self._connection() as (connection, seal):
            others = select(func.count()).where(credential.c.person == person, credential.c.origin != origin)
            if (await connection.scalar(others) or 0) >= MOST_OF_A_PERSON:
                raise VaultError(
                    msg(
                        "You have saved keys for {most} backends, which is the limit. Remove one "
                        "that you do not use, then enter this one again.",
                        most=MOST_OF_A_PERSON,
                    )
                )
            sealed = seal.encrypt(value, person, origin)
            await connection.execute(delete(credential).where(_of(person, origin)))
            row = {"person": person, "origin": origin, "sealed": sealed, "kept_at": time.time()}
            await connection.execute(credential.insert().values(row))
        await self._checkpoint()
        self._remember(person, origin, sealed)

    async def find(self, person: str, origin: str, backend: str = "") -> Credential | None:
        """The credential for this person, origin and own `backend`, or else for the origin; else None.

        While the database cannot be used, the credential that was found or kept here last.

        Raises:
            VaultError: it was encrypted with another key, or kept for a header that is reserved by now.
        """
        if backend and (of_backend := await self.find(person, _row_name(origin, backend))) is not None:
            return of_backend
        if self._is_unused:
            return None
        try:
            async with self._connection() as (connection, _):
                sealed = await connection.scalar(select(credential.c.sealed).where(_of(person, origin)))
            self._remember(person, origin, sealed)
        except VaultUnavailableError:
            if (person, origin) not in self._remembered:
                raise
            sealed = self._remembered.get((person, origin))
        if sealed is None or self._opened is None:
            return None
        if (found := self._opened[1].decrypt(sealed, person, origin)) is None:
            if not self._told_of_another_key:
                logger.warning("users' keys cannot be decrypted: the secret key has changed")
            self._told_of_another_key = True
            raise VaultError(
                msg(
                    "Your key for this backend cannot be read any more, because the server's secret "
                    "key has changed. Enter it again in Backend settings, or remove it there."
                )
            )
        if found.header and not may_carry_a_key(found.header, self.reserved):
            raise VaultError(
                msg(
                    "Your key for this backend is sent in the header {name}, which is not allowed "
                    "any more. Enter it again in Backend settings, with another header.",
                    name=found.header,
                )
            )
        return found

    async def drop(self, person: str, origin: str, backend: str = "") -> None:
        """Forget the credential for this person and origin, or for their own `backend` there."""
        origin = _row_name(origin, backend)
        if self._is_unused:
            return
        async with self._connection() as (connection, _):
            await connection.execute(delete(credential).where(_of(person, origin)))
        await self._checkpoint()
        self._remember(person, origin, None)

    async def hand_over(self, person: str, to: str) -> None:
        """Make the person's credentials another person's, unless that person has one for the same origin or backend."""
        async with self.in_turn(person) as rows:
            brought = dict(rows)
        async with self.in_turn(to) as theirs:
            theirs.update({**brought, **theirs})
        async with self.in_turn(person) as rows:
            rows.clear()

    @asynccontextmanager
    async def in_turn(self, person: str) -> AsyncIterator[dict[str, Credential]]:
        """A person's credentials by the names of their rows, for one task of all processes at a time, at most 15 s.
        Changes are written at the end in one transaction. Processes wait for each other only for existing rows.
        """
        mine = select(credential.c.origin, credential.c.sealed).where(credential.c.person == person)
        async with self._locks.setdefault(person, asyncio.Lock()):
            # SQLite belongs to one process, and an open transaction would hold up other people.
            is_shared = self._connect is not None
            async with self._connection(self._long_turns, _TURN_SECONDS) if is_shared else nullcontext() as held:
                async with self._connection() if held is None else nullcontext(held) as (connection, seal):
                    await connection.execute(mine.order_by(credential.c.origin).with_for_update())
                    # A second statement sees the rows that another process wrote meanwhile.
                    found = (await connection.execute(mine)).all()
                opened = {row.origin: seal.decrypt(row.sealed, person, row.origin) for row in found}
                yield (rows := {origin: one for origin, one in opened.items() if one is not None})
                changed = [one for one in {**opened, **rows} if rows.get(one) != opened.get(one)]
                sealed = {one: seal.encrypt(rows[one], person, one) for one in changed if one in rows}
                async with self._connection() if held is None else nullcontext(held) as (connection, _):
                    for origin in changed:
                        values = {"sealed": sealed.get(origin), "kept_at": time.time()}
                        if origin not in sealed:
                            await connection.execute(delete(credential).where(_of(person, origin)))
                        # The replacement of a locked row would not stay locked.
                        elif origin in opened:
                            await connection.execute(update(credential).where(_of(person, origin)).values(values))
                        else:
                            row = {"person": person, "origin": origin, **values}
                            await connection.execute(credential.insert().values(row))
            await self._checkpoint()
            for origin in changed:
                self._remember(person, origin, sealed.get(origin))

    async def drop_older(self, prefix: str, before: float) -> None:
        """Forget the rows whose names begin with `prefix`, last written before that time, in seconds since 1970."""
        if not self._is_unused:
            async with self._connection() as (connection, _):
                is_old = credential.c.origin.startswith(prefix, autoescape=True) & (credential.c.kept_at < before)
                await connection.execute(delete(credential).where(is_old))

    async def trust(self, person: str, origin: str, fingerprint: str) -> None:
        """Keep the fingerprint of the only certificate that this person trusts at `origin`.

        Raises:
            VaultError: the person has `MOST_OF_A_PERSON` credentials already.
        """
        await self.keep(person, _certificate_row_name(origin), Credential("bearer", fingerprint))

    async def trusted(self, person: str, origin: str) -> str:
        """The fingerprint of the certificate that this person trusts at `origin`; else empty."""
        found = await self.find(person, _certificate_row_name(origin))
        return found.secret if found is not None else ""

    async def distrust(self, person: str, origin: str) -> None:
        await self.drop(person, _certificate_row_name(origin))

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened[0].dispose()
            self._opened = None

    @property
    def _is_unused(self) -> bool:
        return self._opened is None and self._connect is None and not self._path.exists()

    @property
    def _path(self) -> Path:
        return self._folder / SEALED_FILE

    def _remember(self, person: str, origin: str, sealed: str | None) -> None:
        self._remembered.put((person, origin), sealed, size_of((person, origin, sealed), _REMEMBERED_BYTES))

    async def _checkpoint(self) -> None:
        """Write the write-ahead log into the file, so that a copy of the file is complete."""
        if self._connect is None and self._opened is not None:
            async with self._opened[0].connect() as connection:
                await write_back(connection)

    @asynccontextmanager
    async def _connection(
        self, turns: asyncio.Semaphore | None = None, seconds: float = ANSWER_SECONDS
    ) -> AsyncIterator[tuple[AsyncConnection, Seal]]:
        try:
            # A wait for others does not mean that the database is away.
            async with turns or self._turns:
                if self._is_unavailable():
                    raise VaultUnavailableError
                engine, seal = await self._open()
                timeout = seconds if self._connect is not None else None
                async with within(timeout), engine.begin() as connection:
                    yield connection, seal
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            logger.warning("users' keys cannot be stored or read: %s", unavailable("used", error))
            raise VaultUnavailableError from error

    async def _open(self) -> tuple[AsyncEngine, Seal]:
        if self._opened is not None and (self._connect is not None or file_at(self._path) == self._file):
            return self._opened
        await self.close()
        seal = Seal(self._key or seal_key(self._folder))
        if self._connect is not None:
            engine = self._connect()
        else:
            engine = engine_at(f"sqlite:///{self._path}")
            async with engine.begin() as connection:
                await connection.run_sync(METADATA.create_all)
            self._file = file_at(self._path)
        self._opened = engine, seal
        return self._opened


def _row_name(origin: str, backend: str) -> str:
    """The `origin` of a key's row. The key is encrypted with it, and so opens only for that origin and backend."""
    return f"{origin} {backend}" if backend else origin


def _certificate_row_name(origin: str) -> str:
    """The `origin` of a certificate's row, unlike any origin."""
    return f"certificate of {origin}"


def _of(person: str, origin: str) -> ColumnElement[bool]:
    return (credential.c.person == person) & (credential.c.origin == origin)
