"""Where people's credentials are kept, sealed: one for each person and origin."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Column, ColumnElement, Double, MetaData, Table, Text, delete, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from chat_ui.profiles.credential import Credential, Seal, may_carry_a_key, seal_key

MOST_OF_A_PERSON: Final = 100
"""Credentials; each is bounded by what a header may hold."""

METADATA = MetaData()

credential = Table(
    "credential",
    METADATA,
    Column("person", Text, primary_key=True),
    Column("origin", Text, primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("kept_at", Double, nullable=False),
)


class VaultError(Exception):
    """Credentials cannot be kept or found at the moment; the message is for the person."""


class Vault:
    """The credentials of people in the SQLite database `credentials.db` of `folder`, which is made when first needed.

    Where several processes share a database, `connect` opens that, which has the table already. Credentials are sealed
    with `key`, or with one that is made in the folder. Every method raises `VaultError` where the database or the key
    cannot be used. The headers `reserved` carry no key.
    """

    def __init__(
        self,
        folder: Path,
        key: str | None = None,
        connect: Callable[[], AsyncEngine] | None = None,
        reserved: Collection[str] = (),
    ) -> None:
        self.reserved = reserved
        self._folder = folder
        self._key = key
        self._connect = connect
        self._opened: tuple[AsyncEngine, Seal] | None = None

    async def keep(self, person: str, origin: str, value: Credential) -> None:
        """Keep `value` in place of what was there for this person and origin.

        Raises:
            VaultError: the person has as many already as there is room for.
        """
        async with self._connection() as (connection, seal):
            others = select(func.count()).where(credential.c.person == person, credential.c.origin != origin)
            if (await connection.scalar(others) or 0) >= MOST_OF_A_PERSON:
                raise VaultError(
                    f"You have keys for {MOST_OF_A_PERSON} backends here, and no more are kept. Remove the key of one "
                    "that you do not use any more, then enter this one again."
                )
            row = {"sealed": seal.close(value, person, origin), "kept_at": time.time()}
            await connection.execute(delete(credential).where(_of(person, origin)))
            await connection.execute(credential.insert().values(person=person, origin=origin, **row))

    async def find(self, person: str, origin: str) -> Credential | None:
        """What is kept for this person and origin; None also where the key it was sealed with is gone.

        Raises:
            VaultError: it was kept for a header that is reserved by now.
        """
        if self._is_unused:
            return None
        async with self._connection() as (connection, seal):
            sealed = await connection.scalar(select(credential.c.sealed).where(_of(person, origin)))
        found = None if sealed is None else seal.open(sealed, person, origin)
        if found is not None and found.header and not may_carry_a_key(found.header, self.reserved):
            raise VaultError(
                f"Your key for this backend goes in the header {found.header}, which is not for keys any more. "
                "Enter it again in Backend settings, with another header."
            )
        return found

    async def drop(self, person: str, origin: str) -> None:
        """Forget what is kept for this person and origin."""
        if self._is_unused:
            return
        async with self._connection() as (connection, _):
            await connection.execute(delete(credential).where(_of(person, origin)))

    async def close(self) -> None:
        """Close every connection."""
        if self._opened is not None:
            await self._opened[0].dispose()

    @property
    def _is_unused(self) -> bool:
        return self._opened is None and self._connect is None and not self._path.exists()

    @property
    def _path(self) -> Path:
        return self._folder / "credentials.db"

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[tuple[AsyncConnection, Seal]]:
        try:
            engine, seal = self._opened or await self._open()
            async with engine.begin() as connection:
                yield connection, seal
        except (SQLAlchemyError, OSError) as error:
            raise VaultError(
                f"The key cannot be kept or found: {type(error).__name__}. The server's log says more."
            ) from error

    async def _open(self) -> tuple[AsyncEngine, Seal]:
        seal = Seal(self._key or seal_key(self._folder))
        if self._connect is not None:
            self._opened = self._connect(), seal
            return self._opened
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        engine = create_async_engine(f"sqlite+aiosqlite:///{self._path}", hide_parameters=True)
        async with engine.begin() as connection:
            await connection.run_sync(METADATA.create_all)
        self._opened = engine, seal
        return self._opened


def _of(person: str, origin: str) -> ColumnElement[bool]:
    return (credential.c.person == person) & (credential.c.origin == origin)
