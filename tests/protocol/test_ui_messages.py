"""The AI SDK's UI message stream and data stream, and requests to its backends."""

import json
from typing import Any

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.thoughts import Thought
from chat_ui.protocol.detection.detection import detect
from chat_ui.protocol.reading.items import Framed, Unfinished
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.rendering.answer import render_answer
from tests.protocol.asking import PATIENT, error_of, fold, framed, values
from tests.protocol.recorded import RECORDED
from tests.stand_ins.lookalikes import UI_MESSAGES
from tests.stand_ins.stand_in import Reply, StandIn


def recorded(name: str) -> Answer:
    return fold(RECORDED[f"ai-sdk/{name}"])


def ui(*parts: dict[str, Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(part).encode() + b"\n\n" for part in parts) + b"data: [DONE]\n\n"


def text(said: str, key: str = "t1", **end: Any) -> list[dict[str, Any]]:
    return [
        {"type": "text-start", "id": key},
        {"type": "text-delta", "id": key, "delta": said},
        {"type": "text-end", "id": key, **end},
    ]


TEXTS: dict[str, str] = {
    "ai-7.0.173-text.sse": "The plan pays for one pair.",
    "ai-7.0.173-reasoning.sse": "One pair a year.\n\nThat is all.",
    "ai-7.0.173-tool.sse": "Searching.\n\nOne pair a year.",
    "ai-7.0.173-sources.sse": "One pair [1], two cases [2], see the plan [doc-3].",
    "ai-7.0.173-citations.sse": "One pair a year. [src-1] Two cases. [doc-2]",
    "ai-7.0.173-abort.sse": "One pair ",
    "ai-6.0.326-abort.sse": "One pair ",
    "ai-5.0.277-abort.sse": "One pair ",
    "ai-4.3.19-text.lines": 'The plan pays for one pair.\nAnd "frames".',
    "ai-4.3.19-reasoning.lines": "One pair a year.",
    "ai-4.3.19-tool.lines": "One pair a year.",
    "ai-4.3.19-data.lines": "One pair [glasses.pdf].",
    "pydantic-ai-2.68.0-text.sse": "The plan pays for one pair.",
    "pydantic-ai-2.68.0-thinking.sse": "One pair.",
    "pydantic-ai-2.68.0-tool.sse": "One pair a year.",
    "fastapi-ai-sdk-0.1.0-builder.sse": "The plan pays for one pair.",
    "ai-sdk-langchain-2.0.296-text.sse": "The plan pays.",
    "ai-sdk-langchain-2.0.296-tools.sse": "One pair.",
    "assistant-stream-0.0.36-text.lines": "The plan pays for one pair – ja.",
    "assistant-stream-0.0.36-tool.lines": "One pair [1].",
    "assistant-stream-0.0.36-state.lines": "One pair.Nested.",
}


REASONING = {
    "ai-7.0.173-reasoning.sse": "Look it up first.\n\nCheck again.",
    "ai-4.3.19-reasoning.lines": "Look it up first.",
    "pydantic-ai-2.68.0-thinking.sse": "Look it up.",
    "fastapi-ai-sdk-0.1.0-builder.sse": "Look it up.",
    "ai-sdk-langchain-2.0.296-tools.sse": "Look up.",
    "assistant-stream-0.0.36-text.lines": "Look it up.",
}


def test_the_text_of_each_implementation_is_read_apart_from_thinking() -> None:
    assert {name: recorded(name).bracketed_text for name in TEXTS} == TEXTS
    assert {name: recorded(name).reasoning for name in REASONING} == REASONING


def test_an_error_is_told_once_and_the_text_before_it_stays() -> None:
    said = {
        "ai-7.0.173-error.sse": ("The model is overloaded", "One pair "),
        "ai-7.0.173-error-execute.sse": ("The index is gone", "One "),
        "ai-7.0.173-error-masked.sse": ("An error occurred.", ""),
        "ai-4.3.19-error.lines": ("The model is overloaded", "One pair "),
        "ai-4.3.19-error-masked.lines": ("An error occurred.", ""),
        "ai-4.3.19-tool-error.lines": ("Error executing tool search: The index is gone", ""),
        "pydantic-ai-2.68.0-error.sse": ("The model is overloaded", "One pair "),
        "pydantic-ai-2.68.0-tool-error.sse": ("The index is gone", ""),
        "fastapi-ai-sdk-0.1.0-builder.sse": ("Too slow", "The plan pays for one pair."),
    }
    answers = {name: recorded(name) for name in said}
    assert {name: (error_of(answer).message, answer.text) for name, answer in answers.items()} == said
    assert [name for name, answer in answers.items() if answer.warnings] == []


def test_a_filtered_limited_or_aborted_answer_says_so() -> None:
    for name in ("ai-7.0.173-filter.sse", "ai-4.3.19-filter.lines"):
        assert error_of(recorded(name)).code == "content_filter"
    for answer in (recorded("ai-7.0.173-length.sse"), recorded("ai-4.3.19-length.lines")):
        assert (answer.text, [warning.code for warning in answer.warnings]) == ("One pair and", ["finish_length"])

    # An answer aborted by the backend is cut off.
    for name, words in {
        "ai-7.0.173-abort.sse": "the backend ended the answer early: Error: too slow",
        "ai-6.0.326-abort.sse": "the backend ended the answer early: too slow",
        "ai-5.0.277-abort.sse": "the backend ended the answer early",
    }.items():
        answer = recorded(name)
        assert (answer.complete, [warning.detail for warning in answer.warnings]) == (False, [words])


def test_a_frontend_tool_call_is_told_in_words() -> None:
    for name in ("ai-7.0.173-tool-client.sse", "ai-4.3.19-tool-client.lines"):
        assert "requested a tool call, which a chat page cannot run" in error_of(recorded(name)).message, name


def test_a_finish_reason_is_told_if_the_answer_is_incomplete() -> None:
    def finished(reason: Any, *parts: dict[str, Any]) -> Answer:
        return fold(ui(*parts, {"type": "finish", "finishReason": reason}))

    for reason in ("stop", 7, None):
        answer = finished(reason, *text("One pair."))
        assert (answer.text, answer.error, answer.warnings, answer.complete) == ("One pair.", None, (), True)
    assert "without a message" in error_of(finished("error", *text("One"))).message
    assert not finished("interrupted", *text("One")).complete
    call = {"type": "tool-input-available", "toolCallId": "c", "toolName": "search", "input": {}}
    called = finished("tool-calls", call, {"type": "tool-output-available", "toolCallId": "c", "output": None})
    assert "ended the answer after its tool calls, perhaps at its step limit" in error_of(called).message


def test_a_tool_call_is_a_thought() -> None:
    thoughts = {
        "ai-7.0.173-tool-dynamic.sse": Thought("find", "found it", {"query": "x"}),
        "ai-7.0.173-tool-error.sse": Thought("search failed", "The index is gone", {"query": "glasses"}),
        "ai-7.0.173-tool-invalid.sse": Thought("search failed", "Invalid input", {"question": 1}),
        "ai-6.0.326-tool-invalid.sse": Thought("search failed", "Invalid input", {"question": 1}),
        "pydantic-ai-2.68.0-tool-retry.sse": Thought("search failed", "The index is gone", {"query": "glasses"}),
        "pydantic-ai-2.68.0-tool-metadata.sse": Thought("search", "found", {"query": "glasses"}),
    }
    assert {name: recorded(name).thoughts for name in thoughts} == {name: (one,) for name, one in thoughts.items()}


def test_tool_results_are_sources_and_the_last_result_counts() -> None:
    tools = ("ai-7.0.173-tool.sse", "ai-4.3.19-tool.lines", "pydantic-ai-2.68.0-tool.sse")
    for name in (*tools, "assistant-stream-0.0.36-tool.lines"):
        point = recorded(name).data_points[-1]
        assert (point.id, point.url) == ("Vision plan", "https://example.com/vision"), name
    answer = recorded("ai-7.0.173-tool-preliminary.sse")
    [thought] = answer.thoughts
    assert isinstance(thought.description, dict)
    assert thought.description["status"] == "ready"
    assert [(point.id, point.text) for point in answer.data_points] == [("Vision plan", "One pair a year.")]


def test_data_parts_give_sources_thoughts_follow_ups_and_usage() -> None:
    usage = recorded("ai-7.0.173-metadata.sse").usage or {}
    assert (usage["inputTokens"], usage["outputTokens"]) == (11, 22)
    parts, stream = recorded("ai-7.0.173-data.sse"), recorded("ai-4.3.19-data.lines")
    for answer in (parts, stream):
        assert (answer.data_points[0].id, answer.data_points[0].text) == ("glasses.pdf", "One pair a year.")
        assert answer.thoughts[0] == Thought("Search", "glasses", {"top": 3})
        assert answer.followup_questions[0] == "And frames?"
        assert answer.usage is not None
    # A part of the same id replaces the earlier.
    assert {thought.title: thought.description for thought in parts.thoughts}["status"] == {"status": "found"}


def cited(answer: Answer) -> list[str]:
    return [citation.label for citation in render_answer(answer.text, answer.data_points, answer.citations).citations]


def test_sources_are_cited_by_number_and_by_id() -> None:
    labels = {
        "ai-7.0.173-sources.sse": ["Page 1", "Page 2", "Benefits 3"],
        "ai-7.0.173-citations.sse": ["Page 1", "Benefits 2"],
        "ai-4.3.19-sources.lines": ["Page 1", "Page 2"],
        "assistant-stream-0.0.36-tool.lines": ["Page 1"],
        "ai-7.0.173-sources-last.sse": [],
    }
    assert {name: cited(recorded(name)) for name in labels} == labels
    answer = recorded("ai-7.0.173-sources-last.sse")
    points = [(point.source, point.url) for point in answer.data_points]
    assert points == [("Page 1", "https://example.com/1"), ("Benefits 2", None)]


def source(key: str, page: str) -> dict[str, Any]:
    return {"type": "source-url", "sourceId": key, "url": f"https://example.com/{page}", "title": f"Page {page}"}


def test_a_source_is_cited_by_each_of_its_names_and_listed_once() -> None:
    document = {"type": "source-document", "sourceId": "b7", "title": "Benefits", "filename": "benefits.pdf"}
    for label in ("2", "b7", "Benefits", "benefits.pdf", "doc2", "1, 2"):
        assert cited(fold(ui(source("a1", "a"), document, *text(f"One pair [{label}]."))))[-1] == "Benefits", label

    # A source with a number as its id is cited by it.
    assert cited(fold(ui(source("2", "2"), source("1", "1"), *text("One pair [1]."))))[-1] == "Page 1"

    points = fold(ui(source("k1", "a"), source("k2", "a"), source("k3", "b"), *text("One pair."))).data_points
    assert [(point.id, point.names) for point in points] == [("k1", ("1",)), ("k3", ("2",))]


def test_a_citation_counts_in_its_own_part_of_the_text() -> None:
    source = {"sourceType": "url", "id": "a1", "url": "https://example.com/a", "title": "Page"}
    end = {"citations": [{"source": source, "startIndex": 0, "endIndex": 9, "citedText": "One pair."}]}
    answer = fold(ui(*text("First."), *text("One pair. Or two.", "t2", **end)))
    assert answer.text == "First.\n\nOne pair. Or two."
    assert answer.bracketed_text == "First.\n\nOne pair. [a1] Or two."
    assert [(point.id, point.text, point.url) for point in answer.data_points] == [
        ("a1", "One pair.", "https://example.com/a")
    ]


def test_a_step_of_a_data_stream_begins_a_paragraph_unless_continued() -> None:
    steps = [b'0:"One "\n', b'e:{"finishReason":"stop","isContinued":%s}\n', b'f:{}\n0:"pair."\n']
    assert fold(b"".join(steps) % b"false").text == "One \n\npair."
    assert fold(b"".join(steps) % b"true").text == "One pair."


def test_llamaindex_annotations_give_sources_and_follow_up_questions() -> None:
    def sources(key: str, file: str) -> dict[str, Any]:
        node = {"id": key, "text": "One pair.", "metadata": {"file_name": file, "page_label": "2"}, "url": None}
        return {"type": "sources", "data": {"nodes": [node]}}

    annotations = [
        sources("5e7acdfb-c62f-48b9-942e-5b8e4f774a6b", "plan.pdf"),
        sources("6e7acdfb-c62f-48b9-942e-5b8e4f774a6b", "eyes.pdf"),
        {"type": "agent", "data": {"text": "Calls a tool"}},
        {"type": "suggested_questions", "data": ["And frames?"]},
    ]
    answer = fold(b"".join(b"8:[%s]\n" % json.dumps(one).encode() for one in annotations) + b'0:"One pair."\n')
    assert [(point.source, point.text, point.names) for point in answer.data_points] == [
        ("plan.pdf", "One pair.", ("plan.pdf#page=2",)),
        ("eyes.pdf", "One pair.", ("eyes.pdf#page=2",)),
    ]
    assert answer.followup_questions == ("And frames?",)
    assert [thought.title for thought in answer.thoughts] == ["agent"]


# --- lines ---


def test_a_line_of_a_data_stream_is_framed_by_its_kind() -> None:
    assert framed(b'0:"A"\r\n2:[{"a":1}]\n\naui-state:[{"type":"set"}]\nd:{"b":2}') == [
        Framed({"type": "0:", "value": "A"}),
        Framed({"type": "2:", "value": [{"a": 1}]}),
        Framed({"type": "aui-state:", "value": [{"type": "set"}]}),
        Framed({"type": "d:", "value": {"b": 2}}),
    ]


def are_typed(body: bytes) -> bool:
    """Whether a line of a data stream is among the values."""
    return any(isinstance(value, dict) and "type" in value for value in values(body))


def test_a_lookalike_of_a_data_stream_line_is_not_one() -> None:
    for line in (
        *(b'0:"A" and more', b'a:"A"', b'0:{"a":1}', b'2:"A"', b'z:{"a":1}', b'00:"A"', b'0: "A"', b"0:7"),
        *(b"a:{not json}", b'aui-:["A"', b'- 0:"A"'),
    ):
        body = line + b'\n{"b":2}\n'
        assert (values(body)[-1], are_typed(body)) == ({"b": 2}, False), line
    # A line does not begin within a value.
    for before in (b'[{"a":1},\n', b'data: {"a":\n', b'{"a":\n'):
        assert not are_typed(before + b'0:"A"\n'), before


def test_a_cut_invalid_or_oversized_line_is_told_and_the_rest_read() -> None:
    complete, cut = framed(b'0:"One "\n0:"pa')
    assert complete == Framed({"type": "0:", "value": "One "})
    assert isinstance(cut, Unfinished)
    answer = fold(b'0:"One "\n0:"pa')
    assert (answer.text, answer.complete) == ("One ", False)
    answer = fold(b'0:"One "\n0:"bro"ken"\n0:"pair."\n')
    assert (answer.text, [warning.code for warning in answer.warnings]) == ("One pair.", ["not_json"])
    items = framed(b'0:"' + b"x" * 100 + b'"\n0:"pair."\n', max_value_bytes=64)
    assert [item.value for item in items if isinstance(item, Framed)] == [{"type": "0:", "value": "pair."}]
    assert any(getattr(item, "code", "") == "value_too_large" for item in items)


# --- requests ---


async def test_a_question_answered_with_an_error_is_sent_once() -> None:
    failing = Reply([ui({"type": "start"}, {"type": "error", "errorText": "An error occurred."})], headers=UI_MESSAGES)
    stand_in = StandIn(lambda request: failing if request.method == "POST" else Reply([], 405, {}))
    async with stand_in.running(), AsyncClient(PATIENT) as client:
        found = await detect(client, stand_in.url + "/api/chat")
    assert error_of(found).message == "An error occurred."
    assert [request.method for request in stand_in.requests] == ["OPTIONS", "POST"]
