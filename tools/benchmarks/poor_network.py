"""An answer over a poor network, beside a page with only `fetch` over the same network.

A TCP proxy delays and loses segments, as Chromium's emulation does not lose segments or delay sockets. A segment takes
half of `ROUND_TRIP`. A lost segment arrives `RETRANSMISSION` later and delays all later segments, as a receiver gets
them in order. A new connection takes a round trip first.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from random import Random
from statistics import median
from typing import Final
from urllib.parse import urlsplit

from tests.stand_ins.connections import accepting
from tools.benchmarks.bench import Bench
from tools.benchmarks.browser import MeasuredPage, chat_page, plain_page
from tools.benchmarks.figures import Figure, percentile

PART = "poor-network"
ANSWER = {"kind": "prose", "tokens": 1000, "rate": 190}
IN_A_PAGE = 3
"""Answers for each page."""
ROUND_TRIP: Final = 0.4
LOSS: Final = 0.03
RETRANSMISSION: Final = 0.6
"""Seconds: the round trip, and the minimum that Linux adds before a retransmission."""
SEGMENT: Final = 1460


class PoorNetwork:
    """A proxy on loopback before the server on `port`; the same `seed` loses the same segments."""

    def __init__(self, port: int, *, loss: float = LOSS, round_trip: float = ROUND_TRIP, seed: int = 1) -> None:
        self.url = ""
        self.loop = asyncio.new_event_loop()
        self._port = port
        self._loss = loss
        self._round_trip = round_trip
        self._random = Random(seed)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry a connection."""
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
        due = opened
        async with asyncio.TaskGroup() as delivering:
            delivering.create_task(self._deliver(segments, writer))
            with suppress(OSError):
                while data := await reader.read(65536):
                    for start in range(0, len(data), SEGMENT):
                        due = max(due, self.loop.time() + self._travels())
                        segments.put_nowait((due, data[start : start + SEGMENT]))
            segments.put_nowait((due, b""))

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
    """A poor network in another thread."""
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


def answers(bench: Bench) -> Iterator[Figure]:
    """The time until the end of an answer is on the screen; plain `fetch` measures the network itself."""
    for loss in (0, LOSS):
        ours, plain = list[float](), list[float]()
        for seed in range(bench.repeats):
            ours += _ends(bench, loss, seed, plain=False)
            plain += _ends(bench, loss, seed, plain=True)
        over = f"{1000 * ROUND_TRIP:.0f} ms round trip, {loss:.0%} lost"
        yield Figure(PART, f"{over}: last text after the backend's last byte", median(ours), "s")
        yield Figure(PART, "… in a page of nothing but fetch and text", median(plain), "s")
        yield Figure(PART, "… how much later than in that", median(ours) - median(plain), "s", 1)
        yield Figure(
            PART, "… the slowest tenth of the answers, against that of fetch", _worst(ours) - _worst(plain), "s"
        )


def _worst(seconds: list[float]) -> float:
    return percentile(seconds, 0.9)


def _ends(bench: Bench, loss: float, seed: int, *, plain: bool) -> list[float]:
    """Seconds from the backend to the screen for the ends of some answers."""
    server, backend = bench.server, bench.backend
    port = urlsplit(backend.url if plain else server.url).port
    assert port
    with poor_network(port, loss=loss, seed=seed) as network:
        if plain:
            opened = plain_page(bench.browser, server, replace(backend, url=f"{network.url}/chat"))
        else:
            opened = chat_page(bench.browser, replace(server, url=network.url), backend)
        with opened as page:
            return [_end(page, plain=plain) for _ in range(IN_A_PAGE)]


def _end(page: MeasuredPage, *, plain: bool) -> float:
    if not plain:
        # The page may learn of the end shortly after the last text.
        page.page.get_by_role("button", name="Send").wait_for()
    return page.ask(**ANSWER).last_text
