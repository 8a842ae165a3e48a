"""A distant server: a proxy that delays data by half a round trip in each direction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.stand_ins.connections import accepting


class FarAway:
    """Listens on a loopback port before the server on `port`, with a round trip in seconds."""

    def __init__(self, port: int, round_trip: float = 0.08) -> None:
        self._port = port
        self._on_the_way = round_trip / 2
        self.url = ""

    @asynccontextmanager
    async def running(self, **_: object) -> AsyncIterator[FarAway]:
        async with accepting(self._serve) as port:
            self.url = f"http://localhost:{port}"
            yield self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._port)
        await asyncio.gather(self._pipe(reader, server_writer), self._pipe(server_reader, writer))

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        later = asyncio.get_running_loop().call_later
        with suppress(OSError):
            while data := await reader.read(65536):
                later(self._on_the_way, writer.write, data)
        await asyncio.sleep(self._on_the_way)
        writer.close()
