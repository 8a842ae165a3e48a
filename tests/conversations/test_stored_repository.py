"""Conversations are written while they change, whatever the store's state."""

import asyncio
import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.util import await_only

from chat_ui.conversations import stored_repository
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.records import AnswerHead, Changes, Piece, Status, StoredAnswer
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.page.state.views import answer_view
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import conversation, generation, turn
from tests.conversations.repository import (
    FOR_EVER,
    HALF,
    REST,
    ask,
    execute,
    held,
    kept,
    path_of,
    repository,
    until,
    until_kept,
)
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT


async def test_a_conversation_is_restored_after_a_restart(database_url: str, client: AsyncClient):
    reply = Reply([lines({"delta": {"content": "Hello"}, "session_state": "s-1"})])
    async with StandIn(reply).running() as backend:
        async with repository(database_url) as conversations:
            talk = conversations.start("me")
            made = ask(client, talk, backend)
            await made.generation.wait_for_end()
        async with repository(database_url) as conversations:
            again = await conversations.current("me")
            assert again is not talk
            assert again.id == talk.id
            assert [one.question for one in again.turns] == ["Who is there?"]
            assert again.turns[0].generation.status is Status.FINISHED
            answer = await conversations.answer("me", again.turns[0].generation.id)
            assert answer.answer.text == "Hello"
            await ask(client, again, backend, "And now?").generation.wait_for_end()
    sent = backend.requests[-1].json
    assert [message["content"] for message in sent["messages"]] == ["Who is there?", "Hello", "And now?"]
    assert sent["session_state"] == "s-1"


async def test_old_answers_take_little_memory(client, half: StandIn, sqlite_url: str):
    async with repository(sqlite_url, memory_bytes=20_000) as conversations:
        talk = conversations.start("me")
        made = ask(client, talk, half)
        await until_kept(conversations, made, lambda found: found.ended)
        others = [conversations.start("you") for _ in range(20)]
        for other in others:
            await ask(client, other, half).generation.wait_for_end()
        await until(lambda: not talk.generations())
        assert talk.turns[0].generation.status is Status.FINISHED
        assert (await conversations.answer("me", talk.turns[0].generation.id)).answer.text == "Half an answer"
        await ask(client, talk, half, "And now?").generation.wait_for_end()
        assert [one["content"] for one in half.requests[-1].json["messages"]][1] == "Half an answer"
        assert len(talk.generations()) == 1


async def test_visitors_without_a_question_are_not_written(client, half: StandIn, conversations: Conversations):
    conversations.start("visitor")
    talk = conversations.start("me")
    await until_kept(conversations, ask(client, talk, half))
    assert await conversations.repository.store.current("visitor") is None
    assert await conversations.repository.store.current("me") == talk.id
    conversations.start("me")
    assert await conversations.current("me") is talk
    assert await conversations.current("visitor") is None


async def test_a_running_answer_is_stored_and_reopened_after_a_lapsed_lease(client, endless, database_url: str):
    def is_complete(found: StoredAnswer) -> bool:
        return found.answer.text == "Half an answer" and found.generation.status is Status.RUNNING

    async with repository(database_url) as conversations:
        made = ask(client, conversations.start("me"), endless)
        await until_kept(conversations, made, is_complete)
        closed = await conversations.repository.store.close_lapsed(-60, {made.generation.id: "Half"})
        assert closed == {made.generation.asked.conversation}
        await until_kept(conversations, made, is_complete)
        await made.generation.stop()
        found = await until_kept(conversations, made, lambda found: found.generation.status is Status.STOPPED)
        assert found.answer.text == "Half an answer"


async def test_an_answer_of_a_dead_server_is_closed_at_the_start(database_url: str):
    talk = conversation()
    asked = turn(talk)
    left = generation(asked, status=Status.RUNNING)
    database = await Database.open(database_url)
    await Store(database).write(Changes((talk,), (asked,), (left,), (Piece(left.id, 0, "Half an answer"),)))
    await database.close()
    await execute(database_url, "UPDATE generation SET alive_at = alive_at + 3600")
    async with repository(database_url) as conversations:
        opened = await conversations.get("me", talk.id)
        assert opened.turns[0].generation.status is Status.INTERRUPTED
        assert opened.live is None
        assert (await conversations.answer("me", left.id)).answer.text == "Half an answer"


async def test_a_stopping_server_marks_answers_that_outlast_its_grace_period(sqlite_url: str, client: AsyncClient):
    goes_on = asyncio.Event()
    replies = iter([Reply([HALF, goes_on, REST]), Reply([HALF, FOR_EVER])])
    async with StandIn(lambda _: next(replies)).running() as backend:
        async with repository(sqlite_url) as conversations:
            complete = ask(client, conversations.start("me"), backend)
            await backend.arrived.wait()
            ending = asyncio.create_task(conversations.end_running(grace=TIMEOUT))
            goes_on.set()
            await ending
            assert complete.generation.status is Status.FINISHED
            assert complete.generation.answer.text == "Half an answer, and the rest."
            made = ask(client, conversations.start("me"), backend)
            await conversations.end_running(grace=0.05)
        assert made.generation.status is Status.INTERRUPTED
        async with repository(sqlite_url) as conversations:
            assert (await kept(conversations, made)).generation.status is Status.INTERRUPTED


async def test_values_refused_by_the_database_are_logged_and_block_nothing(
    client: AsyncClient, half: StandIn, database_url: str, caplog: pytest.LogCaptureFixture
):
    record = conversation()
    async with repository(database_url) as conversations:
        # The database rejects a turn without its conversation, and a question without a chosen answer.
        conversations.repository.note(Changes(turns=(turn(conversation(99)),)))
        for _ in range(3):
            conversations.repository.note(Changes((record,), (turn(record, chosen=None),)))
            await conversations.repository.catch_up()
        await until_kept(conversations, ask(client, conversations.start("me"), half))
        assert not conversations.repository.failing
    assert [one.levelno for one in caplog.records].count(logging.ERROR) == 1


async def test_versions_and_choices_are_restored(database_url: str, client: AsyncClient, half: StandIn):
    asked_of = Backend(f"{half.url}/chat")
    async with repository(database_url) as conversations:
        talk = conversations.start("me")
        first = ask(client, talk, half, "One?")
        await first.generation.wait_for_end()
        talk.answer_again(client, asked_of, {})
        await first.generation.wait_for_end()
        await ask(client, talk, half, "Two?").generation.wait_for_end()
        await talk.edit(client, asked_of, talk.turns[1].id, "Two, really?", {}).generation.wait_for_end()
        talk.choose_answer(first.id, 1)
    async with repository(database_url) as conversations:
        again = await conversations.get("me", talk.id)
        assert [one.question for one in again.turns] == ["One?", "Two, really?"]
        assert [one.number for one in again.turns[0].generations] == [1, 2]
        assert again.turns[0].generation.number == 1
        assert isinstance(again.turns[0].generation, AnswerHead)
        again.show_version(again.turns[1].id, 1)
        assert [one.question for one in again.turns] == ["One?", "Two?"]


async def test_a_deleted_conversation_is_not_written_again(client, endless, database_url: str):
    async with repository(database_url) as conversations:
        talk = conversations.start("me")
        made = ask(client, talk, endless)
        await until_kept(conversations, made)
        assert await conversations.lists.delete_all("me") == 1
        assert made.generation.ended
        assert await conversations.current("me") is None
        await ask(client, conversations.start("you"), endless).generation.stop()
        assert await kept(conversations, made) is None
        assert not conversations.repository.failing


async def test_a_write_in_progress_does_not_undo_a_deletion(client, endless, sqlite_url: str):
    async with repository(sqlite_url) as conversations:
        talk = conversations.start("me")
        # The conversation is written then, but not committed.
        async with held("INSERT INTO turn") as is_being_written:
            made = ask(client, talk, endless)
            await is_being_written()
            deleting = asyncio.create_task(conversations.lists.delete_all("me"))
            await made.generation.wait_for_end()
            assert not deleting.done()
        assert await deleting == 1
    async with repository(sqlite_url) as conversations:
        assert await conversations.get("me", talk.id) is None


async def test_a_choice_is_not_undone_by_older_rows(client, half, conversations: Conversations):
    talk, asked_of = conversations.start("me"), Backend(f"{half.url}/chat")
    made = ask(client, talk, half)
    await made.generation.wait_for_end()
    await talk.answer_again(client, asked_of, {}).generation.wait_for_end()
    await conversations.repository.catch_up()
    # Turns are read before answers.
    async with held("length(generation.text)") as reached_answers:
        talk.outdate()
        reading = asyncio.create_task(conversations.get("me", talk.id))
        await reached_answers()
        talk.choose_answer(made.id, 1)
    await reading
    assert made.chosen == 1
    talk.choose_answer(made.id, 2)
    await conversations.repository.catch_up()
    async with held("INSERT INTO turn"):
        talk.choose_answer(made.id, 1)
        edited = talk.edit(client, asked_of, made.id, "Who is it?", {})
        await edited.generation.wait_for_end()
        talk.show_version(edited.id, 1)
        talk.outdate()
        assert (await conversations.get("me", talk.id)).turns == [made]
        assert made.chosen == 1
        seen = talk.signal.revision
    async with asyncio.timeout(TIMEOUT):
        while (await conversations.get("me", talk.id)).stale:
            seen = await talk.signal.wait(seen)
    assert talk.turns == [made]
    assert made.chosen == 1


async def test_an_unwritten_conversation_is_not_taken_for_a_deleted_one(client, half, conversations):
    talk = conversations.start("me")
    async with held("INSERT INTO turn"):
        made = ask(client, talk, half)
        await made.generation.wait_for_end()
        talk.outdate()
        assert await conversations.get("me", talk.id) is talk
    await until_kept(conversations, made)
    assert (await conversations.get("me", talk.id)).turns == [made]


async def test_a_copied_database_has_all_messages_once_no_answer_runs(
    client, half: StandIn, sqlite_url: str, conversations: Conversations, tmp_path: Path
):
    def copied(query: str) -> list[tuple[str]]:
        copy = shutil.copy(path_of(sqlite_url), tmp_path / "copy.db")
        with closing(sqlite3.connect(copy)) as opened:
            return opened.execute(query).fetchall()

    talk = conversations.start("me")
    await ask(client, talk, half).generation.wait_for_end()
    await until(lambda: copied("SELECT text FROM generation") == [("Half an answer",)])
    assert await conversations.lists.rename("me", talk.id, "Renamed")
    await until(lambda: copied("SELECT title FROM conversation") == [("Renamed",)])


REFUSAL = lines({"type": "response.refusal.delta", "delta": "I cannot help with that."})


@pytest.mark.parametrize(
    ("reply", "idle", "words"),
    [
        (Reply([HALF, FOR_EVER]), 0.1, "This answer was cut off: nothing more came for 0.1 s"),
        (Reply([REFUSAL]), TIMEOUT, "The model refused to answer. Try"),
    ],
    ids=["cut off", "refused"],
)
async def test_the_end_of_an_answer_is_told_after_a_restart(sqlite_url: str, reply: Reply, idle: float, words: str):
    async with (
        StandIn(reply).running() as backend,
        AsyncClient(Bounds(connect_timeout=30, first_byte_timeout=60, idle_timeout=idle)) as impatient,
    ):
        async with repository(sqlite_url) as conversations:
            talk = conversations.start("me")
            made = ask(impatient, talk, backend)
            await made.generation.wait_for_end()
            said = answer_view(made, "/answers").notice
        async with repository(sqlite_url) as conversations:
            again = await conversations.get("me", talk.id)
            assert again.turns[0].generation.error is None
            assert answer_view(again.turns[0], "/answers").notice == said
    assert said.startswith(words)
    assert "connection" not in said


@pytest.mark.parametrize("way", ["a disk is still taking", "another holds the store"])
async def test_unwritten_changes_are_kept_at_the_end(sqlite_url: str, monkeypatch: pytest.MonkeyPatch, way: str):
    monkeypatch.setattr(database_module, "_SQLITE_BUSY_MS", 20)
    monkeypatch.setattr(stored_repository, "_LAST_SECONDS", TIMEOUT)
    asked = turn(record := conversation())
    conversations = Conversations(lambda: Database.open(sqlite_url), memory_bytes=0)
    await conversations.begin()
    if way == "a disk is still taking":
        async with held("INSERT INTO turn") as is_being_written:
            conversations.repository.note(Changes((record,), (asked,)))
            await is_being_written()
            ending = asyncio.create_task(conversations.end())
            await asyncio.sleep(0)
    else:
        with closing(sqlite3.connect(path_of(sqlite_url), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            conversations.repository.note(Changes((record,), (asked,)))
            ending = asyncio.create_task(conversations.end())
            await until(lambda: conversations.repository.failing)
            other.execute("ROLLBACK")
    await ending
    async with repository(sqlite_url) as again:
        outline = await again.repository.store.outline(record.owner, record.id)
    assert [one.question for one in outline.turns] == [asked.question]


async def test_a_slow_store_gets_all_changes_at_the_end(
    sqlite_url: str, client: AsyncClient, half: StandIn, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(stored_repository, "_LAST_SECONDS", 1.0)

    def wait(*_: object) -> None:
        await_only(asyncio.sleep(0.15))

    try:
        async with repository(sqlite_url) as conversations:
            talk = conversations.start("me")
            event.listen(Engine, "before_cursor_execute", wait)
            await ask(client, talk, half).generation.wait_for_end()
    finally:
        event.remove(Engine, "before_cursor_execute", wait)
    async with repository(sqlite_url) as conversations:
        again = await conversations.get("me", talk.id)
        assert again.turns[0].generation.status is Status.FINISHED
