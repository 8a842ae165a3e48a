"""Wires other than the AI Chat Protocol's, read by their own clients' rules and by the page's client."""

import json
import re
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.features.demo.answering import NO_ANSWER
from chat_ui.features.demo.showcase import RETRY_AFTER
from chat_ui.features.demo.streaming import with_citations
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.detection.detection import Detection, detect
from chat_ui.protocol.documents.document_urls import document_of, document_template, document_url
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import error_of

QUESTION = "How much parental leave do I get?"
NAMED = "Leave_Policy.pdf#page=2"
PNG = "data:image/png;base64,iVBORw0KGgo="


@dataclass(frozen=True)
class Case:
    """A wire: its path, its recognised kind, and its supported features."""

    path: str
    dialect: str
    known: str
    has_thoughts: bool = False
    has_followups: bool = False
    thinks: bool = True
    streams: bool = True


COMPLETIONS = Case("openai/v1/chat/completions", "openai", "openai-compatible")
RESPONSES = Case("openai/v1/responses", "responses", "openai-responses", has_thoughts=True)
AI_SDK = Case("ai-sdk/api/chat", "ai-sdk", "ai-sdk", has_thoughts=True, has_followups=True)
AG_UI = Case("ag-ui", "ag-ui", "ag-ui", has_thoughts=True, has_followups=True)
RETRIEVE = "knowledgebases/answers/retrieve"
KNOWLEDGE = Case(RETRIEVE, "knowledge-base", "azure-knowledge-base", has_thoughts=True, thinks=False, streams=False)
CASES = (COMPLETIONS, RESPONSES, AI_SDK, AG_UI, KNOWLEDGE)
each_wire = pytest.mark.parametrize("case", CASES, ids=lambda case: case.path)


def asked(*questions: str) -> ChatRequest:
    first, *others = (Message("user", question) for question in questions)
    return ChatRequest((first, *(one for other in others for one in (Message("assistant", "Yes."), other))))


async def found(demo: str, path: str, question: str = QUESTION) -> tuple[Detection, Backend, Answer]:
    async with AsyncClient() as client:
        detection = await detect(client, f"{demo}/{path}", question=asked(question))
    assert detection.backend is not None
    assert detection.answer is not None
    return detection, detection.backend, detection.answer


def objects(response: httpx2.Response) -> list[dict[str, Any]]:
    blocks = [block.rpartition("data: ")[2] for block in response.text.split("\n\n") if block]
    return [json.loads(block) for block in blocks if block != "[DONE]"]


def post(url: str, **body: Any) -> httpx2.Response:
    return httpx2.post(url, json=body, timeout=60, trust_env=False)


def run_input(question: str) -> dict[str, Any]:
    message = {"id": "1", "role": "user", "content": question}
    return {"threadId": "t", "runId": "r", "messages": [message], "tools": [], "context": [], "forwardedProps": {}}


@each_wire
async def test_each_wire_is_recognised_and_read_by_its_address(demo: str, case: Case) -> None:
    detection, backend, answer = await found(demo, case.path)
    assert (detection.known_backend, answer.dialect) == (case.known, case.dialect)
    assert (answer.error, answer.warnings) == (None, ())
    assert "20 weeks of parental leave at full pay, whether by birth, adoption or surrogacy [" in answer.bracketed_text
    assert "†" not in answer.bracketed_text
    assert answer.usage
    assert bool(answer.reasoning) is case.thinks
    assert bool(answer.thoughts) is case.has_thoughts
    assert len(answer.followup_questions) == (3 if case.has_followups else 0)
    point = answer.data_points[0]
    assert f"[{'ref_id:' if case is KNOWLEDGE else ''}{point.id}]" in answer.bracketed_text
    assert point.text.startswith("Parental leave. Each parent")
    url = point.url
    if url is None:
        template, document = document_template(backend), document_of(point)
        assert template is not None
        assert document is not None
        assert document.place.page == 2
        url = document_url(template, document)
    async with httpx2.AsyncClient(trust_env=False) as client:
        assert (await client.get(url)).content.startswith(b"%PDF"), "its document opens"


@each_wire
async def test_a_short_question_uses_the_one_before(demo: str, case: Case) -> None:
    _, backend, first = await found(demo, case.path, "What is the per diem in Norway?")
    request = asked("What is the per diem in Norway?", "And in Iceland?")
    async with AsyncClient() as client:
        answer = await client.ask(backend, replace(request, session_state=first.session_state))
    assert "| Iceland | 80 | 40 | 220" in answer.text


@pytest.mark.parametrize("case", [COMPLETIONS, RESPONSES], ids=lambda case: case.path)
async def test_the_body_decides_whether_openai_streams_the_same_answer(demo: str, case: Case) -> None:
    _, backend, _ = await found(demo, case.path)
    async with AsyncClient() as client:
        streamed, complete = [await client.ask(replace(backend, stream=one), asked(QUESTION)) for one in (True, False)]
    assert (streamed.text, streamed.data_points, streamed.usage) == (
        complete.text,
        complete.data_points,
        complete.usage,
    )


@each_wire
async def test_each_wire_has_its_own_form_of_errors(demo: str, case: Case) -> None:
    _, backend, _ = await found(demo, case.path)
    shown = ("a rate limit", "a content filter", "an error in mid-stream", "a cut stream")
    async with AsyncClient() as client:
        limited, filtered, broken, cut = [await client.ask(backend, asked(f"Show me {what}")) for what in shown]
        unknown = await client.ask(backend, asked("What is the capital of France?"))
    assert (error_of(limited).status, error_of(limited).retry_after) == (429, RETRY_AFTER)
    assert f"{RETRY_AFTER} seconds" in error_of(limited).message
    assert (filtered.text, error_of(filtered).code) == ("", "content_filter")
    if case.streams:
        assert len(broken.text) > 50
        assert "language model failed" in error_of(broken).message
    assert (cut.complete, bool(cut.text)) == (False, case.streams)
    assert unknown.text == NO_ANSWER
    assert unknown.data_points == ()


@pytest.mark.parametrize("case", [AI_SDK, AG_UI], ids=lambda case: case.path)
async def test_files_in_the_parts_of_a_message_are_received(demo: str, case: Case) -> None:
    _, backend, _ = await found(demo, case.path)
    picture = Attachment("buoy 1.png", "image/png", b"\x89PNG\r\n\x1a\n")
    plan = Attachment("plan.pdf", "application/pdf", b"%PDF-1.7")
    async with AsyncClient() as client:
        answer = await client.ask(backend, ChatRequest((Message("user", QUESTION, (picture, plan)),)))
    assert (answer.error, answer.thoughts[0].title) == (None, "Files attached to the question")
    assert "image/png, 8 bytes" in str(answer.thoughts[0].description)
    assert "plan.pdf (application/pdf, 8 bytes)" in str(answer.thoughts[0].description)


@pytest.mark.parametrize("path", [COMPLETIONS.path, RESPONSES.path, KNOWLEDGE.path])
def test_a_file_beside_a_question_is_harmless(demo: str, path: str) -> None:
    for part in (
        {"type": "image_url", "image_url": {"url": PNG}},
        {"type": "input_image", "image_url": PNG},
        {"type": "image", "image": {"url": PNG}},
        {"type": "image", "image": 7},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
    ):
        message = {"role": "user", "content": [{"type": "text", "text": QUESTION}, part]}
        assert "20 weeks" in post(f"{demo}/{path}", messages=[message]).text


def test_chat_completions_end_with_annotations_usage_and_done(demo: str) -> None:
    messages = [{"role": "user", "content": QUESTION}]
    response = post(f"{demo}/openai/v1/chat/completions", messages=messages, stream=True)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.text.endswith("data: [DONE]\n\n")
    *chunks, annotated, finished, last = objects(response)
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    cited = annotated["choices"][0]["delta"]["annotations"][0]["url_citation"]
    assert text[cited["start_index"] : cited["end_index"]] == f"([{cited['title']}]({cited['url']}))"
    assert finished["choices"][0]["finish_reason"] == "stop"
    assert last["choices"] == []
    assert last["usage"]["total_tokens"] > last["usage"]["prompt_tokens"] > 0


def test_responses_number_their_events_and_are_stored_on_request(demo: str) -> None:
    response = post(f"{demo}/openai/v1/responses", input=QUESTION, stream=True)
    events = objects(response)
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    named = [line.removeprefix("event: ") for line in response.text.split("\n") if line.startswith("event: ")]
    assert named == [event["type"] for event in events]
    assert (named[0], named[-1]) == ("response.created", "response.completed")
    assert [item["type"] for item in events[-1]["response"]["output"]] == ["reasoning", "file_search_call", "message"]
    listed = httpx2.get(f"{demo}/openai/v1/models", trust_env=False).json()
    assert [model["id"] for model in listed["data"]] == ["extractive-demo"]
    part = post(f"{demo}/openai/v1/responses", input=QUESTION).json()["output"][2]["content"][0]
    annotation = part["annotations"][0]
    assert (annotation["type"], annotation["filename"]) == ("file_citation", NAMED)
    assert part["text"][: annotation["index"]].endswith("surrogacy")
    url = f"{demo}/openai/v1/responses"
    assert [post(url, input=QUESTION, **store).json()["store"] for store in ({}, {"store": False})] == [True, False]
    refused = post(url, input=QUESTION, previous_response_id="resp_of_another")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "previous_response_not_found")


def test_a_ui_message_stream_has_its_header_and_parts(demo: str) -> None:
    message = {"id": "1", "role": "user", "parts": [{"type": "text", "text": QUESTION}]}
    response = post(f"{demo}/ai-sdk/api/chat", messages=[message])
    assert response.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert response.text.endswith("data: [DONE]\n\n")
    kinds = list(dict.fromkeys(part["type"] for part in objects(response)))
    assert (kinds[0], kinds[-1]) == ("start", "finish")
    assert {"reasoning-delta", "tool-output-available", "source-document", "data-followup-questions"} < set(kinds)

    for message in ({"role": "user", "content": QUESTION}, {"role": "user", "parts": QUESTION}, 7):
        response = post(f"{demo}/ai-sdk/api/chat", messages=[message])
        assert (response.status_code, "“parts”" in response.json()["error"]) == (400, True)


def test_a_run_sends_its_state_and_refuses_an_incomplete_input(demo: str) -> None:
    events = objects(post(f"{demo}/ag-ui", **run_input(QUESTION)))
    assert (events[0]["type"], events[-1]["type"]) == ("RUN_STARTED", "RUN_FINISHED")
    assert all((event["threadId"], event["runId"]) == ("t", "r") for event in (events[0], events[-1]))
    states = [event for event in events if event["type"].startswith("STATE_")]
    assert states[0]["snapshot"] == {"query": "parental leave", "passages_found": 3}
    assert NAMED in states[1]["delta"][0]["value"]

    complete = run_input(QUESTION)
    for key in complete:
        response = post(f"{demo}/ag-ui", **{name: value for name, value in complete.items() if name != key})
        assert response.status_code == 422
        assert [(one["type"], one["loc"]) for one in response.json()["detail"]] == [("missing", ["body", key])]


def test_a_knowledge_base_gives_answers_or_passages(demo: str) -> None:
    intents = [{"type": "semantic", "search": QUESTION}]
    messages = [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]
    for name, asked_for, is_answer in (
        ("answers", {"messages": messages}, True),
        ("answers", {"intents": intents, "outputMode": "extractiveData"}, False),
        ("passages", {"intents": intents}, False),
        ("passages", {"messages": messages, "outputMode": "answerSynthesis"}, True),
    ):
        answer = post(f"{demo}/knowledgebases/{name}/retrieve", **asked_for).json()
        text = answer["response"][0]["content"][0]["text"]
        assert "activity" not in answer
        assert answer["references"][0]["docKey"] == NAMED
        if is_answer:
            assert "surrogacy [ref_id:0]." in text
        else:
            assert [passage["ref_id"] for passage in json.loads(text)] == [0, 1, 2]
    assert post(f"{demo}/knowledgebases/other/retrieve", messages=[]).status_code == 404


async def test_passages_without_an_answer_become_sources_and_a_notice(demo: str) -> None:
    _, _, answer = await found(demo, "knowledgebases/passages/retrieve")
    assert (error_of(answer).code, len(answer.data_points)) == ("no_synthesis", 3)


def test_odd_values_in_a_request_are_harmless(demo: str) -> None:
    picture = {"type": "file", "url": "data:image/png;base64,AA==", "filename": "\ud83c"}
    parts = [picture, {"type": "text", "text": QUESTION}]
    for path, body, status in (
        ("ag-ui", {**run_input(QUESTION), "threadId": "\ud83c"}, 200),
        ("ai-sdk/api/chat", {"messages": [{"role": "user", "parts": parts}]}, 200),
        ("openai/v1/responses", {"input": QUESTION, "previous_response_id": "\ud83c"}, 400),
        ("openai/v1/responses", {"input": QUESTION, "previous_response_id": 7}, 400),
        ("ag-ui", {**run_input(QUESTION), "forwardedProps": 7}, 400),
        ("ag-ui", {**run_input(QUESTION), "messages": 7}, 400),
        (KNOWLEDGE.path, {"intents": [7, {"type": "semantic", "search": 7}]}, 400),
    ):
        response = httpx2.post(f"{demo}/{path}", content=json.dumps(body), timeout=60, trust_env=False)
        assert response.status_code == status
        assert response.is_success or {"error", "detail"} & response.json().keys()


@given(st.lists(st.text(st.sampled_from("ab[] #")), max_size=12))
async def test_citations_are_found_for_any_split_of_the_text(cut: list[str]) -> None:
    names = ("a", "a b#")

    async def parts(*pieces: str) -> list[str | int]:
        async def text() -> Any:
            for piece in pieces:
                yield piece

        return [part async for part in with_citations(text(), names)]

    found = "".join([part if isinstance(part, str) else f"({part})" for part in await parts(*cut)])
    assert found == re.sub(r" ?\[a b#\]", "(1)", re.sub(r" ?\[a\]", "(0)", "".join(cut)))
