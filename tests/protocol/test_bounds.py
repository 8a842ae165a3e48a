"""Limits of an answer. Parts within a limit come whole, and the rest is reported."""

from itertools import product

from chat_ui.protocol.answers.answer import MAX_WARNINGS, Answer
from chat_ui.protocol.answers.data_points import MAX_DATA_POINTS
from chat_ui.protocol.answers.followups import MAX_QUESTION, MAX_QUESTIONS
from chat_ui.protocol.answers.thoughts import MAX_THOUGHTS
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.events import AnswerWarning, ContextReceived, CutOff, ErrorInfo, Event, Failed, TextDelta
from chat_ui.protocol.reading.framing import Framer
from chat_ui.protocol.reading.items import Framed, FrameItem
from chat_ui.protocol.reading.json_text import MOST_PARTS
from chat_ui.protocol.transport.answer_body import AnswerBody
from tests.protocol.asking import answer_to, error_of, folded
from tests.stand_ins.stand_in import Reply, lines

ON_A_SERVER = Bounds(value_bytes=1_000_000, value_parts=MOST_PARTS)
A = lines({"delta": {"content": "A"}})


def body_events(content: bytes, bounds: Bounds, size: int) -> list[Event]:
    body = AnswerBody("auto", bounds)
    found: list[Event] = []
    for at in range(0, len(content), size):
        found += body.feed(content[at : at + size])
    return [*found, *body.end()]


def test_an_answer_of_the_maximal_size_is_whole_and_a_longer_one_cut() -> None:
    for size, over in product((1, 7, 1000), (0, 2)):
        events = body_events(A * 3, Bounds(answer_bytes=len(A) * 3 - over), size)
        assert [event.error.code for event in events if isinstance(event, Failed)] == (["too_large"] if over else [])
        assert any(isinstance(event, CutOff) for event in events) is bool(over)
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert text == ("AA" if over else "AAA")


def test_nothing_is_read_beyond_the_limit_and_a_page_is_reported_as_one() -> None:
    for size in (1, 1000):
        body = AnswerBody("auto", Bounds(answer_bytes=len(A)))
        for at in range(0, len(A), size):
            list(body.feed(A[at : at + size]))
        assert not body.is_over
        assert [type(event) for event in body.feed(A)] == [Failed, CutOff]
        assert body.is_over
        assert [*body.feed(A), *body.end()] == []
    page = b"<html><title>Shop</title>" + b"x" * 70_000
    events = body_events(page, Bounds(answer_bytes=66_000), 100_000)
    assert [event.error.code for event in events if isinstance(event, Failed)] == ["html_page"]


async def test_a_value_of_too_many_parts_is_skipped_and_a_long_one_of_few_read() -> None:
    many = b'{"context":{"data_points":[' + b"{}," * MOST_PARTS + b"{}]}}\n"
    answer = await answer_to(Reply([A, many, lines({"delta": {"content": " after"}})]), ON_A_SERVER)
    assert (answer.text, answer.data_points) == ("A after", ())
    assert f"{MOST_PARTS:,} values" in error_of(answer).message
    image = "data:image/png;base64," + "A" * 500_000
    content = lines({"delta": {"content": "Seen."}, "context": {"data_points": {"images": [image]}}})
    answer = await answer_to(Reply([content.rstrip()]), ON_A_SERVER)
    assert (answer.error, len(answer.data_points)) == (None, 1)


def framed(framer: Framer, content: bytes, size: int) -> list[FrameItem]:
    return [item for at in range(0, len(content), size) for item in framer.feed(content[at : at + size])]


def framed_in_pieces(framer: Framer, content: bytes, size: int) -> list[FrameItem]:
    return framed(framer, content, size) + framer.close()


def too_large(item: FrameItem) -> str:
    """The warning about a value that is too large."""
    assert isinstance(item, AnswerWarning)
    assert item.code == "value_too_large"
    return item.detail


def answer_with(*events: Event) -> Answer:
    return folded([TextDelta("A"), *events])


def test_the_limit_does_not_depend_on_the_pieces() -> None:
    values = [b'{"a":[' + b"1," * 3000 + b"1]}", b'{"a":[' + b"1," * 500 + b"1]}", b'{"b":1}']
    for size, prefix in product((20, 100_000), (b"", b"data: ")):
        content = b"".join(prefix + value + b"\n\n" for value in values)
        items = framed_in_pieces(Framer(max_value_parts=1000), content, size)
        assert [isinstance(item, Framed) for item in items] == [False, True, True]
        assert too_large(items[0]) == f"at byte {len(prefix)}: '{values[0][:80].decode()}' (more than 1,000 parts)"


def test_the_lines_of_an_event_count_together_as_a_value() -> None:
    many, large = b'data: {"a":[\n' + b"data: 1,1,1,1,1,\n" * 30, b'data: {"a":"\n' + b"data: xxxxxxxx\n" * 30
    for body in (many, large):
        first, *_, last = framed_in_pieces(Framer(200, 100), body + b'\ndata: {"b":1}\n\n', 10_000)
        assert too_large(first)
        assert last == Framed({"b": 1})
    for ending, over in product((b"\n", b" "), (0, 1)):
        before = b'{"s":"' + b"x" * 5000 + b'"}' + ending
        value = b'{"a":[' + b"1," * (997 + over) + b"1]}"
        framer = Framer(max_value_parts=999)
        items = [*framed(framer, before, 500), *framed_in_pieces(framer, value, 50)]
        assert [isinstance(item, Framed) for item in items] == [True, not over]


def test_a_value_of_the_maximal_size_is_read_and_a_larger_one_reported() -> None:
    for prefix, size, over in product((b"", b"data: ", b"["), (1, 1000), (0, 1)):
        value = b'{"s":"' + b"x" * (56 + over) + b'"}'
        item, *_ = framed_in_pieces(Framer(64), prefix + value + b"\n\n", size)
        if over:
            at = f'at byte {len(prefix)}: \'{{"s":"xxx'
            assert too_large(item).startswith(at if prefix != b"data: " else "at byte ")
        else:
            assert item == Framed({"s": "x" * 56})
    shown = f"data: {'ab' * 29}"
    for size, ending in product((1, 7, 1000), (b"\n", b"\r\n", b"")):
        items = framed_in_pieces(Framer(64), b'data: {"n":1}\n\ndata: ' + b"ab" * 50 + ending, size)
        assert items == [
            Framed({"n": 1}),
            AnswerWarning("value_too_large", f"at byte 15: '{shown}' (longer than 64 bytes)"),
        ]


def test_a_context_may_use_its_whole_limit() -> None:
    kept = {
        "data_points": ("a{0}: b", MAX_DATA_POINTS, "sources"),
        "thoughts": ("Step {0}: b", MAX_THOUGHTS, "thoughts"),
        "followup_questions": ("Why {0}?", MAX_QUESTIONS, "follow-up questions"),
    }
    for (key, (entry, most, things)), more in product(kept.items(), (-1, 0, 1)):
        answer = answer_with(ContextReceived({key: [entry.format(number) for number in range(most + more)]}))
        assert len(getattr(answer, key)) == min(most, most + more)
        told = [warning.detail for warning in answer.warnings]
        assert told == ([f"only {most:,} {things} of an answer are kept"] if more >= 0 else [])


def test_dropped_warnings_are_counted() -> None:
    for sent, left_out in ((MAX_WARNINGS, []), (MAX_WARNINGS + 2, ["2 more warnings were left out"])):
        told = (AnswerWarning("not_json", str(number)) for number in range(sent))
        warnings = [warning.detail for warning in answer_with(Failed(ErrorInfo("no")), *told).warnings]
        assert warnings == [*map(str, range(MAX_WARNINGS)), *left_out]


def test_a_question_in_the_text_has_a_maximal_length_and_number() -> None:
    longest = "x" * (MAX_QUESTION - len(" y?>>")) + " y?"
    answer = answer_with(TextDelta(f" <<{longest}>>"))
    assert (answer.text, answer.followup_questions) == ("A", (longest,))
    answer = answer_with(TextDelta(f" <<x{longest}>>"))
    assert (answer.text, answer.followup_questions) == (f"A <<x{longest}>>", ())
    answer = answer_with(TextDelta(" " + " ".join(f"<<Why {number}?>>" for number in range(MAX_QUESTIONS + 1))))
    assert (answer.text, answer.followup_questions) == ("A", tuple(f"Why {one}?" for one in range(MAX_QUESTIONS)))
