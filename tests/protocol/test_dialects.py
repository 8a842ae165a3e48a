"""Values to answers: every dialect, streamed and whole, and every shape of error."""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat_ui.protocol.answers.data_points import MAX_DATA_POINTS
from chat_ui.protocol.dialects.reader import DialectReader
from chat_ui.protocol.dialects.registry import DIALECTS
from chat_ui.protocol.events import ContextReceived, Failed, SessionState, TextDelta
from chat_ui.protocol.reading.items import Framed
from tests.protocol.asking import answer_of, error_of, fold, framed
from tests.protocol.damage import folded
from tests.protocol.layouts import JSON
from tests.protocol.streams import STREAMS, choice
from tests.stand_ins.stand_in import lines

TOOL = json.dumps({"citations": [{"content": "One pair.", "filepath": "glasses.pdf"}], "intent": '["glasses"]'})


@pytest.mark.parametrize("stream", STREAMS)
def test_every_dialect_gives_the_same_answer_for_any_pieces(stream: str) -> None:
    dialect, body = STREAMS[stream]
    answer = fold(body)
    assert answer.bracketed_text == "One pair [glasses.pdf#page=2]."
    assert (answer.dialect, answer.error, answer.complete, answer.warnings) == (dialect, None, True, ())
    points = [(point.id, point.text) for point in answer.data_points]
    assert points == [("glasses.pdf#page=2", "The plan pays for one pair.")]
    assert [(thought.title, thought.description) for thought in answer.thoughts] == [("Search", "glasses")]
    assert answer.session_state is not None
    assert answer.session_state.value == "s1"
    assert fold(body, dialect=dialect).bracketed_text == answer.bracketed_text
    together = DialectReader().read_all([item for item in framed(body) if isinstance(item, Framed)])
    assert folded(together) == answer == answer_of(body)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(ValueError, match="morse"):
        DialectReader("morse")


def sample_app(*texts: str) -> bytes:
    messages = [{"role": "tool", "content": TOOL}, *({"role": "assistant", "content": text} for text in texts)]
    return lines(*({"choices": [{"messages": [message]}], "history_metadata": {}} for message in messages), {})


def test_the_azure_sample_app_is_read_as_increments_or_whole_texts() -> None:
    for texts in (("One", " pair", " [doc1]."), ("One", "One pair", "One pair [doc1].", "One pair [doc1].")):
        answer = fold(sample_app(*texts))
        assert (answer.text, answer.dialect, answer.warnings) == ("One pair [doc1].", "sample-app", ())
        assert [point.source for point in answer.data_points] == ["glasses.pdf"]
        assert answer.session_state == SessionState("history_metadata", {})


def test_ollama_lines_are_increments_also_when_one_repeats() -> None:
    words = ["ha", "ha", "", "!"]
    body = lines(
        *({"model": "m", "message": {"role": "assistant", "content": word}, "done": False} for word in words),
        {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "eval_count": 3},
    )
    answer = fold(body)
    assert (answer.text, answer.dialect, answer.usage) == ("haha!", "ollama", {"eval_count": 3})


def test_empty_keys_do_not_decide_the_place_of_the_text() -> None:
    answers: list[dict[str, object]] = [
        {"delta": {"content": "A"}}, {"delta": "A"}, {"choices": [{"delta": {"content": "A"}}]}, {"output_text": "A"},
        {"answer": "A"},
    ]  # fmt: skip
    nothing: list[dict[str, object]] = [
        {"choices": []}, {"output_text": ""}, {"answer": ""}, {"message": {}}, {"output": [], "response": None},
    ]  # fmt: skip
    for answer, empty in product(answers, nothing):
        assert fold(lines({**empty, **answer})).text == "A"


def test_a_whole_text_that_ends_in_half_a_character_is_not_doubled() -> None:
    told: list[list[object]] = [
        [choice(messages=[{"role": "assistant", "content": text}]) for text in texts]
        for texts in (("x\ud83d", "x\U0001f600 y"), ("x\ud83d", "x\U0001f600", "x\U0001f600 y"))
    ]
    told += [
        [{"delta": {"content": "x\ud83d"}}, {"message": {"content": "x\U0001f600 y"}}],
        [{"delta": "x\ud83d"}, {"delta": "\ude00 y"}, {"output_text": "x\U0001f600 y"}],
    ]
    for values in told:
        assert fold("\n".join(json.dumps(value) for value in values).encode()).text == "x\U0001f600 y"


def test_reasoning_is_kept_apart_from_the_answer() -> None:
    body = lines(
        {"delta": {"content": None, "reasoning_content": "hmm"}},
        {"delta": {"content": None, "reasoning": "…"}},
        {"type": "response.reasoning_summary_text.delta", "delta": "!"},
        {"delta": {"content": "A"}},
    )
    answer = fold(body)
    assert (answer.text, answer.reasoning) == ("A", "hmm…!")
    steps = [
        {"type": f"response.reasoning_summary_{kind}", "delta": words}
        for kind, words in (("part.added", ""), ("text.delta", "One."), ("part.added", ""), ("text.delta", "Two."))
    ]
    assert fold(lines(*steps)).reasoning == "One.\n\nTwo."


FILTERED = {"role": "assistant", "content": ""}
INCOMPLETE = {"incomplete_details": {"reason": "content_filter"}}
ERRORS: dict[str, tuple[object, str, str | None]] = {
    "an object": ({"error": {"code": "507", "message": "disk full"}}, "disk full", "507"),
    "a typed error": ({"type": "error", "message": "disk full", "code": "E7"}, "disk full", "E7"),
    "an error in a message": ({"message": {"error": {"message": "disk full", "code": "E7"}}}, "disk full", "E7"),
    "an error message of the sample app": (
        choice(messages=[{"role": "error", "content": "disk full"}]), "disk full", None,
    ),
    "an error of AG-UI": ({"type": "RUN_ERROR", "message": "disk full", "code": "E7"}, "disk full", "E7"),
    **{
        f"a filter: {place}": (value, "filter", "content_filter")
        for place, value in {
            "a finish reason": choice(index=0, delta={}, finish_reason="content_filter"),
            "a finish reason of the sample app": choice(messages=[FILTERED], finish_reason="content_filter"),
            "a reason of Ollama's": {"message": FILTERED, "done": True, "done_reason": "content_filter"},
            "a response": {"type": "response.incomplete", "response": INCOMPLETE},
            "a response that does not call itself one": {"output_text": "A", "status": "incomplete", **INCOMPLETE},
        }.items()
    },
}  # fmt: skip
"""Errors in a place specific to a dialect. `test_reported_errors.py` has the forms of their words."""


def test_an_error_of_any_shape_and_place_is_told_and_the_text_stays() -> None:
    for shape, (value, words, code) in ERRORS.items():
        answer = fold(lines({"delta": {"content": "A"}}, value, {"delta": {"content": "B"}}))
        assert (shape, answer.text, answer.complete, error_of(answer).code) == (shape, "AB", True, code)
        assert words in error_of(answer).message
    said = {"delta": {"content": "A"}}
    for body in (
        lines(said) + b'{"error": "disk full"}',
        lines({**said, "error": "disk full"}),
        b"data: " + lines({"choices": [said]}) + b'\nerror: {"code":507,"message":"disk full"}\n\ndata: [DONE]\n\n',
    ):
        answer = fold(body)
        assert (answer.text, error_of(answer).message) == ("A", "disk full")
    assert error_of(answer).code == "507"


def test_an_empty_object_is_a_warning_and_a_dialect_may_change() -> None:
    answer = fold(lines({"delta": {"content": "A"}}, {"weather": "fine"}, 1, "x"))
    assert answer.text == "A"
    assert [warning.code for warning in answer.warnings] == ["unknown_object", "unexpected_value", "unexpected_value"]
    assert "weather" in answer.warnings[0].detail
    assert fold(lines({"delta": {"content": "A"}}, {"type": "response.output_text.delta", "delta": "B"})).text == "AB"


PLACES = st.sampled_from((
    "delta", "message", "choices", "context", "session_state", "sessionState", "history_metadata", "error",
    "type", "output_text", "output", "response", "answer", "data_points", "thoughts", "followup_questions",
    "citations", "content", "role", "messages", "index", "finish_reason", "usage", "code", "detail", "text",
    "images", "title", "description", "props", "url", "filepath", "id", "done", "intent",
    "all_retrieved_documents", "reasoning", "external_results_metadata", "incomplete_details", "reason",
    "object", "loc", "msg", "messageId", "toolCallId", "snapshot", "patch", "metadata", "outcome", "toolCalls", "value",
))  # fmt: skip
WORDS = st.sampled_from(
    ["response.failed", "response.output_text.delta", "error", "assistant", "tool", "content_filter", "a.pdf: x",
     "<<", "?>>", "\ud83d"]
)  # fmt: skip
ODD = st.recursive(
    JSON | WORDS | st.floats(),
    lambda inner: st.dictionaries(PLACES, inner, max_size=5) | st.lists(inner, max_size=3),
    max_leaves=25,
)


@example([{"type": {}}], "ai-sdk")
@given(st.lists(st.dictionaries(PLACES, ODD, max_size=6), max_size=4), st.sampled_from(["auto", *DIALECTS]))
def test_no_value_in_any_place_raises(objects: list[dict[str, Any]], dialect: str) -> None:
    # Escaped, so that surrogate halves occur.
    answer = fold("\n".join(map(json.dumps, objects)).encode(), dialect=dialect)
    assert answer.error is not None or answer.text.strip()
    told = [warning.detail for warning in answer.warnings] + ([answer.error.message] if answer.error else [])
    for words in (answer.text, answer.reasoning, *told):
        assert words.encode() is not None
    assert all(isinstance(words, str) for point in answer.data_points for words in (point.id, point.text))


@given(st.sampled_from(sorted(STREAMS)), st.data())
def test_a_prefix_of_a_stream_gives_a_prefix_of_the_text(stream: str, data: st.DataObject) -> None:
    _, body = STREAMS[stream]
    end = data.draw(st.integers(0, len(body)))
    # A mark stays until its citation replaces it.
    assert "One pair [glasses.pdf#page=2].".startswith(fold(body[:end]).text.partition("【")[0])


PLAIN: dict[str, Callable[[str], Any]] = {
    "flat": lambda text: {"delta": {"content": text}},
    "flat with a role": lambda text: {"delta": {"content": text, "role": "assistant"}, "context": None},
    "Ollama": lambda text: {"model": "m", "created_at": "t", "message": {"content": text}, "done": False},
    "OpenAI": lambda text: {
        "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}],
    },
    "choices": lambda text: {"choices": [{"delta": {"content": text}}]},
    "Responses": lambda text: {"type": "response.output_text.delta", "delta": text},
    "the sample app": lambda text: {"choices": [{"messages": [{"role": "assistant", "content": text}]}]},
}  # fmt: skip


@pytest.mark.parametrize("kind", PLAIN)
def test_simultaneous_texts_are_one_event_unless_separated(kind: str) -> None:
    a, b, c = (Framed(PLAIN[kind](text)) for text in "ABC")
    assert DialectReader().read_all([a, b, c])[-2:] == [TextDelta("A"), TextDelta("BC")]
    told = DialectReader().read_all([a, b, Framed({"error": "No."}), c, Framed({"message": "Ill."}, "error")])
    assert [
        event.text if isinstance(event, TextDelta) else event.error.message
        for event in told
        if isinstance(event, TextDelta | Failed)
    ] == ["A", "B", "No.", "C", "Ill."]


def test_reported_annotations_are_limited_to_the_kept_ones() -> None:
    reader = DialectReader()
    names = [[f"{number}-{place}" for place in range(MAX_DATA_POINTS - 400)] for number in range(3)]
    values = [{"choices": [{"delta": {"annotations": [{"name": name} for name in those]}}]} for those in names]
    events = [event for value in (*values, *values) for event in reader.read(Framed(value))]
    told = [len(event.context["annotations"]) for event in events if isinstance(event, ContextReceived)]
    assert told == [MAX_DATA_POINTS - 400, 400]
