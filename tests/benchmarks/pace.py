"""How closely a replay keeps the pace of its recording.

The answer has what real ones have: tokens at 190 and at 1,000 a second, pauses, and 35 kB at once. It is recorded from
a server on loopback, so its times are those of a network. The error of a byte is by how much it comes later or earlier
than it was recorded, both counted from the request. Bare timers that wait for the same times in the same run show how
much of it is the machine's.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import h11
import httpx

from chat_ui.recordings.file_recorder import Recorder
from chat_ui.recordings.recording import Recording
from chat_ui.recordings.recording_door import RecordingTransport
from chat_ui.recordings.recording_format import Header, Reading, now
from chat_ui.recordings.replaying_door import RECORDED_ORIGIN, ReplayTransport
from tests.app import free_port
from tests.backends.stand_in import Reply, StandIn, lines
from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.commands import start

GOAL: Final = 10
"""Milliseconds by which a byte may be off."""
QUESTION: Final = json.dumps({"messages": [{"role": "user", "content": "How deep is it?"}]}).encode()
TOKEN: Final = lines({"delta": {"content": "harbour "}})


def pace(bench: Bench) -> Iterator[Figure]:
    """The error of a byte at 1x, for one answer and for ten at once, beside bare timers."""
    with tempfile.TemporaryDirectory() as folder:
        recording = bench.run(_recorded(Path(folder) / "a.jsonl"))
        expected = bench.run(_times(recording))
        yield Figure("pace", "the answer: readings", len(expected), "")
        for count in (1, 10):
            named = "one answer" if count == 1 else f"{count} at once"
            errors = sorted(bench.run(_errors(recording, expected, count)))
            yield Figure("pace", f"{named}: error of a byte, p50", _percentile(errors, 0.5), "ms", GOAL)
            yield Figure("pace", f"{named}: error of a byte, p99", _percentile(errors, 0.99), "ms", GOAL)
            yield Figure("pace", f"{named}: error of a byte, the most", errors[-1][0], "ms")
        errors = sorted(bench.run(_errors_of_timers(expected)))
        yield Figure("pace", "bare timers: error of a byte, p99", _percentile(errors, 0.99), "ms")


def pace_over_http(bench: Bench) -> Iterator[Figure]:
    """The same for `chat-ui replay`, a process of its own that is asked over HTTP on loopback."""
    with tempfile.TemporaryDirectory() as folder:
        recording = bench.run(_recorded(Path(folder) / "a.jsonl"))
        expected = bench.run(_times(recording))
        yield Figure("pace-http", "the answer: bytes", sum(size for _, size in expected), "")
        for count in (1, 10):
            named = "one answer" if count == 1 else f"{count} at once"
            errors = sorted(bench.run(_errors_over_http(recording.path, expected, count)))
            yield Figure("pace-http", f"{named}: error of a byte, p50", _percentile(errors, 0.5), "ms", GOAL)
            yield Figure("pace-http", f"{named}: error of a byte, p99", _percentile(errors, 0.99), "ms", GOAL)
            yield Figure("pace-http", f"{named}: error of a byte, the most", errors[-1][0], "ms")


async def _recorded(path: Path) -> Recording:
    writes: list[bytes | float] = [0.3, *(part for _ in range(570) for part in (TOKEN, 1 / 190)), 1.5]
    writes += [*(part for _ in range(1000) for part in (TOKEN, 0.001)), 0.5, TOKEN * 1000, 0.2, TOKEN]
    with Recorder(path, Header(now()), on_failure=print) as recorder:
        async with (
            StandIn(Reply(writes)).running() as stand_in,
            httpx.AsyncHTTPTransport() as network,
            httpx.AsyncClient(transport=RecordingTransport(network, recorder)) as http,
        ):
            await http.post(f"{stand_in.url}/chat", content=QUESTION, timeout=None)
    return Recording.open(path)


async def _times(recording: Recording) -> list[tuple[float, int]]:
    """When each reading came in the recording, and its bytes."""
    items = [item async for item in recording.readings(recording.exchanges[0])]
    return [(item.seconds, len(item.data)) for item in items if isinstance(item, Reading)]


async def _errors(recording: Recording, expected: list[tuple[float, int]], count: int) -> list[tuple[float, int]]:
    """The errors of readings in milliseconds, each with its bytes."""
    async with httpx.AsyncClient(transport=ReplayTransport(recording), base_url=RECORDED_ORIGIN) as http:
        played = await asyncio.gather(*(_played(http) for _ in range(count)))
    return [
        (1000 * abs(came - seconds), size)
        for times in played
        for (came, _), (seconds, size) in zip(times, expected, strict=True)
    ]


async def _errors_over_http(path: Path, expected: list[tuple[float, int]], count: int) -> list[tuple[float, int]]:
    """The errors of bytes in milliseconds, with how many have each; readings may come together."""
    port = free_port()
    server = await start("replay", str(path), "--port", str(port))
    try:
        assert server.stdout is not None
        assert f":{port}".encode() in await server.stdout.readline()
        connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]
        played = await asyncio.gather(*(_played_over(*connection) for connection in connections))
    finally:
        server.terminate()
        await server.communicate()
    return [error for times in played for error in _errors_by_byte(times, expected)]


def _errors_by_byte(came: list[tuple[float, int]], expected: list[tuple[float, int]]) -> Iterator[tuple[float, int]]:
    """The errors of two tellings of when the same bytes came, in milliseconds, with how many have each."""
    assert sum(size for _, size in came) == sum(size for _, size in expected)
    left, other = iter(came), iter(expected)
    (at, size), (meant, length) = next(left), next(other)
    while True:
        both = min(size, length)
        yield 1000 * abs(at - meant), both
        size, length = size - both, length - both
        if not size and (following := next(left, None)):
            at, size = following
        if not length and (following := next(other, None)):
            meant, length = following
        if not size and not length:
            return


async def _errors_of_timers(expected: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The errors of bare timers that wait for the times of readings."""
    began = time.perf_counter()
    errors: list[tuple[float, int]] = []
    for seconds, size in expected:
        await asyncio.sleep(max(0.0, began + seconds - time.perf_counter()))
        errors.append((1000 * abs(time.perf_counter() - began - seconds), size))
    return errors


async def _played(http: httpx.AsyncClient) -> list[tuple[float, int]]:
    """When each reading came, in seconds since the request, and its bytes."""
    began = time.perf_counter()
    async with http.stream("POST", "/chat", content=QUESTION, timeout=None) as response:
        return [(time.perf_counter() - began, len(data)) async for data in response.aiter_raw()]


async def _played_over(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> list[tuple[float, int]]:
    """The same over a connection, which is read without httpx: ten of its clients cost each other milliseconds."""
    http, times = h11.Connection(h11.CLIENT), list[tuple[float, int]]()
    headers = [("Host", "localhost"), ("Content-Length", str(len(QUESTION)))]
    request = http.send(h11.Request(method="POST", target="/chat", headers=headers))
    began = time.perf_counter()
    writer.write(request + http.send(h11.Data(data=QUESTION)))
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            http.receive_data(await reader.read(1024 * 1024))
            at = time.perf_counter() - began
        elif isinstance(event, h11.Data):
            times.append((at, len(event.data)))
        elif not isinstance(event, h11.Response):
            writer.close()
            return times


def _percentile(errors: list[tuple[float, int]], part: float) -> float:
    """The error that this part of the bytes does not exceed."""
    left = part * sum(size for _, size in errors)
    for error, size in errors:
        left -= size
        if left <= 0:
            return error
    return errors[-1][0]
