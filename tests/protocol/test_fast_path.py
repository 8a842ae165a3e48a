"""The fast path for objects with only a piece of text gives the full reader's events."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.events import Timing
from tests.protocol.asking import fold
from tests.stand_ins.stand_in import lines

CONTEXT = {"data_points": {"text": ["a.pdf: One pair."]}, "thoughts": [{"title": "Search"}]}
TEXTS = st.sampled_from(
    ["two", "", " ", "[a.pdf]", None, ["two"], [{"type": "text", "text": "two"}], 2, {"text": "two"}]
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "content": TEXTS,
        "role": st.sampled_from(["assistant", "user", "tool", "", None]),
        "context": st.sampled_from([None, CONTEXT]),
        "reasoning_content": st.sampled_from([None, "hm"]),
        "refusal": st.sampled_from([None, "no"]),
        "tool_calls": st.sampled_from([None, [{"function": {"name": "search"}}]]),
    },
)
BESIDE = {
    "id": st.just("1"),
    "model": st.just("small"),
    "context": st.sampled_from([None, CONTEXT]),
    "session_state": st.sampled_from([None, "s1"]),
    "error": st.sampled_from([None, "It broke.", {"message": "It broke."}]),
    "finish_reason": st.sampled_from([None, "stop", "length", "content_filter"]),
    "usage": st.sampled_from([None, {"total_tokens": 3}]),
}
FLAT = st.fixed_dictionaries({}, optional={"delta": st.none() | MESSAGE, "message": st.none() | MESSAGE, **BESIDE})
CHOICE = st.fixed_dictionaries(
    {},
    optional={
        "delta": st.none() | MESSAGE,
        "message": st.none() | MESSAGE,
        "index": st.sampled_from([0, 1, None]),
        "logprobs": st.none(),
        "context": st.sampled_from([None, CONTEXT]),
        "finish_reason": BESIDE["finish_reason"],
    },
)
CHOICES = st.fixed_dictionaries({"choices": st.lists(CHOICE, max_size=2) | st.none()}, optional=BESIDE)


def answer(*values: Any) -> Answer:
    # The full reader warns of unknown keys.
    return replace(fold(lines(*values)), timing=Timing(), warnings=())


def told(dialect: str, value: dict[str, Any], *, quickly: bool) -> Answer:
    """The answer to `value` between two pieces of text in a dialect. An unknown key leads to the full reader."""
    first, last = {"delta": {"role": "assistant", "content": "One "}}, {"delta": {"content": "!"}}
    complete = {**value, **({} if quickly else {"unheard_of": 0})}
    return (
        answer(first, complete, last)
        if dialect == "flat"
        else answer({"choices": [first]}, complete, {"choices": [last]})
    )


@given(FLAT, CHOICES)
def test_an_object_gives_the_same_events_on_the_fast_path(flat: dict[str, Any], choices: dict[str, Any]):
    for dialect, value in (("flat", flat), ("choices", choices)):
        assert told(dialect, value, quickly=True) == told(dialect, value, quickly=False)


def test_successive_pieces_keep_the_values_beside_them():
    for content in ("two", "", "\n", " two "):
        piece = {"delta": {"content": content}}
        assert told("flat", piece, quickly=True).text == f"One {content}!"
        assert told("choices", {"choices": [piece]}, quickly=True).text == f"One {content}!"
    for dialect, value, text, sources in (
        ("flat", {"delta": {"content": "two"}, "context": CONTEXT}, "One two!", ["a.pdf"]),
        ("choices", {"choices": [{"delta": {"content": "two", "context": CONTEXT}}]}, "One two!", ["a.pdf"]),
        ("choices", {"choices": [{"delta": {"content": "two"}, "index": 1}]}, "One !", []),
        ("flat", {"delta": {"content": "two", "role": "user"}}, "One !", []),
    ):
        found = told(dialect, value, quickly=True)
        assert (found.text, [point.source for point in found.data_points]) == (text, sources)


def test_choices_with_context_or_state_use_the_protocol():
    for beside in ({"context": CONTEXT}, {"session_state": "s1"}, {}):
        choice = {"delta": {"role": "assistant", "content": "One pair."}, **beside}
        dialect = answer({"object": "chat.completion.chunk", "choices": [choice]}).dialect
        assert (dialect == "choices") is bool(beside)
    piece = {"type": "response.output_text.delta", "delta": "One "}
    other = {"type": "response.reasoning.delta", "delta": "hm"}
    found = answer(piece, {**piece, "delta": "two"}, other, {**piece, "delta": ["!"]}, {**piece, "error": "It broke."})
    assert (found.dialect, found.reasoning) == ("responses", "hm")
    assert found.text.startswith("One two")
    assert found.error is not None
