"""AG-UI's agents found from their address, wherever it is."""

from __future__ import annotations

import pytest

from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.detection.detection import detect
from chat_ui.protocol.transport.client import Client
from tests.backends.counted import Counted
from tests.backends.lookalikes import AGENTS, FLASK_500, JSON, fastapi, quart
from tests.backends.stand_in import Received, Reply, StandIn
from tests.made_sets import combined
from tests.protocol.asking import PATIENT, error_of


@pytest.mark.parametrize(("name", "slash"), combined(2, AGENTS, ["", "/"]))
async def test_an_agent_is_found_from_its_address_and_asked_once(name: str, slash: str) -> None:
    path, rule = AGENTS[name]
    counted = Counted(rule)
    stand_in = StandIn(counted)
    async with stand_in.running(), Client(PATIENT) as client:
        found = await detect(client, stand_in.url + path.rstrip("/") + slash)
        assert found.error is None
        assert found.backend is not None
        assert found.known_backend == "ag-ui"
        assert found.backend.url == stand_in.url + path
        assert counted.answered == 1
        assert len(stand_in.requests) <= 12
        before = len(stand_in.requests)
        question = ChatRequest((Message("user", "Hi"), Message("assistant", "Hello"), Message("user", "Who pays?")))
        answer = await client.ask(found.backend, question)
    assert "One pair" in answer.text
    assert len(stand_in.requests) == before + 1
    assert stand_in.requests[-1].json["messages"][-1]["content"] == "Who pays?"


async def test_the_words_that_refuse_an_empty_body_give_the_form_of_the_question() -> None:
    path, rule = AGENTS["Google ADK"]
    async with StandIn(rule).running() as stand_in, Client(PATIENT) as client:
        await detect(client, stand_in.url + path)
    assert [request.path for request in stand_in.requests if b"Hello" in request.body] == ["/"]


async def test_a_question_that_an_agent_failed_over_is_not_asked_again() -> None:
    answered = Reply([b'data: {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}\n\n'
                      b'data: {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "One "}\n\n'
                      b'data: {"type": "RUN_ERROR", "message": "threadId is required"}\n\n'])  # fmt: skip
    async with StandIn(fastapi({"/agent": lambda _: answered}, ["messages"])).running() as stand_in:
        async with Client(PATIENT) as client:
            found = await detect(client, f"{stand_in.url}/agent")
        questions = [request for request in stand_in.requests if request.path == "/agent" and b"Hello" in request.body]
    assert found.answer is not None
    assert found.answer.text == "One "
    assert "threadId is required" in error_of(found).message
    assert len(questions) == 1


async def test_an_agent_that_fails_is_asked_once_in_its_own_form() -> None:
    async with StandIn(quart({"/agui": lambda _: FLASK_500})).running() as stand_in, Client(PATIENT) as client:
        found = await detect(client, f"{stand_in.url}/agui")
    assert error_of(found).status == 500
    assert [request.path for request in stand_in.requests if b"Hello" in request.body] == ["/agui"]


async def test_a_refusal_by_both_forms_is_told_in_words() -> None:
    def refuse(request: Received) -> Reply:
        if request.method != "POST":
            return Reply([], 405, {**JSON, "Allow": "POST"})
        said = b'{"detail": [{"loc": ["body", "threadId"], "msg": "No such thread"}]}'
        return Reply([said], 422, JSON) if request.path == "/agent" else Reply([b"{}"], 404, JSON)

    async with StandIn(refuse).running() as stand_in, Client(PATIENT) as client:
        found = await detect(client, f"{stand_in.url}/agent")
    assert "body.threadId: No such thread" in error_of(found).message
    assert len([request for request in stand_in.requests if b"Hello" in request.body]) <= 3
