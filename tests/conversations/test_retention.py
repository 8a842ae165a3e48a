"""A clock that jumps deletes nothing for good, and rows that vanish are told to whoever has them open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import pytest
from sqlalchemy import text as sql

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.records import Changes, ConversationRecord, Status
from chat_ui.conversations.steady_clock import JUMP_SECONDS, STEADY_SECONDS
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Reply, StandIn, lines
from tests.conversations.clocks import NOW, Clocks
from tests.conversations.keeping import HALF, ask, keeping, kept, until
from tests.conversations.kept import conversation, turn
from tests.patience import PATIENCE

DAY = 86400.0
FOR_EVER = float("inf")


def test_a_clock_is_relied_on_once_it_was_compared_or_steady_for_an_hour():
    clocks = Clocks()
    assert clocks.steady.date() is None
    clocks.steady.compare(None)
    assert clocks.steady.date() == NOW
    clocks.pass_by(400 * DAY)
    assert clocks.steady.date() == NOW + 400 * DAY


@pytest.mark.parametrize("jump", [-2 * JUMP_SECONDS, 400 * DAY])
def test_a_clock_that_jumped_is_relied_on_after_an_hour_in_which_it_did_not(jump: float):
    clocks = Clocks()
    clocks.steady.compare(None)
    clocks.wall += jump
    assert clocks.steady.date() is None
    clocks.pass_by(STEADY_SECONDS - 1)
    assert clocks.steady.date() is None
    clocks.wall -= jump
    assert clocks.steady.date() is None
    clocks.pass_by(STEADY_SECONDS - 1)
    assert clocks.steady.date() is None
    clocks.pass_by(1)
    assert clocks.steady.date() == clocks.wall


def test_a_clock_that_is_set_a_little_is_relied_on_and_one_that_creeps_away_is_not():
    clocks = Clocks()
    clocks.steady.compare(None)
    clocks.wall += 0.6 * JUMP_SECONDS
    assert clocks.steady.date() == clocks.wall
    clocks.wall += 0.6 * JUMP_SECONDS
    assert clocks.steady.date() is None


def test_a_clock_is_compared_at_the_start_with_what_was_written_before():
    relied_on = {None: True, NOW: True, NOW - 2 * DAY: True, NOW - 3 * DAY: False, NOW + DAY: False}
    for written, is_relied_on in relied_on.items():
        clocks = Clocks()
        clocks.steady.compare(written)
        assert (clocks.steady.date() is not None) is is_relied_on, written
        clocks.pass_by(STEADY_SECONDS)
        assert clocks.steady.date() == clocks.wall


async def write(url: str, *records: ConversationRecord) -> None:
    database = await Database.open(url)
    await Store(database).write(Changes(records))
    await database.close()


async def left_of(conversations: Conversations, *records: ConversationRecord) -> set[str]:
    """Those that are left once what is over was purged."""
    await conversations.keeper.purge()
    return set(await conversations.lists.stored.updated("me", [one.id for one in records]))


async def test_a_jump_of_the_clock_deletes_nothing_at_once_and_afterwards_nothing_that_was_used(database_url: str):
    clocks = Clocks()
    left, opened, arm, trash = (conversation(number, updated_at=NOW) for number in (1, 2, 3, 4))
    await write(database_url, left, opened, conversation(3, updated_at=NOW, arm_of=opened.id), trash)
    async with keeping(database_url, keep_days=30, clock=clocks.steady) as conversations:
        assert await conversations.get("me", arm.id) is not None
        assert await conversations.lists.delete("me", trash.id)
        clocks.wall += 400 * DAY
        assert await left_of(conversations, left, opened, arm) == {left.id, opened.id, arm.id}
        assert await conversations.lists.restore("me", trash.id)
        clocks.pass_by(STEADY_SECONDS)
        assert await left_of(conversations, left, opened, arm, trash) == {opened.id, arm.id}
        clocks.pass_by(30 * DAY)
        assert await left_of(conversations, opened, arm) == set()


async def test_an_answer_that_is_being_made_is_not_purged_however_long_it_takes(sqlite_url: str, client: Client):
    clocks = Clocks()
    async with (
        StandIn(Reply([HALF, FOR_EVER])).running() as backend,
        keeping(sqlite_url, keep_days=30, clock=clocks.steady) as conversations,
    ):
        talk = conversations.start("me")
        made = ask(client, talk, backend)
        await until(lambda: kept(conversations, made))
        clocks.pass_by(40_000 * DAY)
        assert await left_of(conversations, talk.record) == {talk.id}
        await made.generation.stop()
        assert await left_of(conversations, talk.record) == set()


async def test_a_server_that_starts_with_a_clock_far_ahead_deletes_nothing_for_an_hour(sqlite_url: str):
    clocks = Clocks(NOW + 400 * DAY)
    old, newest = conversation(1, updated_at=NOW - 20 * DAY), conversation(2, updated_at=NOW)
    await write(sqlite_url, old, newest)
    async with keeping(sqlite_url, keep_days=30, clock=clocks.steady) as conversations:
        assert await left_of(conversations, old, newest) == {old.id, newest.id}
        clocks.wall = NOW
        clocks.pass_by(1)
        assert await left_of(conversations, old, newest) == {old.id, newest.id}
        clocks.pass_by(STEADY_SECONDS)
        assert await left_of(conversations, old, newest) == {old.id, newest.id}
        clocks.pass_by(15 * DAY)
        assert await left_of(conversations, old, newest) == {newest.id}


async def test_what_waits_for_a_database_that_was_away_says_nothing_for_a_clock_far_ahead(
    sqlite_url: str,
):
    clocks = Clocks(NOW + 400 * DAY)
    old, new = conversation(1, updated_at=NOW), conversation(2, updated_at=clocks.wall)
    await write(sqlite_url, old)
    is_there = asyncio.Event()

    async def connect() -> Database:
        if not is_there.is_set():
            raise StoreUnavailableError("it is away")
        return await Database.open(sqlite_url)

    conversations = Conversations(connect, keep_days=30, clock=clocks.steady)
    await conversations.begin()
    conversations.keeper.note(Changes((new,)))
    is_there.set()

    async def is_written() -> bool:
        return not conversations.away and new.id in await conversations.lists.stored.updated("me", [new.id])

    await until(is_written)
    assert await left_of(conversations, old, new) == {old.id, new.id}
    await conversations.end()


async def remove_all(url: str) -> None:
    engine = engine_at(url)
    async with engine.begin() as connection:
        await connection.execute(sql("DELETE FROM conversation"))
    await engine.dispose()


async def test_rows_that_vanish_while_an_answer_is_made_are_told_once(
    database_url: str, client: Client, caplog: pytest.LogCaptureFixture
):
    more = asyncio.Event()
    reply = Reply([HALF, more, lines({"delta": {"content": ", and more"}}), FOR_EVER])
    async with StandIn(reply).running() as backend, keeping(database_url) as conversations:
        talk = conversations.start("me")
        made = ask(client, talk, backend)

        async def has_begun() -> bool:
            found = await kept(conversations, made)
            return found is not None and found.answer.text == "Half an answer"

        await until(has_begun)
        await remove_all(database_url)
        more.set()
        seen = talk.signal.revision
        async with asyncio.timeout(PATIENCE):
            while not talk.deleted:
                seen = await talk.signal.wait(seen)
            await made.generation.wait_for_end()
        assert made.generation.status is Status.STOPPED
        assert await conversations.get("me", talk.id) is None
        assert not conversations.keeper.unwritten
        assert not conversations.keeper.failing
    assert [one.getMessage() for one in caplog.records] == [
        "conversations that were in use are not in the database any more: 1"
    ]


def ask_more(client: Client, talk: Conversation, backend: StandIn) -> None:
    ask(client, talk, backend, "And now?")


def ask_again(client: Client, talk: Conversation, backend: StandIn) -> None:
    talk.answer_again(client, Backend(f"{backend.url}/chat"), {})


def choose(_client: Client, talk: Conversation, _backend: StandIn) -> None:
    talk.choose_answer(talk.turns[-1].id, 1)


@pytest.mark.parametrize("change", [ask_more, ask_again, choose])
async def test_a_change_of_conversations_whose_rows_vanished_is_told_to_each_and_does_not_bring_back_a_part_of_one(
    sqlite_url: str,
    client: Client,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[Client, Conversation, StandIn], None],
):
    async with StandIn(Reply([HALF])).running() as backend, keeping(sqlite_url) as conversations:
        talks = [conversations.start(owner) for owner in ("me", "you")]
        for talk in talks:
            await ask(client, talk, backend).generation.wait_for_end()
        await conversations.keeper.catch_up()
        await remove_all(sqlite_url)
        for talk in talks:
            change(client, talk, backend)
        async with asyncio.timeout(PATIENCE):
            for talk in talks:
                seen = talk.signal.revision
                while not talk.deleted:
                    seen = await talk.signal.wait(seen)
        assert await conversations.lists.stored.page("me", None, 5) == []
        assert not conversations.keeper.failing
    assert all("not in the database any more" in one.getMessage() for one in caplog.records)


async def test_what_the_database_refuses_is_logged_once(database_url: str, caplog: pytest.LogCaptureFixture):
    record = conversation()
    async with keeping(database_url) as conversations:
        for _ in range(3):
            # No database takes a question without a chosen answer.
            conversations.keeper.note(Changes((record,), (turn(record, chosen=None),)))
            await conversations.keeper.catch_up()
    assert [one.levelno for one in caplog.records] == [logging.ERROR]
