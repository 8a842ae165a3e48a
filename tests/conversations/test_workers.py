"""Several processes with a shared database and Redis follow and stop each other's answers.

A process here is a `Conversations` with separate connections.
"""

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from secrets import token_hex

import pytest

from chat_ui.conversations import stored_repository
from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations import redis_log
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.generations.remote import RemoteGeneration
from chat_ui.conversations.generations.tasks import cancel_all
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.people.limits import Allowance, Limits
from chat_ui.conversations.records.records import Status
from chat_ui.conversations.redis_connection import alive, redis_at
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.stored_repository import StoredRepository
from chat_ui.errors import AlreadyDecidedError, LimitReachedError, StillAnsweringError, StoreUnavailableError
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.pausing import APPROVED, BACKEND, DENIED, DONE, Agent, pausing
from tests.conversations.repository import FOR_EVER, HALF, REST, execute, held, is_deleted, path_of, reached, until
from tests.redis_server import RedisServer, running_redis
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT

CONTEXT = lines({"context": {"data_points": {"text": ["Buoys.pdf: All are red."]}}, "delta": {}})
PNG = b"\x89PNG\r\n\x1a\n"
PNG_PART = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


@dataclass
class Process:
    conversations: Conversations
    client: AsyncClient
    allowance: Allowance

    @property
    def repository(self) -> StoredRepository:
        return self.conversations.repository

    def ask(self, talk: Conversation, backend: StandIn, question: str = "Who is there?") -> Turn:
        return talk.ask(self.client, Backend(f"{backend.url}/chat"), question, {})

    async def die(self, made: Generation, url: str) -> None:
        """Stop everything, like a process that was killed long ago."""
        await cancel_all(self.conversations.workers._tasks)
        await self.stand_still(made, url)

    async def stop_writing(self) -> None:
        writing = self.repository._task
        assert writing is not None
        # A second cancellation during the rollback could leave a lock on the database, unlike the end of a process.
        writing.cancel()
        await asyncio.wait([writing])

    async def stand_still(self, made: Generation, url: str) -> None:
        """Stop writing for longer than the lease of this answer."""
        await self.stop_writing()
        await cancel_all(self.conversations.log._tasks)
        await self.conversations.log._redis.delete(alive(made.id))
        await _lapse(url)

    async def go_on(self) -> None:
        """Write again, and restart the log of the answer."""
        self.repository._task = asyncio.create_task(self.repository._run())
        for talk in self.conversations._memory:
            for generation in talk.generations():
                self.conversations.log.share(generation)


@asynccontextmanager
async def processes(url: str, redis: RedisServer, client: AsyncClient, number: int = 2) -> AsyncIterator[list[Process]]:
    started = []
    for _ in range(number):
        connection, of_bytes = redis_at(redis.url), redis_at(redis.url, as_text=False)
        attachments = Attachments(of_bytes)
        conversations = Conversations(lambda: Database.open(url), redis=connection, attachments=attachments)
        await conversations.begin()
        process = Process(conversations, client, Allowance(Limits(answers_at_once=1), connection))
        started.append((process, (connection, of_bytes)))
    try:
        yield [process for process, _ in started]
    finally:
        for process, connections in started:
            await process.conversations.end_running(grace=0)
            await process.conversations.end()
            for connection in connections:
                await connection.aclose()


@pytest.fixture
async def two(database_url: str, redis: RedisServer, client: AsyncClient) -> AsyncIterator[list[Process]]:
    async with processes(database_url, redis, client) as started:
        yield started


@pytest.fixture
async def two_on_sqlite(sqlite_url: str, redis: RedisServer, client: AsyncClient) -> AsyncIterator[list[Process]]:
    async with processes(sqlite_url, redis, client) as started:
        yield started


async def answer_in(process: Process, made: Generation, owner: str = "me") -> Generation:
    """An answer in another process, once its log has begun. A page asks for it in the same way."""
    return await until(lambda: process.conversations.answer(owner, made.id))


async def end_of(answer: Generation) -> Generation:
    await asyncio.wait_for(answer.wait_for_end(), TIMEOUT)
    return answer


async def shown(process: Process, talk: Conversation, condition: Callable[[Conversation], bool]) -> Conversation:
    """The conversation in another process, once the condition holds. A tab waits in the same way."""
    async with asyncio.timeout(TIMEOUT):
        while True:
            found = await process.conversations.get(talk.owner, talk.id)
            seen = found.signal.revision if found else 0
            if found is not None and condition(found):
                return found
            if found is None:
                await asyncio.sleep(0.01)
            else:
                await found.signal.wait(seen)


async def test_an_answer_is_followed_in_another_process_only_by_its_owner(database_url, redis, client):
    followed_there = asyncio.Event()
    async with (
        StandIn(Reply([CONTEXT, HALF, followed_there, REST])).running() as backend,
        processes(database_url, redis, client) as (one, other),
    ):
        made = one.ask(one.conversations.start("me"), backend).generation
        followed = await answer_in(other, made)
        assert isinstance(followed, RemoteGeneration)
        assert (followed.is_followed, followed.question) == (True, "Who is there?")
        assert await other.conversations.answer("you", made.id) is None
        assert await other.conversations.answer("me", "no.such") is None
        followed_there.set()
        assert (await end_of(followed)).answer == made.answer
        assert followed.answer.text == "Half an answer, and the rest."
        assert followed.answer.data_points[0].source == "Buoys.pdf"

        async def is_read_from_the_store() -> bool:
            return not (await answer_in(other, made)).is_followed

        await until(is_read_from_the_store)


async def test_an_answer_is_followed_in_another_process_without_the_database(endless, two_on_sqlite, sqlite_url):
    one, other = two_on_sqlite
    path = path_of(sqlite_url)
    made = one.ask(one.conversations.start("me"), endless).generation
    await until(lambda: other.repository.store.answer("me", made.id))
    elsewhere = path.rename(path.with_name("elsewhere.db"))
    followed = await answer_in(other, made)
    await reached(followed, "Half an answer")
    await until(lambda: other.repository.failing)
    assert not followed.ended
    with pytest.raises(StoreUnavailableError):
        await other.conversations.answer("you", made.id)
    elsewhere.rename(path)


async def test_the_conversation_opened_last_is_current_in_every_process(half: StandIn, two: list[Process]):
    talks = [process.conversations.start("me") for process in two]
    for process, talk in zip(two, talks, strict=True):
        await process.ask(talk, half).generation.wait_for_end()
        for looking in two:
            # A missing conversation is replaced by a new one.
            await shown(looking, talk, lambda found: bool(found.turns) and found.live is None)

    async def current(process: Process, talk: Conversation) -> bool:
        found = await process.conversations.current("me")
        return found is not None and found.id == talk.id

    # The open conversation of both was written with their questions, in turn.
    pairs = [*zip(two, talks, strict=True)]
    if await current(two[1], talks[0]):
        pairs.reverse()
    for (process, talk), (elsewhere, _) in (pairs, pairs[::-1]):
        process.conversations.open(talk)
        assert await current(process, talk)
        await until(lambda of=elsewhere, talk=talk: current(of, talk))


async def test_the_log_of_a_shared_question_is_available_to_all(endless, two_on_sqlite, monkeypatch):
    # A busy machine may exceed a person's timeout.
    monkeypatch.setattr(redis_log, "_FIRST_ENTRY_MS", 1000 * TIMEOUT)
    one, other = two_on_sqlite
    talk = one.conversations.start("me")
    turn = one.ask(talk, endless)
    await one.conversations.share(talk, turn)
    # A sign of life is written with the first entry.
    assert await other.conversations.log.last_text(turn.generation.id) is None


async def test_a_stop_in_another_process_closes_the_connection_to_the_backend(endless: StandIn, two: list[Process]):
    one, other = two
    talk = one.conversations.start("me")
    made = one.ask(talk, endless).generation
    await reached(made, "Half an answer")
    elsewhere = await shown(other, talk, lambda found: found.live is not None)
    await other.conversations.stop(elsewhere)
    await asyncio.wait_for(endless.requests[0].left.wait(), TIMEOUT)
    assert (await end_of(made)).status is Status.STOPPED
    stopped = await shown(other, talk, lambda found: found.live is None)
    assert stopped.turns[0].generation.status is Status.STOPPED
    assert (await other.conversations.answer("me", made.id)).answer.text == "Half an answer"


async def test_a_conversation_alternates_between_processes_but_not_at_once(half, two: list[Process]):
    one, other = two
    talk = one.conversations.start("me")
    for turns, process in enumerate((one, other, one), start=1):
        asking = await shown(process, talk, lambda found, turns=turns: len(found.turns) == turns - 1)
        await process.conversations.may_ask(asking)
        await process.ask(asking, half, f"{turns}?").generation.wait_for_end()
        for each in two:
            await shown(each, talk, lambda found, turns=turns: len(found.turns) == turns and found.live is None)
    assert (await one.conversations.get("me", talk.id)) is talk
    assert [turn.question for turn in talk.turns] == ["1?", "2?", "3?"]
    assert half.requests[-1].json["messages"][3]["content"] == "Half an answer"
    # The other process does not know of this question yet.
    await one.conversations.may_ask(talk)
    with pytest.raises(StillAnsweringError):
        await other.conversations.may_ask(await other.conversations.get("me", talk.id))


async def test_the_first_decision_of_two_processes_is_sent(client, two: list[Process], monkeypatch):
    one, other = two
    agent = Agent(monkeypatch, pausing(), DONE)
    talk = one.conversations.start("me")
    await talk.ask(client, BACKEND, "Mail Ann.", {}).generation.wait_for_end()
    elsewhere = await shown(other, talk, lambda found: found.waits)
    paused = talk.turns[0].generation.id
    decisions = (
        talk.decide(client, BACKEND, paused, [APPROVED], "Approved"),
        elsewhere.decide(client, BACKEND, paused, [DENIED], "Denied"),
    )
    made = await asyncio.gather(*decisions, return_exceptions=True)
    assert any(isinstance(one, AlreadyDecidedError) for one in made)
    [won] = [one for one in made if isinstance(one, Turn)]
    await won.generation.wait_for_end()
    assert len(agent.decisions) == 1
    for process in two:
        found = await shown(process, talk, lambda found: len(found.turns) == 2 and found.live is None)
        assert [turn.question for turn in found.turns] == ["Mail Ann.", won.question]


@pytest.mark.parametrize("is_stored", [True, False], ids=["after the store has it", "before the store has it"])
async def test_an_answer_of_a_dead_process_is_closed_by_another(endless, two, database_url, is_stored: bool):
    one, other = two
    talk, another = one.conversations.start(ann := token_hex(4)), other.conversations.start(ann)
    if not is_stored:
        await one.stop_writing()
    made = one.ask(talk, endless).generation
    followed = await answer_in(other, made, ann)
    await reached(followed, "Half an answer")
    if is_stored:
        await until(lambda: one.repository.store.answer(ann, made.id))
    assert not await _may_ask(other, another)
    await one.die(made, database_url)
    assert (await end_of(followed)).record.status is Status.INTERRUPTED
    assert followed.answer.text == "Half an answer"
    if is_stored:
        closed = await shown(other, talk, lambda found: found.live is None)
        assert closed.turns[0].generation.status is Status.INTERRUPTED
        assert await _may_ask(other, another)


async def test_an_image_goes_with_its_question_to_any_process(client, half, two_on_sqlite):
    one, other = two_on_sqlite
    asked_of = Backend(f"{half.url}/v1/chat/completions", files="parts")
    kept = await one.conversations.attachments.keep("me", "buoy.png", PNG)
    [found] = await other.conversations.attachments.find_all("me", [kept.id])
    talk = other.conversations.start("me")
    turn = talk.ask(client, asked_of, "What is this?", {}, images=(found.named,))
    await other.conversations.share(talk, turn)
    await turn.generation.wait_for_end()
    elsewhere = await shown(one, talk, lambda found: found.live is None and bool(found.turns[0].images))
    assert elsewhere.turns[0].images == (kept.named,)
    await elsewhere.ask(client, asked_of, "And now?", {}).generation.wait_for_end()
    for request in half.requests:
        assert PNG_PART in json.dumps(request.json["messages"][0])


async def _may_ask(process: Process, talk: Conversation) -> bool:
    try:
        await process.allowance.take(talk.owner, conversation=talk.id)
    except LimitReachedError:
        return False
    return True


async def test_a_long_question_regenerated_elsewhere_is_whole_for_everybody(sqlite_url, redis, client):
    words = "why " * 2000
    goes_on = asyncio.Event()
    replies = iter((Reply([HALF]), Reply([HALF, goes_on, REST])))
    async with (
        StandIn(lambda _: next(replies, Reply([HALF]))).running() as backend,
        processes(sqlite_url, redis, client) as (one, other),
    ):
        talk = one.conversations.start("me")
        await one.ask(talk, backend, words).generation.wait_for_end()
        elsewhere = await shown(other, talk, lambda found: found.live is None)
        again = elsewhere.answer_again(client, Backend(f"{backend.url}/chat"), {}).generation
        followed = await answer_in(one, again)
        assert isinstance(followed, RemoteGeneration)
        assert followed.question == words
        goes_on.set()
        await again.wait_for_end()
        assert again.question == words
        await other.ask(elsewhere, backend, "And now?").generation.wait_for_end()
        assert backend.requests[-1].json["messages"][0]["content"] == words


@dataclass
class Shared:
    """A stored conversation of one question, open in both processes."""

    talk: Conversation
    elsewhere: Conversation
    one: Process
    other: Process

    async def rename(self, title: str = "Visitors") -> None:
        await self.one.conversations.lists.rename("me", self.talk.id, title)


@pytest.fixture
async def shared(half: StandIn, two_on_sqlite: list[Process]) -> Shared:
    one, other = two_on_sqlite
    talk = one.conversations.start("me")
    await one.ask(talk, half).generation.wait_for_end()
    elsewhere = await shown(other, talk, lambda found: found.live is None)
    await one.repository.catch_up()
    return Shared(talk, elsewhere, one, other)


READING_TURNS = "substr(turn.question"
"""A query after the one that reads a conversation's title."""


async def test_changes_during_a_read_are_kept_also_if_the_reader_leaves(shared: Shared):
    async with held(READING_TURNS) as reached_turns:
        seen = shared.elsewhere.signal.revision
        await shared.rename()
        while not shared.elsewhere.stale:
            seen = await shared.elsewhere.signal.wait(seen)
        closed = asyncio.create_task(shared.other.conversations.get("me", shared.talk.id))
        await reached_turns()
        closed.cancel()
        await asyncio.wait([closed])
    assert (await shared.other.conversations.get("me", shared.talk.id)).record.title == "Visitors"
    async with held(READING_TURNS) as reached_turns:
        shared.elsewhere.outdate()
        reading = asyncio.create_task(shared.other.conversations.get("me", shared.talk.id))
        await reached_turns()
        seen = shared.elsewhere.signal.revision
        await shared.rename("Guests")
        # The change of the list comes first, and the conversation's after its write.
        await shared.elsewhere.signal.wait(seen + 1)
    # A tab would wait for a missing announcement here.
    assert (await reading).record.title == "Guests"


async def test_readers_of_a_changing_conversation_share_one_object(sqlite_url: str, shared: Shared, redis, client):
    async with processes(sqlite_url, redis, client, number=1) as [third]:
        # The person's list changes also if the process has missed something before its subscription.
        third.conversations.start("me")
        async with held(READING_TURNS) as reached_turns:
            reading = [asyncio.create_task(third.conversations.get("me", shared.talk.id)) for _ in range(2)]
            for _ in reading:
                await reached_turns()
            before = third.conversations.lists.revision("me")
            await shared.rename()
            await until(lambda: third.conversations.lists.revision("me") > before)
        first, second = await asyncio.gather(*reading)
        assert first is second
        assert first.record.title == "Visitors"


async def test_a_conversation_read_without_redis_has_the_changes_since(sqlite_url: str, shared: Shared, redis, client):
    async with processes(sqlite_url, redis, client, number=1) as [third]:
        async with held(READING_TURNS) as reached_turns:
            reading = asyncio.create_task(third.conversations.get("me", shared.talk.id))
            await reached_turns()
            redis.stop()
            await until(lambda: third.conversations.apart)
            await shared.rename()
            redis.start()
            await until(lambda: not third.conversations.apart)
        assert (await reading).record.title == "Visitors"


async def test_a_conversation_read_during_a_deletion_is_deleted(shared: Shared):
    async with held("DELETE FROM conversation") as reached_deletion:
        deleting = asyncio.create_task(shared.one.conversations.lists.delete_all("me"))
        await reached_deletion()
        again = await shared.one.conversations.get("me", shared.talk.id)
        assert again.turns
    assert await deleting == 1
    assert again.deleted
    await is_deleted(shared.elsewhere)
    for process in (shared.one, shared.other):
        assert await process.conversations.get("me", shared.talk.id) is None


async def test_a_rename_or_deletion_shows_in_the_other_process_until_restored(half, endless, two):
    one, other = two
    talk = one.conversations.start("me")
    await one.ask(talk, half).generation.wait_for_end()
    await until(lambda: one.repository.store.outline("me", talk.id))
    await other.conversations.lists.rename("me", talk.id, "Visitors")
    await other.conversations.lists.pin("me", talk.id, True)
    heard = await shown(one, talk, lambda found: found.record.pinned and found.record.title == "Visitors")
    assert heard is talk
    made = one.ask(talk, endless, "And now?").generation
    await reached(made, "Half an answer")
    elsewhere = await shown(other, talk, lambda found: len(found.turns) == 2)
    [kept] = await other.conversations.lists.stored.pinned("me")
    assert kept.title == elsewhere.record.title == "Visitors"
    assert await other.conversations.lists.delete("me", talk.id)
    await end_of(made)
    await asyncio.wait_for(endless.requests[0].left.wait(), TIMEOUT)
    await is_deleted(talk)
    assert await one.conversations.get("me", talk.id) is None
    assert await other.conversations.lists.restore("me", talk.id)
    again = await shown(one, talk, lambda found: found.live is None)
    assert again.turns[1].generation.status is Status.STOPPED
    later = one.ask(again, endless, "And later?").generation
    await shown(other, talk, lambda found: found.live is not None)
    await other.conversations.lists.delete_all("me")
    await is_deleted(again)
    assert later.ended
    assert await other.conversations.get("me", talk.id) is None


@pytest.mark.parametrize("only", [True, False], ids=["one", "all"])
async def test_a_handed_over_conversation_changes_its_owner_in_every_process(half, two: list[Process], only: bool):
    here, there = two
    talk = here.conversations.start("me")
    await end_of(here.ask(talk, half).generation)
    await here.repository.catch_up()
    seen = await until(lambda: there.conversations.get("me", talk.id))
    revision = there.conversations.lists.revision("anna")
    await here.conversations.lists.hand_over("me", "anna", talk.id if only else "")
    assert talk.deleted
    await is_deleted(seen)
    await until(lambda: there.conversations.lists.revision("anna") > revision)
    for process in two:
        assert await process.conversations.get("me", talk.id) is None
        assert (await process.conversations.get("anna", talk.id)).turns


async def test_answers_and_questions_of_others_are_seen_without_redis(database_url, client):
    def are_apart(is_so: bool) -> bool:
        return all(process.conversations.apart is is_so for process in (one, other))

    is_unavailable = asyncio.Event()
    replies = iter([Reply([HALF]), Reply([HALF, is_unavailable, REST, FOR_EVER]), Reply([HALF])])
    with running_redis() as redis:
        async with (
            StandIn(lambda _: next(replies)).running() as backend,
            processes(database_url, redis, client) as (one, other),
        ):
            talk, long = one.conversations.start("me"), one.conversations.start("me")
            await one.ask(talk, backend).generation.wait_for_end()
            await shown(other, talk, lambda found: found.live is None)
            made = one.ask(long, backend).generation
            followed = await answer_in(other, made)
            await reached(followed, "Half an answer")
            redis.stop()
            await until(lambda: are_apart(True))
            assert not await one.conversations.can_be_shared()
            is_unavailable.set()
            for answer in (made, followed, await other.conversations.answer("me", made.id)):
                await reached(answer, "Half an answer, and the rest.")
            await one.conversations.share(talk, one.ask(talk, backend, "And now?"))
            again = await shown(other, talk, lambda found: len(found.turns) == 2 and found.turns[1].generation.ended)
            assert [turn.question for turn in again.turns] == ["Who is there?", "And now?"]
            await other.conversations.stop(await shown(other, long, lambda found: found.live is not None))
            before = one.conversations.lists.revision("me")
            redis.start()
            await until(lambda: are_apart(False))
            assert one.conversations.lists.revision("me") > before
            await end_of(made)
            assert (await end_of(followed)).record.status is Status.STOPPED


async def test_an_answer_closed_while_its_process_was_stopped_is_kept_whole(database_url, redis, client):
    goes_on = asyncio.Event()
    async with (
        StandIn(Reply([HALF, goes_on, REST, FOR_EVER])).running() as backend,
        processes(database_url, redis, client) as (one, other),
    ):
        talk = one.conversations.start("me")
        made = one.ask(talk, backend).generation
        await reached(await answer_in(other, made), "Half an answer")
        await shown(other, talk, lambda found: found.turns[0].generation.status is Status.RUNNING)
        await one.stand_still(made, database_url)
        await shown(other, talk, lambda found: found.turns[0].generation.status is Status.INTERRUPTED)
        goes_on.set()
        await reached(made, "Half an answer, and the rest.")
        await one.go_on()
        await shown(other, talk, lambda found: found.turns[0].generation.status is Status.RUNNING)
        await until(lambda: _is_kept(other, made.id, "Half an answer, and the rest."))
        await one.die(made, database_url)
        await shown(other, talk, lambda found: found.live is None)
        assert await _is_kept(other, made.id, "Half an answer, and the rest.")


async def test_a_resumed_process_takes_no_other_for_dead(endless, two_on_sqlite, sqlite_url):
    one, other = two_on_sqlite
    made = one.ask(one.conversations.start("me"), endless).generation
    await until(lambda: _is_kept(other, made.id, "Half an answer"))
    await other.stop_writing()
    await one.stand_still(made, sqlite_url)
    other.repository._next_look = time.monotonic() - stored_repository.LEASE
    for status in (Status.RUNNING, Status.INTERRUPTED):
        await other.repository._look_after()
        kept = await other.repository.store.answer("me", made.id)
        assert kept is not None and kept.generation.status is status
        other.repository._next_look = time.monotonic()
    await one.go_on()


async def _is_kept(process: Process, generation_id: str, text: str) -> bool:
    kept = await process.repository.store.answer("me", generation_id)
    return kept is not None and kept.answer.text == text


async def _lapse(url: str) -> None:
    """Let the leases of answers expire."""
    await execute(url, "UPDATE generation SET alive_at = alive_at - :long", long=2 * TIMEOUT)
