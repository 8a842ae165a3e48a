"""What a follower of a growing answer gets over HTTP: whole, late, or taken up again, it ends the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from chat_ui.conversations.generations.local import Asked, LocalGeneration
from chat_ui.conversations.generations.remote import RemoteGeneration
from chat_ui.conversations.records.records import KeptAnswer, Status
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.transport.client import Client
from chat_ui.rendering.answer import render_answer
from chat_ui.routes.live import TURN, FlushQueue, LiveAnswer
from tests.backends.stand_in import Reply, StandIn, lines
from tests.conversations.kept import conversation, generation, turn
from tests.patience import PATIENCE
from tests.routes.following import Follower
from tests.routes.serving import served

ROWS = [f"| Tent {number} | **{number} crowns** [Prices.csv] | für 🏕️ |\n" for number in range(240)]
TEXTS = {
    "table": ["| Name | Price | Use |\n|---|---|---|\n", *ROWS],
    "code": ["```python\n", *(f"price_{number} = lift({number})  # 🏕️\n" for number in range(240)), "```\n"],
    "nested list": [f"{'- ' if number % 9 == 0 else '  - '}tent {number} [Prices.csv]\n" for number in range(240)],
    "several blocks": ["Word **strong** [Prices.csv]. " if number % 30 else "\n\n" for number in range(240)],
}
EVERY_TEXT = pytest.mark.parametrize("pieces", TEXTS.values(), ids=TEXTS.keys())


@asynccontextmanager
async def followed(pieces: Sequence[str]) -> AsyncIterator[tuple[str, LiveAnswer]]:
    """The address of an answer whose text comes in eight parts, each once the one before can be seen by a follower."""
    context = lines({"context": {"data_points": {"text": ["Prices.csv: A tent is 90 crowns."]}}, "delta": {}})
    size = len(pieces) // 8 + 1
    bursts = [lines({"delta": {"content": "".join(pieces[at : at + size])}}) for at in range(0, len(pieces), size)]
    gates = [asyncio.Event() for _ in bursts]
    steps = (step for together in zip(gates, bursts, strict=True) for step in together)
    async with StandIn(Reply([context, *steps])).running() as backend:
        request = ChatRequest((Message("user", "What is it?"),))

        async def prepare() -> ChatRequest:
            return request

        asked = Asked("me", "conversation", "turn", 1, "What is it?", {})
        generation = LocalGeneration("answer", asked, Backend(f"{backend.url}/chat"), prepare, lambda: None)
        async with Client() as client:
            generation.start(client)
            live = LiveAnswer(generation)
            is_followed = asyncio.Event()

            async def let_it_come() -> None:
                await is_followed.wait()
                for gate in gates:
                    seen, revision = live.made, live.signal.revision
                    gate.set()
                    while live.made == seen and not live.done:
                        revision = await live.signal.wait(revision)

            async def frames(after: str) -> AsyncIterator[bytes]:
                async for frame in live.follow(after):
                    yield frame
                    is_followed.set()

            async def stream(asking: Request) -> StreamingResponse:
                after = asking.headers.get("last-event-id", "")
                return StreamingResponse(frames(after), media_type="text/event-stream")

            async with served(Starlette(routes=[Route("/stream", stream)])) as url, asyncio.TaskGroup() as tasks:
                tasks.create_task(let_it_come())
                yield f"{url}/stream", live


def whole(live: LiveAnswer) -> tuple[str, ...]:
    answer = live.generation.answer
    return render_answer(answer.text, answer.data_points).html


@EVERY_TEXT
async def test_a_follower_ends_with_the_whole_answer_in_not_many_more_bytes_and_so_does_a_late_one(pieces: list[str]):
    early, late = Follower(), Follower()
    async with followed(pieces) as (address, live):
        await early.read(address, frames=3)
        seen, last = len(early.sizes), early.frame
        await late.read(address)
        await early.read(address)
        assert late.ended
        assert late.html == early.html == whole(live)
        for follower in (early, late):
            assert sum(follower.sizes) < 1.7 * sum(map(len, whole(live)))
        # The one that was cut off got each frame once.
        assert len(early.sizes) - seen == early.frame - last


async def test_much_text_at_once_is_shown_step_by_step():
    follower = Follower()
    async with followed(["".join(TEXTS["table"]) * 3]) as (address, live):
        await follower.read(address)
        assert follower.html == whole(live)
        assert max(follower.sizes) < sum(map(len, whole(live))) / 3


async def test_a_long_snapshot_comes_in_parts_and_begins_anew_where_one_was_the_last():
    paragraphs = ["Buoys are red \N{CIRCUS TENT}. " * 20 + "\n\n"] * 1_500
    early, late = Follower(), Follower()
    async with followed(paragraphs) as (address, live):
        await early.read(address)
        await late.read(address, frames=2)
        assert late.last_id == live.name
        await late.read(address)
        assert late.last_id == early.last_id
        assert late.html == early.html == whole(live)
        assert max(late.sizes) < sum(late.sizes) / 4


class Flushes:
    """A queue whose clock goes on by `TURN` with each flush, and the answers in the order in which they had one."""

    def __init__(self) -> None:
        self.now = 1.0
        self.queue, self.flushed = FlushQueue(clock=lambda: self.now), list[int]()

    async def flush(self, answer: int, seconds: float = TURN) -> None:
        def work() -> None:
            self.now += seconds
            self.flushed.append(answer)

        await self.queue.flush(work)


@pytest.mark.parametrize(("others", "most"), [(0.0, 1), (5 * TURN, 5)])
async def test_however_many_answers_grow_they_and_others_have_their_turns_and_as_long_ones(others: float, most: int):
    flushes = Flushes()

    async def grow(answer: int) -> None:
        for _ in range(20):
            await flushes.flush(answer)

    async with asyncio.TaskGroup() as tasks:
        for answer in range(10):
            tasks.create_task(grow(answer))
        counts = list[int]()
        while sum(counts) < 200:
            await asyncio.sleep(0)
            flushes.now += others
            counts.append(len(flushes.flushed) - sum(counts))
    assert max(counts) == most
    assert len(counts) <= 210 / most
    assert set(flushes.flushed[:20]) == set(range(10))


async def test_each_flush_has_the_language_of_its_answer_and_one_that_breaks_holds_up_no_other():
    flushes, language, seen = Flushes(), ContextVar[str]("language"), list[str]()
    names = {"de": "German", "ar": "Arabic"}

    async def flush(name: str) -> None:
        language.set(name)
        await flushes.flush(0)
        await flushes.queue.flush(lambda: seen.append(names[language.get()]))

    results = await asyncio.gather(*map(flush, ["de", "", "ar"]), return_exceptions=True)
    assert [type(one) for one in results] == [type(None), KeyError, type(None)]
    assert seen == ["German", "Arabic"]


async def test_text_that_is_there_already_is_shown_at_once():
    asked = turn(conversation())
    remote = RemoteGeneration("me", KeptAnswer(generation(asked, status=Status.RUNNING), asked.question))
    live = LiveAnswer(remote)
    async with asyncio.timeout(PATIENCE):
        await live.signal.wait(0)
    assert b"Buoys are" in b"".join(live.snapshot())
    remote.interrupt()
    async with asyncio.timeout(PATIENCE):
        while not live.done:
            await live.signal.wait(live.signal.revision)


async def test_where_little_was_flushed_an_answer_has_its_turn_at_once():
    flushes = Flushes()

    async def waits(seconds: float) -> bool:
        others: list[None] = []
        asyncio.get_running_loop().call_soon(others.append, None)
        await flushes.flush(0, seconds)
        return bool(others)

    assert [await waits(seconds) for seconds in (TURN / 4, TURN, TURN / 4)] == [False, False, True]
    await asyncio.sleep(0)
    assert not await waits(TURN)
