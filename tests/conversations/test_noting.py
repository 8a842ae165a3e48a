"""What is noted to be written after each step in a conversation, and who hears of the step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from chat_ui.conversations.conversation import Conversation, StillAnsweringError
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.in_memory import InMemory
from chat_ui.conversations.keeper import Keeper
from chat_ui.conversations.people.attached_images import ImageName
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Reply, StandIn, lines
from tests.conversations.keeping import nowhere
from tests.patience import PATIENCE

HELLO = Reply([lines({"delta": {"content": "Hello"}})])


class Noted:
    """A conversation over a store that takes nothing, so that what is to be written can be looked at."""

    def __init__(self, client: Client, backend: StandIn) -> None:
        self.conversations = Conversations(nowhere)
        self.keeper: Keeper = self.conversations.keeper
        self.talk: Conversation = self.conversations.start("me")
        self.client = client
        self.backend = Backend(f"{backend.url}/chat")
        self._heard = self.talk.signal.revision

    def changes(self) -> Changes:
        """What has been noted since the last call."""
        batch = self.keeper.unwritten.begin_batch(renew=False)
        self.keeper.unwritten.end_batch(batch, set())
        return batch.changes

    def turns(self) -> dict[str, tuple[int, bool, int]]:
        """Place, whether it is shown and the chosen answer of each question that has been noted since the last call."""
        return {one.question: (one.place, one.shown, one.chosen) for one in self.changes().turns}

    def was_announced(self) -> bool:
        """Whether something was announced since the last call."""
        before, self._heard = self._heard, self.talk.signal.revision
        return self._heard > before

    async def ask(self, question: str) -> str:
        turn = self.talk.ask(self.client, self.backend, question, {})
        await self.ended()
        return turn.id

    async def ended(self) -> None:
        async with asyncio.timeout(PATIENCE):
            for one in self.talk.generations():
                await one.wait_for_end()


@pytest.fixture
async def noted(client: Client) -> AsyncIterator[Noted]:
    async with StandIn(HELLO).running() as backend:
        yield Noted(client, backend)


async def test_a_first_question_names_its_conversation_and_is_what_its_person_has_open(noted: Noted):
    before = noted.talk.record
    assert not noted.changes()
    asked = noted.talk.ask(noted.client, noted.backend, "What colour are buoys?", {})
    assert noted.was_announced()
    assert not noted.talk.is_written
    changes = noted.changes()
    assert changes.current == {"me": noted.talk.id}
    [record] = changes.conversations
    assert record == replace(before, title="What colour are buoys?", updated_at=record.updated_at)
    assert record.updated_at >= before.updated_at
    [turn] = changes.turns
    assert (turn.id, turn.conversation, turn.parent, turn.place) == (asked.id, noted.talk.id, None, 1)
    assert (turn.shown, turn.chosen, turn.asked_at, turn.question) == (True, 1, asked.asked_at, asked.question)
    await noted.ended()
    await noted.ask("And green ones?")
    changes = noted.changes()
    assert changes.current == {}
    assert [one.title for one in changes.conversations] == ["What colour are buoys?"]
    assert [(one.parent, one.place) for one in changes.turns] == [(asked.id, 2)]


async def test_an_edited_question_hides_what_it_takes_the_place_of(noted: Noted):
    await noted.ask("One?")
    two = await noted.ask("Two?")
    await noted.ask("Three?")
    noted.changes()
    edited = noted.talk.edit(noted.client, noted.backend, two, "Another?", {})
    assert noted.turns() == {"Two?": (2, False, 1), "Three?": (3, False, 1), "Another?": (2, True, 1)}
    await noted.ended()
    with pytest.raises(KeyError):
        noted.talk.edit(noted.client, noted.backend, two, "Hidden?", {})
    noted.changes()
    noted.was_announced()
    own = noted.talk.own_changes
    noted.talk.show_version(edited.id, 1)
    assert noted.turns() == {"Two?": (2, True, 1), "Three?": (3, True, 1), "Another?": (2, False, 1)}
    assert noted.was_announced()
    assert noted.talk.own_changes == own + 3
    noted.talk.show_version(two, 1)
    assert noted.turns() == {}


async def test_another_answer_is_chosen_and_so_is_an_earlier_one(noted: Noted):
    first = await noted.ask("One?")
    noted.changes()
    with pytest.raises(ValueError, match="nothing was asked"):
        noted.conversations.start("you").answer_again(noted.client, noted.backend, {})
    noted.talk.answer_again(noted.client, noted.backend, {})
    assert noted.turns() == {"One?": (1, True, 2)}
    with pytest.raises(StillAnsweringError):
        noted.talk.answer_again(noted.client, noted.backend, {})
    await noted.ended()
    noted.was_announced()
    noted.changes()
    noted.talk.choose_answer(first, 1)
    assert noted.turns() == {"One?": (1, True, 1)}
    assert noted.was_announced()
    assert noted.talk.answers_begun == 2
    with pytest.raises(KeyError):
        noted.talk.choose_answer(first, 3)
    assert noted.turns() == {}


async def test_a_blank_question_and_one_too_early_change_nothing(noted: Noted):
    with pytest.raises(ValueError, match="words"):
        noted.talk.ask(noted.client, noted.backend, " ", {})
    assert not noted.changes()
    noted.talk.ask(noted.client, noted.backend, "One?", {})
    noted.changes()
    with pytest.raises(StillAnsweringError):
        noted.talk.ask(noted.client, noted.backend, "Two?", {})
    assert noted.turns() == {}
    await noted.ended()


async def test_images_go_with_a_question_and_with_what_takes_its_place(noted: Noted):
    images = (ImageName("x", "buoy.png"),)
    asked = noted.talk.ask(noted.client, noted.backend, "What is it?", {}, images=images)
    await noted.ended()
    edited = noted.talk.edit(noted.client, noted.backend, asked.id, "What is that?", {})
    assert asked.images == edited.images == images
    await noted.ended()
    noted.talk.set_images({asked.id: (), "another": images})
    assert (asked.images, edited.images) == ((), images)


async def test_a_conversation_is_stale_from_a_change_elsewhere_until_that_was_read(noted: Noted):
    assert not noted.talk.stale
    for _ in range(2):
        noted.talk.outdate()
        assert noted.was_announced()
    assert noted.talk.stale
    noted.talk.changes_read = 2
    assert not noted.talk.stale
    own = noted.talk.own_changes
    noted.talk.retitle(replace(noted.talk.record, title="Floats"))
    assert (noted.talk.record.title, noted.talk.own_changes) == ("Floats", own + 1)
    assert noted.was_announced()


async def test_what_a_person_has_open_is_noted_once_they_asked_something(noted: Noted):
    noted.conversations.start("me")
    assert not noted.changes()
    await noted.ask("One?")
    noted.conversations.open(noted.talk)
    assert noted.changes().current == {"me": noted.talk.id}
    anew = noted.conversations.start("me")
    assert noted.changes().current == {"me": anew.id}
    assert await noted.conversations.current("me") is anew


async def test_an_answer_has_the_name_that_its_page_gave_it_where_no_other_has_it(noted: Noted):
    name = "A-name-of-22_character"
    ids = []
    for _ in range(2):
        ids.append(noted.talk.ask(noted.client, noted.backend, "Who?", {}, answer=name).generation.id)
        await noted.ended()
    assert ids[0] == f"{noted.talk.id}.{name}"
    assert ids[1] != ids[0]
    assert ids[1].startswith(f"{noted.talk.id}.")


async def test_who_awaits_an_answer_by_its_name_goes_on_once_it_is_asked_for(noted: Noted):
    conversations, name = noted.conversations, "A-name-of-22_character"
    wanted = f"{noted.talk.id}.{name}"
    async with asyncio.timeout(PATIENCE):
        for nobody, nothing in (("you", wanted), ("me", f"none.{name}"), ("", ""), ("me", "")):
            with suppress(StoreUnavailableError):
                await conversations.begun(nobody, nothing)
        waiting = asyncio.create_task(conversations.begun("me", wanted))
        await noted.ask("Another?")
        assert not waiting.done()
        noted.talk.ask(noted.client, noted.backend, "Who?", {}, answer=name)
        await waiting
        await conversations.begun("me", wanted)
    assert await conversations.answer("me", wanted) is noted.talk.turns[-1].generation
    await noted.ended()


@pytest.fixture
def unkept() -> Conversations:
    return Conversations(nowhere)


async def test_while_the_store_is_away_an_open_conversation_goes_on_and_a_lost_one_begins_anew(noted: Noted):
    assert (noted.conversations.away, noted.keeper.away) == (True, True)
    await noted.ask("One?")
    noted.talk.outdate()
    assert await noted.conversations.current("me") is noted.talk
    assert noted.talk.stale
    lost = noted.conversations.current("you")
    noted.conversations.open(Conversation("you"))
    anew = await lost
    assert anew.owner == "you"
    assert await noted.conversations.current("you") is anew


async def test_without_other_processes_there_is_nobody_to_be_apart_from(unkept: Conversations):
    assert not unkept.apart
    assert await unkept.can_be_shared()


async def test_so_many_answers_are_being_made_for_a_person(unkept: Conversations, client: Client):
    forever = Reply([lines({"delta": {"content": "Half"}}), float("inf")])
    async with StandIn(forever).running() as backend:
        talks = [unkept.start(owner) for owner in ("me", "me", "you")]
        for count, talk in enumerate(talks):
            await unkept.may_ask(talk)
            talk.ask(client, Backend(f"{backend.url}/chat"), "Who?", {})
            assert unkept.running("me") == min(count + 1, 2)
        with pytest.raises(StillAnsweringError):
            await unkept.may_ask(talks[0])
        await unkept.stop(talks[0])
        await unkept.stop(talks[0])
        assert [one.live is not None for one in talks] == [False, True, True]
        assert (unkept.running("me"), unkept.running("you")) == (1, 1)
        await unkept.end_running(0)
        assert not any(one.live for one in talks)


def test_of_a_conversation_that_is_forgotten_its_pages_hear():
    memory, talk, other = InMemory(), Conversation("me"), Conversation("me")
    for one in (talk, other):
        memory.keep(one)
    assert {one.id for one in memory.of("me")} == {talk.id, other.id}
    assert memory.of("you") == []
    steps: list[tuple[Callable[[str], None], bool]] = [(memory.outdate, False), (memory.forget, True)]
    for step, is_gone in steps:
        heard, unheard, elsewhere = talk.signal.revision, other.signal.revision, memory.changes_elsewhere
        step(talk.id)
        step("another")
        assert talk.signal.revision == heard + 1
        assert other.signal.revision == unheard
        assert (talk.deleted, memory.find(talk.id) is None) == (is_gone, is_gone)
        assert memory.changes_elsewhere == elsewhere + (0 if is_gone else 2)
    assert talk.stale
    assert memory.find(other.id) is other
