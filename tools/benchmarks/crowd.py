"""The cost of many people for a server process or two, with a check of each answer."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

import psutil

from tests.app import App
from tests.postgresql import postgresql_for_tests
from tests.redis_server import running_redis
from tests.servers import Backend, Server, server_at
from tools.benchmarks.bench import Bench
from tools.benchmarks.figures import Figure, percentile
from tools.benchmarks.people import Person, Reading, RefusedError, WrongAnswerError, check

PEOPLE = 300
RATE = 50
SECONDS = 20
PEOPLE_OF_WORKERS = 100
CARRIED = {"Redis and PostgreSQL": 200, "SQLite alone": 300}
"""The number of people that a process serves on each store."""
IDLE = 1_000
IDLE_SECONDS = 30
NUMBERS = count(1)
SETTLED = 5
"""Seconds until the cost of simultaneous questions is over."""
IN_TIME = 0.3
"""Seconds from the backend to the screen at low load."""
AT_ONCE = 20
"""The number of simultaneous arrivals."""


@dataclass(frozen=True)
class Load:
    """Delays (seconds), processor seconds per second, and memory under load. `delays_between` are those between the
    simultaneous start and end of all answers.
    """

    delays: list[float]
    delays_between: list[float]
    cpu_share: float
    memory_mb: float
    others_share: float


def people(bench: Bench) -> Iterator[Figure]:
    """Three hundred answers at once."""
    with _own_core(bench):
        load = bench.run(_all_ask([bench.server], bench.backend, PEOPLE))
    yield Figure("people", f"{PEOPLE} answers of {RATE} tokens/s: every character as sent", PEOPLE, "answers")
    yield Figure("people", "delay, 95th percentile", 1000 * percentile(load.delays, 0.95), "ms", 300)
    yield Figure("people", "delay, median", 1000 * median(load.delays), "ms")
    between = percentile(load.delays_between, 0.95)
    yield Figure("people", "… 95th percentile without the seconds in which all ask, and all end", 1000 * between, "ms")
    yield Figure("people", "memory of the server", load.memory_mb, "MB", 600)
    yield Figure("people", "processor of the server for each stream", 1000 * load.cpu_share / PEOPLE, "ms/s", 2.8)
    yield Figure("people", "processor of backend and people, on the other core", 100 * load.others_share, "%")


def workers(bench: Bench) -> Iterator[Figure]:
    """A process on SQLite, a process on Redis and PostgreSQL, and two with as many people each.

    Delays may be equal, since a busier process merges more tokens. The two share two cores with the backend and the
    people, so the figures compare people per core.
    """
    alone = bench.run(_all_ask([bench.server], bench.backend, PEOPLE_OF_WORKERS // 2))
    with _workers() as apps:
        servers = [server_at(one.url) for one in apps]
        one = bench.run(_all_ask(servers[:1], bench.backend, PEOPLE_OF_WORKERS // 2))
        two = bench.run(_all_ask(servers, bench.backend, PEOPLE_OF_WORKERS))
    runs = (
        (alone, PEOPLE_OF_WORKERS // 2, "one process on SQLite"),
        (one, PEOPLE_OF_WORKERS // 2, "one process on Redis"),
        (two, PEOPLE_OF_WORKERS, "two processes on Redis"),
    )
    for load, number, name in runs:
        yield Figure("workers", f"{name}, {number} answers: delay, median", 1000 * median(load.delays), "ms")
        share = 1000 * load.cpu_share / number
        yield Figure("workers", f"{name}: processor of the servers for each stream", share, "ms/s")
    against = one.cpu_share / alone.cpu_share
    yield Figure("workers", "processor for a stream with Redis and PostgreSQL against SQLite", against, "×", goal=1.25)
    yield Figure(
        "workers",
        "streams that two carry against one, by processor",
        4 * one.cpu_share / two.cpu_share,
        "×",
        goal=1.7,
        at_least=True,
    )


def overload(bench: Bench) -> Iterator[Figure]:
    """A full process when as many people again ask in the same instant."""
    for on, number in CARRIED.items():
        with _workers(1, is_alone=on == "SQLite alone") as [worker]:
            for what, value, unit, *goal in bench.run(_too_many_ask(worker, bench.backend, number)):
                yield Figure("overload", f"{on}: {what}", value, unit, *goal)
            lines = [line for line in worker.log.splitlines() if " WARNING " in line or " ERROR " in line]
        alarms = [line for line in lines if "questions are refused" not in line]
        yield Figure("overload", f"{on}: lines of the log about faults that are none", len(alarms), "lines", 0)


async def _too_many_ask(app: App, backend: Backend, number: int) -> list[tuple[str, float, str, *tuple[float, ...]]]:
    crowd = await _arrived([server_at(app.url)], 2 * number)
    await asyncio.gather(*(person.use(backend) for person in crowd))
    names = [f"o{next(NUMBERS)}" for _ in crowd]

    def ask(begin: int, seconds: int) -> list[asyncio.Task[Reading]]:
        asking = zip(crowd[begin:][:number], names[begin:], strict=False)
        words = f"kind=stamped rate={RATE} tokens={RATE * seconds}"
        return [asyncio.create_task(person.ask(f"{words} id={name}")) for person, name in asking]

    tasks = ask(0, 2 * SECONDS)
    await asyncio.sleep(SECONDS)
    more_at = time.time()
    tasks += ask(number, SECONDS)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    ended = time.monotonic()
    late = 2 * IN_TIME
    while late > IN_TIME:
        again = await crowd[0].ask(f"kind=stamped rate={RATE} tokens={RATE} id=o{next(NUMBERS)}")
        late = max(delay for _, delay in again.delays)
    normal = time.monotonic() - ended
    refused = sum(isinstance(one, RefusedError) for one in results)
    wrong = sum(not _is_right(one, backend, name) for one, name in zip(results, names, strict=True))
    running = [moment for one in results[:number] if isinstance(one, Reading) for moment in one.delays]
    # Exclude the seconds of the simultaneous start and end.
    before = percentile([delay for at, delay in running if more_at - SECONDS / 2 < at < more_at], 0.95)
    after = percentile([delay for at, delay in running if more_at < at < more_at + SECONDS], 0.95)
    return [
        ("people whose answers were made", len(results) - refused, "people"),
        ("people who were refused in words", refused, "people"),
        ("answers that are not as sent", wrong - refused, "answers", 0),
        ("running answers before: delay, 95th percentile", 1000 * before, "ms"),
        ("… as the others ask", 1000 * after, "ms"),
        ("… against before", after / before, "×", 2),
        ("seconds until a question is answered in time again", normal, "s", 10),
    ]


def _is_right(result: Reading | BaseException, backend: Backend, name: str) -> bool:
    try:
        check(result, backend, name) if isinstance(result, Reading) else None
    except WrongAnswerError:
        return False
    return isinstance(result, Reading)


def idle(bench: Bench) -> Iterator[Figure]:
    """A thousand people with an idle page."""
    memory, share = bench.run(_all_wait(bench.server))
    yield Figure("idle", f"memory for {IDLE} people more", memory, "MB", 400)
    yield Figure("idle", f"processor with {IDLE} people", 100 * share, "% of a core", 5)


async def _all_ask(servers: Sequence[Server], backend: Backend, number: int) -> Load:
    crowd = await _arrived(servers, number)
    await asyncio.gather(*(person.use(backend) for person in crowd))
    names = [f"p{next(NUMBERS)}" for _ in crowd]
    asking = [
        asyncio.create_task(person.ask(f"kind=stamped rate={RATE} tokens={RATE * SECONDS} id={name}"))
        for name, person in zip(names, crowd, strict=True)
    ]
    asked = time.time()
    await asyncio.sleep(SECONDS / 4)
    others = psutil.Process(), backend.process
    began, cpu, others_cpu = time.monotonic(), _servers_cpu(servers), _cpu(others)
    await asyncio.sleep(SECONDS / 2)
    elapsed = time.monotonic() - began
    cpu_share = (_servers_cpu(servers) - cpu) / elapsed
    others_share = (_cpu(others) - others_cpu) / elapsed
    memory = sum(server.memory_mb() for server in servers)
    readings = await asyncio.gather(*asking)
    for name, reading in zip(names, readings, strict=True):
        check(reading, backend, name)
    await asyncio.gather(*(person.leave() for person in crowd))
    delays = [delay for reading in readings for delay in reading.delays]
    between = [delay for at, delay in delays if asked + SETTLED < at < asked + SECONDS]
    return Load([delay for _, delay in delays], between, cpu_share, memory, others_share)


async def _all_wait(server: Server) -> tuple[float, float]:
    before = server.memory_mb()
    crowd = await _arrived([server], IDLE)
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


async def _arrived(servers: Sequence[Server], number: int) -> list[Person]:
    crowd = [Person(servers[name % len(servers)].url) for name in range(number)]
    for start in range(0, number, AT_ONCE):
        await asyncio.gather(*(person.arrive() for person in crowd[start : start + AT_ONCE]))
    return crowd


def _servers_cpu(servers: Sequence[Server]) -> float:
    return sum(server.cpu_seconds() for server in servers)


def _cpu(processes: tuple[psutil.Process, ...]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


@contextmanager
def _own_core(bench: Bench) -> Iterator[None]:
    """The server on the first core, all other processes of the benchmark on the rest."""
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


@contextmanager
def _workers(number: int = 2, *, is_alone: bool = False) -> Iterator[list[App]]:
    """A `number` of processes on Redis and PostgreSQL, or a single process on SQLite if `is_alone`."""
    with ExitStack() as stack:
        # With Redis, Reflex starts two per core and one more by default.
        settings = {"GRANIAN_WORKERS": "1"}
        if not is_alone:
            settings["CHAT_UI_DATABASE_URL"] = stack.enter_context(postgresql_for_tests()).url()
            settings["CHAT_UI_REDIS_URL"] = stack.enter_context(running_redis()).url
        built: Path | None = None
        workers: list[App] = []
        for _ in range(number):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            worker = App(folder, settings, built)
            worker.start()
            stack.callback(worker.end)
            workers.append(worker)
            built = built or folder
        yield workers
