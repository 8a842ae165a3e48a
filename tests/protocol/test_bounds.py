"""Answers larger than what is read or kept of one: what is within a bound comes whole, and of the rest one is told."""

from __future__ import annotations

import pytest

from chat_ui.protocol.answers.answer import MAX_WARNINGS, AnswerBuilder
from chat_ui.protocol.answers.data_points import MAX_DATA_POINTS
from chat_ui.protocol.answers.followups import MAX_QUESTION, MAX_QUESTIONS
from chat_ui.protocol.answers.thoughts import MAX_THOUGHTS
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.events import ContextReceived, CutOff, ErrorInfo, Event, Failed, TextDelta
from chat_ui.protocol.events import Warning as Skipped
from chat_ui.protocol.reading.framing import Framer
from chat_ui.protocol.reading.items import Framed, FrameItem
from chat_ui.protocol.reading.json_text import MOST_PARTS
from chat_ui.protocol.transport.answer_body import AnswerBody
from tests.backends.stand_in import Reply, lines
from tests.protocol.asking import answer_to

ON_A_SERVER = Bounds(value_bytes=1_000_000, value_parts=MOST_PARTS)
A = lines({"delta": {"content": "A"}})


def body_events(content: bytes, bounds: Bounds, size: int) -> list[Event]:
    body = AnswerBody("auto", bounds)
    found: list[Event] = []
    for at in range(0, len(content), size):
        found += body.feed(content[at : at + size])
    return [*found, *body.end()]


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("over", [0, 2])
def test_an_answer_of_the_greatest_size_is_whole_and_a_longer_one_is_cut(size: int, over: int) -> None:
    bounds = Bounds(answer_bytes=len(A) * 3 - over)
    events = body_events(A * 3, bounds, size)
    assert [event.error.code for event in events if isinstance(event, Failed)] == (["too_large"] if over else [])
    assert any(isinstance(event, CutOff) for event in events) is bool(over)
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text == ("AA" if over else "AAA")


@pytest.mark.parametrize("size", [1, 1000])
def test_nothing_is_read_of_what_comes_after_the_bound(size: int) -> None:
    body = AnswerBody("auto", Bounds(answer_bytes=len(A)))
    for at in range(0, len(A), size):
        list(body.feed(A[at : at + size]))
    assert not body.is_over
    assert [type(event) for event in body.feed(A)] == [Failed, CutOff]
    assert body.is_over
    assert list(body.feed(A)) == []
    assert list(body.end()) == []


def test_a_page_that_is_longer_than_an_answer_may_be_is_told_as_a_page() -> None:
    page = b"<html><title>Shop</title>" + b"x" * 70_000
    events = body_events(page, Bounds(answer_bytes=66_000), 100_000)
    assert [event.error.code for event in events if isinstance(event, Failed)] == ["html_page"]


async def test_a_value_of_too_many_parts_is_skipped_and_told_of() -> None:
    many = b'{"context":{"data_points":[' + b"{}," * MOST_PARTS + b"{}]}}\n"
    after = lines({"delta": {"content": " after"}})
    answer = await answer_to(Reply([A, many, after]), ON_A_SERVER)
    assert answer.text == "A after"
    assert answer.data_points == ()
    assert answer.error is not None
    assert f"{MOST_PARTS:,} values" in answer.error.message


async def test_a_long_value_of_few_parts_is_read() -> None:
    image = "data:image/png;base64," + "A" * 500_000
    content = lines({"delta": {"content": "Seen."}, "context": {"data_points": {"images": [image]}}})
    answer = await answer_to(Reply([content.rstrip()]), ON_A_SERVER)
    assert (answer.error, len(answer.data_points)) == (None, 1)


@pytest.mark.parametrize("pieces", [1, 400])
@pytest.mark.parametrize("prefix", [b"", b"data: "])
def test_what_is_too_large_does_not_depend_on_the_pieces(pieces: int, prefix: bytes) -> None:
    values = [b'{"a":[' + b"1," * 3000 + b"1]}", b'{"a":[' + b"1," * 500 + b"1]}", b'{"b":1}']
    content = b"".join(prefix + value + b"\n\n" for value in values)
    framer = Framer(max_value_parts=1000)
    size = -(-len(content) // pieces)
    items = [item for at in range(0, len(content), size) for item in framer.feed(content[at : at + size])]
    items += framer.close()
    assert [getattr(item, "code", "value") for item in items] == ["value_too_large", "value", "value"]
    assert isinstance(items[0], Skipped)
    head = values[0][:80].decode()
    assert items[0].detail == f"at byte {len(prefix)}: '{head}' (more than 1,000 parts)"


def test_the_lines_of_one_event_together_are_no_more_than_a_value_may_be() -> None:
    many, large = b'data: {"a":[\n' + b"data: 1,1,1,1,1,\n" * 30, b'data: {"a":"\n' + b"data: xxxxxxxx\n" * 30
    for body in (many, large):
        framer = Framer(200, 100)
        items = framer.feed(body + b'\ndata: {"b":1}\n\n') + framer.close()
        assert isinstance(items[0], Skipped)
        assert items[0].code == "value_too_large"
        assert items[-1] == Framed({"b": 1})


@pytest.mark.parametrize("ending", [b"\n", b" "])
@pytest.mark.parametrize("over", [0, 1])
def test_the_parts_of_a_value_count_from_its_own_beginning(ending: bytes, over: int) -> None:
    before = b'{"s":"' + b"x" * 5000 + b'"}' + ending
    value = b'{"a":[' + b"1," * (997 + over) + b"1]}"
    framer, items = Framer(max_value_parts=999), list[FrameItem]()
    for at in range(0, len(before), 500):
        items += framer.feed(before[at : at + 500])
    for at in range(0, len(value), 50):
        items += framer.feed(value[at : at + 50])
    items += framer.close()
    assert [isinstance(item, Framed) for item in items] == [True, not over]


@pytest.mark.parametrize("prefix", [b"", b"data: ", b"["])
@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("over", [0, 1])
def test_a_value_of_the_greatest_size_is_read_and_a_larger_one_is_told_of(prefix: bytes, size: int, over: int) -> None:
    value = b'{"s":"' + b"x" * (56 + over) + b'"}'
    body = prefix + value + b"\n\n"
    framer = Framer(64)
    items = [item for at in range(0, len(body), size) for item in framer.feed(body[at : at + size])]
    assert [item == Framed({"s": "x" * 56}) for item in items] == [not over]
    if over:
        [warning] = items
        assert isinstance(warning, Skipped)
        at = f'at byte {len(prefix)}: \'{{"s":"xxx'
        assert warning.code == "value_too_large"
        assert warning.detail.startswith(at if prefix != b"data: " else "at byte ")


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
def test_a_line_that_is_too_long_is_told_with_its_place_and_its_beginning(size: int, ending: bytes) -> None:
    body = b'data: {"n":1}\n\ndata: ' + b"ab" * 50 + ending
    framer = Framer(64)
    items = [item for at in range(0, len(body), size) for item in framer.feed(body[at : at + size])] + framer.close()
    shown = f"data: {'ab' * 29}"
    assert items == [Framed({"n": 1}), Skipped("value_too_large", f"at byte 15: '{shown}' (longer than 64 bytes)")]


@pytest.mark.parametrize(
    ("key", "most", "things"),
    [
        ("data_points", MAX_DATA_POINTS, "sources"),
        ("thoughts", MAX_THOUGHTS, "thoughts"),
        ("followup_questions", MAX_QUESTIONS, "follow-up questions"),
    ],
)
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_as_much_as_is_kept_of_a_context_may_be_all_of_it(key: str, most: int, things: str, more: int) -> None:
    entries = {"data_points": "a{0}: b", "thoughts": "Step {0}: b", "followup_questions": "Why {0}?"}
    builder = AnswerBuilder()
    builder.add(TextDelta("A"))
    builder.add(ContextReceived({key: [entries[key].format(number) for number in range(most + more)]}))
    builder.close()
    answer = builder.answer()
    kept = {"data_points": answer.data_points, "thoughts": answer.thoughts,
            "followup_questions": answer.followup_questions}[key]  # fmt: skip
    assert len(kept) == min(most, most + more)
    told = [warning.detail for warning in answer.warnings]
    assert told == ([f"no more than {most:,} {things} of an answer are kept"] if more >= 0 else [])


@pytest.mark.parametrize(
    ("sent", "left_out"), [(MAX_WARNINGS, None), (MAX_WARNINGS + 2, "2 more warnings were left out")]
)
def test_warnings_that_are_not_kept_are_counted(sent: int, left_out: str | None) -> None:
    builder = AnswerBuilder()
    builder.add(TextDelta("A"))
    builder.add(Failed(ErrorInfo("no")))
    for number in range(sent):
        builder.add(Skipped("not_json", str(number)))
    builder.close()
    warnings = [warning.detail for warning in builder.answer().warnings]
    assert warnings[:MAX_WARNINGS] == [str(number) for number in range(MAX_WARNINGS)]
    assert warnings[MAX_WARNINGS:] == ([left_out] if left_out else [])


@pytest.mark.parametrize("over", [0, 1])
def test_a_question_of_the_greatest_length_with_its_end_is_one(over: int) -> None:
    question = "x" * (MAX_QUESTION - len(" y?>>") + over) + " y?"
    builder = AnswerBuilder()
    builder.add(TextDelta(f"A <<{question}>>"))
    builder.close()
    assert builder.answer().followup_questions == ((question,) if not over else ())
    assert builder.text == ("A" if not over else f"A <<{question}>>")


def test_questions_of_the_text_beyond_the_most_are_left_out() -> None:
    builder = AnswerBuilder()
    builder.add(TextDelta("A " + " ".join(f"<<Why {number}?>>" for number in range(MAX_QUESTIONS + 1))))
    builder.close()
    assert builder.answer().followup_questions == tuple(f"Why {number}?" for number in range(MAX_QUESTIONS))
    assert builder.text == "A"
