"""Snapshots in the store: who can read them, what they take of the disk, and what they go with."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from chat_ui.conversations import snapshots as snapshots_module
from chat_ui.conversations.people.limits import LimitReachedError
from chat_ui.conversations.records.records import Changes, Transcript
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.conversations.snapshots import SharedDocument, Snapshot, Snapshots, purge_snapshots
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.shares import PERSON_BYTES, STORE_BYTES, Shares
from chat_ui.conversations.store.store import Store
from tests.conversations.keeping import keeping, until
from tests.conversations.kept import conversation, generation, take_in, turn
from tests.redis_server import RedisServer

DOCUMENT = SharedDocument(bytes(range(256)) * 40, "default-src 'none'")
NOW = 5000.0


def snapshot(number: int = 1, of: int = 1, ends_at: float = NOW + 100) -> Snapshot:
    return Snapshot(f"s{number}", f"digest {number}", conversation(of).id, f"Talk {of} then", NOW - 10, ends_at)


@pytest.fixture
async def store(database: Database) -> Store:
    """One with a conversation of mine and one of another person."""
    opened = Store(database)
    for talk in (conversation(1), conversation(2, "you")):
        asked = turn(talk)
        await opened.write(Changes((talk,), (asked,), (generation(asked),), current={talk.owner: talk.id}))
    return opened


@pytest.fixture
def snapshots(database: Database, store: Store) -> Snapshots:
    assert store
    return snapshots_at(NOW, database)


def snapshots_at(now: float, database: Database) -> Snapshots:
    shares = Shares(lambda: StoredList(database), lambda _: 0, PERSON_BYTES, STORE_BYTES)
    return Snapshots(lambda: database, shares, lambda _: None, lambda: now)


async def test_the_document_comes_back_as_it_was_kept_until_its_time_is_over(snapshots: Snapshots, database: Database):
    assert await snapshots.keep("me", snapshot(), DOCUMENT)
    assert await snapshots.document("digest 1") == DOCUMENT
    assert await snapshots.document("digest 2") is None
    assert await snapshots.document("s1") is None
    afterwards = snapshots_at(NOW + 100, database)
    assert await afterwards.document("digest 1") is None
    assert await afterwards.of("me") == []
    assert await afterwards.shared_among("me", [conversation(1).id]) == set()


async def test_nobody_shares_lists_or_revokes_what_is_somebody_elses(snapshots: Snapshots):
    assert not await snapshots.keep("me", snapshot(of=2), DOCUMENT)
    assert await snapshots.keep("you", snapshot(of=2), DOCUMENT)
    assert await snapshots.of("me") == []
    assert await snapshots.shared_among("me", [conversation(2).id]) == set()
    assert await snapshots.shared_among("you", [conversation(1).id, conversation(2).id]) == {conversation(2).id}
    assert not await snapshots.revoke("me", "s1")
    assert await snapshots.of("you") == [snapshot(of=2)]


async def test_a_revoked_one_is_gone_at_once_and_can_be_made_again(snapshots: Snapshots):
    await snapshots.keep("me", snapshot(1), DOCUMENT)
    later = replace(snapshot(2), made_at=NOW - 5)
    await snapshots.keep("me", later, DOCUMENT)
    assert await snapshots.of("me") == [later, snapshot(1)]
    assert await snapshots.revoke("me", "s1")
    assert not await snapshots.revoke("me", "s1")
    assert await snapshots.document("digest 1") is None
    assert await snapshots.of("me") == [later]
    assert await snapshots.keep("me", snapshot(1), DOCUMENT)
    assert await snapshots.document("digest 1") == DOCUMENT


async def test_it_counts_among_the_bytes_of_its_owner_for_as_long_as_it_is_kept(
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


async def test_nothing_of_it_changes_with_the_conversation(snapshots: Snapshots, listed: StoredList, store: Store):
    await snapshots.keep("me", snapshot(), DOCUMENT)
    await listed.rename("me", conversation().id, "Another name")
    await store.write(Changes(turns=(turn(conversation(), 2, "And then?"),)))
    assert await snapshots.of("me") == [snapshot()]
    assert await snapshots.document("digest 1") == DOCUMENT


async def test_it_cannot_be_read_while_its_conversation_is_deleted_and_goes_with_it_for_good(
    snapshots: Snapshots, listed: StoredList
):
    await snapshots.keep("me", snapshot(), DOCUMENT)
    await listed.delete("me", conversation().id)
    assert await snapshots.document("digest 1") is None
    assert await snapshots.of("me") == []
    await listed.restore("me", conversation().id)
    assert await snapshots.document("digest 1") == DOCUMENT
    await listed.delete("me", conversation().id)
    assert await listed.purge(deleted_before=float("inf")) == 1
    assert not await snapshots.revoke("me", "s1")


async def test_it_goes_with_everything_of_its_owner_and_with_what_is_too_old(snapshots: Snapshots, listed: StoredList):
    await snapshots.keep("me", snapshot(1), DOCUMENT)
    await snapshots.keep("you", snapshot(2, of=2), DOCUMENT)
    await listed.delete_all("me")
    assert await snapshots.document("digest 1") is None
    assert await snapshots.document("digest 2") == DOCUMENT
    await listed.purge(deleted_before=0, older_than=NOW)
    assert await snapshots.document("digest 2") is None


async def test_each_process_reads_and_revokes_what_another_one_shared_and_tells_the_lists(
    sqlite_url: str, redis: RedisServer
):
    async with (
        keeping(sqlite_url, redis=redis_at(redis.url)) as here,
        keeping(sqlite_url, redis=redis_at(redis.url)) as there,
    ):
        await take_in(here, "me", [Transcript(conversation(), (turn(conversation()),), ())])
        seen = await there.get("me", conversation().id)
        assert seen is not None
        lasting = snapshot(ends_at=time.time() + 3600)
        for act in (here.snapshots.keep("me", lasting, DOCUMENT), there.snapshots.revoke("me", "s1")):
            known = here.lists.revision("me"), there.lists.revision("me")
            await act

            async def both_know(known: tuple[int, int] = known) -> bool:
                return here.lists.revision("me") != known[0] and there.lists.revision("me") != known[1]

            await until(both_know)
            is_there = await there.snapshots.document("digest 1") is not None
            assert is_there == bool(await here.snapshots.of("me"))
        assert await here.snapshots.document("digest 1") is None


async def test_a_person_shares_so_many_links_at_once(sqlite_url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(snapshots_module, "MOST_SNAPSHOTS", 3)
    async with keeping(sqlite_url) as conversations:
        await take_in(conversations, "me", [Transcript(conversation(), (turn(conversation()),), ())])
        for number in range(3):
            assert await conversations.snapshots.keep("me", snapshot(number, ends_at=time.time() + 3600), DOCUMENT)
        with pytest.raises(LimitReachedError, match="Revoke one"):
            await conversations.snapshots.keep("me", snapshot(3, ends_at=time.time() + 3600), DOCUMENT)
        assert await conversations.snapshots.revoke("me", "s0")
        assert await conversations.snapshots.keep("me", snapshot(0, ends_at=time.time() + 3600), DOCUMENT)
