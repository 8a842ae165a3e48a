"""Parts of conversations that the store does not have yet, and which of them are written together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from chat_ui.conversations.generations.local import Asked, LocalGeneration
from chat_ui.conversations.records.records import Changes, Piece, Status
from chat_ui.conversations.unwritten import Batch, Unwritten
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Reply, StandIn, lines
from tests.conversations.kept import conversation, generation, turn
from tests.patience import PATIENCE

TALK = conversation()
ASKED = turn(TALK)


@asynccontextmanager
async def growing(client: Client, gate: asyncio.Event, then: str = " and whole") -> AsyncIterator[LocalGeneration]:
    """An answer whose beginning, “Half”, is there; the rest comes once the gate is open."""
    request = ChatRequest((Message("user", "Who is there?"),))

    async def prepare() -> ChatRequest:
        return request

    first, rest = lines({"delta": {"content": "Half"}}), lines({"delta": {"content": then}})
    async with StandIn(Reply([first, gate, rest])).running() as backend, asyncio.timeout(PATIENCE):
        asked = Asked("me", TALK.id, ASKED.id, 1, "Who is there?", {})
        made = LocalGeneration(f"{TALK.id}.1", asked, Backend(f"{backend.url}/chat"), prepare, lambda: None)
        made.start(client)
        while made.answer.text != "Half":
            await made.signal.wait(made.signal.revision)
        yield made
        await made.stop()


def next_batch(unwritten: Unwritten, *, renew: bool = False, closed: frozenset[str] = frozenset()) -> Changes:
    """What is written next; the store takes it."""
    batch: Batch = unwritten.begin_batch(renew=renew)
    unwritten.end_batch(batch, set(closed))
    return batch.changes


async def test_an_answer_whose_text_comes_anew_is_written_anew(client: Client):
    unwritten, gate = Unwritten(), asyncio.Event()
    async with growing(client, gate, " of it?\n</think>\nWhole") as made:
        unwritten.follow(made)
        next_batch(unwritten)
        gate.set()
        async with asyncio.timeout(PATIENCE):
            await made.wait_for_end()
        assert (made.text_since(0)[0], made.text_revision) == ("Whole", 1)
        last = next_batch(unwritten)
        assert (last.anew, [record.answer.text for record in last.generations]) == ((made.id,), ["Whole"])
        assert last.generations[0].answer.reasoning == "Half of it?\n"


async def test_an_answer_is_written_as_it_grows_and_once_more_when_it_has_ended(client: Client):
    unwritten, gate = Unwritten(), asyncio.Event()
    async with growing(client, gate) as made:
        unwritten.follow(made)
        assert (unwritten.follows(made.id), unwritten.generations) == (True, [made])
        assert unwritten.bytes_by_owner()["me"] == made.received > len("Half")
        assert not unwritten.has_any_of(TALK.id)
        first = next_batch(unwritten)
        assert (first.anew, first.alive) == ((made.id,), (made.id,))
        assert first.pieces == (Piece(made.id, 0, "Half"),)
        assert [(one.id, one.status) for one in first.generations] == [(made.id, Status.RUNNING)]
        assert not next_batch(unwritten)
        assert next_batch(unwritten, renew=True) == Changes(alive=(made.id,))
        gate.set()
        await made.wait_for_end()
        assert unwritten.has_any_of(TALK.id)
        assert not unwritten.has_any_of("another")
        last = next_batch(unwritten, renew=True)
        assert (last.anew, last.alive, last.pieces) == ((), (), ())
        assert [(one.status, one.answer.text) for one in last.generations] == [(Status.FINISHED, "Half and whole")]
        assert not unwritten
        assert not unwritten.follows(made.id)
        assert not unwritten.bytes_by_owner()


async def test_text_that_came_later_is_written_from_its_place_on(client: Client):
    unwritten, gate = Unwritten(), asyncio.Event()
    async with growing(client, gate) as made:
        unwritten.follow(made)
        next_batch(unwritten)
        gate.set()
        while made.answer.text == "Half" and not made.ended:
            await made.signal.wait(made.signal.revision)
        changes = next_batch(unwritten)
        written = changes.pieces or (Piece(made.id, 4, changes.generations[0].answer.text[4:]),)
        assert written == (Piece(made.id, 4, " and whole"),)


async def test_an_answer_that_ended_while_it_was_written_is_written_again(client: Client):
    unwritten, gate = Unwritten(), asyncio.Event()
    async with growing(client, gate) as made:
        unwritten.follow(made)
        batch = unwritten.begin_batch(renew=False)
        gate.set()
        await made.wait_for_end()
        unwritten.end_batch(batch, set())
        assert unwritten.follows(made.id)
        assert [one.answer.text for one in next_batch(unwritten).generations] == ["Half and whole"]


async def test_an_answer_that_another_process_closed_is_written_from_its_beginning(client: Client):
    unwritten, gate = Unwritten(), asyncio.Event()
    async with growing(client, gate) as made:
        unwritten.follow(made)
        next_batch(unwritten, closed=frozenset({made.id}))
        again = next_batch(unwritten)
        assert (again.anew, again.pieces) == ((made.id,), (Piece(made.id, 0, "Half"),))
        assert [one.id for one in again.generations] == [made.id]


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
async def test_of_an_answer_in_a_dropped_conversation_nothing_more_is_written(client: Client, moment: str):
    unwritten, gate = Unwritten(), asyncio.Event()
    async with growing(client, gate) as made:
        unwritten.follow(made)
        if moment == "before":
            unwritten.drop({TALK.id})
        batch = unwritten.begin_batch(renew=True)
        unwritten.drop({"another"})
        assert unwritten.follows(made.id) is (moment == "meanwhile")
        unwritten.drop({TALK.id})
        unwritten.end_batch(batch, set())
        assert not unwritten
        assert not next_batch(unwritten, renew=True)


def test_of_what_was_noted_the_newest_is_written_and_everything_of_others():
    unwritten, other = Unwritten(), conversation(2)
    assert not unwritten
    unwritten.note(Changes((TALK, other), (ASKED, turn(other)), current={"me": TALK.id, "you": other.id}))
    unwritten.note(Changes((replace(TALK, title="Buoys"),), (replace(ASKED, chosen=2),), current={"me": "newest"}))
    assert unwritten
    assert unwritten.has_turns_of(other.id)
    unwritten.drop({other.id})
    assert not unwritten.has_turns_of(other.id)
    assert (unwritten.current("me"), unwritten.current("you")) == ("newest", None)
    changes = next_batch(unwritten)
    assert changes == Changes((replace(TALK, title="Buoys"),), (replace(ASKED, chosen=2),), current={"me": "newest"})


def test_what_the_store_did_not_take_is_written_again_beside_newer_states():
    unwritten = Unwritten()
    unwritten.note(Changes((TALK,), (ASKED,)))
    batch = unwritten.begin_batch(renew=False)
    renamed = replace(TALK, title="Buoys")
    unwritten.note(Changes((renamed,)))
    unwritten.put_back(batch)
    changes = unwritten.begin_batch(renew=False).changes
    assert (changes.conversations, changes.turns) == ((renamed,), (ASKED,))


def test_what_is_being_written_is_lacking_until_the_store_has_it():
    unwritten = Unwritten()
    unwritten.note(Changes(turns=(ASKED,), current={"me": TALK.id}))
    batch = unwritten.begin_batch(renew=False)
    assert unwritten.has_turns_of(TALK.id)
    assert unwritten.current("me") == TALK.id
    unwritten.end_batch(batch, set())
    assert not unwritten.has_turns_of(TALK.id)
    assert unwritten.current("me") is None


def test_of_a_dropped_conversation_nothing_more_is_written():
    unwritten = Unwritten()
    unwritten.note(Changes((TALK,), (ASKED,), current={"me": TALK.id}))
    unwritten.drop({TALK.id})
    assert not unwritten
    assert not unwritten.begin_batch(renew=True).changes


OTHER = conversation(2)
BOTH = [ASKED, turn(OTHER)]
MADE = [replace(generation(one, status=Status.RUNNING), id=f"{one.conversation}.answer") for one in BOTH]
PIECES = [Piece(one.id, 0, "Half") for one in MADE]
ALL = Changes(
    (TALK, OTHER),
    tuple(BOTH),
    tuple(MADE),
    tuple(PIECES),
    alive=("x", "y"),
    current={"me": TALK.id},
    anew=tuple(one.id for one in MADE),
)


def test_each_conversation_has_its_changes_apart_and_the_rest_comes_last():
    *apart, rest = ALL.apart()
    assert rest == Changes(alive=("x", "y"), current={"me": TALK.id})
    expected = [
        Changes((talk,), (asked,), (made,), (piece,), anew=(made.id,))
        for talk, asked, made, piece in zip((TALK, OTHER), BOTH, MADE, PIECES, strict=True)
    ]
    assert sorted(apart, key=lambda one: one.conversations[0].id) == expected


def test_text_alone_of_an_answer_is_apart_as_well():
    *apart, _ = Changes(pieces=tuple(PIECES)).apart()
    assert sorted((one.pieces for one in apart), key=str) == [(piece,) for piece in PIECES]


def test_a_conversation_is_concerned_by_each_part_of_it_but_by_text_alone():
    for part in ("conversations", "turns", "generations"):
        assert Changes(**{part: getattr(ALL, part)}).concerned == {TALK.id, OTHER.id}
    assert Changes(pieces=ALL.pieces, alive=ALL.alive, current=ALL.current, anew=ALL.anew).concerned == set()


def test_each_part_is_something_to_write():
    for part in ("conversations", "turns", "generations", "pieces", "alive", "current"):
        assert Changes(**{part: getattr(ALL, part)}), part
    assert not Changes(anew=ALL.anew)
