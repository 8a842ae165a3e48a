import json
from dataclasses import replace

import pytest

from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.backends.request import request_body
from chat_ui.protocol.detection.detection import detect
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT, asked_anywhere, error_of
from tests.protocol.damage import recorded
from tests.protocol.recorded import RECORDED
from tests.stand_ins.lookalikes import JSON, LOOKALIKES
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

STABLE = "knowledge-base/azure-search-documents-12.0.0-"
PREVIEW = "knowledge-base/azure-search-documents-12.1.0b2-"
ANSWER = "The grid of Phoenix is lit evenly [ref_id:0][ref_id:6]. Suburbs shine in December [ref_id:11]."
CONVERSATION = ChatRequest(
    (Message("user", "What is lit?"), Message("assistant", "Phoenix."), Message("user", "And in December?"))
)


def test_an_answer_comes_once_and_every_reference_has_name_and_fields() -> None:
    streamed, answer = recorded(PREVIEW + "stream.sse"), recorded(PREVIEW + "answer.json")
    assert (answer.text, answer.error) == (streamed.text, streamed.error) == (ANSWER, None)
    named = {point.id: (point.source, point.url) for point in answer.data_points}
    for point in streamed.data_points:
        assert named[point.id] == (point.source, point.url)
    assert {"0", "6", "11"} <= {point.id for point in streamed.data_points}
    assert [int(key) for key in named] == [*range(12)]
    assert [*named.values()] == [
        ("Urban Structure", "https://example.com/earth.pdf"),
        ("a.pdf", "https://example.com/blob/a.pdf"),
        ("b.docx", "https://example.com/share/b.docx"),
        ("c.csv", "https://example.com/lake/c.csv"),
        ("4", "https://example.com/sql/4"),
        ("upload.pdf", None),
        ("A page", "https://example.com/page"),
        ("remote", "https://example.com/remote"),
        ("8", None),
        ("9", None),
        ("10", None),
        ("What is search?", None),
    ]
    assert [point.text for point in answer.data_points[:2]] == ["page_chunk: # Urban Structure", "Blob."]


def test_the_activity_is_told_in_steps_with_arguments_times_and_tokens() -> None:
    answer = recorded(PREVIEW + "answer.json")
    steps = {step.title: step for step in answer.thoughts}
    assert list(steps)[:3] == ["Query planning", "Search in earth-ks", "Search in blob-ks"]
    assert list(steps)[-4:] == ["Summary of pages", "Reasoning", "Answer synthesis", "References"]
    search, planning = steps["Search in earth-ks"], steps["Query planning"].props or {}
    assert isinstance(search.description, dict)
    assert search.description["search"] == "Phoenix street grid"
    assert (search.props or {})["count"] == 26
    assert (planning["inputTokens"], planning["elapsedMs"]) == (2302, 2396)
    assert answer.usage == {"inputTokens": 9876, "outputTokens": 1759, "reasoningTokens": 72191}
    ranking = steps["References"].description
    assert isinstance(ranking, list)
    assert ranking[1] == {"reference": "1", "rerankerScore": 2.9, "activitySource": 2}


@pytest.mark.parametrize("name", [name for name in RECORDED if name.startswith("knowledge-base/") and ".json" in name])
def test_every_value_of_an_answer_is_told_somewhere(name: str) -> None:
    answer = recorded(name)
    told = json.dumps(
        [
            answer.text, answer.usage, [warning.detail for warning in answer.warnings],
            [[point.id, point.source, point.text, point.url] for point in answer.data_points],
            [[step.title, step.description, step.props] for step in answer.thoughts],
        ]
    )  # fmt: skip
    body = json.loads(RECORDED[name])
    for activity in body["activity"]:
        for key, value in activity.items():
            assert key == "id" or json.dumps(value)[1:-1] in told, (key, value)
    for reference in body["references"]:
        for key in ("docKey", "rerankerScore", "url", "title", "docName", "citationUrl"):
            assert json.dumps(reference.get(key, "")) in told or key not in reference, key


def test_passages_without_an_answer_and_an_empty_result_are_told() -> None:
    for case in ("passages.json", "sources.json", "partial.json"):
        answer = recorded(STABLE + case)
        assert (answer.text, error_of(answer).code) == ("", "no_synthesis")
        assert "outputMode" in error_of(answer).message
        assert [point.id for point in answer.data_points] == [str(at) for at in range(len(answer.data_points))]
        assert all(point.text for point in answer.data_points)
    assert error_of(recorded(STABLE + "nothing.json")).code == "nothing_found"


def test_an_unsearchable_source_is_named_and_an_error_keeps_the_steps() -> None:
    answer = recorded(STABLE + "partial.json")
    assert [warning.detail for warning in answer.warnings] == ["Search in web-ks failed: The web source was refused."]
    failed = answer.thoughts[1]
    assert failed.title == "Search in web-ks failed"
    assert (failed.props or {})["webArguments"]["search"] == "companies"  # type: ignore[index,call-overload]
    answer = recorded(PREVIEW + "stream-error.sse")
    assert error_of(answer).message == "The model is not available."
    assert [step.title for step in answer.thoughts] == ["Query planning"]


async def test_a_partial_answer_is_an_answer_and_a_refusal_is_told() -> None:
    body = {**json.loads(RECORDED[STABLE + "partial.json"])}
    body["response"][0]["content"][0]["text"] = "One pair [ref_id:0]."
    async with (
        StandIn(Reply([json.dumps(body).encode()], 206, JSON)).running() as stand_in,
        AsyncClient(PATIENT) as client,
    ):
        answer = await client.ask(KNOWN_BACKENDS["azure-knowledge-base"].at(f"{stand_in.url}/retrieve"), CONVERSATION)
    assert (answer.text, answer.error) == ("One pair [ref_id:0].", None)
    assert [warning.code for warning in answer.warnings] == ["activity_failed"]
    too_old = "The field outputMode is not supported in this API version."
    for status, said, words in (
        (401, "", "key"),
        (403, "", "permission"),
        (403, "The caller may not query.", "may not query"),
        (404, "No knowledge base with the name docs was found.", "knowledge base"),
        (400, too_old, "outputMode"),
    ):
        body = [lines({"error": {"code": "A", "message": said}})] if said else []
        async with StandIn(Reply(body, status, JSON)).running() as stand_in, AsyncClient(PATIENT) as client:
            backend = KNOWN_BACKENDS["azure-knowledge-base"].at(f"{stand_in.url}/retrieve")
            error = error_of(await client.ask(backend, CONVERSATION))
        assert error.status == status
        assert words in error.message.lower() or words in error.message


def asked_at(version: str, *files: Attachment, **options: object) -> dict[str, object]:
    """The body of a request, with these files at the last question of the conversation."""
    url = f"https://x.test/knowledgebases/docs/retrieve{version}"
    backend = KNOWN_BACKENDS["azure-knowledge-base"].at(url)
    *before, last = CONVERSATION.messages
    request = ChatRequest((*before, replace(last, files=files)), options)  # type: ignore[arg-type]
    return dict(request_body(backend, request, stream_flag=None))


def test_a_preview_version_gets_the_conversation_and_others_the_question() -> None:
    sources = [{"kind": "searchIndex", "knowledgeSourceName": "ks", "includeReferenceSourceData": True}]
    picture = Attachment("a.png", "image/png", b"a")
    asked = asked_at("", picture, outputMode="answerSynthesis", knowledgeSourceParams=sources)
    assert asked == {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What is lit?"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Phoenix."}]},
            {"role": "user", "content": [
                {"type": "text", "text": "And in December?"},
                {"type": "image", "image": {"url": "data:image/png;base64,YQ=="}},
            ]},
        ],
        "includeActivity": True, "outputMode": "answerSynthesis", "knowledgeSourceParams": sources,
    }  # fmt: skip
    asked = {"intents": [{"type": "semantic", "search": "And in December?"}], "includeActivity": True}
    minimal = {"retrievalReasoningEffort": {"kind": "minimal"}}
    assert asked_at("?api-version=2026-04-01") == asked
    assert asked_at("", **minimal) == {**asked, **minimal}


async def test_a_knowledge_base_without_planning_is_asked_again_in_its_form() -> None:
    _, rule = LOOKALIKES["azure-knowledge-base"]

    def reply(request: Received) -> Reply:
        if request.method == "POST" and "messages" in request.json:
            said = "'messages' is not supported with minimal reasoning effort. Use 'intents' instead."
            return Reply([lines({"error": {"code": "InvalidRequestParameter", "message": said}})], 400, JSON)
        return Reply([RECORDED[PREVIEW + "answer.json"]], headers=JSON) if request.method == "POST" else rule(request)

    async with StandIn(reply).running() as stand_in, AsyncClient(PATIENT) as client:
        backend = KNOWN_BACKENDS["azure-knowledge-base"].at(f"{stand_in.url}/knowledgebases('docs')/retrieve")
        for _ in range(2):
            answer, _ = await asked_anywhere(client, backend, CONVERSATION)
            assert answer.text == ANSWER
    assert [set(one.json) for one in stand_in.requests] == [
        {"messages", "includeActivity"}, {"intents", "includeActivity"}, {"intents", "includeActivity"},
    ]  # fmt: skip


@pytest.mark.parametrize("headers", [{"api-key": "k-123456"}, {"Authorization": "Bearer k-123456"}])
async def test_a_knowledge_base_is_found_with_a_key_or_a_token(headers: dict[str, str]) -> None:
    _, rule = LOOKALIKES["azure-knowledge-base"]

    def reply(request: Received) -> Reply:
        if request.headers.get("authorization") == "Bearer k-123456":
            request.headers["api-key"] = "k-123456"
        return rule(request)

    async with StandIn(reply).running() as stand_in, AsyncClient(PATIENT) as client:
        found = await detect(client, f"{stand_in.url}/knowledgebases('docs')", headers=headers)
    assert (found.error, found.known_backend) == (None, "azure-knowledge-base")
    assert isinstance(found.backend, Backend)
    assert found.backend.headers == headers
