"""Clock jumps delete nothing, and vanished rows are told to their readers."""

import asyncio

import pytest

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.records import Changes, ConversationRecord, Status
from chat_ui.conversations.steady_clock import JUMP_SECONDS, STEADY_SECONDS, SteadyClock
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import conversation
from tests.conversations.repository import (
    FOR_EVER,
    HALF,
    REST,
    ask,
    execute,
    is_deleted,
    nowhere,
    repository,
    until,
    until_kept,
)
from tests.stand_ins.stand_in import Reply, StandIn

DAY = 86400.0
NOW = 1_800_000_000.0
"""The wall clock of a test as it begins, in seconds since 1970."""


class Clocks:
    """A wall clock and a monotonic clock that a test sets, and the clock made of them."""

    def __init__(self, wall: float = NOW) -> None:
        self.wall, self.monotonic = wall, 1000.0
        self.steady = SteadyClock(lambda: self.wall, lambda: self.monotonic)

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.monotonic += seconds


@pytest.mark.parametrize("jump", [-2 * JUMP_SECONDS, 400 * DAY])
def test_a_clock_is_trusted_after_a_comparison_and_after_a_jump_in_an_hour(jump: float):
    clocks = Clocks()
    assert clocks.steady.date() is None
    clocks.steady.compare(None)
    assert clocks.steady.date() == NOW
    clocks.pass_by(400 * DAY)
    clocks.wall += 0.6 * JUMP_SECONDS
    assert clocks.steady.date() == clocks.wall
    clocks.wall += 0.6 * JUMP_SECONDS
    assert clocks.steady.date() is None, "it creeps away"
    clocks.pass_by(STEADY_SECONDS)
    assert clocks.steady.date() == clocks.wall
    for step in (jump, -jump):
        clocks.wall += step
        assert clocks.steady.date() is None
        clocks.pass_by(STEADY_SECONDS - 1)
        assert clocks.steady.date() is None
    clocks.pass_by(1)
    assert clocks.steady.date() == clocks.wall


def test_a_clock_is_compared_at_the_start_with_stored_times():
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
    """The conversations left after a purge."""
    await conversations.repository.purge()
    return set(await conversations.lists.stored.updated("me", [one.id for one in records]))


async def test_a_clock_jump_purges_neither_at_once_nor_used_conversations(database_url: str):
    clocks = Clocks()
    left, opened, column, trash = (conversation(number, updated_at=NOW) for number in (1, 2, 3, 4))
    await write(database_url, left, opened, conversation(3, updated_at=NOW, compared_with=opened.id), trash)
    async with repository(database_url, retention_days=30, clock=clocks.steady) as conversations:
        assert await conversations.get("me", column.id) is not None
        assert await conversations.lists.delete("me", trash.id)
        clocks.wall += 400 * DAY
        assert await left_of(conversations, left, opened, column) == {left.id, opened.id, column.id}
        assert await conversations.lists.restore("me", trash.id)
        clocks.pass_by(STEADY_SECONDS)
        assert await left_of(conversations, left, opened, column, trash) == {opened.id, column.id}
        clocks.pass_by(30 * DAY)
        assert await left_of(conversations, opened, column) == set()


async def test_a_running_answer_is_never_purged(client, endless, sqlite_url: str):
    clocks = Clocks()
    async with repository(sqlite_url, retention_days=30, clock=clocks.steady) as conversations:
        talk = conversations.start("me")
        made = ask(client, talk, endless)
        await until_kept(conversations, made)
        clocks.pass_by(40_000 * DAY)
        assert await left_of(conversations, talk.record) == {talk.id}
        await made.generation.stop()
        assert await left_of(conversations, talk.record) == set()


async def test_a_server_with_a_clock_far_ahead_purges_nothing_for_an_hour(sqlite_url: str):
    clocks = Clocks(NOW + 400 * DAY)
    old, newest = conversation(1, updated_at=NOW - 20 * DAY), conversation(2, updated_at=NOW)
    await write(sqlite_url, old, newest)
    async with repository(sqlite_url, retention_days=30, clock=clocks.steady) as conversations:
        assert await left_of(conversations, old, newest) == {old.id, newest.id}
        clocks.wall = NOW
        for seconds in (1, STEADY_SECONDS):
            clocks.pass_by(seconds)
            assert await left_of(conversations, old, newest) == {old.id, newest.id}
        clocks.pass_by(15 * DAY)
        assert await left_of(conversations, old, newest) == {newest.id}


async def test_late_writes_do_not_confirm_a_clock_far_ahead(sqlite_url: str):
    clocks = Clocks(NOW + 400 * DAY)
    old, new = conversation(1, updated_at=NOW), conversation(2, updated_at=clocks.wall)
    await write(sqlite_url, old)
    is_there = asyncio.Event()
    conversations = Conversations(
        lambda: Database.open(sqlite_url) if is_there.is_set() else nowhere(), retention_days=30, clock=clocks.steady
    )
    await conversations.begin()
    conversations.repository.note(Changes((new,)))
    is_there.set()
    await until(lambda: not conversations.unavailable and conversations.lists.stored.updated("me", [new.id]))
    assert await left_of(conversations, old, new) == {old.id, new.id}
    await conversations.end()


async def test_rows_that_vanish_during_an_answer_are_told_once(database_url: str, client: AsyncClient, caplog):
    more = asyncio.Event()
    async with (
        StandIn(Reply([HALF, more, REST, FOR_EVER])).running() as backend,
        repository(database_url) as conversations,
    ):
        talk = conversations.start("me")
        made = ask(client, talk, backend)
        await until_kept(conversations, made, lambda found: found.answer.text == "Half an answer")
        await execute(database_url, "DELETE FROM conversation")
        more.set()
        await is_deleted(talk)
        await made.generation.wait_for_end()
        assert made.generation.status is Status.STOPPED
        assert await conversations.get("me", talk.id) is None
        assert not conversations.repository.pending
        assert not conversations.repository.failing
    assert caplog.messages == ["open conversations that are missing from the database: 1"]


@pytest.mark.parametrize("change", ["ask", "answer again", "choose"])
async def test_a_change_of_vanished_rows_is_told_and_restores_no_part(
    client: AsyncClient, half: StandIn, sqlite_url: str, caplog: pytest.LogCaptureFixture, change: str
):
    async with repository(sqlite_url) as conversations:
        talks = [conversations.start(owner) for owner in ("me", "you")]
        for talk in talks:
            await ask(client, talk, half).generation.wait_for_end()
        await conversations.repository.catch_up()
        await execute(sqlite_url, "DELETE FROM conversation")
        for talk in talks:
            if change == "ask":
                ask(client, talk, half, "And now?")
            elif change == "choose":
                talk.choose_answer(talk.turns[-1].id, 1)
            else:
                talk.answer_again(client, Backend(f"{half.url}/chat"), {})
        for talk in talks:
            await is_deleted(talk)
        assert await conversations.lists.stored.page("me", None, 5) == []
        assert not conversations.repository.failing
    assert all("missing from the database" in message for message in caplog.messages)
