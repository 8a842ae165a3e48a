"""Conversations and generations against a stand-in backend over real HTTP."""

from __future__ import annotations

import asyncio

import pytest

from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.keeping import Keeping
from chat_ui.conversations.records.records import Status, title_of
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import MOST
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Received, Reply, StandIn, lines
from tests.conversations.keeping import keeping, nowhere
from tests.patience import PATIENCE

HELLO = lines({"delta": {"content": "Hel"}}, {"delta": {"content": "lo"}})
FOR_EVER = float("inf")


def ask(client: Client, conversation: Conversation, backend: StandIn, question: str = "Who is there?") -> Turn:
    return conversation.ask(client, Backend(f"{backend.url}/chat"), question, {})


async def ended(turn: Turn) -> None:
    async with asyncio.timeout(PATIENCE):
        await turn.generation.wait_for_end()


async def test_how_it_ended_is_told_apart_and_the_text_is_kept(client: Client):
    for reply, status, text in (
        (Reply([lines({"delta": {"content": "A"}}, {"error": "boom"})]), Status.FAILED, "A"),
        (Reply([lines({"delta": {"content": "A"}}) + b'{"delta":'], end="abrupt"), Status.CUT_OFF, "A"),
        (Reply(status=503), Status.FAILED, ""),
    ):
        async with StandIn(reply).running() as backend:
            turn = ask(client, Conversation("somebody"), backend)
            await ended(turn)
        assert turn.generation.status is status
        assert turn.generation.answer.text == text


async def test_stop_closes_the_connection_to_the_backend_also_before_its_first_byte(client: Client):
    for reply in (Reply([FOR_EVER]), Reply([lines({"delta": {"content": "A"}}), FOR_EVER])):
        async with StandIn(reply).running() as backend, asyncio.timeout(PATIENCE):
            turn = ask(client, Conversation("somebody"), backend)
            await backend.arrived.wait()
            await turn.generation.stop()
            await backend.requests[0].left.wait()
        assert turn.generation.status is Status.STOPPED


async def test_a_question_that_cannot_be_sent_ends_with_the_reason(client: Client):
    async with StandIn(Reply([HELLO])).running() as backend:
        turn = ask(client, Conversation("somebody"), backend, "a" * (MOST + 1))
        await ended(turn)
        assert backend.requests == []
    assert turn.generation.status is Status.FAILED
    assert turn.generation.answer.error is not None
    assert "Ask in a new conversation" in turn.generation.answer.error.message


async def test_the_next_question_carries_the_history_and_the_session_state(client: Client):
    reply = Reply([lines({"delta": {"content": "Yes."}, "sessionState": "s-1"})])
    async with StandIn(reply).running() as backend:
        conversation = Conversation("somebody")
        for question in ("One?", "Two?"):
            await ended(ask(client, conversation, backend, question))
    first, second = (request.json for request in backend.requests)
    assert first == {"messages": [{"role": "user", "content": "One?"}]}
    assert [message["content"] for message in second["messages"]] == ["One?", "Yes.", "Two?"]
    assert second["sessionState"] == "s-1"


RESPONSE = {"type": "response.completed", "response": {"id": "resp_1", "store": True, "output": []}}


async def test_what_a_server_was_not_told_of_goes_with_the_next_question(client: Client):
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


async def test_the_state_of_one_wire_is_not_sent_over_another(client: Client):
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


async def test_a_question_that_got_no_text_is_left_out_of_the_history(client: Client):
    def failing_first(request: Received) -> Reply:
        return Reply(status=500) if request is backend.requests[0] else Reply([HELLO])

    async with StandIn(failing_first).running() as backend:
        conversation = Conversation("somebody")
        for question in ("One?", "Two?"):
            await ended(ask(client, conversation, backend, question))
    assert [message["content"] for message in backend.requests[-1].json["messages"]] == ["Two?"]


async def test_an_edited_question_takes_the_place_of_the_one_it_was(client: Client):
    async with StandIn(Reply([HELLO])).running() as backend:
        conversation = Conversation("somebody")
        turns = []
        for question in ("One?", "Two?", "Three?"):
            turns.append(ask(client, conversation, backend, question))
            await ended(turns[-1])
        edited = conversation.edit(client, Backend(f"{backend.url}/chat"), turns[1].id, "Another two?", {})
        await ended(edited)
        assert [turn.question for turn in conversation.turns] == ["One?", "Another two?"]
        sent = [message["content"] for message in backend.requests[-1].json["messages"]]
        assert sent == ["One?", "Hello", "Another two?"]
        conversation.show_version(edited.id, 1)
        assert [turn.question for turn in conversation.turns] == ["One?", "Two?", "Three?"]
        first = conversation.edit(client, Backend(f"{backend.url}/chat"), turns[0].id, "Uno?", {})
        await ended(first)
    assert conversation.turns == [first]
    assert [one.question for one in conversation.versions(first)] == ["One?", "Uno?"]


async def test_an_earlier_answer_is_kept_and_the_next_question_goes_by_the_one_that_is_shown(client: Client):
    def counting(request: Received) -> Reply:
        return Reply([lines({"delta": {"content": f"Answer {len(backend.requests)}"}})])

    async with StandIn(counting).running() as backend:
        conversation = Conversation("somebody")
        turn = ask(client, conversation, backend)
        await ended(turn)
        conversation.answer_again(client, Backend(f"{backend.url}/chat"), {})
        await ended(turn)
        assert [one.answer.text for one in turn.generations] == ["Answer 1", "Answer 2"]
        assert turn.generation is turn.generations[1]
        conversation.choose_answer(turn.id, 1)
        await ended(ask(client, conversation, backend, "And then?"))
    assert backend.requests[0].json == backend.requests[1].json
    assert backend.requests[-1].json["messages"][1]["content"] == "Answer 1"


async def test_a_version_that_is_not_there_is_refused(client: Client):
    async with StandIn(Reply([HELLO])).running() as backend:
        conversation = Conversation("somebody")
        turn = ask(client, conversation, backend)
        await ended(turn)
    for number in (0, 2, -1):
        with pytest.raises(KeyError):
            conversation.show_version(turn.id, number)
        with pytest.raises(KeyError):
            conversation.choose_answer(turn.id, number)


def test_a_title_is_made_from_the_first_question():
    titles = {
        "How many days?": "How many days?",
        "\n  First line  here\nsecond": "First line here",
        "word " * 40: "word word word word word word word word word word word word…",
        "x" * 200: "x" * 60 + "…",
    }
    assert {question: title_of(question) for question in titles} == titles


async def test_a_conversation_is_only_found_by_its_owner():
    conversations = Conversations(nowhere)
    mine = conversations.start("me")
    assert await conversations.get("me", mine.id) is mine
    assert await conversations.get("you", mine.id) is None
    assert await conversations.get("me", "") is None
    assert await conversations.current("me") is mine
    assert await conversations.current("you") is not mine


async def test_an_answer_is_only_found_by_its_owner(client: Client):
    async with keeping("sqlite://") as conversations, StandIn(Reply([HELLO])).running() as backend:
        turn = ask(client, conversations.start("me"), backend)
        await ended(turn)
        assert await conversations.answer("me", turn.generation.id) is turn.generation
        assert await conversations.answer("you", turn.generation.id) is None
        for unknown in ("", "x", f"{turn.id}.", f"{turn.generation.id}9", turn.generation.id[:-1], "a.b.c"):
            assert await conversations.answer("me", unknown) is None


async def test_who_watches_answers_is_told_of_each(client: Client):
    watched = []
    conversation = Conversation("somebody", Keeping(watch=watched.append))
    async with StandIn(Reply([HELLO])).running() as backend:
        turn = ask(client, conversation, backend)
        await ended(turn)
    assert watched == [turn.generation]


async def test_only_the_own_conversation_is_looked_at_when_its_person_says_so(client: Client):
    conversations = Conversations(nowhere)
    mine, theirs = conversations.start("me"), conversations.start("you")
    before = mine.signal.revision, theirs.signal.revision
    for conversation_id in (mine.id, theirs.id, "none such", ""):
        conversations.look_up("me", conversation_id)
    assert mine.signal.revision > before[0]
    assert theirs.signal.revision == before[1]
