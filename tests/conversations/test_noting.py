"""Notes of changes to be written, and announcements of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.in_memory import InMemory
from chat_ui.conversations.pending_writes import Batch, PendingWrites
from chat_ui.conversations.people.attached_images import ImageName
from chat_ui.conversations.records.records import Changes, Piece, Status
from chat_ui.conversations.stored_repository import StoredRepository
from chat_ui.errors import StillAnsweringError, StoreUnavailableError
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import conversation, generation, turn
from tests.conversations.repository import FOR_EVER, HALF, REST, answer_of, nowhere, reached
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT


class Noted:
    """A conversation over a store that takes no writes, so that its notes can be examined."""

    def __init__(self, client: AsyncClient, backend: StandIn) -> None:
        self.conversations = Conversations(nowhere)
        self.repository: StoredRepository = self.conversations.repository
        self.talk: Conversation = self.conversations.start("me")
        self.client = client
        self.backend = Backend(f"{backend.url}/chat")
        self._heard = self.talk.signal.revision

    def changes(self) -> Changes:
        """The notes since the last call."""
        batch = self.repository.pending.begin_batch(renew=False)
        self.repository.pending.end_batch(batch, set())
        return batch.changes

    def turns(self) -> dict[str, tuple[int, bool, int]]:
        """Place, visibility and chosen answer of each question noted since the last call."""
        return {one.question: (one.place, one.shown, one.chosen) for one in self.changes().turns}

    def was_announced(self) -> bool:
        """Whether an announcement was made since the last call."""
        before, self._heard = self._heard, self.talk.signal.revision
        return self._heard > before

    async def ask(self, question: str) -> str:
        turn = self.talk.ask(self.client, self.backend, question, {})
        await self.ended()
        return turn.id

    async def ended(self) -> None:
        async with asyncio.timeout(TIMEOUT):
            for one in self.talk.generations():
                await one.wait_for_end()


@pytest.fixture
def noted(client: AsyncClient, half: StandIn) -> Noted:
    return Noted(client, half)


async def test_a_first_question_names_its_conversation_and_is_opened(noted: Noted):
    before = noted.talk.record
    with pytest.raises(ValueError, match="words"):
        noted.talk.ask(noted.client, noted.backend, " ", {})
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
    with pytest.raises(StillAnsweringError):
        noted.talk.ask(noted.client, noted.backend, "Too early?", {})
    assert not noted.changes().turns
    await noted.ended()
    await noted.ask("And green ones?")
    changes = noted.changes()
    assert changes.current == {}
    assert [one.title for one in changes.conversations] == ["What colour are buoys?"]
    assert [(one.parent, one.place) for one in changes.turns] == [(asked.id, 2)]


async def test_an_edited_question_hides_the_replaced_turns(noted: Noted):
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


async def test_a_new_and_an_earlier_answer_can_be_chosen(noted: Noted):
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


async def test_images_go_with_a_question_and_its_edits(noted: Noted):
    images = (ImageName("x", "buoy.png"),)
    asked = noted.talk.ask(noted.client, noted.backend, "What is it?", {}, images=images)
    await noted.ended()
    edited = noted.talk.edit(noted.client, noted.backend, asked.id, "What is that?", {})
    assert asked.images == edited.images == images
    await noted.ended()
    noted.talk.set_images({asked.id: (), "another": images})
    assert (asked.images, edited.images) == ((), images)


async def test_a_remote_change_makes_a_conversation_stale(noted: Noted):
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


async def test_the_open_conversation_is_noted_after_the_first_question(noted: Noted):
    noted.conversations.start("me")
    assert not noted.changes()
    await noted.ask("One?")
    noted.conversations.open(noted.talk)
    assert noted.changes().current == {"me": noted.talk.id}
    noted.conversations.start("me")
    assert not noted.changes()


NAME = "A-name-of-22_character"


async def test_an_answer_takes_its_pages_name_if_free_and_is_awaited_by_it(noted: Noted):
    conversations, wanted = noted.conversations, f"{noted.talk.id}.{NAME}"
    async with asyncio.timeout(TIMEOUT):
        for nobody, nothing in (("you", wanted), ("me", f"none.{NAME}"), ("", ""), ("me", "")):
            with suppress(StoreUnavailableError):
                await conversations.begun(nobody, nothing)
        waiting = asyncio.create_task(conversations.begun("me", wanted))
        await noted.ask("Another?")
        assert not waiting.done()
        made = noted.talk.ask(noted.client, noted.backend, "Who?", {}, answer=NAME).generation
        await waiting
        await conversations.begun("me", wanted)
    assert await conversations.answer("me", wanted) is made
    assert made.id == wanted
    await noted.ended()
    again = noted.talk.ask(noted.client, noted.backend, "Who?", {}, answer=NAME).generation.id
    assert again != wanted
    assert again.startswith(f"{noted.talk.id}.")
    await noted.ended()


async def test_an_open_conversation_goes_on_without_the_store(noted: Noted):
    assert (noted.conversations.unavailable, noted.repository.unavailable) == (True, True)
    await noted.ask("One?")
    noted.talk.outdate()
    assert await noted.conversations.current("me") is noted.talk
    assert noted.talk.stale
    assert await noted.conversations.current("you") is None


async def test_answers_are_made_counted_and_stopped_without_a_store(client: AsyncClient, endless: StandIn):
    unsaved = Conversations(nowhere)
    assert not unsaved.apart
    assert await unsaved.can_be_shared()
    talks = [unsaved.start(owner) for owner in ("me", "me", "you")]
    for count, talk in enumerate(talks):
        await unsaved.may_ask(talk)
        talk.ask(client, Backend(f"{endless.url}/chat"), "Who?", {})
        assert unsaved.running("me") == min(count + 1, 2)
    with pytest.raises(StillAnsweringError):
        await unsaved.may_ask(talks[0])
    for _ in range(2):
        await unsaved.stop(talks[0])
    assert [one.live is not None for one in talks] == [False, True, True]
    assert (unsaved.running("me"), unsaved.running("you")) == (1, 1)
    await unsaved.end_running(0)
    assert not any(one.live for one in talks)


def test_pages_are_told_that_their_conversation_is_forgotten():
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


TALK = conversation()
ASKED = turn(TALK)


@asynccontextmanager
async def streaming(client: AsyncClient, gate: asyncio.Event, *rest: bytes | float) -> AsyncIterator[LocalGeneration]:
    """An answer with the beginning “Half an answer”. The rest comes once the gate is open."""
    async with StandIn(Reply([HALF, gate, *(rest or (REST,))])).running() as backend, asyncio.timeout(TIMEOUT):
        made = answer_of(backend, f"{TALK.id}.1")
        made.start(client)
        await reached(made, "Half an answer")
        yield made
        await made.stop()


def next_batch(pending: PendingWrites, *, renew: bool = False, closed: frozenset[str] = frozenset()) -> Changes:
    """The next batch, taken by the store."""
    batch: Batch = pending.begin_batch(renew=renew)
    pending.end_batch(batch, set(closed))
    return batch.changes


async def test_a_replaced_text_is_written_again(client: AsyncClient):
    pending, gate = PendingWrites(), asyncio.Event()
    async with streaming(client, gate, lines({"delta": {"content": " of it?\n</think>\nWhole"}})) as made:
        pending.follow(made)
        next_batch(pending)
        gate.set()
        await made.wait_for_end()
        assert (made.text_since(0)[0], made.text_revision) == ("Whole", 1)
        last = next_batch(pending)
        assert (last.anew, [record.answer.text for record in last.generations]) == ((made.id,), ["Whole"])
        assert last.generations[0].answer.reasoning == "Half an answer of it?\n"


async def test_an_answer_is_written_while_it_grows_and_at_its_end(client: AsyncClient):
    pending, gate = PendingWrites(), asyncio.Event()
    async with streaming(client, gate) as made:
        pending.follow(made)
        assert (pending.follows(made.id), pending.generations) == (True, [made])
        assert pending.bytes_by_owner()["me"] == made.received > len("Half an answer")
        assert not pending.has_any_of(TALK.id)
        first = next_batch(pending)
        assert (first.anew, first.alive) == ((made.id,), (made.id,))
        assert first.pieces == (Piece(made.id, 0, "Half an answer"),)
        assert [(one.id, one.status) for one in first.generations] == [(made.id, Status.RUNNING)]
        assert not next_batch(pending)
        being_written = pending.begin_batch(renew=True)
        assert being_written.changes == Changes(alive=(made.id,))
        gate.set()
        await made.wait_for_end()
        pending.end_batch(being_written, set())
        assert pending.follows(made.id)
        assert pending.has_any_of(TALK.id)
        assert not pending.has_any_of("another")
        last = next_batch(pending, renew=True)
        assert (last.anew, last.alive, last.pieces) == ((), (), ())
        assert [(one.status, one.answer.text) for one in last.generations] == [
            (Status.FINISHED, "Half an answer, and the rest.")
        ]
        assert not pending
        assert not pending.follows(made.id)
        assert not pending.bytes_by_owner()


async def test_text_is_appended_and_rewritten_after_a_close_elsewhere(client: AsyncClient):
    pending, gate = PendingWrites(), asyncio.Event()
    async with streaming(client, gate, REST, FOR_EVER) as made:
        pending.follow(made)
        next_batch(pending, closed=frozenset({made.id}))
        again = next_batch(pending)
        assert (again.anew, again.pieces) == ((made.id,), (Piece(made.id, 0, "Half an answer"),))
        assert [one.id for one in again.generations] == [made.id]
        gate.set()
        await reached(made, "Half an answer, and the rest.")
        assert next_batch(pending).pieces == (Piece(made.id, 14, ", and the rest."),)


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
async def test_an_answer_in_a_dropped_conversation_is_not_written_any_more(client: AsyncClient, moment: str):
    pending, gate = PendingWrites(), asyncio.Event()
    async with streaming(client, gate) as made:
        pending.follow(made)
        if moment == "before":
            pending.drop({TALK.id})
        batch = pending.begin_batch(renew=True)
        pending.drop({"another"})
        assert pending.follows(made.id) is (moment == "meanwhile")
        pending.drop({TALK.id})
        pending.end_batch(batch, set())
        assert not pending
        assert not next_batch(pending, renew=True)


def test_the_newest_note_is_written_unless_its_conversation_is_dropped():
    pending, other = PendingWrites(), conversation(2)
    assert not pending
    pending.note(Changes((TALK, other), (ASKED, turn(other)), current={"me": TALK.id, "you": other.id}))
    pending.note(Changes((replace(TALK, title="Buoys"),), (replace(ASKED, chosen=2),), current={"me": "newest"}))
    assert pending.has_turns_of(other.id)
    pending.drop({other.id})
    assert not pending.has_turns_of(other.id)
    assert (pending.current("me"), pending.current("you")) == ("newest", None)
    changes = next_batch(pending)
    assert changes == Changes((replace(TALK, title="Buoys"),), (replace(ASKED, chosen=2),), current={"me": "newest"})
    pending.note(Changes((TALK,), (ASKED,), current={"me": TALK.id}))
    assert pending
    pending.drop({TALK.id})
    assert not pending
    assert not next_batch(pending, renew=True)


def test_failed_writes_are_repeated_with_newer_ones():
    pending, renamed = PendingWrites(), replace(TALK, title="Buoys")
    pending.note(Changes((TALK,), (ASKED,), current={"me": TALK.id}))
    batch = pending.begin_batch(renew=False)
    assert (pending.has_turns_of(TALK.id), pending.current("me")) == (True, TALK.id)
    pending.note(Changes((renamed,)))
    pending.put_back(batch)
    changes = next_batch(pending)
    assert (changes.conversations, changes.turns) == ((renamed,), (ASKED,))
    assert (pending.has_turns_of(TALK.id), pending.current("me")) == (False, None)


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


def test_each_conversation_has_its_own_batch_and_the_rest_comes_last():
    *apart, rest = ALL.apart()
    assert rest == Changes(alive=("x", "y"), current={"me": TALK.id})
    expected = [
        Changes((talk,), (asked,), (made,), (piece,), anew=(made.id,))
        for talk, asked, made, piece in zip((TALK, OTHER), BOTH, MADE, PIECES, strict=True)
    ]
    assert sorted(apart, key=lambda one: one.conversations[0].id) == expected
    *apart, _ = Changes(pieces=tuple(PIECES)).apart()
    assert sorted((one.pieces for one in apart), key=str) == [(piece,) for piece in PIECES]


@pytest.mark.parametrize("part", ["conversations", "turns", "generations", "pieces", "alive", "current", "anew"])
def test_each_part_but_anew_is_a_change_of_its_conversation(part: str):
    changes = Changes(**{part: getattr(ALL, part)})
    assert bool(changes) is (part != "anew")
    assert changes.concerned == ({TALK.id, OTHER.id} if part in ("conversations", "turns", "generations") else set())
