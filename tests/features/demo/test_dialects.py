import json
from typing import Any

import httpx2

from chat_ui.features.demo.chat_request import MAX_BODY
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.transport.client import AsyncClient
from tests.features.demo.asking import Heard, ask
from tests.protocol.asking import asked_anywhere

QUESTION = "How much parental leave do I get?"
SOURCE = "Leave_Policy.pdf#page=2"


def _choice(value: dict[str, Any]) -> dict[str, Any]:
    (choice,) = value["choices"]
    return choice


def _assert_context(context: dict[str, Any]) -> None:
    assert context["data_points"]["text"][0].startswith(f"{SOURCE}: Parental leave. Each parent")
    assert context["data_points"]["citations"][0] == SOURCE
    assert [thought["title"] for thought in context["thoughts"]] == [
        "Search using generated search query",
        "Search results",
        "Composed the answer from source sentences",
    ]


def _assert_text(text: str) -> None:
    assert f"20 weeks of parental leave at full pay, whether by birth, adoption or surrogacy [{SOURCE}]." in text


def _assert_end(heard: Heard) -> None:
    assert (heard.status, heard.broken, heard.rest) == (200, False, "")


def _assert_whole(answer: dict[str, Any], state: str = "session_state") -> None:
    _assert_text(answer["message"]["content"])
    _assert_context(answer["context"])
    assert answer[state]
    assert len(answer["context"]["followup_questions"]) == 3


def test_the_ai_chat_protocol_answers_with_one_message(demo: str) -> None:
    for path in ("/chat", "/chat/", "/c/chat", "/c/chat/"):
        heard = ask(demo + path, QUESTION)
        _assert_end(heard)
        (answer,) = heard.objects
        assert (set(answer), answer["message"]["role"]) == ({"message", "context", "sessionState"}, "assistant")
        _assert_whole(answer, "sessionState")


def test_the_ai_chat_protocol_streams_context_then_deltas_then_state(demo: str) -> None:
    for path in ("/chat/stream", "/chat/stream/", "/c/chat/stream"):
        heard = ask(demo + path, QUESTION)
        _assert_end(heard)
        assert heard.headers["content-type"] == "application/jsonl"
        first, *deltas, last = heard.objects
        assert first["delta"] == {"role": "assistant"}
        _assert_context(first["context"])
        assert all(set(delta) == {"delta"} and set(delta["delta"]) == {"content"} for delta in deltas)
        texts = [delta["delta"]["content"] for delta in deltas]
        _assert_text("".join(texts))
        assert (len(texts) > 60, max(map(len, texts)) <= 9) == (True, True)
        assert (last["delta"], bool(last["sessionState"])) == ({}, True)
        assert len(last["context"]["followup_questions"]) == 3


def test_flat_deltas_and_choices_stream_context_then_deltas_then_state(demo: str) -> None:
    for path, is_choice in (("/b/chat/stream", False), ("/a/chat", True)):
        heard = ask(demo + path, QUESTION, stream=True)
        _assert_end(heard)
        assert heard.headers["content-type"] == "application/json-lines"
        assert {value.get("object") for value in heard.objects} == {"chat.completion.chunk" if is_choice else None}
        first, *deltas, last = [_choice(value) if is_choice else value for value in heard.objects]
        assert is_choice or first["session_state"] is None
        _assert_context(first["context"])
        _assert_text("".join(delta["delta"]["content"] for delta in deltas))
        assert last["session_state"]
        assert len(last["context"]["followup_questions"]) == 3


def test_flat_answers_and_choices_come_whole(demo: str) -> None:
    (flat,) = ask(f"{demo}/b/chat", QUESTION).objects
    assert set(flat) == {"message", "context", "session_state"}
    complete = [ask(f"{demo}/a/chat/", QUESTION, **body).objects for body in ({}, {"stream": False})]
    assert {(answer["object"], _choice(answer)["finish_reason"]) for (answer,) in complete} == {
        ("chat.completion", "stop")
    }
    for answer in (flat, *(_choice(answer) for (answer,) in complete)):
        _assert_whole(answer)


def test_responses_stream_typed_events_or_come_whole(demo: str) -> None:
    listed = [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}]
    for body in ({}, {"messages": None, "input": listed}, {"messages": None, "input": QUESTION}):
        heard = ask(f"{demo}/e/chat/stream", QUESTION, **body)
        _assert_end(heard)
        first, *deltas, last = heard.objects
        assert first["type"] == last["type"] == "response.context"
        assert {delta["type"] for delta in deltas} == {"response.output_text.delta"}
        _assert_context(first["context"])
        _assert_text("".join(delta["delta"] for delta in deltas))
        assert last["session_state"]
    (answer,) = ask(f"{demo}/e/chat", QUESTION).objects
    assert set(answer) == {"output_text", "context", "session_state"}
    _assert_text(answer["output_text"])


def test_top_limits_sources_and_follow_up_questions_are_optional(demo: str) -> None:
    heard = ask(f"{demo}/chat/stream", QUESTION, context={"overrides": {"suggest_followup_questions": False}})
    assert all("followup_questions" not in value.get("context", {}) for value in heard.objects)
    contexts = ({"overrides": {"top": 1}}, {"top": 1}, {}, None)
    answers = [ask(f"{demo}/chat", QUESTION, context=one, sessionState=None).objects[0] for one in contexts]
    assert [len(answer["context"]["data_points"]["text"]) for answer in answers] == [1, 1, 3, 3]


def test_thoughts_have_the_query_the_scores_and_the_sentences(demo: str) -> None:
    context = ask(f"{demo}/chat", QUESTION, context={"overrides": {"retrieval_mode": "hybrid"}}).objects[0]["context"]
    search, results, answer = context["thoughts"]
    assert search["description"] == "parental leave"
    assert search["props"].items() >= {"retrieval_mode": "text", "requested_retrieval_mode": "hybrid"}.items()
    scores = [result["score"] for result in results["description"]]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0
    assert results["description"][0]["id"] == SOURCE
    assert {quote["source"] for quote in answer["description"]} <= {result["id"] for result in results["description"]}


def test_a_found_image_comes_as_a_data_uri(demo: str) -> None:
    points = ask(f"{demo}/chat", "Where is the defibrillator on the office map?").objects[0]["context"]["data_points"]
    assert points["citations"][0] == "Office_Map.png"
    assert points["images"][0]["url"].startswith("data:image/png;base64,iVBORw0KGgo")


UNANSWERABLE: list[tuple[dict[str, Any], str]] = [
    ({"messages": []}, "messages"),
    ({"messages": None}, "messages"),
    ({"messages": "  "}, "question"),
    ({"messages": ["hello"]}, "messages[0]"),
    ({"messages": [{"role": "user", "content": "  \n"}]}, "question"),
    ({"messages": [{"role": "user", "content": None}]}, "question"),
    ({"messages": [{"role": "assistant", "content": "Hello"}]}, "user"),
    ({"context": "text"}, "context"),
    ({"context": {"overrides": {"top": 0}}}, "top"),
    ({"context": {"overrides": {"top": True}}}, "top"),
]


def test_an_invalid_or_endless_request_is_refused_in_words(demo: str) -> None:
    for body, words in UNANSWERABLE:
        heard = ask(f"{demo}/chat/stream", QUESTION, **body)
        assert (heard.status, words in heard.objects[0]["error"]["message"]) == (400, True), body
    for path in ("/a/chat", "/b/chat", "/e/chat/stream"):
        heard = ask(demo + path, QUESTION, messages=[])
        assert (heard.status, "messages" in heard.objects[0]["error"]) == (400, True)
    for body in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b'"text"'):
        response = httpx2.post(f"{demo}/chat/stream", content=body, trust_env=False)
        assert (response.status_code, "JSON" in response.json()["error"]["message"]) == (400, True)
    response = httpx2.post(f"{demo}/chat", content=b" " * (MAX_BODY + 1), trust_env=False)
    assert (response.status_code, response.json()["error"]["code"]) == (413, "too_large")


def test_a_lone_surrogate_in_a_question_is_harmless(demo: str) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "\ud83c When is payday? \udf0a"}]})
    response = httpx2.post(f"{demo}/chat", content=body, trust_env=False)
    assert "25th of each month" in response.json()["message"]["content"]


async def test_the_client_reads_each_dialect(demo: str) -> None:
    asked = ChatRequest((Message("user", QUESTION),))
    async with AsyncClient() as client:
        for path in ("/chat", "/a/chat", "/b/chat", "/c/chat", "/e/chat"):
            answer, _ = await asked_anywhere(client, Backend(demo + path), asked)
            _assert_text(answer.text)
            assert (answer.error, bool(answer.data_points)) == (None, True)
