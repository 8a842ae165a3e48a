"""What the store has of a conversation is merged with what this process made of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.records.records import AnswerHead, Outline, Status, TurnRecord
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.recently_used import ENTRY_BYTES
from chat_ui.protocol.transport.client import Client
from tests.conversations.kept import conversation, turn

TALK = conversation()


def head(of: TurnRecord, number: int = 1, status: Status = Status.FINISHED, **values: object) -> AnswerHead:
    return AnswerHead(f"{TALK.id}.{of.id}.{number}", number, status, **values)  # type: ignore[arg-type]


def outline(turns: Sequence[TurnRecord], heads: dict[str, tuple[AnswerHead, ...]] | None = None) -> Outline:
    return Outline(TALK, tuple(turns), {one.id: (head(one),) for one in turns} if heads is None else heads)


def read_back(*turns: TurnRecord) -> Conversation:
    found = Conversation("me", record=TALK)
    found.merge(outline(turns))
    return found


def questions(turns: Sequence[Turn]) -> list[str]:
    return [one.question for one in turns]


FIRST = turn(TALK, 1, "One?")
SECOND = turn(TALK, 2, "Two?")
ANOTHER = replace(turn(TALK, 2, "Another?"), id="another", asked_at=SECOND.asked_at + 1, shown=False)
THIRD = turn(TALK, 3, "Three?")


def test_turns_are_shown_by_their_places_and_versions_by_their_times():
    found = read_back(THIRD, ANOTHER, SECOND, FIRST)
    assert questions(found.turns) == ["One?", "Two?", "Three?"]
    assert questions(found.versions(found.turns[1])) == ["Two?", "Another?"]
    assert questions(found.versions(found.turns[0])) == ["One?"]
    assert found.answers_begun == 4
    assert found.has("another")
    assert found.has_answer(head(ANOTHER).id)


def test_a_question_without_any_answer_is_not_shown():
    found = Conversation("me", record=TALK)
    found.merge(outline([FIRST, SECOND], {FIRST.id: (head(FIRST),)}))
    assert questions(found.turns) == ["One?"]
    found.merge(outline([FIRST, SECOND]))
    assert questions(found.turns) == ["One?", "Two?"]


def test_what_another_process_chose_is_shown_from_then_on():
    found = read_back(FIRST, SECOND, ANOTHER)
    heard, former = found.signal.revision, found.turns[1]
    shown = [replace(FIRST, chosen=1), replace(SECOND, shown=False), replace(ANOTHER, shown=True)]
    answers = {one.id: (head(one),) for one in shown} | {FIRST.id: (head(FIRST, 2), head(FIRST, 1))}
    found.merge(Outline(replace(TALK, title="Floats"), tuple(shown), answers))
    assert questions(found.turns) == ["One?", "Another?"]
    assert found.record.title == "Floats"
    assert [one.number for one in found.turns[0].generations] == [1, 2]
    assert (found.turns[0].chosen, found.turns[0].generation.number) == (1, 1)
    assert found.signal.revision > heard
    found.show_version("another", 1)
    assert found.turns[1] is former


@pytest.mark.parametrize("chosen", [0, 1, 2, 9])
def test_the_answer_that_is_shown_is_the_chosen_one_or_the_newest(chosen: int):
    found = Conversation("me", record=TALK)
    asked = replace(FIRST, chosen=chosen)
    found.merge(outline([asked], {asked.id: (head(asked, 1), head(asked, 2))}))
    assert found.turns[0].generation.number == (1 if chosen == 1 else 2)


def test_an_answer_that_another_process_makes_is_live_until_it_has_ended():
    found = Conversation("me", record=TALK)
    for status in (Status.RUNNING, Status.FINISHED):
        found.merge(outline([FIRST], {FIRST.id: (head(FIRST, status=status),)}))
        assert (found.live is not None) is (status is Status.RUNNING)
    assert found.generations() == []
    assert found.generation(head(FIRST).id) is None


def test_a_conversation_is_as_large_as_its_questions_and_what_follows_its_answers():
    small = read_back(FIRST).size
    assert read_back(replace(FIRST, question=FIRST.question + "?" * 1_000)).size == small + 1_000
    assert read_back(FIRST, SECOND).size == 2 * small
    found = read_back(FIRST)
    found.merge(outline([FIRST], {FIRST.id: (head(FIRST, followups=("x" * 500, "y" * 500)),)}))
    assert small + 1_000 < found.size < small + 1_200
    found.merge(outline([FIRST], {FIRST.id: (head(FIRST, 1), head(FIRST, 2))}))
    assert found.size == small + ENTRY_BYTES


async def test_what_was_made_here_stays_whole_beside_what_the_store_has(client: Client):
    found = read_back(FIRST)
    backend = Backend("http://127.0.0.1:1/chat")
    asked = found.ask(client, backend, "Here?", {})
    made = asked.generation
    assert found.live is made
    assert questions(found.turns) == ["One?", "Here?"]
    elsewhere = turn(TALK, 3, "Elsewhere?", parent=asked.id)
    own = TurnRecord(asked.id, TALK.id, FIRST.id, 2, "He", asked.asked_at)
    heads = {FIRST.id: (head(FIRST),), own.id: (AnswerHead(made.id, 1, Status.RUNNING),)}
    found.merge(outline([FIRST, own, elsewhere], {**heads, elsewhere.id: (head(elsewhere),)}))
    assert questions(found.turns) == ["One?", "Here?", "Elsewhere?"]
    assert found.turns[1].generations == [made]
    found.merge(outline([FIRST], {FIRST.id: (head(FIRST),)}))
    assert questions(found.turns) == ["One?", "Here?", "Elsewhere?"]
    await made.stop()  # type: ignore[union-attr]
    await asyncio.sleep(0)


async def test_of_an_answer_that_is_let_go_its_head_is_left(client: Client):
    found = Conversation("me", record=TALK)
    asked = found.ask(client, Backend("http://127.0.0.1:1/chat"), "Here?", {})
    made = found.generations()[0]
    await made.stop()
    for _ in range(2):
        found.let_go(made)
        assert found.generations() == []
        assert asked.generations == [made.head]
        assert found.live is None
    assert found.has_answer(made.id)
    assert found.generation(made.id) is None
