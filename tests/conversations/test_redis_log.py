"""The log of an answer in Redis: what is in it, for how long, and what who reads it makes of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from secrets import token_hex

import pytest
from redis.asyncio import Redis

from chat_ui.conversations.generations import redis_log
from chat_ui.conversations.generations.local import Asked, LocalGeneration
from chat_ui.conversations.generations.redis_log import RedisLog
from chat_ui.conversations.generations.remote import LogEntry, RemoteGeneration
from chat_ui.conversations.records.records import KeptAnswer, Status
from chat_ui.conversations.redis_connection import alive, answering, redis_at
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Reply, StandIn, lines
from tests.conversations.keeping import until
from tests.conversations.kept import conversation, generation, turn
from tests.patience import PATIENCE
from tests.redis_server import RedisServer

WORDS = ("Buoys", " are", " red", ", all", " of", " them")
ASKED = turn(conversation())


class Logs:
    """The logs of two processes, and what the store has."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.kept: KeptAnswer | None = None
        self.one, self.other = RedisLog(redis, self._kept), RedisLog(redis, self._kept)

    async def _kept(self, _owner: str, _generation_id: str) -> KeptAnswer | None:
        return self.kept

    async def are_cut(self, generation_id: str) -> bool:
        """Whether the first entry holds everything, fewer than three follow, and none of them holds everything."""
        found = await self.redis.xrange(f"chat-ui:entries:{generation_id}")
        first, *rest = [LogEntry.of(fields["entry"]) for _, fields in found]
        is_whole = (first.start, first.owner, first.question) == (0, "me", "What colour are all buoys?")
        return is_whole and len(rest) < 3 and not any(one.owner or one.question for one in rest)


@pytest.fixture
async def logs(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Logs]:
    monkeypatch.setattr(redis_log, "_QUIET_MS", 10)
    # A busy machine may take longer than a person is kept waiting, and no process is taken for dead then.
    monkeypatch.setattr(redis_log, "_FIRST_ENTRY_MS", int(1000 * PATIENCE))
    monkeypatch.setattr(redis_log, "ALIVE", PATIENCE)
    connection = redis_at(redis.url)
    await connection.flushdb()
    made = Logs(connection)
    yield made
    await made.one.close()
    await made.other.close()
    await connection.aclose()


async def reached(answer: RemoteGeneration | LocalGeneration, text: str) -> None:
    seen = 0
    async with asyncio.timeout(PATIENCE):
        while answer.answer.text != text:
            seen = await answer.signal.wait(seen)


@asynccontextmanager
async def growing(client: Client, gates: dict[str, asyncio.Event]) -> AsyncIterator[LocalGeneration]:
    """An answer of which each word comes once its gate is open."""

    async def prepare() -> ChatRequest:
        return ChatRequest((Message("user", "What colour are all buoys?"),))

    steps = [step for word, gate in gates.items() for step in (gate, lines({"delta": {"content": word}}))]
    async with StandIn(Reply(steps)).running() as backend:
        asked = Asked("me", "talk", "turn", 1, "What colour", {})
        made = LocalGeneration(f"talk.{token_hex(8)}", asked, Backend(f"{backend.url}/chat"), prepare, lambda: None)
        made.start(client)
        yield made
        await made.stop()


async def test_now_and_then_an_entry_holds_everything_and_those_before_it_go(
    logs: Logs, client: Client, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(redis_log, "WHOLE_EVERY", 3)
    gates = {word: asyncio.Event() for word in WORDS}
    async with growing(client, gates) as made:
        logs.one.share(made)
        await logs.one.has_begun(made.id)
        followed = await logs.other.open("me", made.id, None)
        assert followed is not None
        assert (followed.question, followed.owner, followed.is_followed) == ("What colour are all buoys?", "me", True)
        assert await logs.other.open("me", made.id, None) is followed
        assert await logs.other.open("you", made.id, None) is None
        assert await logs.redis.smembers(answering("me")) == {made.id}
        assert 0 < await logs.redis.pttl(alive(made.id)) <= 1_000 * PATIENCE
        text = ""
        for word, gate in gates.items():
            gate.set()
            text += word
            await reached(followed, text)
            # They go a moment after the entry that holds everything has come.
            await until(lambda: logs.are_cut(made.id))
        async with asyncio.timeout(PATIENCE):
            await followed.wait_for_end()
        assert followed.answer == made.answer
        assert followed.status is Status.FINISHED
        assert 0 < await logs.redis.ttl(f"chat-ui:entries:{made.id}") <= 60
        assert await logs.redis.smembers(answering("me")) == set()


async def test_a_log_begins_as_soon_as_the_question_is_whole(
    logs: Logs, client: Client, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(redis_log, "_UNFOLLOWED_PAUSE", 2 * PATIENCE)
    async with growing(client, {"Buoys": asyncio.Event()}) as made:
        await made.prepared.wait()
        made.prepared.clear()
        logs.one.share(made)
        for _ in range(20):
            await asyncio.sleep(0)
        made.prepared.set()
        await logs.one.has_begun(made.id)
        assert await logs.redis.exists(alive(made.id))


async def test_between_its_beginning_and_its_end_what_nobody_follows_is_not_appended(
    logs: Logs, client: Client, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(redis_log, "SIGN_OF_LIFE", 0.01)
    gates = {word: asyncio.Event() for word in WORDS}

    async def length_after_a_sign_of_life() -> int:
        await logs.redis.delete(alive(made.id))
        await until(lambda: logs.redis.exists(alive(made.id)))
        return int(await logs.redis.xlen(f"chat-ui:entries:{made.id}"))

    async with growing(client, gates) as made:
        logs.one.share(made)
        await logs.one.has_begun(made.id)
        gates["Buoys"].set()
        gates[" are"].set()
        await reached(made, "Buoys are")
        assert await length_after_a_sign_of_life() == 1
        followed = await logs.other.open("me", made.id, None)
        assert followed is not None
        assert followed.answer.text == "Buoys are"
        gates[" red"].set()
        await reached(followed, "Buoys are red")
        await logs.other.close()
        await logs.redis.delete(f"chat-ui:followed:{made.id}")
        await length_after_a_sign_of_life()
        before = await length_after_a_sign_of_life()
        gates[", all"].set()
        await reached(made, "Buoys are red, all")
        assert await length_after_a_sign_of_life() == before
        for gate in gates.values():
            gate.set()
        await made.wait_for_end()
        await until(lambda: _is_over(logs.redis))
        late = await RedisLog(logs.redis, logs._kept).open("me", made.id, None)
        assert late is not None
        assert (late.status, late.answer) == (Status.FINISHED, made.answer)


async def test_an_entry_that_cannot_be_read_ends_the_following_of_its_log_alone(
    logs: Logs, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    odd, fine = [{word: asyncio.Event() for word in WORDS} for _ in range(2)]
    async with growing(client, odd) as unread, growing(client, fine) as read:
        followed: list[RemoteGeneration] = []
        for made, gates in ((unread, odd), (read, fine)):
            logs.one.share(made)
            await logs.one.has_begun(made.id)
            gates["Buoys"].set()
            await reached(made, "Buoys")
            found = await logs.other.open("me", made.id, None)
            assert found is not None
            followed.append(found)
        await logs.redis.xadd(f"chat-ui:entries:{unread.id}", {"entry": "[7]"})
        await until(lambda: _says(caplog, unread.id))
        fine[" are"].set()
        await reached(followed[1], "Buoys are")
        assert await RedisLog(logs.redis, logs._kept).open("me", unread.id, None) is None
        for status, text in ((Status.RUNNING, "Buoys are"), (Status.FINISHED, "Buoys are red")):
            kept = generation(ASKED, status=status)
            logs.kept = KeptAnswer(replace(kept, id=unread.id, answer=replace(kept.answer, text=text)), "")
            await reached(followed[0], text)


async def _says(caplog: pytest.LogCaptureFixture, words: str) -> bool:
    return words in caplog.text


async def _is_over(redis: Redis) -> bool:
    return not await redis.smembers(answering("me"))


async def test_of_an_answer_that_its_process_left_the_text_is_in_its_log(logs: Logs, client: Client):
    gates = {word: asyncio.Event() for word in WORDS}
    async with growing(client, gates) as made:
        assert await logs.other.last_text(made.id) == ""
        logs.one.share(made)
        gates["Buoys"].set()
        await logs.one.has_begun(made.id)
        followed = await logs.other.open("me", made.id, None)
        assert followed is not None
        await reached(followed, "Buoys")
        assert await logs.other.last_text(made.id) is None
        await logs.one.close()
        await logs.redis.delete(alive(made.id))
        assert await logs.other.last_text(made.id) == "Buoys"
        async with asyncio.timeout(PATIENCE):
            await followed.wait_for_end()
        assert (followed.status, followed.answer.text) == (Status.INTERRUPTED, "Buoys")


async def test_what_nobody_logs_is_read_from_the_store_until_that_says_how_it_ended(
    logs: Logs, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(redis_log, "_FIRST_ENTRY_MS", 10)
    running, ended = generation(ASKED, status=Status.RUNNING), generation(ASKED)
    kept = logs.kept = KeptAnswer(replace(running, answer=replace(running.answer, text="Half")), "Who?")
    assert await logs.other.open("me", "none.such", None) is None
    followed = await logs.other.open("me", running.id, kept)
    assert followed is not None
    assert (followed.answer.text, followed.question, followed.ended) == ("Half", "Who?", False)
    assert await logs.other.open("you", running.id, kept) is None
    logs.kept = KeptAnswer(ended, "Who?")
    async with asyncio.timeout(PATIENCE):
        await followed.wait_for_end()
    assert (followed.status, followed.answer.text) == (Status.FINISHED, ended.answer.text)
    assert followed.text_revision
