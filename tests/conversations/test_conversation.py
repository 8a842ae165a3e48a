"""Conversations and generations against a stand-in backend over HTTP."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.feedback import Rating
from chat_ui.conversations.records.records import AnswerHead, Outline, Status, TurnRecord, title_of
from chat_ui.conversations.repository import Repository
from chat_ui.protocol.answers.thoughts import Thought
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import MOST
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.recently_used import ENTRY_BYTES
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import conversation, turn
from tests.conversations.repository import FOR_EVER, ask, nowhere
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines
from tests.timeouts import TIMEOUT


async def ended(turn: Turn) -> None:
    await asyncio.wait_for(turn.generation.wait_for_end(), TIMEOUT)


async def test_each_end_has_its_status_and_an_empty_question_is_not_sent_again(client: AsyncClient):
    for reply, status, text in (
        (Reply([lines({"delta": {"content": "A"}}, {"error": "boom"})]), Status.FAILED, "A"),
        (Reply([lines({"delta": {"content": "A"}}) + b'{"delta":'], end="abrupt"), Status.CUT_OFF, "A"),
        (Reply(status=503), Status.FAILED, ""),
    ):
        watched, repository = [], Repository()
        repository.watches.append(watched.append)
        conversation = Conversation("somebody", repository)
        async with StandIn(reply).running() as backend:
            turn = ask(client, conversation, backend, "One?")
            await ended(turn)
            other = ask(client, conversation, backend, "Two?")
            await ended(other)
        assert (turn.generation.status, turn.generation.answer.text) == (status, text)
        assert watched == [turn.generation, other.generation]
        sent = [message["content"] for message in backend.requests[-1].json["messages"]]
        assert sent == (["One?", "A", "Two?"] if text else ["Two?"])


async def test_thoughts_name_the_options_that_only_the_deployment_told(client: AsyncClient, half: StandIn):
    conversation = Conversation("somebody")
    await ended(conversation.ask(client, Backend(half.url), "One?", {"top": 5, "seed": 1}, told=("top",)))
    await ended(conversation.ask(client, Backend(half.url), "Two?", {"top": 5, "seed": 1}))
    told, untold = (turn.generation.answer.thoughts for turn in conversation.turns)
    assert told == (Thought("Options of the deployment", props={"top": 5}),)
    assert untold == ()


async def test_stop_closes_the_connection_also_before_the_first_byte(client: AsyncClient):
    for reply in (Reply([FOR_EVER]), Reply([lines({"delta": {"content": "A"}}), FOR_EVER])):
        async with StandIn(reply).running() as backend, asyncio.timeout(TIMEOUT):
            turn = ask(client, Conversation("somebody"), backend)
            await backend.arrived.wait()
            await turn.generation.stop()
            await backend.requests[0].left.wait()
        assert turn.generation.status is Status.STOPPED


async def test_a_question_that_cannot_be_sent_ends_with_the_reason(client: AsyncClient, half: StandIn):
    turn = ask(client, Conversation("somebody"), half, "a" * (MOST + 1))
    await ended(turn)
    assert half.requests == []
    assert turn.generation.status is Status.FAILED
    assert "Ask in a new conversation" in turn.generation.answer.error.message


RESPONSE = {"type": "response.completed", "response": {"id": "resp_1", "store": True, "output": []}}


async def test_a_question_unknown_to_the_server_goes_with_the_next_one(client: AsyncClient):
    said = {"type": "response.output_text.delta", "delta": "Yes."}

    def cutting_the_second(request: Received) -> Reply:
        is_second = len(backend.requests) == 2
        return Reply([lines(said, *([] if is_second else [RESPONSE]))], end="abrupt" if is_second else "clean")

    async with StandIn(cutting_the_second).running() as backend:
        conversation = Conversation("somebody")
        form = KNOWN_BACKENDS["openai-responses"].at(f"{backend.url}/v1/responses", model="small")
        for question in ("One?", "Two?", "Three?", "Four?"):
            await ended(conversation.ask(client, form, question, {}))
    asked = [[message["content"] for message in request.json["input"]] for request in backend.requests]
    assert asked == [["One?"], ["Two?"], ["Two?", "Yes.", "Three?"], ["Four?"]]
    assert [request.json.get("previous_response_id") for request in backend.requests] == [None, *["resp_1"] * 3]


async def test_the_state_of_a_wire_is_not_sent_over_another(client: AsyncClient):
    said = {"type": "response.output_text.delta", "delta": "Yes."}
    async with StandIn(Reply([lines(said, RESPONSE)])).running() as backend:
        conversation = Conversation("somebody")
        for name, path in (
            ("openai-responses", "/v1/responses"),
            ("openai-compatible", "/v1/chat/completions"),
            ("ag-ui", "/"),
        ):
            form = KNOWN_BACKENDS[name].at(backend.url + path, model="small")
            await ended(conversation.ask(client, form, f"By {name}?", {}))
    completion, run = (request.json for request in backend.requests[1:])
    assert set(completion) == {"messages", "model", "stream"}
    assert "previous_response_id" not in run


async def test_the_next_question_carries_state_answer_and_visible_questions(client: AsyncClient):
    def counting(_: Received) -> Reply:
        number = len(backend.requests)
        return Reply([lines({"delta": {"content": f"Answer {number}"}, "sessionState": f"s-{number}"})])

    def last_sent() -> list[str]:
        return [message["content"] for message in backend.requests[-1].json["messages"]]

    async with StandIn(counting).running() as backend:
        conversation, asked_of = Conversation("somebody"), Backend(f"{backend.url}/chat")
        turn = conversation.ask(client, asked_of, "One?", {})
        await ended(turn)
        assert backend.requests[0].json == {"messages": [{"role": "user", "content": "One?"}]}
        conversation.answer_again(client, asked_of, {})
        await ended(turn)
        assert [one.answer.text for one in turn.generations] == ["Answer 1", "Answer 2"]
        assert turn.generation is turn.generations[1]
        assert last_sent() == ["One?"]
        conversation.choose_answer(turn.id, 1)
        second = ask(client, conversation, backend, "Two?")
        await ended(second)
        assert last_sent() == ["One?", "Answer 1", "Two?"]
        assert backend.requests[-1].json["sessionState"] == "s-1"
        await ended(ask(client, conversation, backend, "Three?"))
        edited = conversation.edit(client, asked_of, second.id, "Another two?", {})
        await ended(edited)
        assert last_sent() == ["One?", "Answer 1", "Another two?"]
        for number in (0, 3, -1):
            for choose in (conversation.show_version, conversation.choose_answer):
                with pytest.raises(KeyError):
                    choose(edited.id, number)
        conversation.show_version(edited.id, 1)
        assert [one.question for one in conversation.turns] == ["One?", "Two?", "Three?"]
        first = conversation.edit(client, asked_of, turn.id, "Uno?", {})
        await ended(first)
    assert conversation.turns == [first]
    assert [one.question for one in conversation.versions(first)] == ["One?", "Uno?"]


def test_the_first_question_becomes_the_title():
    titles = {
        "How many days?": "How many days?",
        "\n  First line  here\nsecond": "First line here",
        "word " * 40: "word word word word word word word word word word word word…",
        "x" * 200: "x" * 60 + "…",
    }
    assert {question: title_of(question) for question in titles} == titles


async def test_a_conversation_is_found_only_by_its_owner():
    conversations = Conversations(nowhere)
    mine, theirs = conversations.start("me"), conversations.start("you")
    assert await conversations.get("me", mine.id) is mine
    assert await conversations.get("you", mine.id) is None
    assert await conversations.get("me", "") is None
    before = mine.signal.revision, theirs.signal.revision
    for conversation_id in (mine.id, theirs.id, "none such", ""):
        conversations.look_up("me", conversation_id)
    assert mine.signal.revision > before[0]
    assert theirs.signal.revision == before[1]


async def test_an_answer_is_found_only_by_its_owner(client: AsyncClient, half: StandIn, conversations: Conversations):
    turn = ask(client, conversations.start("me"), half)
    await ended(turn)
    assert await conversations.answer("me", turn.generation.id) is turn.generation
    assert await conversations.answer("you", turn.generation.id) is None
    for unknown in ("", "x", f"{turn.id}.", f"{turn.generation.id}9", turn.generation.id[:-1], "a.b.c"):
        assert await conversations.answer("me", unknown) is None


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


def test_turns_are_ordered_by_place_and_versions_by_time():
    found = read_back(THIRD, ANOTHER, SECOND, FIRST)
    assert questions(found.turns) == ["One?", "Two?", "Three?"]
    assert questions(found.versions(found.turns[1])) == ["Two?", "Another?"]
    assert questions(found.versions(found.turns[0])) == ["One?"]
    assert found.answers_begun == 4
    assert found.has("another")
    assert found.has_answer(head(ANOTHER).id)


def test_a_choice_of_another_process_is_shown():
    found = read_back(FIRST, SECOND, ANOTHER)
    heard, former = found.signal.revision, found.turns[1]
    shown = [replace(FIRST, chosen=1), replace(SECOND, shown=False), replace(ANOTHER, shown=True)]
    answers = {one.id: (head(one),) for one in shown} | {FIRST.id: (head(FIRST, 2), head(FIRST, 1))}
    found.merge(Outline(replace(TALK, title="Floats"), tuple(shown), answers, {"an answer": Rating.GOOD}))
    assert questions(found.turns) == ["One?", "Another?"]
    assert found.ratings == {"an answer": Rating.GOOD}
    assert found.record.title == "Floats"
    assert [one.number for one in found.turns[0].generations] == [1, 2]
    assert (found.turns[0].chosen, found.turns[0].generation.number) == (1, 1)
    assert found.signal.revision > heard
    found.show_version("another", 1)
    assert found.turns[1] is former


def test_the_chosen_or_newest_answer_is_shown_and_live_until_its_end():
    found = Conversation("me", record=TALK)
    for chosen, number in {0: 2, 1: 1, 2: 2, 9: 2}.items():
        asked = replace(FIRST, chosen=chosen)
        found.merge(outline([asked, SECOND], {asked.id: (head(asked, 1), head(asked, 2))}))
        # A question without any answer is not shown.
        assert questions(found.turns) == ["One?"]
        assert found.turns[0].generation.number == number
    for status in (Status.RUNNING, Status.FINISHED):
        found.merge(outline([FIRST], {FIRST.id: (head(FIRST, status=status),)}))
        assert (found.live is not None) is (status is Status.RUNNING)
    assert found.generations() == []
    assert found.generation(head(FIRST).id) is None
    found.merge(outline([FIRST, SECOND]))
    assert questions(found.turns) == ["One?", "Two?"]


def test_the_size_of_a_conversation_counts_questions_and_followups():
    small = read_back(FIRST).size
    assert read_back(replace(FIRST, question=FIRST.question + "?" * 1_000)).size == small + 1_000
    assert read_back(FIRST, SECOND).size == 2 * small
    found = read_back(FIRST)
    found.merge(outline([FIRST], {FIRST.id: (head(FIRST, followups=("x" * 500, "y" * 500)),)}))
    assert small + 1_000 < found.size < small + 1_200
    found.merge(outline([FIRST], {FIRST.id: (head(FIRST, 1), head(FIRST, 2))}))
    assert found.size == small + ENTRY_BYTES


async def test_local_turns_stay_whole_beside_stored_ones_until_released(client: AsyncClient):
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
    for _ in range(2):
        found.let_go(made)
        assert found.generations() == []
        assert asked.generations == [made.head]
        assert found.live is None
    assert found.has_answer(made.id)
    assert found.generation(made.id) is None
