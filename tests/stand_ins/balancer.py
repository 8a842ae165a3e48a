"""A reverse proxy that alternates between servers, without sticky sessions.

Sockets take turns, and so do event streams, starting with the server after the first socket's. So the first page's
stream is never at the server of its socket. A server that cannot be reached is skipped. `cut` refuses sockets until
`mend`. Without `cookies` it acts as a browser that stores no cookies.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager

from tests.stand_ins.connections import accepting, pass_on
from tests.stand_ins.stand_in import in_thread

_KEPT_OPEN = re.compile(rb"\r\nconnection:[^\r]*", re.IGNORECASE)
_COOKIE = re.compile(rb"\r\nset-cookie:[^\r]*", re.IGNORECASE)
_UPGRADE = re.compile(rb"\r\nupgrade: websocket", re.IGNORECASE)


class Balancer:
    """Listens on a loopback port, in front of servers on `ports`."""

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = ports
        self._next = {"socket": 0, "stream": 1 % len(ports), "other": 0}
        self.url = ""
        self.carried: dict[str, list[int]] = {"socket": [], "stream": [], "other": []}
        """The numbers of the servers that got the requests, in order."""
        self.cookies = True
        self._sockets: set[asyncio.StreamWriter] | None = set()

    @asynccontextmanager
    async def running(self, **_: object) -> AsyncIterator[Balancer]:
        self._loop = asyncio.get_running_loop()
        async with accepting(self._serve) as port:
            self.url = f"http://localhost:{port}"
            yield self

    def cut(self) -> None:
        """End the open sockets, and refuse others."""
        sockets, self._sockets = self._sockets or set(), None
        for socket in sockets:
            self._loop.call_soon_threadsafe(socket.transport.abort)

    def mend(self) -> None:
        """Accept sockets again."""
        self._sockets = set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward one request and its answer."""
        head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
        if _UPGRADE.search(head):
            kind = "socket"
            if self._sockets is None:
                raise ConnectionRefusedError
            self._sockets.add(writer)
        else:
            kind = "stream" if b"/stream " in head.partition(b"\r\n")[0] else "other"
            # The connection is closed, so that the next request takes the next turn.
            head = _KEPT_OPEN.sub(b"", head) + b"\r\nConnection: close"
        server_reader, server_writer = await self._connect(kind)
        server_writer.write(head + b"\r\n\r\n")
        await asyncio.gather(pass_on(reader, server_writer), pass_on(server_reader, writer, self._with_cookies))

    async def _connect(self, kind: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for _ in self._ports:
            number = self._next[kind]
            self._next[kind] = (number + 1) % len(self._ports)
            try:
                opened = await asyncio.open_connection("127.0.0.1", self._ports[number])
            except OSError:
                continue
            self.carried[kind].append(number)
            return opened
        raise ConnectionRefusedError

    def _with_cookies(self, data: bytes) -> bytes:
        return data if self.cookies else _COOKIE.sub(b"", data)


def balancing(ports: Sequence[int]) -> AbstractContextManager[Balancer]:
    """A balancer in a thread."""
    return in_thread(Balancer(ports))
