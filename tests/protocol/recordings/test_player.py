"""The times of a replayed recording, on a test clock."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from math import inf
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.recordings.recording import RecordedExchange, Recording
from chat_ui.protocol.recordings.recording_format import NO_CONNECTION, NOTHING_CAME, Ending, Reading
from chat_ui.protocol.recordings.replay_transport import Playback
from tests.clock_loop import on_a_clock
from tests.protocol.recordings.taping import HEADER, taped


class Spoken(Recording):
    """A recording with its readings in memory."""

    def __init__(self, *items: Reading | Ending, answered: float = 0.0, status: int | None = 200) -> None:
        exchange = RecordedExchange(
            number=1, at="", method="GET", path="/", status=status, answered=answered, seconds=items[-1].seconds,
            shape=None, offset=0,  # type: ignore[arg-type]
        )  # fmt: skip
        super().__init__(Path("none"), HEADER, (exchange,))
        self._items = items

    async def readings(self, exchange: RecordedExchange) -> AsyncGenerator[Reading | Ending, None]:
        for item in self._items:
            yield item


def spoken(*seconds: float) -> Spoken:
    return Spoken(*(Reading(at, b"%d" % number) for number, at in enumerate(seconds)), Ending(seconds[-1], "end"))


def playing(recording: Recording, *, speed: float = 1, longest_pause: float = inf) -> aclosing[Playback]:
    return aclosing(Playback(recording, recording.exchanges[0], speed=speed, longest_pause=longest_pause))


def times(recording: Spoken, *, speed: float = 1, longest_pause: float = inf) -> list[float]:
    """The time of each reading."""

    async def run() -> list[float]:
        loop = asyncio.get_running_loop()
        async with playing(recording, speed=speed, longest_pause=longest_pause) as playback:
            await playback.answered()
            return [loop.time() async for _ in playback]

    return on_a_clock(run)


TIMES = st.lists(st.floats(0, 1000), min_size=1, max_size=20).map(sorted)


@given(seconds=TIMES, speed=st.floats(0.25, 8) | st.just(inf))
def test_each_reading_comes_at_its_time_or_all_at_once_without_waiting(seconds: list[float], speed: float) -> None:
    assert times(spoken(*seconds), speed=speed) == pytest.approx([at / speed for at in seconds], abs=1e-6)


def test_a_pause_is_limited_to_the_longest() -> None:
    assert times(spoken(1, 1.5, 60, 61, 400), longest_pause=2) == pytest.approx([1, 1.5, 3.5, 4.5, 6.5])
    assert times(spoken(10, 10.5), speed=2, longest_pause=1) == pytest.approx([0.5, 0.75])


@pytest.mark.parametrize(
    ("ending", "error"),
    [
        (Ending(2, "cut"), httpx2.RemoteProtocolError),
        (Ending(2, "cut", NO_CONNECTION), httpx2.ConnectError),
        (Ending(2, "reset"), httpx2.ReadError),
        (Ending(2, "stopped"), httpx2.RemoteProtocolError),
        (Ending(2, "stopped", NOTHING_CAME), httpx2.ReadTimeout),
    ],
)
def test_an_unfinished_answer_is_unfinished_again(ending: Ending, error: type[httpx2.TransportError]) -> None:
    async def run() -> tuple[list[bytes], float]:
        came: list[bytes] = []
        with pytest.raises(error) as raised:
            async with playing(Spoken(Reading(1, b"One "), ending)) as playback:
                async for data in playback:
                    came.append(data)  # noqa: PERF401 - what came before the error counts
        assert raised.type is error
        return came, asyncio.get_running_loop().time()

    assert on_a_clock(run) == ([b"One "], 2)


def test_the_status_comes_at_its_time_and_later_readings_together() -> None:
    async def run() -> float:
        async with playing(Spoken(Reading(3, b""), Ending(3, "end"), answered=2), speed=2) as playback:
            await playback.answered()
            return asyncio.get_running_loop().time()

    assert on_a_clock(run) == 1

    async def run() -> list[bytes]:
        async with playing(spoken(1, 2, 3, 50)) as playback:
            found = [await playback.due()]
            await asyncio.sleep(2)
            found += [await playback.due(), await playback.due()]
            return [*found, *[data async for data in playback]]

    assert on_a_clock(run) == [b"", b"01", b"", b"2", b"3"]


async def test_an_abandoned_playback_closes_its_file(tmp_path: Path) -> None:
    async with playing(taped(tmp_path / "a.jsonl", [b"a", b"b"]), speed=inf) as playback:
        assert await anext(playback) == b"a"
    with pytest.raises(StopAsyncIteration):
        await anext(playback)
