"""Quotas for questions, answers, images and memory, in a process or shared by Redis."""

import asyncio
import gc
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from functools import partial

import pytest
from redis.asyncio import Redis

from chat_ui.backends.credential import Tokens
from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.generations.recent_exchanges import Inspections
from chat_ui.conversations.generations.workers import Notice, Workers
from chat_ui.conversations.in_memory import InMemory
from chat_ui.conversations.people.attached_images import MOST_BYTES, MOST_FILE_BYTES, Attachments, ImageName
from chat_ui.conversations.people.limits import FEW, LATE, Admission, Allowance, Limits
from chat_ui.conversations.records.records import AnswerHead, Outline, Status
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.errors import AttachmentError, LimitReachedError
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.recently_used import ENTRY_BYTES, size_of
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import conversation, turn
from tests.conversations.repository import answer_of, until
from tests.late_loop import run_late
from tests.redis_server import RedisServer, running_redis
from tests.stand_ins.stand_in import Reply, StandIn, lines

LIMITS = Limits(questions_per_minute=3, answers_at_once=2, question_characters=100)


class Counted(Allowance):
    """A quota with a clock that a test sets."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.now = 1000.0
        super().__init__(limits, clock=lambda: self.now)

    async def wait_after_refusal(self, questions: int = 1) -> float:
        """The seconds to wait for a person whose questions are refused."""
        with pytest.raises(LimitReachedError) as reached:
            await self.take("ann", questions=questions)
        return reached.value.wait


@pytest.fixture
def allowance() -> Counted:
    return Counted()


async def test_a_persons_quota_recovers_question_by_question(allowance: Counted):
    for _ in range(3):
        await allowance.take("ann")
        allowance.now += 10
    await allowance.take("bob", questions=3)
    with pytest.raises(LimitReachedError, match=r"asked 3 questions within a minute.*Try again in 30 seconds\."):
        await allowance.take("ann")
    for wait in (30, 10, 10):
        for _ in range(10):
            assert await allowance.wait_after_refusal() == wait, "what is refused is not counted"
        allowance.now += wait - 0.5
        with pytest.raises(LimitReachedError, match=r"again in 1 second\.") as reached:
            await allowance.take("ann")
        assert reached.value.wait == 1
        allowance.now += 0.5
        await allowance.take("ann")


async def test_oversized_questions_wait_a_minute_and_answers_count_at_a_question(allowance: Counted):
    await allowance.take("ann")
    allowance.now += 7
    assert await allowance.wait_after_refusal(questions=5) == 60
    assert await allowance.wait_after_refusal(questions=3) == 53
    await allowance.take("ann", questions=2)
    allowance.now += 60
    await allowance.take("ann", running=9)
    await allowance.take("ann", running=1, conversation="talk")
    with pytest.raises(LimitReachedError, match="2 of your answers are"):
        await allowance.take("ann", running=2, conversation="talk")


async def test_the_quota_message_states_the_count(allowance: Counted):
    for questions, told in ((1, "asked 1 question within"), (2, "asked 2 questions within")):
        few = Counted(Limits(questions_per_minute=questions))
        await few.take("ann", questions=questions)
        with pytest.raises(LimitReachedError, match=told):
            await few.take("ann")
    with pytest.raises(LimitReachedError, match="101 characters; at most 100 are allowed"):
        await allowance.take("ann", characters=101)


@pytest.fixture
async def connection(redis: RedisServer) -> AsyncIterator[Redis]:
    async with redis_at(redis.url) as opened:
        await opened.flushdb()
        yield opened


@pytest.fixture
def shared(redis: RedisServer, connection: Redis) -> list[Allowance]:
    """The shared counts of two processes."""
    return [Allowance(LIMITS, connection), Allowance(LIMITS, redis_at(redis.url))]


async def test_questions_to_several_processes_are_counted_together(shared: list[Allowance], connection: Redis):
    one, other = shared
    began = time.monotonic()
    taken = await asyncio.gather(*(each.take("ann") for each in shared * 20), return_exceptions=True)
    assert taken.count(None) == 3
    assert {type(one) for one in taken if one is not None} == {LimitReachedError}
    for each in shared:
        with pytest.raises(LimitReachedError, match="asked 3 questions within a minute") as refused:
            await each.take("ann")
        found = re.search(r"Try again in (\d+) seconds\.", str(refused.value))
        assert found
        assert 59 - (time.monotonic() - began) <= int(found[1]) <= 60
    await other.take("bob", questions=3)
    a_minute = 60_000_000
    for question, asked_at in await connection.zrange("chat-ui:asked:ann", 0, -1, withscores=True):
        await connection.zadd("chat-ui:asked:ann", {question: asked_at - a_minute})
    for each in (one, one, other):
        await each.take("ann")


async def test_answers_of_several_processes_count_together_and_expire_unstarted(shared: list[Allowance]):
    one, other = shared
    await one.take("ann", conversation="first")
    await other.take("ann", conversation="second")
    with pytest.raises(LimitReachedError, match="2 of your answers are still being written"):
        await other.take("ann", conversation="third")
    await other.take("bob", conversation="fourth")

    async def is_taken() -> bool:
        with suppress(LimitReachedError):
            await other.take("ann", conversation="third")
            return True
        return False

    await until(is_taken)


async def test_each_process_counts_alone_while_redis_is_away():
    with running_redis() as redis:
        one, other = (Allowance(LIMITS, redis_at(redis.url)) for _ in range(2))
        await one.take("ann", questions=3)
        redis.stop()
        for each in (one, other):
            await each.take("ann", questions=3)
            with pytest.raises(LimitReachedError, match="asked 3 questions"):
                await each.take("ann")
            with pytest.raises(LimitReachedError, match="2 of your answers are still being written"):
                await each.take("bob", conversation="talk", running=2)
        redis.start()
        with pytest.raises(LimitReachedError, match="asked 2 questions"):
            await one.take("cid", questions=2)
            await other.take("cid", questions=2)


async def begin(admission: Admission) -> None:
    async with admission.turn():
        pass


async def a_few_turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_question_is_refused_while_answers_are_late(caplog: pytest.LogCaptureFixture):
    lateness, running = [2 * LATE], [FEW]

    async def work() -> None:
        admission = Admission(lambda: lateness[0], lambda: running[0])
        asked = [begin(admission) for _ in range(20)]
        refused = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(one) for one in refused} == {LimitReachedError}
        assert {str(one) for one in refused} == {"Too many people are asking at once. Try again in 10 seconds."}
        running[0] = FEW - 1
        await begin(admission)
        lateness[0], running[0] = LATE, FEW
        await asyncio.gather(*(begin(admission) for _ in range(20)))

    run_late(work)
    assert [one.getMessage() for one in caplog.records] == ["questions are refused: too many users are asking at once"]


def test_a_waiting_person_who_leaves_does_not_block_others():
    lateness = iter([3.0] * 20 + [0.0])
    still_late = [9.0]

    async def work() -> None:
        await begin(Admission(lambda: next(lateness), lambda: FEW))
        assert next(lateness, None) is None
        admission = Admission(lambda: still_late[0], lambda: FEW)
        waiting = [asyncio.create_task(begin(admission)) for _ in range(10)]
        await a_few_turns()
        for one in waiting:
            one.cancel()
        await asyncio.wait(waiting)
        still_late[0] = 0.0
        await begin(admission)

    run_late(work)


async def test_few_questions_start_at_once():
    admission = Admission(lambda: 0.0, lambda: FEW)
    async with AsyncExitStack() as begun:
        for _ in range(16):
            await begun.enter_async_context(admission.turn())
        last = asyncio.create_task(begin(admission))
        await a_few_turns()
        assert not last.done()
    await last


BACKEND = Backend("http://127.0.0.1:1/chat")


def read_back(number: int, questions: list[str]) -> Conversation:
    """A conversation read back from the store."""
    record = conversation(number)
    turns = [turn(record, place, question) for place, question in enumerate(questions, start=1)]
    heads = {one.id: (AnswerHead(f"{one.id}.1", 1, Status.FINISHED, followups=("And then?",)),) for one in turns}
    found = Conversation("me", record=record)
    found.merge(Outline(record, tuple(turns), heads))
    return found


def test_large_conversations_fill_the_memory_sooner_and_used_ones_stay():
    memory = InMemory(memory_bytes=1_000_000)
    for number in range(200):
        memory.keep(read_back(number, ["?"]))
    gc.collect()
    assert len(list(memory)) == 200
    memory.keep(used := read_back(200, ["What colour are buoys?"]))
    for number in range(201, 400):
        memory.keep(read_back(number, ["?" * 20_000, "?" * 20_000]))
    gc.collect()
    assert len(list(memory)) < 30
    assert memory.find(used.id) is used


def test_the_wire_record_is_limited_with_the_sent_history():
    inspections = Inspections(memory_bytes=20_000_000)
    short = ChatRequest((Message("user", "Who is there?"),))
    long = ChatRequest(tuple(Message("user", f"{number}" * 1_000_000) for number in range(4)))
    for number in range(10):
        inspections.begin(f"short{number}", BACKEND, short)
    assert all(inspections.get(f"short{number}") for number in range(10))
    for number in range(10):
        inspections.begin(f"long{number}", BACKEND, long)
    kept = [number for number in range(10) if inspections.get(f"long{number}")]
    assert kept == [6, 7, 8, 9]
    assert not any(inspections.get(f"short{number}") for number in range(10))


async def test_long_tokens_fill_the_memory_sooner_than_short_ones():
    tokens = Tokens(memory_bytes=100_000)
    for number in range(50):
        tokens.keep(f"short{number}", "x" * 100)
    assert await tokens.of("short0") == "x" * 100
    for number in range(50):
        tokens.keep(f"long{number}", "x" * 10_000)
    assert len([number for number in range(50) if await tokens.of(f"long{number}")]) < 10
    assert await tokens.of("long49")


def test_waiting_notices_are_merged_except_for_mandatory_ones():
    workers = Workers(redis_at("redis://127.0.0.1:1/0"), lambda _: None, lambda: None)
    workers.tell(Notice(stop="talk.answer"))
    for number in range(50_000):
        workers.tell(Notice(conversation=f"talk {number}"))
    assert len(workers._unsent) <= 10_000
    assert {Notice(stop="talk.answer"), Notice(missed=True)} <= set(workers._unsent)


async def test_the_memory_for_counts_is_limited_for_any_number_of_people():
    allowance = Allowance(Limits(), memory_bytes=100_000)
    for number in range(2_000):
        await allowance.take(f"person {number}")
    assert len(allowance._asked) < 100_000 / 300


async def test_the_values_of_a_finished_answer_are_counted_once(client: AsyncClient):
    steps = [{"title": f"step {number}", "description": [{"found": number}] * 5} for number in range(3_000)]
    content = lines({"delta": {"content": "Red."}, "context": {"thoughts": steps}})

    def cost(function: Callable[[], int]) -> float:
        began = time.process_time()
        assert function() > 1_000_000
        return time.process_time() - began

    async with StandIn(Reply([content])).running() as backend:
        made = answer_of(backend)
        made.start(client)
        await made.wait_for_end()
    counting = min(cost(lambda: size_of((made.answer,), 10**9)) for _ in range(5))
    assert min(cost(lambda: made.size(10**9)) for _ in range(5)) < counting / 10


PNG = b"\x89PNG\r\n\x1a\n"
LARGE = PNG + bytes(100_000)
ROOM = len(LARGE) + ENTRY_BYTES


@pytest.fixture
async def of_bytes(redis: RedisServer, connection: Redis) -> AsyncIterator[Redis]:
    """A connection to an empty Redis for images."""
    async with redis_at(redis.url, as_text=False) as opened:
        yield opened


@pytest.fixture(params=["memory", "redis"])
def bounded(request: pytest.FixtureRequest) -> Callable[..., Attachments]:
    """Makes an image store with limits for all people and for each."""
    if request.param == "memory":
        return Attachments
    return partial(Attachments, request.getfixturevalue("of_bytes"))


@pytest.fixture
def attachments(bounded: Callable[..., Attachments]) -> Attachments:
    return bounded()


async def test_an_image_is_identified_by_its_bytes():
    kinds = {PNG: "image/png", b"\xff\xd8\xff\xe0": "image/jpeg", b"GIF89a": "image/gif", b"RIFF1234WEBP": "image/webp"}
    found = {data: (await Attachments().keep("Ada", "picture.txt", data)).file.media_type for data in kinds}
    assert found == kinds


async def test_a_file_is_identified_by_its_bytes_and_never_as_a_page():
    office, unknown = "application/vnd.openxmlformats-officedocument.", "application/octet-stream"
    for name, data, expected in (
        ("a.txt", b"%PDF-1.7", ("application/pdf", 8, "")),
        ("a.DOCX", b"PK\x03\x04", (f"{office}wordprocessingml.document", 4, "")),
        ("a.xlsx", b"PK\x03\x04", (f"{office}spreadsheetml.sheet", 4, "")),
        ("a.pptx", b"PK\x03\x04", (f"{office}presentationml.presentation", 4, "")),
        ("a.zip", b"PK\x03\x04", (unknown, 4, "")),
        ("a.html", b"\n <script>x()</script>\r\nB", ("text/plain", 25, "<script>x()</script>")),
        ("a.svg", b"<svg onload='x()'/>", ("text/plain", 19, "<svg onload='x()'/>")),
        ("a.csv", b"\xef\xbb\xbfname;size", ("text/csv", 12, "name;size")),
        ("a.md", "# Übung".encode() * 99, ("text/markdown", 792, ("# Übung" * 99)[:120])),
        ("a.json", b"{}", ("application/json", 2, "{}")),
        ("a.pdf", b"a\x00b", (unknown, 3, "")),
        ("a.txt", b"\xe4", (unknown, 1, "")),
    ):
        named = (await Attachments().keep("Ada", name, data)).named
        assert (named.name, (named.media_type, named.size, named.line)) == (name, expected)


async def test_an_empty_or_large_file_is_refused_by_name():
    for data in (b"", PNG + b"0" * MOST_BYTES, b"0" * (MOST_FILE_BYTES + 1)):
        with pytest.raises(AttachmentError, match=r"picture\.png is"):
            await Attachments().keep("Ada", "picture.png", data)


async def test_images_that_an_earlier_version_noted_are_found(of_bytes: Redis) -> None:
    await of_bytes.hset("chat-ui:images-of-turns:talk", "first", '[["a", "1.png"], ["b", "2.png"]]')
    assert await Attachments(of_bytes).of_turns("talk") == {"first": (ImageName("a", "1.png"), ImageName("b", "2.png"))}


async def test_an_image_belongs_to_its_person_and_goes_with_its_question(attachments: Attachments) -> None:
    kept = await attachments.keep("Ada Lovelace", "Bóje 1.png", PNG + bytes(range(256)))
    assert await attachments.find("Ada Lovelace", kept.id) == kept
    assert await attachments.find("Grace", kept.id) is None
    images = (kept.named, ImageName("b", "2.txt", "text/plain", 7, "Line"))
    await attachments.remember("talk", "first", images)
    await attachments.remember("talk", "third", images[:1])
    assert await attachments.of_turns("talk") == {"first": images, "third": images[:1]}
    assert await attachments.of_turns("another") == {}


async def test_the_oldest_images_of_a_person_or_of_all_are_evicted(bounded: Callable[..., Attachments]) -> None:
    attachments = bounded(memory_bytes=20 * ROOM, person_bytes=8 * ROOM)
    of_grace = await attachments.keep("Grace", "picture.png", LARGE)
    kept = [await attachments.keep("Ada", "picture.png", LARGE) for _ in range(30)]
    assert await attachments.find_all("Ada", [one.id for one in kept]) == kept[-8:]
    assert await attachments.find("Grace", of_grace.id) == of_grace
    await attachments.forget_all("Ada")
    await attachments.forget_all("Grace")
    attachments = bounded(memory_bytes=2 * ROOM)
    kept = [await attachments.keep(person, "picture.png", LARGE) for person in ("Ada", "Grace", "Ada")]
    assert await attachments.find("Ada", kept[0].id) is None
    assert await attachments.find("Grace", kept[1].id) == kept[1]
    assert await attachments.find("Ada", kept[2].id) == kept[2]
    await attachments.forget_all("Ada")
    assert await attachments.find("Ada", kept[2].id) is None
    another = await attachments.keep("Grace", "picture.png", LARGE)
    assert await attachments.find_all("Grace", [kept[1].id, another.id]) == [kept[1], another]


async def test_a_picture_replaces_the_earlier_one_and_counts_once(bounded: Callable[..., Attachments]) -> None:
    attachments = bounded(person_bytes=4 * ROOM)
    other = await attachments.keep("Ada", "picture.png", LARGE)
    for number in range(9):
        assert attachments.keep_picture("Ada", "c.1.1", LARGE + bytes([number]))
    for data in (b"<svg/>", PNG.ljust(MOST_BYTES + 1)):
        assert not attachments.keep_picture("Ada", "c.1.2", data)
    found = await attachments.find("Ada", "c.1.1")
    assert found is not None
    assert (found.file.data, found.file.media_type) == (LARGE + b"\x08", "image/png")
    assert await attachments.find("Grace", "c.1.1") is await attachments.find("Ada", "c.1.2") is None
    # A later file waits for those before it.
    await attachments.keep("Ada", "picture.png", LARGE)
    assert await attachments.find("Ada", "c.1.1") == found
    assert await attachments.find("Ada", other.id) == other
    assert attachments.keep_picture("Ada", "c.1.2", LARGE)
    await attachments.forget_all("Ada")
    await attachments.keep("Ada", "picture.png", LARGE)
    assert await attachments.find_all("Ada", ["c.1.1", "c.1.2"]) == []


async def test_an_image_is_available_to_every_process_until_it_expires(redis, of_bytes) -> None:
    one, other = Attachments(of_bytes), Attachments(redis_at(redis.url, as_text=False))
    kept = await one.keep("Ada", "picture.png", PNG)
    assert await other.find("Ada", kept.id) == kept
    await one.remember("talk", "first", (kept.named,))
    keys = await of_bytes.keys("*")
    assert len(keys) == 5
    assert all([0 < await of_bytes.ttl(key) <= 86_400 for key in keys])
    await other.forget_all("Ada")
    assert await one.find("Ada", kept.id) is None


async def test_images_stay_in_the_receiving_process_while_redis_is_away() -> None:
    with running_redis() as redis:
        attachments = Attachments(redis_at(redis.url, as_text=False))
        before = await attachments.keep("Ada", "picture.png", PNG)
        redis.stop()
        kept = await attachments.keep("Ada", "picture.png", PNG)
        await attachments.remember("talk", "first", (kept.named,))
        assert await attachments.find_all("Ada", [before.id, kept.id]) == [kept]
        assert await attachments.of_turns("talk") == {"first": (kept.named,)}
        await attachments.forget_all("Ada")
        assert await attachments.find("Ada", kept.id) is None
