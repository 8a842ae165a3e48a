import json
from typing import Any

from chat_ui.protocol.dialects.answer_text import reasoning
from chat_ui.protocol.dialects.contexts import context_events, unwrap_context
from chat_ui.protocol.dialects.objects import content_text, message_text
from chat_ui.protocol.events import AnswerWarning, ContextReceived, ReasoningDelta, SessionState
from tests.protocol.damage import read

C = ContextReceived
A, B = {"thoughts": ["a"]}, {"thoughts": ["b"]}


def within(levels: int, **inmost: Any) -> Any:
    for _ in range(levels):
        inmost = {"context": inmost}
    return inmost


def test_contexts_and_states_are_found_in_every_place() -> None:
    cases = [
        ({}, []), ({"context": A}, [C(A)]), ({"context": {}}, []), ({"context": None}, []), ({"context": " "}, []),
        ({"context": json.dumps(A)}, [C(A)]),
        ({"context": '{"thoughts": "a\nb"}'}, [C({"thoughts": "a\nb"})]),
        ({"context": "{a"}, [AnswerWarning("unexpected_context", "a context that is not JSON was skipped: '{a'")]),
        ({"context": "[" * 100_000},
         [AnswerWarning("unexpected_context", f"a context that is not JSON was skipped: '{'[' * 79}…'")]),
        ({"context": [{"page_content": "a", "metadata": {"source": "b.pdf"}}]},
         [ContextReceived({"data_points": [{"page_content": "a", "metadata": {"source": "b.pdf"}}]})]),
        ({"context": []}, []),
        ({"context": ["a"]}, [AnswerWarning("unexpected_context", "a context that is a list was skipped: '[\"a\"]'")]),
        ({"context": "7"}, [AnswerWarning("unexpected_context", "a context that is a number was skipped: '7'")]),
        ({"data_points": ["a"], "thoughts": None, "citations": []}, [C({"data_points": ["a"], "citations": []})]),
        ({"delta": {"context": A}}, [C(A)]),
        ({"message": {"context": A}}, [C(A)]),
        ({"choices": [{"context": A, "delta": {"context": B}}]}, [C(A), C(B)]),
        ({"choices": [{"message": {"context": B}}], "context": A, "delta": {"context": A}}, [C(A), C(A), C(B)]),
        ({"session_state": "s", "sessionState": 0, "history_metadata": {"a": 1}},
         [SessionState("session_state", "s"), SessionState("sessionState", 0),
          SessionState("history_metadata", {"a": 1})]),
        ({"session_state": None, "delta": {"session_state": "s"}}, [SessionState("session_state", "s")]),
        ({"choices": [{"session_state": "s"}]}, [SessionState("session_state", "s")]),
        ({"context": {"messages": [{"role": "tool", "content": json.dumps(A)}, {"role": "user", "content": "b"}, "c"]}},
         [C({"messages": [{"role": "tool", "content": json.dumps(A)}, {"role": "user", "content": "b"}, "c"]}), C(A)]),
        ({"context": {"messages": [{"role": "tool", "content": "{a"}]}},
         [C({"messages": [{"role": "tool", "content": "{a"}]}),
          AnswerWarning("unexpected_context", "a tool message that is not JSON was skipped: '{a'")]),
        ({"context": {"messages": "a"}}, [C({"messages": "a"})]),
    ]  # fmt: skip
    assert [(value, list(context_events(value))) for value, _ in cases] == cases


def test_a_nested_context_is_merged() -> None:
    cases = [
        (within(1, a=1), {"a": 1}),
        (within(7, a=1), {"a": 1}),
        (within(8, a=1), {}),
        ({"a": 1, "context": {"a": 2, "b": 3}}, {"a": 1, "b": 3}),
        ({"a": [], "context": {"a": [2]}}, {"a": [2]}),
        ({"a": "", "context": {"a": {}}}, {"a": ""}),
        ({"data_points": {"text": []}, "context": {"data_points": {"text": ["a"]}}}, {"data_points": {"text": ["a"]}}),
        ({"a": None, "context": {"a": 0}}, {"a": 0}),
        ({"a": 0, "context": {"a": 1}}, {"a": 0}),
        ({"context": "a", "b": 1}, {"b": 1}),
        ({"followup_questions": ["a"], "context": {"followup_questions": ["b"]}}, {"followup_questions": ["b", "a"]}),
        ({"followup_questions": "a", "context": {"followup_questions": ["b"]}}, {"followup_questions": "a"}),
        ({"thoughts": ["a"], "context": {"thoughts": ["b"]}}, {"thoughts": ["a"]}),
    ]
    assert [(context, unwrap_context(context)) for context, _ in cases] == cases


def test_a_content_has_no_thinking_and_a_message_has_content_and_refusal() -> None:
    cases = [
        (None, ""), (True, ""), ("a", "a"), (7, "7"), (1.5, "1.5"),
        ({"text": "a", "content": "b"}, "a"), ({"content": "b", "value": "c"}, "b"), ({"value": "c"}, "c"),
        ({"refusal": "d"}, "d"), ({"text": None, "content": "b"}, "b"), ({"text": "", "content": "b"}, ""),
        ({"other": "e"}, ""), ({"type": "text", "text": "a"}, "a"), ({"type": 7, "text": "a"}, "a"),
        ({"type": "tool_use", "text": "a"}, ""), ({"type": "tool_result", "content": "a"}, ""),
        ({"type": "compaction", "content": "a"}, ""),
        ([{"type": "thinking", "text": "a"}, {"text": "b"}, {"text": "c", "thought": True}], "b"),
        (["a", {"text": "b"}, None, 7], "ab7"), ([[[[[[[["a"]]]]]]]], "a"), ([[[[[[[[["a"]]]]]]]]], ""),
    ]  # fmt: skip
    assert [(content, content_text(content)) for content, _ in cases] == cases
    assert message_text({"content": "a", "refusal": "b"}) == "ab"
    assert message_text({}) == ""
    cases = [
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Twos?"}]}, {"text": "A"}]},
        {"content": [{"type": "thinking", "thinking": "Twos?", "signature": "x"}, {"type": "text", "text": "A"}]},
        {"content": [{"type": "reasoning", "text": "Twos?"}, {"type": "output_text", "text": "A"}]},
        {"content": [{"text": "Twos?", "thought": True}, {"text": "A"}]},
        {"content": "A", "reasoning_content": [{"type": "thinking", "content": "Twos?"}]},
        {"content": "A", "reasoning_details": [{"type": "reasoning.text", "text": "Twos?"}]},
    ]
    for message in cases:
        assert "".join(event.text for event in reasoning(message) if isinstance(event, ReasoningDelta)) == "Twos?"
        assert message_text(message) == "A"


def ragflow(chunks: object) -> object:
    """The last chunk of RAGFlow's chat completions, by its API reference."""
    delta = {"content": None, "reference": chunks}
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": "stop"}]}


def test_ragflows_reference_is_its_sources_with_the_names_of_its_citations() -> None:
    chunk = {"document_id": "d", "dataset_id": "k", "document_name": "plan.pdf", "similarity": 0.9, "url": None}
    chunks = [{**chunk, "id": "c1", "content": "One pair."}, {**chunk, "id": "c2", "content": "Two pairs."}]
    for reference in (chunks, {"chunks": chunks, "doc_aggs": []}):
        points = read(ragflow(reference)).data_points
        assert [(point.id, point.source, point.text, point.url) for point in points] == [
            ("c1", "plan.pdf", "One pair.", None),
            ("c2", "plan.pdf", "Two pairs.", None),
        ]
        assert points[1].names == ("ID:1", "##1$$", "{{source:1}}")
    for other in (
        [],
        {},
        {"chunks": None},
        "a",
        [{**chunks[0], "dataset_id": "k"}, "b"],
        [{"content": "a", "id": "1"}],
    ):
        assert read(ragflow(other)).data_points == ()
