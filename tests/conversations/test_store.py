import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy import text as sql
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from chat_ui.conversations.archive.archive import transcript_pieces
from chat_ui.conversations.records.records import (
    Changes,
    ConversationRecord,
    GenerationRecord,
    Piece,
    Status,
    Transcript,
    TurnRecord,
)
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import READS_AT_ONCE, STILL_SECONDS, Database, engine_at
from chat_ui.conversations.store.rows import (
    ROW_BYTES,
    Batch,
    conversation_row,
    generation_row,
    generation_row_in_turn,
    turn_row,
)
from chat_ui.conversations.store.store import QUESTION_HEAD, Store
from chat_ui.errors import StoreUnavailableError
from chat_ui.protocol.answers.answer import Answer, DataPoint
from tests.conversations.kept import ANSWER, conversation, generation, turn
from tests.conversations.repository import execute, until
from tests.timeouts import TIMEOUT
from tests.turns import counted_turns

ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


async def keep_one(
    store: Store, answer: Answer = ANSWER, **values: object
) -> tuple[ConversationRecord, TurnRecord, GenerationRecord]:
    talk = conversation()
    asked = turn(talk, **values)
    made = generation(asked, answer=answer)
    await store.write(Changes((talk,), (asked,), (made,)))
    return talk, asked, made


async def keep_running(store: Store, *pieces: Piece) -> GenerationRecord:
    """An answer in the making, with its result."""
    talk = conversation()
    running = generation(asked := turn(talk), status=Status.RUNNING)
    await store.write(Changes((talk,), (asked,), (running,), pieces))
    return running


def piece(start: int, text: str) -> Piece:
    return Piece(f"{turn(conversation()).id}.1", start, text)


async def test_a_conversation_is_read_back_only_by_its_owner(store: Store, listed: StoredList):
    talk, asked, made = await keep_one(store)
    assert await store.transcript("me", talk.id) == Transcript(talk, (asked,), (made,))
    kept = await store.answer("me", made.id)
    assert (kept.answer, kept.question) == (ANSWER, asked.question)
    assert await store.answer("you", made.id) is None
    assert await store.outline("you", talk.id) is None
    assert await store.transcript("you", talk.id) is None
    assert [one async for one in store.transcripts("you")] == []
    later, chosen = replace(talk, updated_at=5000.0), replace(asked, chosen=2)
    second = replace(generation(asked, 2, answer=Answer(text="x\0y")), started_at=made.started_at + 0.5)
    other = turn(talk, 2, question="a\0b\ud800c")
    await store.write(Changes((later,), (chosen, other), (made, second, generation(other)), current={"me": "c1"}))
    await store.write(Changes(current={"me": "c2", "you": "c3"}))
    transcript = await store.transcript("me", talk.id)
    assert (transcript.conversation, transcript.turns[0], transcript.generations[0]) == (later, chosen, made)
    assert [one.number for one in transcript.generations] == [1, 2, 1]
    assert [await store.current(owner) for owner in ("me", "you", "nobody")] == ["c2", "c3", None]
    # As precise as the database stores it.
    assert transcript.turns[1].question == "a\N{REPLACEMENT CHARACTER}b?c"
    assert transcript.generations[1].answer.text == "x\N{REPLACEMENT CHARACTER}y"
    await store.write(Changes((conversation(9, title="n\0o\ud800w"),)))
    odd = await store.transcript("me", conversation(9).id)
    assert odd.conversation.title == "n\N{REPLACEMENT CHARACTER}o?w"
    await listed.rename("me", talk.id, "Mine")
    await listed.pin("me", talk.id, True)
    for moment in (6000.0, 5500.0):
        await store.write(Changes((replace(talk, updated_at=moment),)))
    [kept] = await listed.pinned("me")
    assert kept == replace(talk, title="Mine", renamed=True, pinned=True, updated_at=6000.0)


async def test_an_outline_has_beginnings_of_answers_and_long_questions(store: Store):
    answer = replace(ANSWER, recorded_at="2024-11-20T09:30:00+00:00")
    talk, asked, made = await keep_one(store, answer, question="why " * 5000)
    outline = await store.outline("me", talk.id)
    assert outline.turns[0].question == asked.question[:QUESTION_HEAD]
    head = outline.heads[asked.id][0]
    assert (head.id, head.status, head.sources, head.error) == (made.id, Status.FINISHED, 1, ANSWER.error)
    assert (head.followups, head.recorded_at) == (ANSWER.followup_questions, answer.recorded_at)


async def test_the_text_of_a_running_answer_is_the_sum_of_its_pieces(store: Store, database: Database):
    running = await keep_running(store, piece(0, "Buoys "))
    await store.write(Changes(pieces=(piece(6, "are"), piece(9, " red."))))
    await store.write(Changes(pieces=(piece(6, "are"),)))
    await store.write(Changes(generations=(running,)))
    assert (await store.answer("me", running.id)).answer == replace(ANSWER, text="Buoys are red.")
    await store.write(Changes(generations=(replace(running, status=Status.FINISHED),)))
    assert (await store.answer("me", running.id)).answer.text == ANSWER.text
    async with database.reading() as connection:
        assert await connection.scalar(sql("SELECT count(*) FROM piece")) == 0


@pytest.mark.parametrize(("left", "longest"), [("", "Half a "), ("Half an ans", "Half an ans")])
async def test_an_answer_of_a_lost_server_has_its_longest_known_text(store: Store, left: str, longest: str):
    running = await keep_running(store, piece(0, "Half a "))
    assert await store.lapsed(60) == []
    assert await store.lapsed(-1) == [running.id]
    assert await store.close_lapsed(-1, {running.id: left}) == {running.conversation}
    kept = await store.answer("me", running.id)
    assert (kept.generation.status, kept.answer.text) == (Status.INTERRUPTED, longest)
    assert await store.lapsed(-1) == []


async def test_a_lease_expires_in_the_past_and_in_the_future_unless_renewed(store: Store, database_url: str):
    running = await keep_running(store)
    ended = generation(turn(conversation()), 2)
    await store.write(Changes(generations=(ended,)))
    for seconds in (-60 * TIMEOUT, 60 * TIMEOUT):
        await execute(database_url, "UPDATE generation SET alive_at = alive_at + :by", by=seconds)
        assert await store.lapsed(TIMEOUT) == [running.id]
        assert await store.write(Changes(alive=(running.id, ended.id))) == {ended.id}
        assert await store.lapsed(TIMEOUT) == []
        assert await store.close_lapsed(TIMEOUT, {running.id: ""}) == set()


@pytest.mark.thorough
async def test_a_process_stopped_in_a_transaction_blocks_no_other(postgresql_url: str):
    standing_still, other = [await Database.open(postgresql_url) for _ in range(2)]
    await Store(other).write(Changes((conversation(),)))
    rename = sql("UPDATE conversation SET title = 'Ropes'")
    with pytest.raises(StoreUnavailableError):
        async with standing_still.writing() as held:
            await held.execute(rename)
            timeouts = await held.execute(sql("SHOW idle_in_transaction_session_timeout"))
            assert timeouts.scalar_one() == f"{STILL_SECONDS:.0f}s"
            # A shorter timeout for this transaction only, since a busy machine may delay others.
            await held.execute(sql("SET LOCAL idle_in_transaction_session_timeout = 200"))
            # The row's lock is released while its holder is silent.
            async with other.writing() as connection:
                await connection.execute(rename)
            await held.execute(rename)
    async with standing_still.writing() as connection:
        await connection.execute(rename)
    for database in (standing_still, other):
        await database.close()


@pytest.mark.parametrize("read", ["outline", "transcript", "shown_with_origins"])
async def test_a_conversation_deleted_during_a_read_is_read_whole(
    store: Store, database: Database, database_url: str, read: str
):
    talk, *_ = await keep_one(store)
    before = await getattr(store, read)("me", talk.id)
    queries = []

    def meanwhile(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        queries.extend([statement] if statement.startswith("SELECT") else [])
        if len(queries) == 1:
            with ThreadPoolExecutor(1) as apart:
                apart.submit(asyncio.run, execute(database_url, "DELETE FROM conversation")).result()

    event.listen(database._readers.sync_engine, "after_cursor_execute", meanwhile)
    assert await getattr(store, read)("me", talk.id) == before
    assert await getattr(store, read)("me", talk.id) is None


async def test_slow_readers_block_no_reader_or_writer(store: Store, database: Database):
    async with AsyncExitStack() as readers:
        for _ in range(READS_AT_ONCE // 2):
            await readers.enter_async_context(database.reading())
        await keep_one(store)
    exports = [store.transcripts("me") for _ in range(20)]
    for export in exports:
        assert (await anext(export)).conversation == conversation()
    assert await store.outline("me", conversation().id) is not None
    for export in exports:
        await export.aclose()


async def test_all_conversations_of_a_person_are_read(store: Store):
    talks = [conversation(number) for number in range(1, 46)]
    asked = [turn(talk) for talk in talks]
    await store.write(Changes(tuple(talks), tuple(asked), tuple(map(generation, asked))))
    read = [transcript async for transcript in store.transcripts("me")]
    assert [one.conversation for one in read] == talks
    assert all(len(one.turns) == len(one.generations) == 1 for one in read)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///{}/chat.db"], ids=["in memory", "in a file"])
async def test_a_cancelled_query_loses_nothing_and_blocks_nobody(tmp_path: Path, url: str):
    database = await Database.open(url.format(tmp_path))
    store = Store(database)
    talk, _, made = await keep_one(store)
    is_running = asyncio.Event()

    async def ask(connected: AbstractAsyncContextManager[AsyncConnection]) -> None:
        async with connected as connection:
            await connection.execute(sql("SELECT 1"))
            is_running.set()
            await connection.execute(sql(ENDLESS))

    for connected, steps in product((database.reading, database.writing), ([], [0], [0, 0, 0])):
        is_running.clear()
        leaving = asyncio.create_task(ask(connected()))
        await is_running.wait()
        leaving.cancel()
        for step in steps:
            await asyncio.sleep(step)
            leaving.cancel()
        with pytest.raises((asyncio.CancelledError, StoreUnavailableError)):
            await leaving
        await store.write(Changes((replace(talk, updated_at=talk.updated_at + 1),)))
        transcript = await store.transcript("me", talk.id)
        assert transcript.generations == (made,)
    await database.close()


async def test_processes_that_start_at_once_do_not_disturb_each_other(database_url: str):
    for opened in await asyncio.gather(*(Database.open(database_url) for _ in range(4))):
        assert await Store(opened).current("nobody") is None
        await opened.close()
    for url in ("postgresql://nobody@127.0.0.1:1/none", "sqlite:////proc/none/chat.db", "mysql://x/y", "nonsense"):
        with pytest.raises(StoreUnavailableError):
            await Database.open(url)


@pytest.fixture
async def other(postgresql_url: str) -> AsyncIterator[AsyncEngine]:
    """Connections of another process."""
    engine = engine_at(postgresql_url)
    yield engine
    await engine.dispose()


async def until_waited_for(other: AsyncEngine, number: int = 1) -> None:
    """Return once that many statements wait for a lock."""

    async def are_waiting() -> bool:
        async with other.connect() as looking:
            return (await looking.scalar(sql("SELECT count(*) FROM pg_locks WHERE NOT granted"))) >= number

    await until(are_waiting)


@pytest.mark.thorough
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_an_answer_renewed_during_its_closing_keeps_its_text(store: Store, other: AsyncEngine):
    running = await keep_running(store, piece(0, "Half an answer"))
    async with other.begin() as renewing:
        await renewing.execute(sql("UPDATE generation SET alive_at = alive_at + 3600"))
        closing = asyncio.create_task(store.close_lapsed(-60, {running.id: ""}))
        await until_waited_for(other)
    assert await closing == set()
    kept = await store.answer("me", running.id)
    assert (kept.generation.status, kept.answer.text) == (Status.RUNNING, "Half an answer")


@pytest.mark.thorough
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_an_answer_written_during_deletion_is_deleted(store: Store, listed: StoredList, other: AsyncEngine):
    running = await keep_running(store)
    async with other.begin() as locking:
        await locking.execute(sql("SELECT 1 FROM generation FOR UPDATE"))
        writing = asyncio.create_task(store.write(Changes(generations=(running,))))
        await until_waited_for(other)
        deleting = asyncio.create_task(listed.delete_all("me"))
        await until_waited_for(other, 2)
    await writing
    assert await deleting == 1
    assert await store.answer("me", running.id) is None


async def test_an_import_is_visible_only_when_whole(store: Store):
    mark = 1700000000.123456
    *talks, broken_off = [conversation(number) for number in (1, 2, 3)]
    rows = [{**conversation_row(talk), "deleted_at": mark} for talk in talks]
    await store.bring_in(Batch([{**conversation_row(broken_off), "deleted_at": mark - 1}]))
    await store.bring_in(Batch(rows[:1], [turn_row(turn(talks[0]))], [generation_row(generation(turn(talks[0])))]))
    assert await store.outline("me", talks[0].id) is None
    await store.bring_in(Batch(rows[1:], ends=("me", mark)))
    assert (await store.transcript("me", talks[0].id)).generations == (generation(turn(talks[0])),)
    assert await store.outline("me", talks[1].id) is not None
    assert await store.outline("me", broken_off.id) is None


async def test_a_large_answer_is_written_with_pauses_for_others():
    words = 'Buoys are "red" \N{TENT}. ' * 50_000
    for answer, least in (
        (Answer(words), 0),
        (Answer(reasoning=words), 40),
        (Answer(data_points=(DataPoint("1", "Buoys.pdf", words),)), 40),
    ):
        record = generation(turn(conversation()), answer=answer)
        async with counted_turns() as turns:
            row = await generation_row_in_turn(record)
        assert turns() > least
        assert row == generation_row(record)
        assert row["size"] == ROW_BYTES + sum(
            len((row[name] or "").encode()) for name in ("text", "answer", "error", "followups", "backend", "overrides")
        )


def test_an_export_comes_in_pieces_also_for_a_large_answer():
    of = turn(talk := conversation())
    answer = Answer('"red" ' * 200_000, data_points=(DataPoint("1", "Buoys.pdf", "\N{TENT}" * 200_000),))
    pieces = list(transcript_pieces(Transcript(talk, (of,), (generation(of, answer=answer),))))
    assert max(map(len, pieces)) < 200_000
    assert json.loads("".join(pieces))["turns"][0]["answers"][0]["answer"]["text"] == answer.text
