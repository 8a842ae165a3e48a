"""The fold: text only grows and is clean, and data points and thoughts of every shape are read."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import CHECK_ADDRESS, EMPTY_ANSWER, Answer, AnswerBuilder, Thought
from chat_ui.protocol.answers.redaction import Secrets
from chat_ui.protocol.clean_text import MAX_DEPTH, clean_json, clean_object_in_turn, clean_text
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.placed_citations import AnnotatedCitation
from chat_ui.protocol.events import (
    AnswerWarning,
    CitationReceived,
    ContextReceived,
    CutOff,
    DialectDetected,
    ErrorInfo,
    Event,
    Failed,
    ObjectReceived,
    ReasoningDelta,
    SessionState,
    TextDelta,
    Timing,
    UsageReceived,
)
from chat_ui.protocol.text_places import Places
from tests.protocol.asking import folded


def built(*events: Event) -> Answer:
    return folded(events)


def test_surrogate_halves_are_joined_or_replaced_and_controls_removed() -> None:
    assert built(TextDelta("a\ud83d"), TextDelta("\ude00b")).text == "a😀b"
    assert built(TextDelta("a\ud83d"), TextDelta("b\ude00")).text == "a\ufffdb\ufffd"
    assert built(TextDelta("a\ud83d")).text == "a\ufffd"
    assert built(TextDelta("a\x00\x1b[31m\tb\n\x7fc\x85d\u2028e")).text == "a[31m\tb\nc\x85d\u2028e"
    [point] = built(TextDelta("A"), ContextReceived({"data_points": {"text": ["a.pdf: x\ud800\x00y"]}})).data_points
    assert point.text == "x\ufffdy"


def test_a_snapshot_has_the_text_so_far_and_held_text_is_released_once() -> None:
    builder = AnswerBuilder()
    builder.add(TextDelta("One "))
    assert builder.answer().text == "One"
    assert builder.add(TextDelta("pair <")) == " pair"
    assert (builder.text, builder.answer().error) == ("One pair", None)
    assert (builder.close(), builder.close(), builder.text) == (" <", "", "One pair <")


def test_a_cut_answer_keeps_its_text_and_its_first_error() -> None:
    answer = built(TextDelta("One"), CutOff("the line broke"))
    assert (answer.text, answer.complete, answer.error) == ("One", False, None)
    assert AnswerWarning("cut_off", "the line broke") in answer.warnings
    answer = built(Failed(ErrorInfo("first")), Failed(ErrorInfo("second")), Failed(ErrorInfo("first")))
    assert answer.error == ErrorInfo("first")
    assert [warning.detail for warning in answer.warnings] == ["second"]


def test_a_protocol_state_is_kept_beside_model_events_up_to_a_size() -> None:
    states = SessionState("session_state", 7), SessionState("previous_response_id", "resp_1")
    for order in (states, states[::-1]):
        assert built(TextDelta("A"), *order).session_state == states[0]
    for key in ("previous_response_id", "conversation", "threadId"):
        assert built(TextDelta("A"), SessionState(key, "x" * 2_000_000)).session_state is None


def test_an_answer_without_text_names_the_received_parts() -> None:
    cases = [
        ((), EMPTY_ANSWER),
        ((ReasoningDelta(" "),), EMPTY_ANSWER),
        ((ReasoningDelta("Hm."),),
         "The backend sent the model's reasoning but no answer. Ask again, or raise its length limit."),
        ((AnswerWarning("tool_calls", "it asked for a tool"), ReasoningDelta("Hm.")),
         "The backend sent no text: it asked for a tool."),
        ((ObjectReceived("ping"), ObjectReceived("usage")),
         f"The backend sent no text to show. Received: ping, usage. {CHECK_ADDRESS}"),
        ((AnswerWarning("other", "nothing"), AnswerWarning("not_json", "at byte 0: 'hello'"),
          AnswerWarning("not_json", "more")),
         f"The backend sent no text to show. Not read: at byte 0: 'hello'. {CHECK_ADDRESS}"),
        ((ObjectReceived("ping"), AnswerWarning("unknown_object", "an object")),
         f"The backend sent no text to show. Received: ping. Not read: an object. {CHECK_ADDRESS}"),
    ]  # fmt: skip
    for events, words in cases:
        answer = built(*events)
        assert answer.error == ErrorInfo(words, code="empty_answer")
        assert built(*events, CutOff("it broke")).error is None
        assert built(*events, Failed(ErrorInfo("No."))).error == ErrorInfo("No.")
        assert built(*events, TextDelta("A")).error is None


THOUGHTS: list[tuple[Any, list[Thought]]] = [
    (
        [{"title": "Query", "description": ["a", "b"], "props": {"k": 1}}, {"title": "Hits", "description": None}],
        [Thought("Query", ["a", "b"], {"k": 1}), Thought("Hits")],
    ),
    (
        "Searched for:<br>glasses<br><br>Prompt:<br/>system: x",
        [Thought("Searched for", "glasses"), Thought("Prompt", "system: x")],
    ),
    (
        "<p>Searched for: glasses</p>\n\n<p>Prompt:<br>system: x</p><br><br>Hits: 3",
        [Thought("Searched for", "glasses"), Thought("Prompt", "system: x"), Thought("Hits", "3")],
    ),
    ([{"description": {"a": 1}}], [Thought("Step 1", {"a": 1})]),
    ([{"title": "T", "props": [1]}], [Thought("T", None, {"props": [1]})]),
    ([{"k": 1}], [Thought("Step 1", {"k": 1})]),
    (None, []),
    ({"title": "T", "description": "d"}, [Thought("T", "d")]),
    (
        [None, "A: b", 7, {"title": " ", "description": "d", "props": {}}],
        [Thought("A", "b"), Thought("Step 3", 7), Thought("Step 4", "d", {})],
    ),
    ("One\n \nTwo words", [Thought("Step 1", "One"), Thought("Step 2", "Two words")]),
    ("Prompt:", [Thought("Prompt", "Prompt:")]),
    # A heading of the maximal length, alone and with words, and a longer one.
    ("x" * 58 + ":", [Thought("x" * 58, "x" * 58 + ":")]),
    ("x" * 59 + ":", [Thought("Step 1", "x" * 59 + ":")]),
    ("x" * 60 + ": b", [Thought("x" * 60, "b")]),
    ("x" * 61 + ": b", [Thought("Step 1", "x" * 61 + ": b")]),
]


def test_thoughts_of_every_shape_are_read_with_intent_and_documents() -> None:
    read = [(value, [*built(ContextReceived({"thoughts": value})).thoughts]) for value, _ in THOUGHTS]
    assert read == THOUGHTS
    context = {"intent": '["glasses"]', "all_retrieved_documents": [{"a": 1}], "thoughts": ["A: b"]}
    assert built(ContextReceived(context)).thoughts == (
        Thought("A", "b"), Thought("Search intent", '["glasses"]'), Thought("All retrieved documents", [{"a": 1}]),
    )  # fmt: skip
    assert built(ContextReceived({"intent": "", "all_retrieved_documents": []})).thoughts == ()


def test_a_text_has_a_pace_if_it_took_time() -> None:
    for first_text, total, throttle in ((1.0, 3.0, 2.5), (1.0, 1.0, None), (None, 3.0, None), (1.0, None, None)):
        answer = Answer(text="Hello", timing=Timing(first_text=first_text, total=total))
        assert answer.characters_per_second == throttle


def test_the_newest_context_counts_and_annotations_add_up() -> None:
    text_a, picture = {"text": ["a: b"]}, {"id": "Picture", "url": "data:image/png;base64,aGk="}
    cases: list[tuple[list[Any], list[str]]] = [
        ([["a: b"], ["c: d"]], ["c"]),
        *(([["a: b"], nothing], ["a"]) for nothing in ([], {}, None)),
        *(([text_a, nothing], ["a"]) for nothing in ({"text": [], "images": [], "citations": []},
                                                     {"text": [""], "images": [None], "citations": {}},
                                                     [[], {"text": None}])),
        ([{**text_a, "images": [picture]}, {"text": ["c: d"], "images": []}], ["c", "Picture"]),
        ([text_a, {"images": [picture]}], ["a", "Picture"]),
        ([{"1": {"name": "a"}}, {"2": {"name": "b"}}], ["b"]),
    ]  # fmt: skip
    told = [([{"data_points": points} for points in given], sources) for given, sources in cases]
    told += [
        ([{"citations": [{"title": "a", "content": "b"}]}, {"citations": [None, {}, ""]}], ["a"]),
        ([{"data_points": []}, {"citations": ["c"]}], ["c"]),
        ([{"data_points": ["a: b"]}, {"citations": ["c"]}], ["a", "c"]),
        ([{"annotations": [{"name": "a"}]}, {"annotations": [{"name": "b"}]}], ["a", "b"]),
        ([{"annotations": [{"name": "a"}]}, {"annotations": []}], ["a"]),
        ([{"annotations": "no"}, {"annotations": [{"name": "b"}]}], ["b"]),
        ([{"other": ["a: b"]}], []),
    ]
    for contexts, sources in told:
        answer = built(TextDelta("A"), *map(ContextReceived, contexts))
        assert [point.source for point in answer.data_points] == sources


def test_follow_up_questions_are_words_and_empty_values_replace_nothing() -> None:
    for empty in ([], {}, "", " ", [""], [None, {}], {"title": ""}, [{"title": "", "description": []}]):
        said = {"thoughts": [{"title": "Query", "description": "glasses"}], "followup_questions": ["Why?"]}
        answer = built(TextDelta("A"), ContextReceived(said), ContextReceived(dict.fromkeys(said, empty)))
        assert (answer.thoughts, answer.followup_questions) == ((Thought("Query", "glasses"),), ("Why?",))
    cases = [
        (["Why?", "<<How?>>", " << Who? >> ", "Why?", "", " ", None, 7], ("Why?", "How?", "Who?")),
        ("Why?", ("Why?",)),
        (["a\x00b?"], ("ab?",)),
        ({"a": "Why?"}, ()),
        (None, ()),
    ]
    for questions, kept in cases:
        answer = built(TextDelta("A"), ContextReceived({"followup_questions": questions}))
        assert answer.followup_questions == kept


def test_sources_and_thoughts_are_read_again_after_a_change() -> None:
    builder, answers = AnswerBuilder(), list[Answer]()
    for context in ({"data_points": ["a: b"], "thoughts": ["Step: a"]}, {"thoughts": ["Step: b"]},
                    {"data_points": ["c: d"]}):  # fmt: skip
        builder.add(ContextReceived(context))
        answers.append(builder.answer())
    first, second, third = answers
    assert first.data_points is second.data_points
    assert [thought.description for thought in second.thoughts] == ["b"]
    assert [point.source for point in third.data_points] == ["c"]
    assert second.thoughts is third.thoughts


def test_reporting_events_reach_the_answer() -> None:
    answer = built(
        ReasoningDelta("Hm"), ReasoningDelta("m.\x00"), TextDelta("A"), DialectDetected("flat"),
        DialectDetected("ollama"), SessionState("s", 1), SessionState("s", 2),
        UsageReceived({"a": 1}), UsageReceived({"b": 2}),
        Timing(0.1, 0.2, 0.3),
    )  # fmt: skip
    assert answer.timing == Timing(0.1, 0.2, 0.3)
    assert (answer.reasoning, answer.dialect, answer.session_state, answer.usage) == (
        "Hmm.", "ollama", SessionState("s", 2), {"b": 2},
    )  # fmt: skip


SECRETS = Secrets({"Authorization": "Bearer k-secret-of-22-letters"})
CITED = "\N{UMBRELLA}"
"""The part of a text at the place that is cited."""
AROUND = st.lists(
    st.sampled_from(
        [
            "One pair. ", "\n\n", " ", "\x00", "\x07\x1b", "\ud83d", "\ude00", "\ud83d\ude00", "\N{OK HAND SIGN}",
            "<<And tests?>>", "<<", ">>", "1 << 2", "`<<x>>`", "k-secret-of-22-letters", "k-secret",
            "<think>", "</think>", "<answer>", "</answer>", "<|channel|>analysis<|message|>", "<|end|>",
            "<|start|>assistant<|channel|>final<|message|>",
        ]
    ),
    max_size=8,
)  # fmt: skip


@given(AROUND, AROUND, st.data())
def test_a_citation_keeps_its_place_after_removals_from_the_text(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    came = AnswerText()
    builder = AnswerBuilder(Secrets({"Authorization": "Bearer k-secret-of-22-letters"}))
    told = AnnotatedCitation("plan.pdf", None, len("".join(before)) + len(CITED))
    pieces = [*before, CITED, *after]
    at = data.draw(st.integers(len(before) + 1, len(pieces)))
    for number, piece in enumerate([*pieces, ""]):
        events = [*(came.cite([told]) if number == at else ()), *came.piece(piece)]
        for event in events:
            builder.add(event)
    for event in came.close():
        builder.add(event)
    builder.close()
    answer = builder.answer()
    for citation in answer.citations if CITED in answer.text else ():
        assert answer.text.index(CITED) + len(CITED) == citation.end


def test_a_label_is_cleaned_like_its_source_and_follows_its_word() -> None:
    url = "https://a.example/\x00\ud83d?key=k-secret-of-22-letters"
    builder = AnswerBuilder(SECRETS)
    for event in (TextDelta("One."), ContextReceived({"annotations": [{"url": url}]}), CitationReceived(url, 4, 4)):
        builder.add(event)
    answer = builder.answer()
    assert answer.citations[0].label == answer.data_points[0].id == "https://a.example/\ufffd?key=…"
    came = AnswerText()
    told = [*came.piece("One employ"), *came.cite([AnnotatedCitation("a", None, 10)]), *came.piece("ees. Two")]
    assert built(*told).bracketed_text == "One employees [a]. Two"


def test_at_most_a_hundred_thousand_positions_are_noted() -> None:
    places = Places()
    for number in range(1, 100_010):
        places.cut(2 * number, 1)
    assert places.shift == -99_999


def test_invalid_characters_are_removed_anywhere_and_valid_ones_stay():
    for length, odd, around in product((0, 10, 1_000, 100_000), "\x00\x1b\x7f\x9b\ud800", "xé¡"):
        for text in (odd + around * length, around * length + odd, around * length + odd + around * length):
            cleaned = clean_text(text)
            assert odd not in cleaned
            assert cleaned.count(around) == text.count(around)
    for text in ("", "a\tb\nc", "é" * 1_000, "¡" * 100_000, "\N{TENT}"):
        assert clean_text(text) == text


def test_every_text_in_json_is_cleaned_and_non_finite_numbers_are_null():
    value = {"a\x00": ["b\x00", float("nan"), float("inf"), 1.5, 2, True, None], "c": {"d": "e\x00"}}
    cleaned = clean_json(value)
    assert [*cleaned] == [clean_text("a\x00"), "c"]
    assert cleaned[clean_text("a\x00")] == [clean_text("b\x00"), None, None, 1.5, 2, True, None]
    assert cleaned["c"] == {"d": clean_text("e\x00")}


@pytest.mark.parametrize("inner", ["object", "list"])
async def test_gradual_cleaning_stops_at_the_same_depth(inner: str):
    for levels in (MAX_DEPTH, MAX_DEPTH + 1):
        value: Any = "kept\x00"
        for _ in range(levels):
            value = {"a\x00": value} if inner == "object" else [value]
        cleaned = await clean_object_in_turn({"whole": value})
        assert cleaned == clean_json({"whole": value})
        assert ("kept" in repr(cleaned)) is (levels == MAX_DEPTH)
