"""A network far away that loses segments: a proxy for TCP, as what Chromium emulates loses none and delays no socket.

A segment takes half of `ROUND_TRIP`. One that is lost comes `RETRANSMISSION` later, and what follows waits for it, as a
receiver gets everything in order. A new connection takes one round trip before anything else.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Final

from tests.backends.connections import accepting

ROUND_TRIP: Final = 0.4
LOSS: Final = 0.03
RETRANSMISSION: Final = 0.6
"""Seconds: the round trip, and the least that Linux adds to it before it sends a segment once more."""
SEGMENT: Final = 1460


class PoorNetwork:
    """Listens on a port of loopback, far from the server on `port`; the same `seed` loses the same segments."""

    def __init__(self, port: int, *, loss: float = LOSS, round_trip: float = ROUND_TRIP, seed: int = 1) -> None:
        self.url = ""
        self.loop = asyncio.new_event_loop()
        self._port = port
        self._loss = loss
        self._round_trip = round_trip
        self._random = Random(seed)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection."""
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.close()
            return
        opened = self.loop.time() + self._round_trip
        with suppress(asyncio.CancelledError):
            await asyncio.gather(self._carry(reader, server_writer, opened), self._carry(server_reader, writer, opened))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, opened: float) -> None:
        segments: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        delivering = asyncio.create_task(self._deliver(segments, writer))
        due = opened
        with suppress(OSError):
            while data := await reader.read(65536):
                for start in range(0, len(data), SEGMENT):
                    due = max(due, self.loop.time() + self._travels())
                    segments.put_nowait((due, data[start : start + SEGMENT]))
        segments.put_nowait((due, b""))
        await delivering

    def _travels(self) -> float:
        seconds = self._round_trip / 2
        while self._random.random() < self._loss:
            seconds += RETRANSMISSION
        return seconds

    async def _deliver(self, segments: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while True:
                due, data = await segments.get()
                await asyncio.sleep(due - self.loop.time())
                if not data:
                    break
                writer.write(data)
                await writer.drain()
        writer.close()


@contextmanager
def poor_network(
    port: int, *, loss: float = LOSS, round_trip: float = ROUND_TRIP, seed: int = 1
) -> Iterator[PoorNetwork]:
    """A poor network in a thread of its own."""
    network = PoorNetwork(port, loss=loss, round_trip=round_trip, seed=seed)
    ready, over = threading.Event(), asyncio.Event()

    async def run() -> None:
        async with accepting(network.serve) as own_port:
            network.url = f"http://localhost:{own_port}"
            ready.set()
            await over.wait()

    thread = threading.Thread(target=network.loop.run_until_complete, args=(run(),), daemon=True)
    thread.start()
    ready.wait(60)
    try:
        yield network
    finally:
        network.loop.call_soon_threadsafe(over.set)
        thread.join(60)
