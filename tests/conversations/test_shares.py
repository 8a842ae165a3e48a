"""What a person and all people may keep on the disk is bounded by bytes, and told in words."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text as sql

from chat_ui.conversations import keeper
from chat_ui.conversations import lists as lists_module
from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.people.limits import LimitReachedError
from chat_ui.conversations.records.records import Changes, Status, Transcript
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Reply, StandIn, lines
from tests.conversations.keeping import keeping, nowhere
from tests.conversations.kept import ANSWER, conversation, generation, take_in, transcript_bytes, turn
from tests.patience import PATIENCE

SHARE = 100_000
FOR_EVER = float("inf")


def transcript(number: int, owner: str = "me", size: int = 30_000, **values: Any) -> Transcript:
    of = conversation(number, owner, **values)
    asked = turn(of)
    answer = replace(ANSWER, text="ü" * (size // 2), reasoning="")
    return Transcript(of, (asked,), (generation(asked, answer=answer),))


def sharing(url: str, **bounds: int) -> AbstractAsyncContextManager[Conversations]:
    """Conversations of which each person has a share."""
    return keeping(url, **{"person_bytes": SHARE, **bounds})


async def add(conversations: Conversations, whole: Transcript) -> None:
    await conversations.keeper.store.write(Changes((whole.conversation,), whole.turns, whole.generations))


def told_of_the_full_store(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if "CHAT_UI_STORE_BYTES" in one.getMessage()]


async def sizes(conversations: Conversations, owner: str = "me") -> tuple[int, int]:
    return await conversations.lists.stored.bytes_of(owner)


async def test_the_size_of_a_conversation_is_that_of_everything_in_it(store: Store, listed: StoredList):
    whole = transcript(1)
    running = replace(whole.generations[0], status=Status.RUNNING)
    await store.write(Changes((whole.conversation,), whole.turns, (running,)))
    small, _ = await listed.bytes_of("me")
    # Written twice, as after a write whose outcome was not known.
    for _ in range(2):
        await store.write(Changes((whole.conversation,), whole.turns, whole.generations))
    assert small < 5_000
    assert await listed.bytes_of("me") == (transcript_bytes(whole), 0)
    assert 30_000 < transcript_bytes(whole) < 35_000
    assert await listed.bytes_of_all() == transcript_bytes(whole)


async def test_an_answer_of_a_dead_process_counts_with_the_text_that_it_left(store: Store, listed: StoredList):
    whole = transcript(1)
    [made] = whole.generations
    await store.write(Changes((whole.conversation,), whole.turns, (replace(made, status=Status.RUNNING),)))
    before, _ = await listed.bytes_of("me")
    await store.close_lapsed(-1, {made.id: "ü" * 10_000})
    after, _ = await listed.bytes_of("me")
    assert after - before == 20_000


async def test_a_person_at_their_share_is_told_and_goes_on_after_deleting(database_url: str):
    async with sharing(database_url) as conversations:
        await take_in(conversations, "me", [transcript(number) for number in range(1, 4)])
        await conversations.has_room("me", 10)
        with pytest.raises(LimitReachedError, match=r"takes 30\.\d KB, and your conversations take .* 97\.7 KB"):
            await take_in(conversations, "me", [transcript(4)])
        # An answer was being made when the share was reached.
        await add(conversations, transcript(4))
        with pytest.raises(LimitReachedError, match="Export those that you want to have, delete some of them"):
            await conversations.has_room("me", 10)
        # Another person is not concerned.
        await conversations.has_room("you", 10)
        await take_in(conversations, "you", [transcript(5, "you")])
        assert await conversations.lists.delete("me", conversation(1).id)
        await conversations.has_room("me", 10)
        await take_in(conversations, "me", [transcript(6, size=2_000)])


async def test_an_answer_that_is_being_made_counts_for_the_share(database_url: str, client: Client):
    async with (
        StandIn(Reply([lines({"delta": {"content": "x" * SHARE}}), FOR_EVER])).running() as backend,
        sharing(database_url) as conversations,
    ):
        made = conversations.start("me").ask(client, Backend(f"{backend.url}/chat"), "Who is there?", {}).generation
        await conversations.has_room("you", 10)
        seen = 0
        async with asyncio.timeout(PATIENCE):
            while len(made.answer.text) < SHARE:
                seen = await made.signal.wait(seen)
        with pytest.raises(LimitReachedError, match="Export those that you want to have, delete some of them"):
            await conversations.has_room("me", 10)
        await conversations.has_room("you", 10)


async def test_of_an_import_without_room_nothing_is_kept(database_url: str):
    async with sharing(database_url) as conversations:
        with pytest.raises(LimitReachedError):
            await take_in(conversations, "me", [transcript(number) for number in range(1, 6)])
        assert await sizes(conversations) == (0, 0)


async def test_what_was_deleted_comes_back_only_where_there_is_room(sqlite_url: str):
    async with sharing(sqlite_url) as conversations:
        await take_in(conversations, "me", [transcript(1), transcript(2)])
        await conversations.lists.delete("me", conversation(1).id)
        await take_in(conversations, "me", [transcript(3), transcript(4, size=20_000)])
        with pytest.raises(LimitReachedError):
            await conversations.lists.restore("me", conversation(1).id)
        await conversations.lists.delete("me", conversation(4).id)
        assert await conversations.lists.restore("me", conversation(1).id)
        assert (await sizes(conversations))[0] == 3 * transcript_bytes(transcript(1))


async def test_what_can_be_brought_back_counts_for_a_share_of_its_own(database_url: str):
    async with sharing(database_url) as conversations:
        for number in range(1, 7):
            await take_in(conversations, "me", [transcript(number)])
            await conversations.lists.delete("me", conversation(number).id)
        with pytest.raises(LimitReachedError, match="what you deleted takes 184"):
            await take_in(conversations, "me", [transcript(7)])
        kept, deleted = await sizes(conversations)
        assert kept == 0
        assert deleted < 2 * SHARE
        await conversations.lists.delete_all("me")
        assert await sizes(conversations) == (0, 0)
        await take_in(conversations, "me", [transcript(7)])


async def test_at_the_bound_of_all_everybody_is_told_and_the_operator_once(
    database_url: str, caplog: pytest.LogCaptureFixture
):
    async with sharing(database_url, store_bytes=100_000) as conversations:
        for number, owner in enumerate(("a", "b", "c"), start=1):
            await take_in(conversations, owner, [transcript(number, owner)])
        with pytest.raises(LimitReachedError, match="Tell whoever runs it"):
            await take_in(conversations, "d", [transcript(4, "d")])
        assert not told_of_the_full_store(caplog)
        await add(conversations, transcript(4, "d"))
        async with asyncio.timeout(PATIENCE):
            while not told_of_the_full_store(caplog):
                with suppress(LimitReachedError):
                    await conversations.has_room("a", 10)
        for owner in ("a", "e", "e"):
            with pytest.raises(LimitReachedError, match="what everybody keeps"):
                await conversations.has_room(owner, 10)
        assert told_of_the_full_store(caplog) == [
            "the store is full: conversations take 122.9 KB, and CHAT_UI_STORE_BYTES allows 97.7 KB; no more are taken"
        ]
        await conversations.lists.delete_all("a")
        await conversations.has_room("e", 10)


async def test_what_is_removed_for_good_leaves_its_place_to_what_comes(
    database: Database, store: Store, listed: StoredList
):
    # What autovacuum does for PostgreSQL in its own time is not waited for.
    pages = "PRAGMA page_count" if database.is_sqlite else "SELECT 1"
    taken = []
    for number in range(1, 5):
        whole = transcript(number, size=2_000_000)
        await store.write(Changes((whole.conversation,), whole.turns, whole.generations, current={"me": "x"}))
        await listed.delete("me", whole.conversation.id)
        assert await listed.purge(deleted_before=float("inf")) == 1
        async with database.reading() as connection:
            taken.append(await connection.scalar(sql(pages)))
            people = await connection.scalar(sql("SELECT count(*) FROM person"))
    assert await listed.bytes_of_all() == 0
    assert people == 0
    assert taken[-1] < 2 * taken[0]


async def test_a_full_disk_is_named(sqlite_url: str):
    database = await Database.open(sqlite_url)
    try:
        async with database.writing() as connection:
            pages = await connection.scalar(sql("PRAGMA page_count"))
            await connection.execute(sql(f"PRAGMA max_page_count = {pages + 10}"))
        whole = transcript(1, size=1_000_000)
        with pytest.raises(StoreUnavailableError, match="the disk is full"):
            await Store(database).write(Changes((whole.conversation,), whole.turns, whole.generations))
    finally:
        await database.close()


def ask(client: Client, talk: Conversation, backend: StandIn) -> Any:
    return talk.ask(client, Backend(f"{backend.url}/chat"), "Who is there?", {}).generation


async def first_of(things: Iterable[Coroutine[Any, Any, object]]) -> None:
    """Return once the first of these has come."""
    await asyncio.wait([asyncio.create_task(one) for one in things], return_when=asyncio.FIRST_COMPLETED)


async def test_answers_that_grow_beyond_the_room_for_all_are_broken_off_the_largest_first(client: Client):
    small, large = lines({"delta": {"content": "Small."}}), lines({"delta": {"content": "x" * 60_000}})
    talks = []
    async with (
        StandIn(Reply([small, FOR_EVER])).running() as of_you,
        StandIn(Reply([large, FOR_EVER])).running() as of_me,
        sharing("sqlite://", room_bytes=100_000) as conversations,
    ):
        yours = ask(client, conversations.start("you"), of_you)
        talks = [ask(client, conversations.start(f"me{number}"), of_me) for number in range(2)]
        async with asyncio.timeout(PATIENCE):
            await first_of(one.wait_for_end() for one in talks)
            await first_of(one.left.wait() for one in of_me.requests)
        broken, other = sorted(talks, key=lambda one: not one.ended)
        assert broken.status is Status.CUT_OFF
        assert broken.answer.text == "x" * 60_000
        assert broken.answer.error.code == "no_room"
        assert not yours.ended
        assert not other.ended


async def test_while_nothing_can_be_written_no_more_is_held_than_there_is_room_for(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(keeper, "_LAST_SECONDS", 0.0)
    reply = Reply([lines({"delta": {"content": "x" * 30_000}})])
    conversations = Conversations(nowhere, room_bytes=100_000)
    await conversations.begin()
    try:
        async with StandIn(reply).running() as backend:
            await ask(client, conversations.start("me"), backend).wait_for_end()
            with pytest.raises(LimitReachedError, match="cannot be kept at the moment"):
                await conversations.has_room("me", 10)
            for number in range(3):
                await conversations.has_room(f"you{number}", 10)
                await ask(client, conversations.start(f"you{number}"), backend).wait_for_end()
            with pytest.raises(LimitReachedError):
                await conversations.has_room("another", 10)
    finally:
        await conversations.end()


async def test_no_more_conversations_than_a_list_leads_with_can_be_pinned(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lists_module, "MOST_PINNED", 2)
    async with keeping(sqlite_url) as conversations:
        await take_in(conversations, "me", [transcript(number, size=10) for number in range(1, 4)])
        *pinned, another = [conversation(number).id for number in range(1, 4)]
        for one in pinned:
            assert await conversations.lists.pin("me", one, True)
        with pytest.raises(LimitReachedError, match="Unpin one"):
            await conversations.lists.pin("me", another, True)
        assert await conversations.lists.pin("me", pinned[0], False)
        assert await conversations.lists.pin("me", another, True)
