"""Decisions on paused answers: written before they are sent, once, and turns of their conversation."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from chat_ui.conversations.archive.archive import read_conversation, transcript_pieces, without_thoughts
from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.feedback import Rating
from chat_ui.conversations.records.records import Changes, Status, Transcript
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.stored_feedback import StoredFeedback
from chat_ui.errors import AlreadyDecidedError, StillAnsweringError, StoreUnavailableError
from chat_ui.features.comparing.page.state.second_column import missing_turns
from chat_ui.features.deployment.past_sessions import body_of
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import Decision, Resume
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.events import THREAD, CutOff, SessionState
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.rendering.answer import ending_words
from tests.conversations.kept import conversation, generation, import_batches, rated, turn
from tests.conversations.pausing import APPROVED, BACKEND, DENIED, DONE, Agent, ended, pause, pausing
from tests.conversations.repository import held, path_of


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent that pauses once, and then goes on."""
    return Agent(monkeypatch, pausing(), DONE)


async def ask(client: AsyncClient, talk: Conversation, question: str = "Mail Ann.") -> Turn:
    return await ended(talk.ask(client, BACKEND, question, {"top": 3}))


async def decide(client: AsyncClient, talk: Conversation, paused: Any, *decisions: Decision) -> Turn:
    return await ended(await talk.decide(client, BACKEND, paused.id, decisions or [APPROVED], "Approved “send_email”"))


async def test_a_decision_is_written_before_it_is_sent(agent, client, conversations: Conversations):
    seen: list[tuple[str | None, Status]] = []

    async def look() -> None:
        outline = await conversations.repository.store.outline("me", talk.id)
        last = outline.turns[-1]
        seen.append((last.decides, outline.heads[last.id][0].status))

    agent.on_decision = look
    talk = conversations.start("me")
    paused = (await ask(client, talk)).generation
    assert (paused.status, talk.waits, talk.live) == (Status.WAITING, True, None)
    decided = (await decide(client, talk, paused, DENIED)).generation
    assert seen == [(paused.id, Status.RUNNING)]
    assert (decided.status, decided.answer.text, decided.question) == (
        Status.FINISHED,
        "Sent.",
        "Approved “send_email”",
    )
    [request] = agent.decisions
    assert request.resume == Resume(((pause(), (DENIED,)),))
    assert [one.content for one in request.messages] == ["Mail Ann."]
    assert (request.overrides, request.session_state) == ({"top": 3}, SessionState(THREAD, {THREAD: "thread-i-1"}))


async def test_nothing_is_sent_if_it_cannot_be_written(agent, client, conversations: Conversations, sqlite_url: str):
    talk = conversations.start("me")
    asked = await ask(client, talk)
    await conversations.repository.catch_up()
    path_of(sqlite_url).rename(path_of(sqlite_url).with_name("elsewhere.db"))
    with pytest.raises(StoreUnavailableError):
        await decide(client, talk, asked.generation)
    assert (talk.turns, talk.live, talk.waits, agent.decisions) == ([asked], None, True, [])


async def test_the_first_of_two_tabs_wins_and_nothing_is_asked_meanwhile(agent, client, conversations: Conversations):
    talk = conversations.start("me")
    asked = await ask(client, talk)
    async with held("INSERT INTO turn") as written:
        tabs = [asyncio.create_task(decide(client, talk, asked.generation)) for _ in range(2)]
        await written()
        with pytest.raises(StillAnsweringError):
            talk.ask(client, BACKEND, "And Bob?", {})
    won, lost = await asyncio.gather(*tabs, return_exceptions=True)
    assert isinstance(lost, AlreadyDecidedError)
    assert (talk.turns, len(agent.decisions)) == ([asked, won], 1)


async def test_only_possible_decisions_on_the_last_answer_are_sent(agent, client, conversations: Conversations):
    agent.replies[1:] = [pausing(name="i-2", ends_at=1.0), DONE]
    talk = conversations.start("me")
    asked = await ask(client, talk)
    lapsed = (await decide(client, talk, asked.generation)).generation
    with pytest.raises(InvalidRequestError, match="lapsed"):
        await decide(client, talk, lapsed, Decision("i-2", "approved"))
    await ask(client, talk, "And Bob?")
    with pytest.raises(KeyError):
        await decide(client, talk, lapsed, Decision("i-2", "approved"))
    assert len(agent.decisions) == 1


async def test_a_chain_of_decisions_is_one_message_of_the_history(agent, client, conversations: Conversations):
    agent.replies[:] = [DONE, pausing(), pausing("Sent.", "i-2"), DONE, DONE]
    talk = conversations.start("me")
    await ask(client, talk, "Hello.")
    last = await decide(client, talk, (await ask(client, talk)).generation)
    # As in another process, which reads all of it back.
    await conversations.repository.catch_up()
    for made in talk.generations():
        talk.let_go(made)
    await decide(client, talk, last.generation, Decision("i-2", "approved"))
    [_, request] = agent.decisions
    steps = ((pause(), (APPROVED,)), (pause("i-2"), (Decision("i-2", "approved"),)))
    assert request.resume == Resume(steps)
    assert [one.content for one in request.messages] == ["Hello.", "Sent.", "Mail Ann."]
    assert request.session_state.value == {THREAD: "thread-i-2"}
    await ask(client, talk, "Thanks.")
    said = [one.content for one in agent.questions[-1].messages]
    assert said == ["Hello.", "Sent.", "Mail Ann.", "Let me see.\n\nSent.\n\nSent.", "Thanks."]
    assert agent.questions[-1].new_message_count == len(said)


@pytest.mark.parametrize("key", [THREAD, "previous_response_id"])
async def test_a_question_instead_of_a_decision_leaves_the_thread(agent, client, key: str):
    agent.replies[0] = (*DONE, SessionState(key, {THREAD: "t-1"}), pause())
    talk = Conversation("me")
    await ask(client, talk)
    await ask(client, talk, "What did you want?")
    question = agent.questions[-1]
    assert question.session_state == (SessionState(THREAD, {}) if key == THREAD else None)
    assert [one.content for one in question.messages] == ["Mail Ann.", "Sent.", "What did you want?"]


async def test_a_decision_is_sent_again_only_when_told_so(agent, client, conversations: Conversations):
    agent.replies[1:] = [(CutOff("it broke off"),), DONE]
    talk = conversations.start("me")
    asked = await ask(client, talk)
    decided = await decide(client, talk, asked.generation)
    with pytest.raises(ValueError, match="nothing was asked"):
        talk.answer_again(client, BACKEND, {})
    with pytest.raises(AlreadyDecidedError):
        await decide(client, talk, asked.generation)
    again = await ended(await talk.decide(client, BACKEND, asked.generation.id, [], "", again=True))
    assert (again is decided, again.chosen, again.generation.status) == (True, 2, Status.FINISHED)
    first, second = agent.decisions
    assert (first.resume, first.overrides) == (second.resume, second.overrides)
    talk.choose_answer(decided.id, 1)
    with pytest.raises(AlreadyDecidedError):
        await talk.decide(client, BACKEND, asked.generation.id, [], "", again=True)


async def test_the_list_learns_that_a_conversation_waits(agent, client, conversations: Conversations):
    talk = conversations.start("me")
    asked = await ask(client, talk)
    revisions = []
    for waiting in ({talk.id}, set()):
        await conversations.repository.catch_up()
        assert await conversations.lists.stored.waiting_among("me", [talk.id]) == waiting
        revisions.append(conversations.lists.revision("me"))
        if waiting:
            await decide(client, talk, asked.generation)
    assert 0 < revisions[0] < revisions[1]


WAITING = Answer("Let me see.", pause=pause())


def transcript(number: int = 1, **values: Any) -> Transcript:
    """A question whose answer waits, a decision, and a question; each is answered."""
    talk = conversation(number, **values)
    asked = turn(talk, 1, "Mail Ann.")
    paused = generation(asked, status=Status.WAITING, answer=WAITING)
    told = {"decides": paused.id, "decision": json.dumps([{"interrupt": "i-1", "verdict": "approved"}])}
    turns = (asked, turn(talk, 2, "Approved “send_email”", **told), turn(talk, 3, "Thanks."))
    answers = [generation(one, answer=Answer(text)) for one, text in zip(turns[1:], ("Sent.", "Yes."), strict=True)]
    return Transcript(talk, turns, (paused, *answers))


async def test_the_last_shown_answer_counts_also_in_the_second_column(store: Store, listed: StoredList):
    second = transcript(3, compared_with=conversation(2).id)
    every = [transcript(1), transcript(2), second, transcript(4), transcript(5)]
    every[2:] = [replace(one, turns=one.turns[:1], generations=one.generations[:1]) for one in every[2:]]
    every[3] = replace(every[3], generations=(replace(every[3].generations[0], is_imported=True),))
    recorded = replace(WAITING, recorded_at="2026-11-30T00:00:00+00:00")
    every[4] = replace(every[4], generations=(replace(every[4].generations[0], answer=recorded),))
    for one in every:
        await store.write(Changes((one.conversation,), one.turns, one.generations))
    ids = [one.conversation.id for one in every]
    assert await listed.waiting_among("me", ids) == {conversation(2).id}
    assert await listed.waiting_among("you", ids) == set()


def exported(of: Transcript) -> Any:
    return json.loads("".join(transcript_pieces(of)))


async def test_an_imported_pause_is_shown_but_cannot_be_decided_on(agent, client, conversations: Conversations):
    first, second, third = exported(transcript())["turns"]
    assert (second["decides"], second["decision"]) == (1, [{"interrupt": "i-1", "verdict": "approved"}])
    assert "decides" not in first.keys() | third.keys()
    told = first["answers"][0]["answer"]["pause"]
    assert told.keys() == {"wire", "interrupts"}
    told["kept"] = "forged"
    # An answer has one decision.
    read = read_conversation({"turns": [first, second, {**second, "id": "another"}]}, "me")
    assert [one.decides for one in read.turns] == [None, read.generations[0].id, None]
    waiting = read_conversation({"turns": [first]}, "me")
    await import_batches(conversations, "me", [waiting, read])
    talk = await conversations.get("me", waiting.conversation.id)
    paused = await conversations.answer("me", talk.turns[0].generation.id)
    assert (paused.status, paused.answer.pause) == (Status.WAITING, pause(kept=None))
    with pytest.raises(InvalidRequestError):
        await decide(client, talk, talk.turns[0].generation)
    assert agent.decisions == []


def test_exports_without_thoughts_have_only_the_words_of_decisions():
    assert "ann@example.com" in json.dumps(exported(transcript()))
    told = exported(without_thoughts(transcript()))
    assert "ann@example.com" not in json.dumps(told)
    assert (told["turns"][1]["question"], told["turns"][1]["decision"]) == ("Approved “send_email”", [])
    assert ending_words(WAITING) == "The agent asked for a decision."


async def test_an_answer_after_a_decision_belongs_to_the_paused_question(store: Store, database):
    of = transcript()
    await store.write(Changes((of.conversation,), of.turns, of.generations))
    for answer in of.generations[1:]:
        await StoredFeedback(database).change("me", answer.id, lambda one: rated(one, Rating.GOOD))
    after, last = [one async for one in StoredFeedback(database).given()]
    assert (after.question, after.said_before) == ("Mail Ann.", ())
    assert (last.question, last.said_before) == ("Thanks.", (("Mail Ann.", "Let me see.\n\nSent."),))


def test_decisions_are_not_asked_elsewhere():
    of = transcript()
    asked = [Turn(one.question, one.place, one.parent, decides=one.decides) for one in of.turns]
    assert [left.question for left, _ in missing_turns(asked, [])] == ["Mail Ann.", "Thanks."]
    assert missing_turns(asked, asked[::2]) == []
    done = replace(of, generations=tuple(replace(one, ended_at=2000.0) for one in of.generations))
    body, count, _ = body_of("s-1", done)
    assert (count, [question for question, _ in json.loads(body)["answers"]]) == (2, ["Mail Ann.", "Thanks."])
