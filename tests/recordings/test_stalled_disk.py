"""A disk that stalls holds up nothing that is recorded. It is a pipe here, which takes little until it is read."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from chat_ui.recordings import line_writer
from chat_ui.recordings.recording import Recording
from chat_ui.recordings.recording_door import RecordingTransport
from chat_ui.recordings.recording_format import Reading
from tests.backends.stand_in import Reply, StandIn, lines
from tests.command_line.test_loopback import question, recording_server, sent
from tests.patience import PATIENCE
from tests.recordings.taping import FACTS, items, recorder

PIECES = [lines({"delta": {"content": f"{number} {'word ' * 200}"}}) for number in range(50)]
SMALL = 4096


@contextmanager
def pipe(path: Path) -> Iterator[int]:
    """A pipe at `path`, which nobody reads but through this descriptor."""
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, SMALL)
    os.set_blocking(reading, True)
    try:
        yield reading
    finally:
        os.close(reading)


def all_of(reading: int) -> bytes:
    """What is written to a pipe until its last writer is gone."""
    return b"".join(iter(lambda: os.read(reading, SMALL), b""))


async def test_an_answer_goes_on_and_is_recorded_with_the_times_at_which_it_came(tmp_path: Path) -> None:
    with pipe(tmp_path / "pipe") as reading:
        async with StandIn(Reply(list(PIECES))).running() as stand_in:
            async with recording_server(tmp_path / "pipe", stand_in.url) as origin:
                began = time.perf_counter()
                got = await sent(origin, question("Who?", origin))
                elapsed = time.perf_counter() - began
                reader = asyncio.create_task(asyncio.to_thread(all_of, reading))
            written = await reader
    assert (got.body, got.ending) == (b"".join(PIECES), "end")
    (path := tmp_path / "a.jsonl").write_bytes(written)
    recording = Recording.open(path)
    *readings, ending = await items(recording)
    assert b"".join(one.data for one in readings if isinstance(one, Reading)) == got.body
    assert recording.exchanges[0].how == "end"
    times = [one.seconds for one in (*readings, ending)]
    assert times == sorted(times)
    assert times[-1] < elapsed


async def test_what_waits_for_a_disk_is_bounded_and_the_answer_is_not(tmp_path: Path) -> None:
    told: list[str] = []
    mebibyte, count = os.urandom(1024 * 1024), 30
    async with (
        StandIn(Reply([mebibyte] * count, 200, {"Content-Type": "application/pdf"})).running() as stand_in,
        httpx.AsyncHTTPTransport() as network,
    ):
        with pipe(tmp_path / "pipe"), recorder(tmp_path / "pipe", told.append) as opened:
            async with httpx.AsyncClient(transport=RecordingTransport(network, opened), timeout=PATIENCE) as http:
                got = await http.get(f"{stand_in.url}/content/a.pdf")
    assert got.content == mebibyte * count
    assert told == [
        f"The recording {tmp_path}/pipe cannot be written: the disk is too slow. What is asked goes on without it."
    ]


def test_a_recorder_is_closed_though_the_disk_stalls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_writer, "PATIENCE", 0.05)
    told: list[str] = []
    with pipe(tmp_path / "pipe"), recorder(tmp_path / "pipe", told.append) as opened:
        opened.begin(FACTS).answered(200, {"x-long": "a" * 2 * SMALL}, 0)
    assert ["the disk is too slow" in words for words in told] == [True]
