"""Storage quotas in bytes for a person and for all, with their shared snapshots."""

import asyncio
import time
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text as sql

from chat_ui.conversations import snapshots as snapshots_module
from chat_ui.conversations import stored_repository
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.records import Changes, Status, Transcript
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.conversations.snapshots import SharedDocument, Snapshot, Snapshots, purge_snapshots
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.quotas import PERSON_BYTES, STORE_BYTES, Quotas
from chat_ui.conversations.store.store import Store
from chat_ui.errors import LimitReachedError, StoreUnavailableError
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import ANSWER, conversation, generation, import_batches, transcript_bytes, turn
from tests.conversations.repository import FOR_EVER, ask, nowhere, reached, repository, until
from tests.redis_server import RedisServer
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT

SHARE = 100_000


def transcript(number: int, owner: str = "me", size: int = 30_000, **values: Any) -> Transcript:
    of = conversation(number, owner, **values)
    asked = turn(of)
    answer = replace(ANSWER, text="ü" * (size // 2), reasoning="")
    return Transcript(of, (asked,), (generation(asked, answer=answer),))


def sharing(url: str, **bounds: int) -> AbstractAsyncContextManager[Conversations]:
    """Conversations with a quota for each person."""
    return repository(url, **{"person_bytes": SHARE, **bounds})


async def write(store: Store, complete: Transcript, **changes: Any) -> None:
    await store.write(Changes((complete.conversation,), complete.turns, complete.generations, **changes))


async def test_the_size_of_a_conversation_counts_all_its_parts(store: Store, listed: StoredList):
    complete = transcript(1)
    [made] = complete.generations
    await write(store, replace(complete, generations=(replace(made, status=Status.RUNNING),)))
    small, _ = await listed.bytes_of("me")
    assert small < 5_000
    await store.close_lapsed(-1, {made.id: "ü" * 10_000})
    assert await listed.bytes_of("me") == (small + 20_000, 0)
    # Written twice, as after an unknown outcome.
    for _ in range(2):
        await write(store, complete)
    assert await listed.bytes_of("me") == (transcript_bytes(complete), 0)
    assert 30_000 < transcript_bytes(complete) < 35_000
    assert await listed.bytes_of_all() == transcript_bytes(complete)


async def test_a_person_over_quota_is_told_and_goes_on_after_a_deletion(database_url: str):
    async with sharing(database_url) as conversations:
        with pytest.raises(LimitReachedError):
            await import_batches(conversations, "me", [transcript(number) for number in range(1, 6)])
        assert await conversations.lists.stored.bytes_of("me") == (0, 0)
        await import_batches(conversations, "me", [transcript(number) for number in range(1, 4)])
        await conversations.has_capacity("me", 10)
        with pytest.raises(LimitReachedError, match=r"takes 30\.\d KB, and your conversations take .* 97\.7 KB"):
            await import_batches(conversations, "me", [transcript(4)])
        # An answer was being made when the share was reached.
        await write(conversations.repository.store, transcript(4))
        with pytest.raises(LimitReachedError, match="Export the conversations you want to keep, delete some of them"):
            await conversations.has_capacity("me", 10)
        # Another person is not affected.
        await conversations.has_capacity("you", 10)
        await import_batches(conversations, "you", [transcript(5, "you")])
        assert await conversations.lists.delete("me", conversation(1).id)
        await conversations.has_capacity("me", 10)
        await import_batches(conversations, "me", [transcript(6, size=2_000)])


async def test_a_running_answer_counts_towards_the_quota(database_url: str, client: AsyncClient):
    async with (
        StandIn(Reply([lines({"delta": {"content": "x" * SHARE}}), FOR_EVER])).running() as backend,
        sharing(database_url) as conversations,
    ):
        made = ask(client, conversations.start("me"), backend).generation
        await conversations.has_capacity("you", 10)
        await reached(made, "x" * SHARE)
        with pytest.raises(LimitReachedError, match="Export the conversations you want to keep, delete some of them"):
            await conversations.has_capacity("me", 10)
        await conversations.has_capacity("you", 10)


async def test_a_deleted_conversation_is_restored_only_within_the_quota(sqlite_url: str):
    async with sharing(sqlite_url) as conversations:
        await import_batches(conversations, "me", [transcript(1), transcript(2)])
        await conversations.lists.delete("me", conversation(1).id)
        await import_batches(conversations, "me", [transcript(3), transcript(4, size=20_000)])
        with pytest.raises(LimitReachedError):
            await conversations.lists.restore("me", conversation(1).id)
        await conversations.lists.delete("me", conversation(4).id)
        assert await conversations.lists.restore("me", conversation(1).id)
        assert (await conversations.lists.stored.bytes_of("me"))[0] == 3 * transcript_bytes(transcript(1))


async def test_restorable_conversations_have_a_separate_quota(database_url: str):
    async with sharing(database_url) as conversations:
        for number in range(1, 7):
            await import_batches(conversations, "me", [transcript(number)])
            await conversations.lists.delete("me", conversation(number).id)
        with pytest.raises(LimitReachedError, match="deleted conversations take 184"):
            await import_batches(conversations, "me", [transcript(7)])
        kept, deleted = await conversations.lists.stored.bytes_of("me")
        assert (kept, deleted < 2 * SHARE) == (0, True)
        await conversations.lists.delete_all("me")
        assert await conversations.lists.stored.bytes_of("me") == (0, 0)
        await import_batches(conversations, "me", [transcript(7)])


async def test_a_full_store_is_told_to_everybody_and_once_to_the_operator(
    database_url: str, caplog: pytest.LogCaptureFixture
):
    def told() -> list[str]:
        return [message for message in caplog.messages if "CHAT_UI_STORE_BYTES" in message]

    async with sharing(database_url, store_bytes=100_000) as conversations:
        for number, owner in enumerate(("a", "b", "c"), start=1):
            await import_batches(conversations, owner, [transcript(number, owner)])
        with pytest.raises(LimitReachedError, match="tell its operator"):
            await import_batches(conversations, "d", [transcript(4, "d")])
        assert not told()
        await write(conversations.repository.store, transcript(4, "d"))
        async with asyncio.timeout(TIMEOUT):
            while not told():
                with suppress(LimitReachedError):
                    await conversations.has_capacity("a", 10)
        for owner in ("a", "e", "e"):
            with pytest.raises(LimitReachedError, match="storage of this server is full"):
                await conversations.has_capacity(owner, 10)
        assert told() == [
            "the store is full: conversations use 122.9 KB of CHAT_UI_STORE_BYTES, 97.7 KB; new ones are refused"
        ]
        await conversations.lists.delete_all("a")
        await conversations.has_capacity("e", 10)


async def test_removed_conversations_free_their_space(database: Database, store: Store, listed: StoredList):
    # PostgreSQL's autovacuum runs later.
    pages = "PRAGMA page_count" if database.is_sqlite else "SELECT 1"
    taken = []
    for number in range(1, 5):
        complete = transcript(number, size=2_000_000)
        await write(store, complete, current={"me": "x"})
        await listed.delete("me", complete.conversation.id)
        assert await listed.purge(deleted_before=float("inf")) == 1
        async with database.reading() as connection:
            taken.append(await connection.scalar(sql(pages)))
            people = await connection.scalar(sql("SELECT count(*) FROM person"))
    assert await listed.bytes_of_all() == 0
    assert people == 0
    assert taken[-1] < 2 * taken[0]


async def test_a_full_disk_is_named(sqlite_url: str):
    database = await Database.open(sqlite_url)
    async with database.writing() as connection:
        pages = await connection.scalar(sql("PRAGMA page_count"))
        await connection.execute(sql(f"PRAGMA max_page_count = {pages + 10}"))
    with pytest.raises(StoreUnavailableError, match="the disk is full"):
        await write(Store(database), transcript(1, size=1_000_000))
    await database.close()


async def test_answers_beyond_the_total_quota_are_cut_off_largest_first(client: AsyncClient):
    replies = [Reply([lines({"delta": {"content": text}}), FOR_EVER]) for text in ("Small.", "x" * 60_000)]
    async with (
        StandIn(replies[0]).running() as of_you,
        StandIn(replies[1]).running() as of_me,
        sharing("sqlite://", most_memory=100_000) as conversations,
    ):
        yours = ask(client, conversations.start("you"), of_you).generation
        mine = [ask(client, conversations.start(f"me{number}"), of_me).generation for number in range(2)]
        await until(lambda: any(one.ended for one in mine))
        await until(lambda: any(one.left.is_set() for one in of_me.requests))
        broken, other = sorted(mine, key=lambda one: not one.ended)
        assert (broken.status, broken.answer.text) == (Status.CUT_OFF, "x" * 60_000)
        assert broken.answer.error.code == "no_room"
        assert not yours.ended
        assert not other.ended


async def test_unwritten_changes_are_limited_by_the_free_space(client: AsyncClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stored_repository, "_LAST_SECONDS", 0.0)
    reply = Reply([lines({"delta": {"content": "x" * 30_000}})])
    conversations = Conversations(nowhere, most_memory=100_000)
    await conversations.begin()
    try:
        async with StandIn(reply).running() as backend:
            await ask(client, conversations.start("me"), backend).generation.wait_for_end()
            with pytest.raises(LimitReachedError, match="cannot be saved at the moment"):
                await conversations.has_capacity("me", 10)
            for number in range(3):
                await conversations.has_capacity(f"you{number}", 10)
                await ask(client, conversations.start(f"you{number}"), backend).generation.wait_for_end()
            with pytest.raises(LimitReachedError):
                await conversations.has_capacity("another", 10)
    finally:
        await conversations.end()


DOCUMENT = SharedDocument(bytes(range(256)) * 40, "default-src 'none'")
NOW = 5000.0


def snapshot(number: int = 1, of: int = 1, ends_at: float = NOW + 100) -> Snapshot:
    return Snapshot(f"s{number}", f"digest {number}", conversation(of).id, f"Talk {of} then", NOW - 10, ends_at)


@pytest.fixture
async def snapshots(database: Database, store: Store) -> Snapshots:
    """Snapshots in a store with a conversation of mine and one of another person."""
    for talk in (conversation(1), conversation(2, "you")):
        asked = turn(talk)
        await store.write(Changes((talk,), (asked,), (generation(asked),), current={talk.owner: talk.id}))
    return snapshots_at(NOW, database)


def snapshots_at(now: float, database: Database) -> Snapshots:
    quotas = Quotas(lambda: StoredList(database), lambda _: 0, PERSON_BYTES, STORE_BYTES)
    made = Snapshots(lambda: database, quotas, lambda _: None, lambda: now)
    made.are_readable = True
    return made


async def test_a_document_exists_until_it_is_revoked_or_expires(snapshots: Snapshots, database: Database):
    assert await snapshots.keep("me", snapshot(), DOCUMENT)
    later = replace(snapshot(2), made_at=NOW - 5)
    await snapshots.keep("me", later, DOCUMENT)
    assert await snapshots.of("me") == [later, snapshot()]
    assert [await snapshots.revoke("me", "s1") for _ in range(2)] == [True, False]
    assert await snapshots.of("me") == [later]
    assert await snapshots.document("digest 1") is None
    assert await snapshots.keep("me", snapshot(), DOCUMENT)
    assert await snapshots.document("digest 1") == DOCUMENT
    for unknown in ("digest 3", "s1"):
        assert await snapshots.document(unknown) is None
    afterwards = snapshots_at(NOW + 100, database)
    assert await afterwards.document("digest 1") is None
    assert await afterwards.of("me") == []
    assert await afterwards.shared_among("me", [conversation(1).id]) == set()


async def test_a_person_shares_lists_and_revokes_only_own_conversations(snapshots: Snapshots):
    assert not await snapshots.keep("me", snapshot(of=2), DOCUMENT)
    assert await snapshots.keep("you", snapshot(of=2), DOCUMENT)
    assert await snapshots.of("me") == []
    assert await snapshots.shared_among("me", [conversation(2).id]) == set()
    assert await snapshots.shared_among("you", [conversation(1).id, conversation(2).id]) == {conversation(2).id}
    assert not await snapshots.revoke("me", "s1")
    assert await snapshots.of("you") == [snapshot(of=2)]


async def test_a_snapshot_counts_for_its_owner_while_it_is_kept(
    snapshots: Snapshots, listed: StoredList, store: Store, database: Database
):
    before, _ = await listed.bytes_of("me")
    of_all = await listed.bytes_of_all()
    await snapshots.keep("me", snapshot(1), DOCUMENT)
    await snapshots.keep("me", snapshot(2, ends_at=NOW - 1), DOCUMENT)
    assert await listed.bytes_of("me") == (before + 2 * DOCUMENT.size, 0)
    assert await listed.bytes_of_all() == of_all + 2 * DOCUMENT.size
    await store.write(Changes(turns=(turn(conversation(), 2),)))
    more, _ = await listed.bytes_of("me")
    assert more > before + 2 * DOCUMENT.size
    assert await purge_snapshots(database, ended_before=NOW) == 1
    assert await listed.bytes_of("me") == (more - DOCUMENT.size, 0)
    await snapshots.revoke("me", "s1")
    assert await listed.bytes_of("me") == (more - 2 * DOCUMENT.size, 0)


async def test_a_snapshot_does_not_change_and_is_removed_with_its_conversation(
    snapshots: Snapshots, listed: StoredList, store: Store
):
    await snapshots.keep("me", snapshot(), DOCUMENT)
    await listed.rename("me", conversation().id, "Another name")
    await store.write(Changes(turns=(turn(conversation(), 2, "And then?"),)))
    assert await snapshots.of("me") == [snapshot()]
    assert await snapshots.document("digest 1") == DOCUMENT
    await listed.delete("me", conversation().id)
    assert await snapshots.document("digest 1") is None
    assert await snapshots.of("me") == []
    await listed.restore("me", conversation().id)
    assert await snapshots.document("digest 1") == DOCUMENT
    await listed.delete("me", conversation().id)
    assert await listed.purge(deleted_before=float("inf")) == 1
    assert not await snapshots.revoke("me", "s1")
    await store.write(Changes((conversation(3),)))
    await snapshots.keep("me", snapshot(1, of=3), DOCUMENT)
    await snapshots.keep("you", snapshot(2, of=2), DOCUMENT)
    await listed.delete_all("me")
    assert await snapshots.document("digest 1") is None
    assert await snapshots.document("digest 2") == DOCUMENT
    await listed.purge(deleted_before=0, older_than=NOW)
    assert await snapshots.document("digest 2") is None


async def test_each_process_reads_and_revokes_snapshots_of_others(sqlite_url: str, redis: RedisServer):
    async with (
        repository(sqlite_url, redis=redis_at(redis.url)) as here,
        repository(sqlite_url, redis=redis_at(redis.url)) as there,
    ):
        await import_batches(here, "me", [Transcript(conversation(), (turn(conversation()),), ())])
        assert await there.get("me", conversation().id) is not None
        lasting = snapshot(ends_at=time.time() + 3600)
        for act in (here.snapshots.keep("me", lasting, DOCUMENT), there.snapshots.revoke("me", "s1")):
            known = {each: each.lists.revision("me") for each in (here, there)}
            await act
            await until(lambda of=known: all(each.lists.revision("me") != before for each, before in of.items()))
            is_there = await there.snapshots.document("digest 1") is not None
            assert is_there == bool(await here.snapshots.of("me"))
        assert await here.snapshots.document("digest 1") is None


async def test_a_person_has_a_limited_number_of_links(conversations, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(snapshots_module, "MOST_SNAPSHOTS", 3)
    await import_batches(conversations, "me", [Transcript(conversation(), (turn(conversation()),), ())])
    *first, another = [snapshot(number, ends_at=time.time() + 3600) for number in range(4)]
    for one in first:
        assert await conversations.snapshots.keep("me", one, DOCUMENT)
    with pytest.raises(LimitReachedError, match="Revoke one"):
        await conversations.snapshots.keep("me", another, DOCUMENT)
    assert await conversations.snapshots.revoke("me", "s0")
    assert await conversations.snapshots.keep("me", another, DOCUMENT)
