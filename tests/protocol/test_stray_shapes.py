"""Objects other than plain deltas: tools, refusals, annotations, unfinished responses, and errors under other names."""

from tests.protocol.asking import error_of, fold
from tests.stand_ins.stand_in import lines


def chunk(delta: object, **more: object) -> dict[str, object]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, **more}]}


CALL = {"index": 0, "id": "c-1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}
REFUSAL = {"type": "refusal", "refusal": "No."}


def test_tool_calls_are_not_in_the_text() -> None:
    answer = fold(lines(chunk({"tool_calls": [CALL]}), chunk({"content": "One pair."})))
    assert (answer.text, answer.error) == ("One pair.", None)


def test_tool_output_and_echoes_are_not_in_the_text() -> None:
    tools, others = dict.fromkeys(["tool", "function"], "tool_message"), ["user", "system", "developer"]
    for role, code in {**tools, **dict.fromkeys(others, "other_role")}.items():
        for place in ("delta", "message"):
            said = {place: {"role": role, "content": "How many pairs?"}}
            for value in (said, {"choices": [{"index": 0, **said}]}):
                answer = fold(lines(value, {"delta": {"content": "One pair."}}))
                assert (answer.text, [warning.code for warning in answer.warnings]) == ("One pair.", [code])


def test_an_answer_of_only_reasoning_or_unknown_words_says_so() -> None:
    answer = fold(lines({"delta": {"reasoning_content": "Shoes come in twos."}}))
    assert answer.reasoning == "Shoes come in twos."
    assert "reasoning but no answer" in error_of(answer).message
    for value in ("upstream failed", {"message": "upstream failed"}):
        assert "upstream failed" in error_of(fold(lines(value))).message


def test_a_filtered_question_is_an_error() -> None:
    for filtered in (True, False):
        verdict = {"hate": {"filtered": filtered, "severity": "high"}}
        results = [{"prompt_index": 0, "content_filter_results": verdict}]
        answer = fold(lines({"choices": [], "prompt_filter_results": results}, chunk({"content": "One pair."})))
        assert answer.text == "One pair."
        assert (answer.error is not None and answer.error.code == "content_filter") is filtered


def test_the_words_of_a_refusal_are_the_answer() -> None:
    for value in (
        chunk({"content": None, "refusal": "No."}),
        {"object": "chat.completion", "choices": [{"message": {"content": None, "refusal": "No."}}]},
        {"message": {"role": "assistant", "content": [REFUSAL]}},
        {"object": "response", "output": [{"type": "message", "content": [REFUSAL]}]},
    ):
        assert fold(lines(value)).text == "No.", value


CITED = {"type": "url_citation", "url": "https://harbour.test/glasses", "title": "Glasses"}


def test_annotations_are_sources() -> None:
    message = {"type": "message", "content": [{"type": "output_text", "text": "One.", "annotations": [CITED]}]}
    for value in (
        {"type": "response.output_text.annotation.added", "annotation": CITED},
        {"type": "response.completed", "response": {"output": [message]}},
        chunk({"annotations": [{"type": "url_citation", "url_citation": CITED}]}),
        {"choices": [{"message": {"content": "One.", "annotations": [CITED]}}]},
    ):
        points = fold(lines(value, value, {"delta": "One."})).data_points
        assert [(point.id, point.source, point.url) for point in points] == [(CITED["url"], "Glasses", CITED["url"])]

    # A cited file is added to the context's files.
    context = {"type": "response.context", "context": {"data_points": {"text": ["lenses.pdf: Two."]}}}
    file = {"type": "file_citation", "file_id": "f-1", "filename": "glasses.pdf", "index": 4}
    added = {"type": "response.output_text.annotation.added", "annotation": file}
    answer = fold(lines(context, {"type": "response.output_text.delta", "delta": "One."}, added))
    assert [point.source for point in answer.data_points] == ["lenses.pdf", "glasses.pdf"]


def test_an_unfinished_whole_response_is_an_error_and_keeps_its_text() -> None:
    part = {"type": "message", "content": [{"type": "output_text", "text": "One"}]}
    for status in ("failed", "incomplete", "cancelled"):
        answer = fold(lines({"object": "response", "status": status, "output": [part]}))
        assert (answer.text, error_of(answer).code) == ("One", f"response.{status}")


def test_a_delta_of_another_kind_gives_its_text() -> None:
    for delta in ([{"content": "A"}], "A", {"content": [{"text": {"value": "A"}}]}):
        assert fold(lines({"delta": {"content": "-"}}, {"delta": delta})).text == "-A"

    def shown(kind: object) -> str:
        return fold(lines({"type": "content_block_delta", "delta": {"type": kind, "content": "A summary."}})).text

    assert [shown(kind) for kind in ("compaction_delta", "signature_delta", "input_json_delta")] == [""] * 3
    assert shown(["text_delta"]) == "A summary."


TOOL = {"type": "function_call", "name": "search", "arguments": "{}", "call_id": "c"}
TOOL_DONE = {"type": "response.output_item.done", "item": TOOL}
ASKING_FOR_A_TOOL: list[list[dict[str, object]]] = [
    [
        {"type": "response.output_item.added", "item": {**TOOL, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "delta": "{}"},
        TOOL_DONE,
        {"type": "response.completed", "response": {"status": "completed", "output": [TOOL]}},
    ],
    [{"object": "response", "status": "completed", "output": [TOOL]}],
    [chunk({"tool_calls": [CALL]})],
    [chunk({"function_call": {"name": "search", "arguments": "{}"}})],
    [{"message": {"role": "assistant", "content": "", "tool_calls": [CALL]}, "done": True}],
    [chunk({"reasoning_content": "Hm."}), chunk({"tool_calls": [CALL]}), chunk({}, finish_reason="tool_calls")],
    [{"type": "response.reasoning_summary_text.delta", "delta": "Hm."}, TOOL_DONE],
]


def test_a_request_for_a_tool_without_text_is_reported() -> None:
    for values in ASKING_FOR_A_TOOL:
        answer = fold(lines(*values))
        assert error_of(answer).message == (
            "The backend sent no text: the backend requested a tool call, which a chat page cannot run."
        )
        assert [warning.code for warning in answer.warnings].count("tool_calls") == 1, values


def test_a_server_side_tool_call_is_not_reported_beside_an_answer() -> None:
    answer = fold(lines(TOOL_DONE, {"type": "response.output_text.delta", "delta": "One pair."}))
    assert (answer.text, answer.error, answer.warnings) == ("One pair.", None, ())


def test_an_answer_with_the_system_role_is_an_answer() -> None:
    for place in ("delta", "message"):
        answer = fold(lines(*({place: {"role": "system", "content": text}} for text in ("One ", "pair."))))
        assert (answer.text, answer.error, answer.warnings) == ("One pair.", None, ())
