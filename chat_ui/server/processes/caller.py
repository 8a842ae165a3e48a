"""The client of a request: its address, and whether it is still connected."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive


class Caller:
    """The client of one request, at `address`; made in the task that handles the request."""

    def __init__(self, address: str, receive: Receive) -> None:
        self.address = address
        self._receive = receive
        self._task = asyncio.current_task()
        self._leaving: asyncio.Task[None] | None = None

    async def receive(self) -> Message:
        if self._leaving is None:
            return await self._receive()
        await asyncio.shield(self._leaving)
        return {"type": "http.disconnect"}

    @asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        """End the work within when the client closes its connection. The body has been read by then. Work in another
        task outlives its request and is left alone.

        Raises:
            ClientDisconnect: the client has gone.
        """
        if asyncio.current_task() is not self._task:
            yield
            return
        leaving = self._leaving = self._leaving or asyncio.create_task(self._left())
        now = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(0 if leaving.done() else None) as until:

                def end(_: asyncio.Task[None]) -> None:
                    # It may have ended by itself meanwhile.
                    with suppress(RuntimeError):
                        until.reschedule(now())

                leaving.add_done_callback(end)
                try:
                    yield
                finally:
                    leaving.remove_done_callback(end)
        except TimeoutError:
            if until.expired():
                raise ClientDisconnect from None
            raise

    def end(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()

    async def _left(self) -> None:
        # An unread body that does not arrive is as good as a closed connection.
        with suppress(HTTPException):
            while (await self._receive())["type"] != "http.disconnect":
                pass


_current: Final[ContextVar[Caller | None]] = ContextVar("caller", default=None)
set_caller = _current.set
reset_caller = _current.reset


def address_of_caller() -> str:
    """The address of the current request's client, else empty."""
    caller = _current.get()
    return caller.address if caller is not None else ""


@asynccontextmanager
async def while_served() -> AsyncIterator[None]:
    """End the work within with its request, if any; see `Caller.served`."""
    caller = _current.get()
    if caller is None:
        yield
        return
    async with caller.served():
        yield
