"""What many people at once cost one server process, and whether each of them reads what was written for them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure, middle, percentile
from tests.benchmarks.people import Person, check
from tests.benchmarks.servers import Server

PEOPLE = 200
RATE = 50
SECONDS = 20
IDLE = 1_000
IDLE_SECONDS = 30
AT_ONCE = 20
"""How many arrive at the same time."""


@dataclass(frozen=True)
class Load:
    """What a crowd got and cost: delays in seconds, processor seconds for one second, and memory."""

    delays: list[float]
    cpu_share: float
    memory_mb: float
    others_share: float


def people(bench: Bench) -> Iterator[Figure]:
    """Two hundred answers at once."""
    with _own_core(bench):
        load = asyncio.run(_all_ask(bench, PEOPLE))
    yield Figure("people", f"{PEOPLE} answers of {RATE} tokens/s: every character as sent", PEOPLE, "answers")
    yield Figure("people", "delay, 95th percentile", 1000 * percentile(load.delays, 0.95), "ms", 300)
    yield Figure("people", "delay, median", 1000 * middle(load.delays), "ms")
    yield Figure("people", "memory of the server", load.memory_mb, "MB", 600)
    yield Figure("people", "processor of the server for each stream", 1000 * load.cpu_share / PEOPLE, "ms/s", 5)
    yield Figure("people", "processor of backend and people, on the other core", 100 * load.others_share, "%")


def idle(bench: Bench) -> Iterator[Figure]:
    """A thousand people who have the page open and do nothing."""
    memory, share = asyncio.run(_all_wait(bench.server))
    yield Figure("idle", f"memory for {IDLE} people more", memory, "MB", 400)
    yield Figure("idle", f"processor with {IDLE} people", 100 * share, "% of a core", 5)


async def _all_ask(bench: Bench, number: int) -> Load:
    crowd = await _arrived(bench.server, number)
    await asyncio.gather(*(person.use(bench.backend) for person in crowd))
    asking = [
        asyncio.create_task(person.ask(f"kind=stamped rate={RATE} tokens={RATE * SECONDS} id=p{name}"))
        for name, person in enumerate(crowd)
    ]
    await asyncio.sleep(SECONDS / 4)
    others = psutil.Process(), bench.backend.process
    began, cpu, others_cpu = time.monotonic(), bench.server.cpu_seconds(), _cpu(others)
    await asyncio.sleep(SECONDS / 2)
    elapsed = time.monotonic() - began
    cpu_share = (bench.server.cpu_seconds() - cpu) / elapsed
    others_share = (_cpu(others) - others_cpu) / elapsed
    memory = bench.server.memory_mb()
    readings = await asyncio.gather(*asking)
    for name, reading in enumerate(readings):
        check(reading, bench.backend, f"p{name}")
    await asyncio.gather(*(person.leave() for person in crowd))
    return Load([delay for reading in readings for delay in reading.delays], cpu_share, memory, others_share)


async def _all_wait(server: Server) -> tuple[float, float]:
    before = server.memory_mb()
    crowd = await _arrived(server, IDLE)
    staying = [asyncio.create_task(person.stay()) for person in crowd]
    await asyncio.sleep(5)
    began, cpu = time.monotonic(), server.cpu_seconds()
    await asyncio.sleep(IDLE_SECONDS)
    share = (server.cpu_seconds() - cpu) / (time.monotonic() - began)
    memory = server.memory_mb() - before
    for task in staying:
        task.cancel()
    await asyncio.gather(*staying, return_exceptions=True)
    await asyncio.gather(*(person.leave() for person in crowd))
    return memory, share


async def _arrived(server: Server, number: int) -> list[Person]:
    crowd = [Person(server.url) for _ in range(number)]
    for start in range(0, number, AT_ONCE):
        await asyncio.gather(*(person.arrive() for person in crowd[start : start + AT_ONCE]))
    return crowd


def _cpu(processes: tuple[psutil.Process, ...]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


@contextmanager
def _own_core(bench: Bench) -> Iterator[None]:
    """The server on the first core, everything else of ours on the others."""
    cores = sorted(os.sched_getaffinity(0))
    bench.server.keep_to(cores[:1])
    ours = (os.getpid(), bench.backend.process.pid)
    for process in ours:
        os.sched_setaffinity(process, cores[1:] or cores)
    try:
        yield
    finally:
        bench.server.keep_to(cores)
        for process in ours:
            os.sched_setaffinity(process, cores)
