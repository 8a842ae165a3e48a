"""Azure OpenAI On Your Data: its data sources, its errors without them, and each of its shapes."""

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from chat_ui.backends.profile import Profile
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.curl import curl_command
from chat_ui.protocol.conformance.examination import check
from chat_ui.protocol.detection.detection import detect
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.recorder import ResponseRecorder
from tests.protocol.asking import PATIENT, QUESTION, asked_anywhere, error_of, fold
from tests.stand_ins.own_data import ASKS, DEPLOYMENT, KEY, SOURCES, only_with_data, refused
from tests.stand_ins.stand_in import StandIn, lines

RETIRED = "/openai/deployments/d/extensions/chat/completions?api-version=2023-06-01-preview"
UNKNOWN = "Unrecognized request argument supplied: data_sources"
WARNED = json.dumps({"citations": [{"content": "One pair.", "filepath": "a.pdf"}], "intent": '["glasses"]'})


async def asked(rule: Any, path: str, options: dict[str, Any] | None = None, **profile: Any) -> tuple[Answer, StandIn]:
    """The answer of an address saved without a kind."""
    request = replace(QUESTION, overrides=options or {})
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        backend = Profile(name="Own data", url=stand_in.url + path, **profile).backend()
        answer, _ = await asked_anywhere(client, backend, request)
        return answer, stand_in


async def test_data_sources_go_beside_the_messages_and_their_lack_is_explained() -> None:
    for place in ("options", "body"):
        answer, stand_in = await asked(only_with_data, DEPLOYMENT, **{place: {"data_sources": SOURCES}})
        assert (answer.text, answer.error) == ("One pair.", None)
        assert [request.json["data_sources"] for request in stand_in.requests] == [SOURCES]
    answer, stand_in = await asked(only_with_data, DEPLOYMENT)
    assert ASKS in error_of(answer).message
    assert 'say where that is among the other options of the request, as {"data_sources": [' in error_of(answer).message
    assert len(stand_in.requests) == 1


async def test_each_refusal_has_advice_and_an_inner_error_its_own_words() -> None:
    for path, reply, words in (
        (RETIRED, refused(ASKS), '{"dataSources": [{"type": "AzureCognitiveSearch"'),
        (DEPLOYMENT, refused("Validation error at #/data_sources: Field required"), '{"data_sources": ['),
        (DEPLOYMENT, refused(UNKNOWN), "api-version of 2024-02-01 or later"),
        (RETIRED, refused("Resource not found", 404), "leave out /extensions"),
    ):
        answer, _ = await asked(reply, path)
        assert words in error_of(answer).message
    words = "Validation error at #/data_sources/0/parameters/endpoint: Field required"
    answer, _ = await asked(refused(words), DEPLOYMENT, {"data_sources": SOURCES})
    assert error_of(answer).message == f"The backend answered with status 400: {words}"


async def test_a_test_of_the_connection_sends_the_settings() -> None:
    async with StandIn(only_with_data).running() as stand_in, AsyncClient(PATIENT) as client:
        found = await detect(client, stand_in.url + DEPLOYMENT, extra_body={"data_sources": SOURCES})
    assert (found.error, found.known_backend) == (None, "azure-openai-on-your-data")
    assert found.backend is not None
    assert found.backend.extra_body == {"data_sources": SOURCES}


@pytest.mark.parametrize("place", ["overrides", "extra_body"])
async def test_each_question_of_a_check_names_the_data_but_not_its_key(place: str) -> None:
    async with StandIn(only_with_data).running() as stand_in, AsyncClient(PATIENT) as client:
        report = await check(client, stand_in.url + DEPLOYMENT, **{place: {"data_sources": SOURCES}})
    questions = [request.json for request in stand_in.requests if b'"messages"' in request.body]
    assert len(questions) >= 3
    assert all(question["data_sources"] == SOURCES for question in questions)
    assert (report.known_backend, report.conforms) == ("azure-openai-on-your-data", False)
    assert KEY not in repr(report)


async def test_the_key_of_a_data_source_is_not_shown() -> None:
    recorder = ResponseRecorder()
    request = replace(QUESTION, overrides={"data_sources": SOURCES})
    async with StandIn(refused(f"Search refused {KEY}.", 401)).running() as stand_in, AsyncClient(PATIENT) as client:
        backend = Profile(name="Own data", url=stand_in.url + DEPLOYMENT).backend()
        answer = await client.ask(backend, request, recorder)
    command = curl_command(backend, request)
    assert "index_name" in command
    assert KEY not in command + repr(answer) + repr(recorder.record())


def piece(message: dict[str, object], number: int = 1, *, ends: bool = False) -> dict[str, object]:
    messages = [{"index": number, "delta": message, "end_turn": ends}]
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "messages": messages}]}


def in_choice(**choice: object) -> dict[str, object]:
    return {"object": "extensions.chat.completion", "choices": [{"index": 0, **choice}]}


TOOL = {"role": "tool", "content": WARNED}
SHAPES: dict[str, list[dict[str, object]]] = {
    "June 2023": [
        piece(TOOL, 0), piece({"role": "assistant"}), piece({"content": "One"}), piece({"content": " pair [doc1]."}),
        piece({"content": "[DONE]"}, ends=True),
    ],
    "June 2023, whole": [in_choice(messages=[TOOL, {"role": "assistant", "content": "One pair [doc1]."}])],
    "August 2023": [
        in_choice(delta={"role": "assistant", "context": {"messages": [TOOL]}}),
        in_choice(delta={"content": "One pair [doc1]."}),
    ],
    "August 2023, whole": [in_choice(message={"content": "One pair [doc1].", "context": {"messages": [TOOL]}})],
    "2024": [
        in_choice(delta={"role": "assistant", "context": json.loads(WARNED)}),
        in_choice(delta={"content": "One pair [doc1]."}),
    ],
    "2024, whole": [in_choice(message={"content": "One pair [doc1].", "context": json.loads(WARNED)})],
}  # fmt: skip


def test_each_former_shape_is_read_and_similar_pieces_are_both_text() -> None:
    for shape, size in product(SHAPES, (None, 7)):
        answer = fold(lines(*SHAPES[shape]), size)
        assert (answer.text, answer.error, answer.warnings) == ("One pair [doc1].", None, ()), shape
        points = [(point.id, point.source, point.text) for point in answer.data_points]
        assert points == [("doc1", "a.pdf", "One pair.")], shape
        thoughts = [(thought.title, thought.description) for thought in answer.thoughts]
        assert thoughts == [("Search intent", '["glasses"]')], shape
    assert fold(lines(piece({"content": "Na"}), piece({"content": "Na, na"}))).text == "NaNa, na"
