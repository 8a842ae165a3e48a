"""The log of an answer in Redis: its entries, its lifetime, and the answer read from it."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from secrets import token_hex

import pytest
from redis.asyncio import Redis

from chat_ui.conversations.generations import redis_log
from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.redis_log import RedisLog
from chat_ui.conversations.generations.remote import LogEntry, RemoteGeneration, read_log, without_text
from chat_ui.conversations.records.records import Status, StoredAnswer
from chat_ui.conversations.redis_connection import alive, answering, redis_at
from chat_ui.errors import StoreUnavailableError, UnreadableEntryError
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import ANSWER, conversation, generation, turn
from tests.conversations.repository import answer_of, reached, until
from tests.redis_server import RedisServer
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT

WORDS = ("Buoys", " are", " red", ", all", " of", " them")
ASKED = turn(conversation())


class Logs:
    """The logs of two processes, and their store."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.kept: StoredAnswer | None = None
        self.is_unavailable, self.asked_meanwhile = False, 0
        self.one, self.other = RedisLog(redis, self._kept), RedisLog(redis, self._kept)

    async def _kept(self, _owner: str, _generation_id: str) -> StoredAnswer | None:
        if self.is_unavailable:
            self.asked_meanwhile += 1
            raise StoreUnavailableError("it is away")
        return self.kept

    async def are_cut(self, generation_id: str) -> bool:
        """Whether the log begins with a full entry, and fewer than three partial ones follow."""
        found = await self.redis.xrange(f"chat-ui:entries:{generation_id}")
        first, *rest = [LogEntry.of(fields["entry"]) for _, fields in found]
        is_complete = (first.start, first.owner, first.question) == (0, "me", "What colour are all buoys?")
        return is_complete and len(rest) < 3 and not any(one.owner or one.question for one in rest)


@pytest.fixture
async def logs(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Logs]:
    monkeypatch.setattr(redis_log, "_QUIET_MS", 10)
    # A busy machine may exceed a person's timeout, but no process counts as dead.
    monkeypatch.setattr(redis_log, "_FIRST_ENTRY_MS", int(1000 * TIMEOUT))
    monkeypatch.setattr(redis_log, "ALIVE", TIMEOUT)
    connection = redis_at(redis.url)
    await connection.flushdb()
    made = Logs(connection)
    yield made
    await made.one.close()
    await made.other.close()
    await connection.aclose()


async def followed_in(log: RedisLog, made: LocalGeneration) -> RemoteGeneration:
    followed = await log.open("me", made.id, None)
    assert followed is not None
    return followed


@asynccontextmanager
async def streaming(
    client: AsyncClient, logs: Logs, words: Sequence[str] = WORDS
) -> AsyncIterator[tuple[LocalGeneration, dict[str, asyncio.Event]]]:
    """An answer shared by the first process, and the gates of its words."""
    gates = {word: asyncio.Event() for word in words}
    steps = [step for word, gate in gates.items() for step in (gate, lines({"delta": {"content": word}}))]
    async with StandIn(Reply(steps)).running() as backend:
        made = answer_of(backend, f"talk.{token_hex(8)}", "What colour are all buoys?")
        made.start(client)
        logs.one.share(made)
        await logs.one.has_begun(made.id)
        yield made, gates
        await made.stop()


async def test_an_entry_has_the_whole_answer_now_and_then(
    logs: Logs, client: AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(redis_log, "COMPLETE_EVERY", 3)
    async with streaming(client, logs) as (made, gates):
        followed = await followed_in(logs.other, made)
        assert (followed.question, followed.owner, followed.is_followed) == ("What colour are all buoys?", "me", True)
        assert await logs.other.open("me", made.id, None) is followed
        assert await logs.other.open("you", made.id, None) is None
        assert await logs.redis.smembers(answering("me")) == {made.id}
        assert 0 < await logs.redis.pttl(alive(made.id)) <= 1_000 * TIMEOUT
        text = ""
        for word, gate in gates.items():
            gate.set()
            text += word
            await reached(followed, text)
            # They are removed shortly after the full entry.
            await until(lambda: logs.are_cut(made.id))
        await asyncio.wait_for(followed.wait_for_end(), TIMEOUT)
        assert (followed.answer, followed.status) == (made.answer, Status.FINISHED)
        assert 0 < await logs.redis.ttl(f"chat-ui:entries:{made.id}") <= 60
        assert await logs.redis.smembers(answering("me")) == set()


async def test_a_log_begins_once_the_question_is_stored(
    logs: Logs, client: AsyncClient, endless: StandIn, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(redis_log, "_UNFOLLOWED_PAUSE", 2 * TIMEOUT)
    made = answer_of(endless, f"talk.{token_hex(8)}")
    made.start(client)
    await made.prepared.wait()
    made.prepared.clear()
    logs.one.share(made)
    for _ in range(20):
        await asyncio.sleep(0)
    made.prepared.set()
    await logs.one.has_begun(made.id)
    assert await logs.redis.exists(alive(made.id))
    await made.stop()


async def test_pieces_without_followers_are_not_appended(
    logs: Logs, client: AsyncClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(redis_log, "SIGN_OF_LIFE", 0.01)

    async def length_after_a_sign_of_life() -> int:
        await logs.redis.delete(alive(made.id))
        await until(lambda: logs.redis.exists(alive(made.id)))
        return int(await logs.redis.xlen(f"chat-ui:entries:{made.id}"))

    async def is_over() -> bool:
        return not await logs.redis.smembers(answering("me"))

    async with streaming(client, logs) as (made, gates):
        gates["Buoys"].set()
        gates[" are"].set()
        await reached(made, "Buoys are")
        assert await length_after_a_sign_of_life() == 1
        followed = await followed_in(logs.other, made)
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
        await until(is_over)
        late = await followed_in(RedisLog(logs.redis, logs._kept), made)
        assert (late.status, late.answer) == (Status.FINISHED, made.answer)


async def test_an_unreadable_entry_ends_only_its_log(
    logs: Logs, client: AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    async with streaming(client, logs) as (unread, odd), streaming(client, logs) as (read, fine):
        followed: list[RemoteGeneration] = []
        for made, gates in ((unread, odd), (read, fine)):
            gates["Buoys"].set()
            await reached(made, "Buoys")
            followed.append(await followed_in(logs.other, made))
        await logs.redis.xadd(f"chat-ui:entries:{unread.id}", {"entry": "[7]"})
        await until(lambda: unread.id in caplog.text)
        fine[" are"].set()
        await reached(followed[1], "Buoys are")
        assert await RedisLog(logs.redis, logs._kept).open("me", unread.id, None) is None
        for status, text in ((Status.RUNNING, "Buoys are"), (Status.FINISHED, "Buoys are red")):
            kept = generation(ASKED, status=status)
            logs.kept = StoredAnswer(replace(kept, id=unread.id, answer=replace(kept.answer, text=text)), "")
            await reached(followed[0], text)


async def test_the_text_of_an_abandoned_answer_is_in_its_log(logs: Logs, client: AsyncClient):
    async with streaming(client, logs) as (made, gates):
        gates["Buoys"].set()
        followed = await followed_in(logs.other, made)
        await reached(followed, "Buoys")
        assert [await logs.other.last_text(answer) for answer in ("talk.none", made.id)] == ["", None]
        await logs.one.close()
        await logs.redis.delete(alive(made.id))
        assert await logs.other.last_text(made.id) == "Buoys"
        await asyncio.wait_for(followed.wait_for_end(), TIMEOUT)
        assert (followed.status, followed.answer.text) == (Status.INTERRUPTED, "Buoys")


async def test_an_unlogged_answer_is_read_from_the_store(logs: Logs, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(redis_log, "_FIRST_ENTRY_MS", 10)
    running, ended = generation(ASKED, status=Status.RUNNING), generation(ASKED)
    kept = logs.kept = StoredAnswer(replace(running, answer=replace(running.answer, text="Half")), "Who?")
    assert await logs.other.open("me", "none.such", None) is None
    followed = await logs.other.open("me", running.id, kept)
    assert (followed.answer.text, followed.question, followed.ended) == ("Half", "Who?", False)
    assert await logs.other.open("you", running.id, kept) is None
    logs.is_unavailable = True
    await until(lambda: logs.asked_meanwhile > 1)
    assert not followed.ended
    logs.is_unavailable = False
    logs.kept = StoredAnswer(ended, "Who?")
    await asyncio.wait_for(followed.wait_for_end(), TIMEOUT)
    assert (followed.status, followed.answer.text) == (Status.FINISHED, ended.answer.text)
    assert followed.text_revision


RUNNING = generation(ASKED, status=Status.RUNNING, answer=Answer("Half"))


def half() -> RemoteGeneration:
    return RemoteGeneration("me", StoredAnswer(RUNNING, ASKED.question))


def test_an_entry_adds_the_missing_part_at_its_place():
    for start, text, complete in (
        (4, " an answer", "Half an answer"),
        (0, "Half an answer", "Half an answer"),
        (2, "lf an", "Half an"),
        (0, "Half", "Half"),
        (4, "", "Half"),
        (5, "later", "Half"),
    ):
        remote = half()
        for _ in range(2):
            remote.apply(LogEntry(start, text))
            assert remote.answer == Answer(complete)
        assert remote.text_since(4) == (complete[4:], len(complete))


def test_an_entry_of_another_version_is_unreadable():
    entries = [
        LogEntry(3, "ünï", text_revision=1),
        LogEntry(0, "Half", without_text(RUNNING), "me", "Who?"),
        LogEntry(7, "", without_text(generation(ASKED))),
    ]
    assert [LogEntry.of(entry.to_json().decode()) for entry in entries] == entries
    for entry in ("", "[7]", '[0,"a","{}",null,null,0]', '[0,"a","7",null,null,0]'):
        with pytest.raises(UnreadableEntryError):
            LogEntry.of(entry)


def test_followers_get_only_news_and_citations_beside_the_text():
    remote = half()
    remote.last_event_at = -math.inf
    heard, context = remote.signal.revision, remote.context_revision
    for entry in (LogEntry(0, "Half"), LogEntry(0, "Ha", RUNNING)):
        remote.apply(entry)
        assert (remote.signal.revision, remote.context_revision) == (heard, context)
        assert remote.last_event_at == -math.inf
    remote.apply(LogEntry(4, " an"))
    assert (remote.signal.revision, remote.context_revision) == (heard + 1, context)
    assert remote.last_event_at <= time.monotonic()
    assert remote.last_event_at > -math.inf
    told = replace(RUNNING, answer=Answer("not this", usage={"tokens": 3}))
    remote.apply(LogEntry(7, "", told))
    assert (remote.signal.revision, remote.context_revision) == (heard + 2, context + 1)
    assert remote.answer == Answer("Half an", usage={"tokens": 3})
    assert remote.record == without_text(told)
    remote = half()
    cited = Answer(citations=(PlacedCitation("plan.pdf", 4, 4),))
    entry = LogEntry(4, " an", replace(RUNNING, answer=cited))
    remote.apply(LogEntry.of(entry.to_json().decode()))
    assert (remote.answer, remote.context_revision) == (replace(cited, text="Half an"), 2)


@pytest.mark.parametrize("status", [Status.RUNNING, Status.FINISHED])
async def test_a_stored_answer_has_ended_if_it_says_so(status: Status):
    remote = RemoteGeneration("me", StoredAnswer(generation(ASKED, status=status), ASKED.question), is_followed=False)
    assert remote.ended is (status is Status.FINISHED)
    assert (remote.answer, remote.question, remote.owner) == (ANSWER, ASKED.question, "me")
    assert (remote.asked_of, remote.context_revision, remote.is_followed) == (RUNNING.backend, 1, False)
    waiting = asyncio.create_task(remote.wait_for_end())
    await asyncio.sleep(0)
    assert waiting.done() is remote.ended
    remote.interrupt()
    await waiting
    ended = Status.INTERRUPTED if status is Status.RUNNING else status
    assert (remote.ended, remote.status) == (True, ended)
    remote.apply(LogEntry(len(ANSWER.text), " more", RUNNING))
    assert (remote.status, remote.answer.text) == (ended, ANSWER.text)


def test_a_replaced_text_is_not_undone_by_an_older_one():
    remote = RemoteGeneration("me", StoredAnswer(RUNNING, "Who?"))
    remote.apply(LogEntry(0, "Twos?", RUNNING))
    anew = LogEntry(0, "One", RUNNING, text_revision=1)
    for entry in (anew, LogEntry(0, "Twos? Thr", RUNNING), LogEntry(3, " pair", text_revision=1), anew):
        remote.apply(entry)
    assert (remote.answer.text, remote.text_revision) == ("One pair", 1)
    ended = replace(RUNNING, status=Status.FINISHED)
    remote.apply(LogEntry(0, "One pair.", ended))
    assert (remote.answer.text, remote.ended) == ("One pair.", True)


def test_an_answer_is_read_from_the_first_full_entry():
    ended = replace(RUNNING, status=Status.FINISHED)
    complete = LogEntry(0, "Half", RUNNING, "me", "Who?")
    for lacking in (replace(complete, owner=None), replace(complete, question=None), replace(complete, record=None)):
        assert read_log([lacking, LogEntry(4, " an")]) is None
    assert read_log([]) is None
    read = read_log([LogEntry(2, "lf"), complete, LogEntry(4, " an"), LogEntry(7, "", ended)])
    assert read is not None
    assert (read.owner, read.question, read.answer.text, read.status) == ("me", "Who?", "Half an", Status.FINISHED)
