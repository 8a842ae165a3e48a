"""A path of the store on PostgreSQL, which every run takes; a thorough one takes all paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from chat_ui.conversations.records.feedback import Rating
from chat_ui.conversations.records.records import Changes, Piece, Status, Transcript
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.stored_feedback import StoredFeedback
from chat_ui.conversations.store.unavailable import TooLongError
from chat_ui.profiles.credential import Credential
from chat_ui.profiles.vault import Vault, VaultError
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Reply, StandIn
from tests.conversations.keeping import HALF, ask, is_failing, keeping, kept, until
from tests.conversations.kept import conversation, generation, rated, turn
from tests.postgresql import PostgreSQL


async def test_a_conversation_is_kept_found_rated_and_removed(postgresql_url: str):
    database = await Database.open(postgresql_url)
    store, lists, feedback = Store(database), StoredList(database), StoredFeedback(database)
    talk = conversation()
    asked = turn(talk)
    running, made = generation(asked, status=Status.RUNNING), generation(asked)
    await store.write(Changes((talk,), (asked,), (running,), (Piece(made.id, 0, "Half"),), current={"me": talk.id}))
    assert await store.lapsed(-1) == [made.id]
    assert await store.close_lapsed(-1, {made.id: ""}) == {talk.id}
    await store.write(Changes(generations=(made,)))
    assert await store.transcript("me", talk.id) == Transcript(talk, (asked,), (made,))
    assert await store.current("me") == talk.id
    assert [one.conversation for one in await lists.search("me", "ünïcode buoys", 5)] == [talk]
    await feedback.change("me", made.id, lambda one: rated(one, Rating.GOOD))
    assert [one.generation async for one in feedback.given(None, 0.0)] == [made]
    with pytest.raises(TooLongError):
        async with database.reading(0.1) as connection:
            await connection.exec_driver_sql("SELECT pg_sleep(60)")
    assert await lists.delete("me", talk.id)
    assert await lists.restore("me", talk.id)
    assert await lists.delete_all("me") == 1
    assert await lists.bytes_of_all() == 0
    await database.close()


async def test_an_answer_is_kept_while_postgresql_is_away_and_is_there_after_a_restart(
    postgresql: PostgreSQL, postgresql_url: str, client: Client
):
    async with StandIn(Reply([HALF])).running() as backend:
        async with keeping(postgresql_url) as conversations:
            talk = conversations.start("me")
            first = ask(client, talk, backend)
            await first.generation.wait_for_end()
            await until(lambda: kept(conversations, first))
            postgresql.stop()
            try:
                await ask(client, talk, backend, "Still there?").generation.wait_for_end()
                await is_failing(conversations, talk)
            finally:
                postgresql.start()
            await is_failing(conversations, talk, is_so=False)
        async with keeping(postgresql_url) as conversations:
            again = await conversations.current("me")
            assert [one.question for one in again.turns] == ["Who is there?", "Still there?"]
            assert [one.generation.status for one in again.turns] == [Status.FINISHED] * 2


async def test_a_persons_key_is_known_to_every_process_with_the_same_secret(postgresql_url: str, tmp_path: Path):
    origin = "https://backend.example:443"
    one, other, stranger = (
        Vault(tmp_path / name, secret, lambda: engine_at(postgresql_url))
        for name, secret in (("one", "shared"), ("other", "shared"), ("stranger", "own"))
    )
    await one.keep("me", origin, Credential("bearer", "kept-between-us"))
    assert await other.find("me", origin) == Credential("bearer", "kept-between-us")
    with pytest.raises(VaultError):
        await stranger.find("me", origin)
    for vault in (one, other, stranger):
        await vault.close()
