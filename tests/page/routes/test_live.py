"""The frames of a growing answer. Each follower ends with the whole answer, also a late or resuming one."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from chat_ui.conversations.generations.remote import LogEntry, RemoteGeneration
from chat_ui.conversations.records.records import Status, StoredAnswer
from chat_ui.page.routes.live import (
    LONGEST_PAUSE,
    LONGEST_STEP,
    SHORTER_STEP,
    SHORTEST_FLUSH,
    TURN,
    FlushQueue,
    LiveAnswer,
    Snapshot,
    pause_after,
)
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.throttle import SHORTEST, Throttle
from chat_ui.rendering import claim_check
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.streaming.stream import LIVE_WORK
from chat_ui.server.processes.pool import Processes
from tests.conversations.kept import conversation, generation, turn
from tests.conversations.repository import answer_of
from tests.page.routes.serving import served
from tests.rendering.streaming import ShownBlocks
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT

ROWS = [f"| Tent {number} | **{number} crowns** [Prices.csv] | für 🏕️ |\n" for number in range(240)]
TEXTS = {
    "table": ["| Name | Price | Use |\n|---|---|---|\n", *ROWS],
    "code": ["```python\n", *(f"price_{number} = lift({number})  # 🏕️\n" for number in range(240)), "```\n"],
    "nested list": [f"{'- ' if number % 9 == 0 else '  - '}tent {number} [Prices.csv]\n" for number in range(240)],
    "several blocks": ["Word **strong** [Prices.csv]. " if number % 30 else "\n\n" for number in range(240)],
}
EVERY_TEXT = pytest.mark.parametrize("pieces", TEXTS.values(), ids=TEXTS.keys())


@pytest.fixture(autouse=True)
def _without_check() -> Iterator[None]:
    """Leave out the marks of claims, which a server of this process may have turned on."""
    before = claim_check.current()
    claim_check.use(None)
    yield
    claim_check.use(before)


class Follower(ShownBlocks):
    """A page that applies the frames' entries to its blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.last_id = ""
        self.ended = False
        self.languages: list[str] = []
        self.sizes: list[int] = []

    @property
    def frame(self) -> int:
        """The number of the newest frame."""
        return int(self.last_id.rpartition(".")[2])

    async def read(self, address: str, frames: int | None = None) -> None:
        """Follow to the end, or for that many frames."""
        headers = {"Last-Event-ID": self.last_id} if self.last_id else {}
        async with (
            httpx2.AsyncClient(timeout=60, verify=False) as client,
            client.stream("GET", address, headers=headers) as response,
        ):
            event = ""
            async for line in response.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    self.last_id = value
                elif name == "event":
                    event = value
                    self.ended = value == "end"
                elif not line:
                    event = ""
                elif name == "data" and event == "language":
                    self.languages.append(value)
                elif name == "data" and value and not self.ended:
                    self.sizes.append(len(line))
                    self.take(json.loads(value))
                    if frames and len(self.sizes) == frames:
                        return


@asynccontextmanager
async def followed(pieces: Sequence[str]) -> AsyncIterator[tuple[str, LiveAnswer]]:
    """The address of an answer in eight parts. Each part comes after a follower has the one before."""
    context = lines({"context": {"data_points": {"text": ["Prices.csv: A tent is 90 crowns."]}}, "delta": {}})
    size = len(pieces) // 8 + 1
    bursts = [lines({"delta": {"content": "".join(pieces[at : at + size])}}) for at in range(0, len(pieces), size)]
    gates = [asyncio.Event() for _ in bursts]
    steps = (step for together in zip(gates, bursts, strict=True) for step in together)
    async with StandIn(Reply([context, *steps])).running() as backend, AsyncClient() as client:
        generation = answer_of(backend)
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


def complete(live: LiveAnswer) -> tuple[str, ...]:
    answer = live.generation.answer
    return render_answer(answer.text, answer.data_points).html


@EVERY_TEXT
async def test_each_follower_ends_with_the_whole_answer_in_few_more_bytes(pieces: list[str]):
    early, late = Follower(), Follower()
    async with followed(pieces) as (address, live):
        await early.read(address, frames=3)
        seen, last = len(early.sizes), early.frame
        await late.read(address)
        await early.read(address)
        assert late.ended
        assert late.html == early.html == complete(live)
        for follower in (early, late):
            assert sum(follower.sizes) < 1.7 * sum(map(len, complete(live)))
        # The interrupted follower got each frame once.
        assert len(early.sizes) - seen == early.frame - last


async def test_a_long_text_at_once_is_shown_in_steps():
    follower = Follower()
    async with followed(["".join(TEXTS["table"]) * 3]) as (address, live):
        await follower.read(address)
        assert follower.html == complete(live)
        assert max(follower.sizes) < sum(map(len, complete(live))) / 3


async def test_a_long_snapshot_comes_in_parts_and_restarts_if_cut():
    paragraphs = ["Buoys are red \N{CIRCUS TENT}. " * 20 + "\n\n"] * 1_500
    early, late = Follower(), Follower()
    async with followed(paragraphs) as (address, live):
        await early.read(address)
        await late.read(address, frames=2)
        assert late.last_id == live.name
        await late.read(address)
        assert late.last_id == early.last_id
        assert late.html == early.html == complete(live)
        assert max(late.sizes) < sum(late.sizes) / 4


class Flushes:
    """A queue whose clock goes on by `TURN` with each flush. It notes the order of the answers."""

    def __init__(self) -> None:
        self.now = 1.0
        self.queue, self.flushed = FlushQueue(clock=lambda: self.now), list[int]()

    async def flush(self, answer: int, seconds: float = TURN) -> None:
        def work() -> None:
            self.now += seconds
            self.flushed.append(answer)

        await self.queue.flush(work)


@pytest.mark.parametrize(("others", "most"), [(0.0, 1), (5 * TURN, 5)])
async def test_growing_answers_share_turns_fairly_and_leave_time_for_others(others: float, most: int):
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


async def test_a_flush_has_its_answers_language_and_a_failure_blocks_nothing():
    flushes, language, seen = Flushes(), ContextVar[str]("language"), list[str]()
    names = {"de": "German", "ar": "Arabic"}

    async def flush(name: str) -> None:
        language.set(name)
        await flushes.flush(0)
        await flushes.queue.flush(lambda: seen.append(names[language.get()]))

    results = await asyncio.gather(*map(flush, ["de", "", "ar"]), return_exceptions=True)
    assert [type(one) for one in results] == [type(None), KeyError, type(None)]
    assert seen == ["German", "Arabic"]


async def test_a_quiet_answer_has_its_turn_at_once():
    flushes = Flushes()

    async def waits(seconds: float) -> bool:
        others: list[None] = []
        asyncio.get_running_loop().call_soon(others.append, None)
        await flushes.flush(0, seconds)
        return bool(others)

    assert [await waits(seconds) for seconds in (TURN / 4, TURN, TURN / 4)] == [False, False, True]
    await asyncio.sleep(0)
    assert not await waits(TURN)


COSTLY = "[1] " * 300
"""A text with much work for its length, shown as plain text until its end."""


def made_of(answer: str | Answer, status: Status = Status.FINISHED) -> RemoteGeneration:
    asked, answer = turn(conversation()), answer if isinstance(answer, Answer) else Answer(answer)
    return RemoteGeneration("me", StoredAnswer(generation(asked, status=status, answer=answer), asked.question))


async def until(live: LiveAnswer, condition: Callable[[], object]) -> None:
    """Return once the condition holds for the followers' answer."""
    async with asyncio.timeout(TIMEOUT):
        while not condition():
            await live.signal.wait(live.signal.revision)


async def until_done(live: LiveAnswer) -> LiveAnswer:
    await until(live, lambda: live.done)
    return live


async def frames_of(live: LiveAnswer, after: str = "") -> list[bytes]:
    """All frames after that one."""
    async with asyncio.timeout(TIMEOUT):
        return [frame async for frame in live.follow(after)]


def shown(frames: Sequence[bytes]) -> Follower:
    """The page's HTML after these frames."""
    page = Follower()
    for frame in frames:
        if frame.startswith(b"id: "):
            page.take(json.loads(frame.partition(b"data: ")[2]))
    return page


def added(frame: bytes) -> int:
    """The characters of HTML in a frame."""
    return sum(len(entry[2]) for entry in json.loads(frame.partition(b"data: ")[2]) if len(entry) > 1)


async def test_a_follower_gets_the_language_and_half_characters_delay_nothing():
    german = await until_done(LiveAnswer(made_of("Bojen sind rot und schwimmen auf dem Wasser.")))
    uncertain = await until_done(LiveAnswer(made_of("Buoys.")))
    told = b"event: language\ndata: de\n\n"
    ended = b"event: end\ndata: finished\n\n"
    from_the_beginning = await frames_of(german)
    assert (from_the_beginning[0], from_the_beginning[-1]) == (told, ended)
    assert await frames_of(german, f"{german.name}.{german.made}") == [told, ended]
    assert not [frame for frame in await frames_of(uncertain) if b"language" in frame]
    answer = Answer("Red [1].", data_points=(DataPoint("1", "Bu\ud83d.pdf", "All are red."),))
    live = await until_done(LiveAnswer(made_of(answer)))
    assert "Citation 1: Bu?.pdf" in shown(await frames_of(live)).html[0]


def test_each_frame_of_a_snapshot_is_made_once_on_request():
    made: list[bytes] = []

    def coming() -> Iterator[bytes]:
        for frame in (b"first", b"last"):
            made.append(frame)
            yield frame

    snapshot = Snapshot(7, 100, coming())
    assert (snapshot.frame(0), snapshot.frame(0), made) == (b"first", b"first", [b"first"])
    assert [snapshot.frame(index) for index in (1, 0, 2, 2, 1)] == [b"last", b"first", None, None, b"last"]
    assert (made, snapshot.size, snapshot.is_complete) == ([b"first", b"last"], len(b"firstlast"), True)


@pytest.mark.parametrize(
    ("text", "step"), [("word " * 700, LONGEST_STEP), (COSTLY, SHORTER_STEP)], ids=["words", "costly"]
)
async def test_a_long_text_is_rendered_in_steps_shorter_for_more_work(text: str, step: int):
    live = await until_done(LiveAnswer(made_of(text), Processes(seconds=0.000_1)))
    sizes = [added(frame) for frame in (await frames_of(live, f"{live.name}.0"))[:-1]]
    assert len(sizes) >= len(text) // step
    steady = sizes[2 : len(text) // step]
    assert steady
    assert all(step <= size <= step + 20 for size in steady)


def test_the_first_flushes_come_soon_and_costly_ones_seldom():
    ages = [0.0, 0.05, 0.2, 0.5, 60.0]
    assert [round(pause_after(0.000_1, age), 3) for age in ages] == [0.01, 0.019, 0.046, SHORTEST_FLUSH, SHORTEST_FLUSH]
    assert [pause_after(took, 0.0) for took in (0.01, 0.05, 1.0)] == [0.2, 1.0, LONGEST_PAUSE]


async def test_frames_come_in_order_and_end_with_the_status():
    for text in ("", "Red.", "a\n\nb\n\nc", "word " * 700):
        live = await until_done(LiveAnswer(made_of(text, Status.INTERRUPTED)))
        *frames, end = await frames_of(live, f"{live.name}.0")
        assert end == b"event: end\ndata: interrupted\n\n"
        names = [frame.partition(b"\n")[0].decode() for frame in frames]
        assert names == [f"id: {live.name}.{number}" for number in range(1, live.made + 1)]
        assert shown(frames).html == shown(await frames_of(live)).html
        assert len(shown(frames).blocks) == text.count("\n\n") + bool(text)


async def test_a_follower_without_a_frame_begins_with_a_snapshot():
    live = await until_done(LiveAnswer(made_of("Red.\n\nGreen.")))
    of_this = [f"{live.name}{frame}" for frame in ("", ".x", ".99", ".-1", f".{'9' * 5000}", ".")]
    for after in ("", "0", "another.1", *of_this):
        first, *rest = await frames_of(live, after)
        assert first == b"".join(live.snapshot())
        assert [frame.partition(b"\n")[0] for frame in rest] == [b"event: end"]
        assert first.startswith(f"id: {live.name}.{live.made}\n".encode())
    assert await frames_of(live, f"{live.name}.{live.made}") == [b"event: end\ndata: finished\n\n"]


async def test_a_follower_of_a_revised_answer_is_sent_to_the_document():
    generation = made_of("", Status.RUNNING)
    live = LiveAnswer(generation)
    generation.apply(LogEntry(0, "One pair."))
    ended = made_of("One [1] pair.").record
    generation.apply(LogEntry(0, "One [1] pair.", ended))
    *_, end = await frames_of(await until_done(live))
    assert end == b"event: lost\ndata: \n\n"
    assert generation.text_since(0)[0] == "One [1] pair."


async def test_a_replaced_text_is_shown_anew_while_it_grows():
    generation = made_of("", Status.RUNNING)
    live = LiveAnswer(generation)
    generation.apply(LogEntry(0, "Red?\n\nGreen?"))
    await until(live, lambda: live.frames)
    generation.apply(LogEntry(0, "Blue", text_revision=1))
    await until(live, lambda: b"Blue" in b"".join(live.frames))
    generation.apply(LogEntry(4, ".", made_of("").record, text_revision=1))
    *frames, end = await frames_of(await until_done(live), f"{live.name}.0")
    assert end == b"event: end\ndata: finished\n\n"
    assert (b"Red" in b"".join(frames), shown(frames).html) == (True, shown(await frames_of(live)).html)
    assert shown(frames).html == ('<p dir="auto">Blue.</p>\n',)


async def test_a_late_citation_changes_only_its_block():
    points = (DataPoint("plan.pdf", "plan.pdf"),)
    text = "One pair.\n\nTwo tests.\n\nThree"
    generation = made_of("", Status.RUNNING)
    live = LiveAnswer(generation)
    generation.apply(LogEntry(0, text, made_of(Answer(data_points=points), Status.RUNNING).record))
    await until(live, lambda: b"Three" in b"".join(live.frames))
    made = live.made
    cited = Answer(data_points=points, citations=(PlacedCitation("plan.pdf", 9, 9),))
    generation.apply(LogEntry(len(text), "", made_of(cited, Status.RUNNING).record))
    await until(live, lambda: live.made > made)
    (entry,) = json.loads(live.frames[-1].partition(b"data: ")[2])
    assert (entry[0], "data-citation" in entry[2]) == (0, True)
    generation.apply(LogEntry(len(text), ".", made_of(cited).record))
    *frames, end = await frames_of(await until_done(live))
    assert end == b"event: end\ndata: finished\n\n"
    assert shown(frames).html == render_answer(f"{text}.", points, cited.citations).html


@pytest.mark.parametrize("text", [COSTLY, "[" * (LIVE_WORK // 20)], ids=["takes too long", "is too long"])
async def test_a_follower_of_too_large_an_answer_is_sent_to_the_document(text: str):
    live = await until_done(LiveAnswer(made_of(text), Processes(seconds=0.000_1)))
    *frames, end = await frames_of(live, f"{live.name}.0")
    assert end == b"event: lost\ndata: \n\n"
    assert shown(frames).html == shown(await frames_of(live)).html


async def test_the_newest_frames_are_kept_within_the_limit():
    complete = await until_done(LiveAnswer(made_of("word " * 700)))
    sizes = [len(frame) for frame in complete.frames]
    assert len(sizes) == complete.made
    for room, count in ((sum(sizes[-2:]), 2), (sum(sizes[-2:]) - 1, 1), (sum(sizes), len(sizes))):
        live = await until_done(LiveAnswer(made_of("word " * 700), frame_bytes=room))
        assert [len(frame) for frame in live.frames] == sizes[-count:]
        assert live.made == len(sizes)


async def test_an_oversized_frame_leaves_room_for_later_ones():
    remote = made_of("", Status.RUNNING)
    live = LiveAnswer(remote, frame_bytes=400)
    for text in ("Red. ", "Green " * 100, "Blue. "):
        seen = live.signal.revision
        remote.apply(LogEntry(len(remote.answer.text), text))
        await asyncio.wait_for(live.signal.wait(seen), TIMEOUT)
        assert len(live.frames) == (0 if "Green" in text else 1)
    remote.interrupt()
    await until_done(live)
    page = shown(await frames_of(live, f"{live.name}.1"))
    assert "Blue." in page.html[0]


async def test_a_snapshot_is_shared_until_the_news_exceed_its_length():
    remote = made_of("Red. " * 100, Status.RUNNING)
    live = LiveAnswer(remote)
    async with asyncio.timeout(TIMEOUT):
        await live.signal.wait(0)
        reading = aiter(live.follow(""))
        begun = await anext(reading)
        remote.apply(LogEntry(len(remote.answer.text), "Green. "))
        await anext(reading)
        assert await anext(live.follow("")) is begun
        remote.apply(LogEntry(len(remote.answer.text), "Blue. " * 150))
        await anext(reading)
        later = await anext(live.follow(""))
        assert later is not begun
        assert later.count(b"Blue") == 150
        assert await anext(live.follow("")) is later
    remote.interrupt()
    await until_done(live)


async def test_the_wait_of_a_flush_counts_as_lateness():
    throttle = Throttle()
    times = iter([0.0, *[SHORTEST] * 3])
    await FlushQueue(throttle, lambda: next(times)).flush(lambda: None)
    assert throttle.lateness > 0
