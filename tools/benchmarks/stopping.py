"""The time from Stop to the end of the backend's work, in the asking process or another one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.app import App
from tests.redis_server import running_redis
from tests.servers import Backend, wait_until
from tools.benchmarks.bench import Bench
from tools.benchmarks.figures import Figure
from tools.benchmarks.people import Person

TIMES = 15
WORDS = {
    "in mid-answer": "kind=prose tokens=3000 rate=60",
    "before the first byte": "kind=silent",
}
UNDER_WAY = 0.5
"""Seconds between a question and the next action."""


def stop(bench: Bench) -> Iterator[Figure]:
    """Two processes with one Redis; the first makes the answer."""
    with _two_servers() as urls:
        took = bench.run(_stops(urls, bench.backend))
    for (when, where), seconds in took.items():
        yield Figure("stop", f"{where}, {when}: the backend is left, median", 1000 * median(seconds), "ms", 200)
        yield Figure("stop", f"{where}, {when}: … the longest of {TIMES}", 1000 * max(seconds), "ms", 200)


async def _stops(urls: list[str], backend: Backend) -> dict[tuple[str, str], list[float]]:
    asker = Person(urls[0])
    await asker.arrive()
    await asker.use(backend)
    await asker.ask("kind=prose tokens=1 rate=0")
    # The other process learns of the open conversation from the database.
    await asyncio.sleep(UNDER_WAY)
    elsewhere = asker.tab(urls[1])
    await elsewhere.arrive()
    took: dict[tuple[str, str], list[float]] = {}
    for when, words in WORDS.items():
        for where, stopper in (("in the same tab", asker), ("in a tab of another process", elsewhere)):
            took[when, where] = [
                await _stop((asker, elsewhere), stopper, backend, f"{words} id=s{len(took)}x{number}")
                for number in range(TIMES)
            ]
    for person in (asker, elsewhere):
        await person.leave()
    return took


async def _stop(tabs: tuple[Person, Person], stopper: Person, backend: Backend, question: str) -> float:
    """Seconds from Stop to the end of the backend's request; the first tab asks."""
    await tabs[1].see_the_beginning(await tabs[0].begin(question))
    await asyncio.sleep(UNDER_WAY)
    pressed = time.time()
    await stopper.stop()
    name = question.rpartition("=")[2]
    sent = await asyncio.to_thread(wait_until, lambda: backend.sent(name), 30, 0.02)
    await asyncio.gather(*(tab.see_the_end() for tab in tabs))
    return sent.gone - pressed


@contextmanager
def _two_servers() -> Iterator[list[str]]:
    with TemporaryDirectory() as folder, running_redis() as redis:
        shared = {
            "CHAT_UI_REDIS_URL": redis.url,
            "CHAT_UI_DATABASE_URL": f"sqlite:///{folder}/shared.db",
            "CHAT_UI_SECRET_KEY": "a secret of these two",
            "GRANIAN_WORKERS": "1",
        }
        built = Path(folder) / "built"
        (built / "data").mkdir(parents=True)
        beside = Path(folder) / "beside"
        beside.mkdir()
        servers = [App(built, shared), App(beside, shared, built)]
        try:
            for server in servers:
                server.start()
            yield [server.url for server in servers]
        finally:
            for server in servers:
                server.end()
