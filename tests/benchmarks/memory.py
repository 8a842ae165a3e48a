"""What the largest answers leave behind, in the memory of the server and on its disk."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

from chat_ui.settings import Settings
from tests.app import App
from tests.backends.stand_in import Reply, StandIn, lines
from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.people import Person
from tests.benchmarks.servers import Backend, Server, server_at

ANSWERS = 6
SENT_BYTES = 30_000_000
KEPT_MB = 250
"""What the caches may hold by their bounds, and what is loaded when it is first used."""
SETTLED = 75.0
"""Seconds after which whatever is cleared once a minute has been."""
_LINE = "The seal of the reserve pump is changed after 400 hours, and sooner where the log says so. "


def memory(bench: Bench) -> Iterator[Figure]:
    """Six answers that are larger than one may be, each read as it grows and opened again, by one person."""
    with tempfile.TemporaryDirectory() as name:
        app = App(Path(name), {"CHAT_UI_LOG_LEVEL": "warning"})
        app.start()
        try:
            server = server_at(app.url)
            before, disk_before = _resident(server), _bytes_in(app.data)
            peak = bench.run(_ask_for_much(server))
            after, disk = _resident(server), _bytes_in(app.data)
        finally:
            app.end()
    most = Settings.model_fields["answer_bytes"].default
    yield Figure("memory", "resident before", before / 1e6, "MB")
    yield Figure("memory", f"{ANSWERS} answers of {SENT_BYTES / 1e6:.0f} MB sent: resident at most", peak / 1e6, "MB")
    yield Figure("memory", "… more than before when they have settled", (after - before) / 1e6, "MB", KEPT_MB)
    yield Figure("memory", "… on the disk", (disk - disk_before) / 1e6, "MB", 4 * ANSWERS * most / 1e6)


async def _ask_for_much(server: Server) -> int:
    """The most that was resident while the answers were made and read."""
    paragraph = f"{_LINE * 10}\n\n"
    piece = lines({"delta": {"content": paragraph}})
    reply = Reply([piece * (60_000 // len(piece))] * (SENT_BYTES // 60_000))
    peak = 0

    async def watch() -> None:
        nonlocal peak
        while True:
            peak = max(peak, _resident(server))
            await asyncio.sleep(0.2)

    watching = asyncio.create_task(watch())
    async with StandIn(reply).running() as backend:
        person = Person(server.url)
        await person.arrive()
        await person.use(Backend(f"{backend.url}/chat", server.root))
        for number in range(ANSWERS):
            address = await person.begin(f"Question {number}")
            await person.read(address)
            await person.see_the_end()
            await person.settled(address)
        await person.leave()
    await asyncio.sleep(SETTLED)
    watching.cancel()
    return peak


def _resident(server: Server) -> int:
    return sum(int(process.memory_info().rss) for process in server.processes())


def _bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
