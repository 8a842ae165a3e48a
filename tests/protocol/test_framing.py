"""Bytes to values, in every layout of JSON."""

import json
import tracemalloc
from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat_ui.protocol.events import AnswerWarning
from chat_ui.protocol.reading.framing import Framer
from chat_ui.protocol.reading.items import Framed, FrameItem, StreamDone, Unfinished, unglued
from chat_ui.protocol.reading.json_text import MOST_PARTS
from tests.growth import assert_in_proportion
from tests.protocol.asking import framed, values
from tests.protocol.layouts import JSON, LAYOUTS

SPLITS = (1, 2, 3, 5, 7, 64, 1000)


def framed_in_any_pieces(body: bytes, max_value_bytes: int = 32 * 1024 * 1024) -> list[FrameItem]:
    """The items of a body, equal for pieces of any size."""
    items = framed(body, max_value_bytes=max_value_bytes)
    for size in SPLITS:
        assert framed(body, size, max_value_bytes) == items, f"in pieces of {size}"
    return items


def values_in_any_pieces(body: bytes) -> list[object]:
    return [item.value for item in framed_in_any_pieces(body) if isinstance(item, Framed)]


def test_values_are_found_in_any_layout_with_nan_and_infinity() -> None:
    for layout, (body, expected) in LAYOUTS.items():
        assert values_in_any_pieces(body) == expected, layout
    assert repr(values(b'{"n":NaN}\n{"n":[Infinity,-Infinity]}')) == "[{'n': nan}, {'n': [inf, -inf]}]"


ONE, TWO = Framed({"n": 1}), Framed({"n": 2})
BOOM = Framed({"message": "boom"}, "error")
ITEMS: dict[str, tuple[bytes, list[FrameItem]]] = {
    "an end is no value": (b'data: {"n":1}\n\ndata: [DONE]\n\n', [ONE, StreamDone()]),
    "an end on a line": (b'{"n":1}\n[DONE]\n', [ONE, StreamDone()]),
    "an end in quotes": (b'data: {"n":1}\n\ndata: "[DONE]"\n\n', [ONE, StreamDone()]),
    "a name is that of its event": (b'event: m\ndata: {"n":1}\n\ndata: {"n":2}\n\n', [Framed({"n": 1}, "m"), TWO]),
    "an event of one name after another": (
        b"".join(b'event: %c\r\ndata: {"n":1}\r\n\r\n' % name for name in b"aaba"),
        [Framed({"n": 1}, name) for name in "aaba"],
    ),
    "a name without an empty line before it is that of the data after it": (
        b'data: {"n":1}\nevent: error\ndata: boom\nevent: m\ndata: {"n":2}\n',
        [ONE, Framed("boom", "error"), Framed({"n": 2}, "m")],
    ),
    "a value on two lines that end in CRLF": (
        b'event: m\r\ndata: {"n":\r\ndata: 1}\r\n\r\n', [Framed({"n": 1}, "m")],
    ),
    "an error field with a value": (b'error: {"code":400}\n\n', [Framed({"code": 400}, "error")]),
    "an error field with words": (b"error: out of memory\n\n", [Framed("out of memory", "error")]),
    "an error event with words": (b"event: error\ndata: out of memory\n\n", [Framed("out of memory", "error")]),
    "an error event with an object on two lines": (b'event: error\ndata: {"message":\ndata: "boom"}\n\n', [BOOM]),
    "an error event with an object on bare lines": (b'event: error\ndata: {\n  "message": "boom"\n}\n\n', [BOOM]),
    "an error event with an array": (b'event: error\ndata: [{"message":"boom"}]\n\n', [BOOM]),
    "a field on the line after a value": (b'{"n":1}\ndata: {"n":2}\n\n', [ONE, TWO]),
    "data without a character": (b'data:\n\ndata: {"n":1}\n\ndata:\n\n', [ONE]),
    "data without a character before CRLF": (b'data: \r\n\r\ndata: {"n":1}\n\ndata: \r\n\r\n', [ONE]),
    "data without a character on two lines": (b'data:\ndata:\n\ndata: {"n":1}\n\ndata:\ndata:\n\n', [ONE]),
    "words of which the beginning is shown": (
        b"ab" * 41 + b"\n", [AnswerWarning("not_json", f"at byte 0: '{'ab' * 40}' (not JSON)")],
    ),
    "words between values": (
        b'{"n":1}\nnot json here\n{"n":2}\n',
        [ONE, AnswerWarning("not_json", "at byte 8: 'not json here' (not JSON)"), TWO],
    ),
    "empty lines together in a value of an event": (
        b'data: {"a": "b' + b"\n\n\n\n\nc" * 8 + b'"}\n\n', [Framed({"a": "b" + "\nc" * 8})],
    ),
    **{
        f"an end of events, {ends!r}": (b"event: error\r\ndata: boom%b%b" % (ends, b'data: {"n":2}%b' % ends),
                                       [Framed("boom", "error"), TWO])
        for ends in (b"\r\n\n", b"\n\r\n", b"\r\r\n", b"\r\n\r\n", b"\r\r", b"\n\n")
    },
    "an array that begins": (b"[", [Unfinished("at byte 1: the array was not closed")]),
    "an array that begins between spaces": (b" [ \n", [Unfinished("at byte 4: the array was not closed")]),
    "an array after a comma": (b'[{"n":1},', [ONE, Unfinished("at byte 9: the array was not closed")]),
    "a value that begins in an array": (b'[{"n":1},{"n"', [ONE, Unfinished("at byte 9: '{\"n\"'")]),
    "a value that begins in an event": (
        b'data: {"n":1}\n\ndata: {"n"', [ONE, Unfinished("at byte 21: '{\"n\"'")],
    ),
    "a value that begins on a line": (
        b'x\n{"n":', [AnswerWarning("not_json", "at byte 0: 'x' (not JSON)"), Unfinished("at byte 2: '{\"n\":'")],
    ),
    "a line of a data stream that begins": (b'f:{"mess', [Unfinished("at byte 0: 'f:{\"mess'")]),
}  # fmt: skip


def test_a_body_has_these_items() -> None:
    for name, (body, items) in ITEMS.items():
        assert framed_in_any_pieces(body) == items, name


def test_a_value_is_told_once_it_is_whole() -> None:
    for body in (b'{"n":1}\n', b'{"n":1}', b'data: {"n":1}\n\n', b'event: e\ndata: {"n":1}\n'):
        framer = Framer()
        assert not framer.feed(body[:5])
        assert len(framer.feed(body[5:])) == 1


@pytest.mark.parametrize("ending", ["\r", "\r\r", " " * 40, "\t" * 9, " \t\r"])
def test_an_object_is_told_once_its_brackets_balance(ending: str) -> None:
    for words, cut in product(("w", "w" * 500), (0, 1, 9)):
        framer, told = Framer(), []
        for number in range(40):
            piece = (json.dumps({"n": number, "s": words}) + ending).encode()
            told += framer.feed(piece[:cut]) + framer.feed(piece[cut:])
            assert told[-1] == Framed({"n": number, "s": words})
        assert len(told) == 40


def test_an_error_event_without_an_object_has_all_its_lines() -> None:
    for words in ("[Errno 111] Connection refused", "{not json} boom", "[1] boom", "{boom", "404\nboom"):
        name, data = ["event: error\n"], [f"data: {line}\n" for line in words.split("\n")]
        for lines in ([*name, *data], [*data, *name]):
            body = f'data: {{"n":1}}\n\n{"".join(lines)}\ndata: {{"n":2}}\n\n'.encode()
            found = [item for item in framed_in_any_pieces(body) if isinstance(item, Framed)]
            assert (found[0], found[-2:]) == (ONE, [Framed(words, "error"), TWO])


def test_words_that_are_not_json_are_told_with_place_and_reason() -> None:
    body = b'data: {"n":1}\n\ndata: oops\n\ndata: {"n":\ndata: 2}\ndata: {oops}\n\ndata: {"n":\n\ndata: 3\n\n'
    details = [item.detail for item in framed_in_any_pieces(body) if isinstance(item, AnswerWarning)]
    assert [detail.split(":")[0] for detail in details] == [
        f"at byte {body.index(part)}" for part in (b"oops", b"{oops}", b'{"n":\n\n')
    ]
    for text, why in {
        b"{oops}": "Expecting property name enclosed in double quotes",
        b'{"n":}': "Expecting value",
        b'{"n":1 "m":2}': "Expecting ',' delimiter",
        b"[" * 20_000 + b"]" * 20_000: "nested too deeply",
        b'{"n":1}}': "not JSON",
    }.items():
        for size in (None, 1000):
            skipped = [item for item in framed(text + b"\n", size) if isinstance(item, AnswerWarning)]
            assert skipped[0].detail.endswith(f" ({why})")


GLUED = {
    b'data: {"a":"b"data: {"n":2}\n\n': ['{"a":"b"', {"n": 2}],
    b'data: {"a":{"b":"odata: {"n":2}\n\ndata: {"n":3}\n\n': ['{"a":{"b":"odata: ', {"n": 2}, {"n": 3}],
    b'data: {"a":"o{"n":2}data:{"b":1,data: {"n":3}\n\n': ['{"a":"o', {"n": 2}, '{"b":1,data: ', {"n": 3}],
    b'data: {"n":2}data: {"n":3}\n\n': [{"n": 2}, {"n": 3}],
    b'data: data: {"n":2}\n\n': [{"n": 2}],
    b'data: {"n":2}data: [DONE]\n\n': [{"n": 2}, StreamDone()],
    b'data: {"a":data: {"n":2}[DONE]\n\n': ['{"a":data: ', {"n": 2}, StreamDone()],
    b'data: {"n":2}{"n":\ndata: 3}\n\n': [{"n": 2}, {"n": 3}],
    b'{"a":{"b":"o{"n":2}\n{"n":3}\n': ['{"a":{"b":"o', {"n": 2}, {"n": 3}],
    b'{"a":"b"{"n":2}\n{"n":3}\n': ['{"a":"b"', {"n": 2}, {"n": 3}],
    b'{"a":{"b":"o{"n":2}': ['{"a":{"b":"o', {"n": 2}],
}


@pytest.mark.parametrize("body", GLUED)
def test_a_value_glued_to_a_frame_is_read_and_lost_bytes_are_told(body: bytes) -> None:
    for item, expected in zip(framed_in_any_pieces(body), GLUED[body], strict=True):
        if isinstance(expected, str):
            assert isinstance(item, AnswerWarning)
            assert item.code == "not_json"
            assert repr(expected.removesuffix("data: "))[1:-1] in item.detail
        else:
            assert item == (expected if isinstance(expected, StreamDone) else Framed(expected))


def test_a_line_of_broken_values_is_read_once() -> None:
    for text in ('{"a":data: {"b":1,' * 20_000, '{"a": "x{"' * 50_000, "data: " * 100_000 + "{"):
        assert unglued(text) == []


def test_a_bracket_before_words_begins_no_array_and_a_field_begins_a_line() -> None:
    for body in (b"[x", b"[x]", b"[ x]", b"[-x", b"[nul]", b"[\xef\xbb"):
        [item] = framed_in_any_pieces(body)
        assert isinstance(item, AnswerWarning)
        assert (item.code, item.detail.startswith("at byte 0: '[")) == ("not_json", True)
    kinds = [type(item) for item in framed_in_any_pieces(b'{"n":1} data: {"n":2}\n\n')]
    assert kinds == [Framed, AnswerWarning, Framed]


@pytest.mark.parametrize("prefix", [b"", b"data: ", b"[1, "])
def test_an_oversized_value_is_skipped_and_reading_continues(prefix: bytes) -> None:
    ending = b"]" if prefix == b"[1, " else b""
    body = prefix + b'{"s":"' + b"A" * 5000 + b'"}' + ending + b'\n\n{"n":2}\n'
    items = framed_in_any_pieces(body, max_value_bytes=1000)
    assert items[-1] == Framed({"n": 2})
    assert [item.code for item in items if isinstance(item, AnswerWarning)] == ["value_too_large"]


def most_memory(framer: Framer, body: bytes) -> tuple[list[FrameItem], int]:
    """The values of a body in pieces, and the peak memory of reading."""
    tracemalloc.start()
    try:
        items = [item for start in range(0, len(body), 64_000) for item in framer.feed(body[start : start + 64_000])]
        return items, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("before", [b"", b"data: "])
def test_reading_a_value_takes_less_than_two_and_a_half_times_its_size(
    before: bytes,
) -> None:
    size = 8_000_000
    body = before + b'{"s":"' + b"A" * size + b'"}\n\n'
    items, peak = most_memory(Framer(max_value_parts=MOST_PARTS), body)
    assert items == [Framed({"s": "A" * size})]
    assert peak < 2.5 * size
    assert most_memory(Framer(max_value_bytes=100_000), body)[1] < 1_000_000


def test_endless_nesting_and_ten_thousand_digits_raise_nothing() -> None:
    for deep in (b"[" * 100_000, b'{"a":' * 100_000, b"[" * 50_000 + b"]" * 50_000):
        items = framed(deep + b"\n")
        assert items
        assert not [item for item in items if isinstance(item, Framed)]
    assert framed(b'{"s":"a","n":-' + b"9" * 10_000 + b"}\n") == [Framed({"s": "a", "n": None})]


OBJECTS = st.dictionaries(st.text(max_size=8), JSON, max_size=4)
BETWEEN = st.sampled_from(["", "\n", "\r\n", "\r", "\n\n", " ", "\t\n", "\x1e", ",\n", "\n: ping\n"])


@given(st.lists(st.tuples(OBJECTS, BETWEEN, st.booleans(), st.sampled_from([None, 2])), max_size=4), st.integers(1, 40))
def test_every_written_value_is_read(parts: list[tuple[dict[str, object], str, bool, int | None]], size: int) -> None:
    body = "".join(
        json.dumps(value, ensure_ascii=ascii_only, indent=indent) + between
        for value, between, ascii_only, indent in parts
    ).encode("utf-8", "surrogatepass")
    assert values(body, size) == [value for value, *_ in parts]


PIECES = st.lists(
    st.sampled_from(
        [
            b'{"n":1}', b'{"n":2}\n', b'{"s":"}{"}\r\n', b'data: {"n":3}\n\n', b'event: e\ndata: {"n":4}\n\n',
            b'event: e\r\ndata: {"n":5}\r\n\r\n', b'event: f\ndata: {"n":[\n\n', b'{"d":{"c":"x', b'{"d":\n',
            b'{"d":1,\n', b'"a":[\n', b'"}}', b"data: ", b"data:", b"\n", b"\r\n", b"\r", b"\n\n", b"event: e",
            b"error: ", b":", b"[", b"]", b"[DONE]", b",", b'"', b"\\", b"{", b"}", b"x", b"\xef\xbb\xbf", b"\xef",
            b"\xf0\x9f\x98", b"1", b"tru", b" ", b"z" * 90,
        ]
    )
    | st.binary(max_size=3),
    max_size=24,
).map(b"".join)  # fmt: skip


def framed_in_two(body: bytes, cut: int, max_value_bytes: int = 1024) -> list[FrameItem]:
    framer = Framer(max_value_bytes)
    return framer.feed(body[:cut]) + framer.feed(body[cut:]) + framer.close()


def test_a_broken_line_loses_no_other_and_an_event_ends_before_the_next() -> None:
    body = b'{"error": "{\\"message\\\n' + b'{"error": "{\\"message\\": \\"disk full\\"}"}\n'
    for cut in range(len(body)):
        warning, value = framed_in_two(body, cut)
        assert isinstance(warning, AnswerWarning)
        assert value == Framed({"error": '{"message": "disk full"}'})
    body = b'data:{"n\n\n' + b"data:" + b"z" * 100 + b"\n"
    for cut in range(len(body)):
        found = [getattr(item, "code", "") for item in framed_in_two(body, cut, 64)]
        assert found == ["not_json", "value_too_large"]
    for broken in (b'f:{"mess', b'f:{{"messageId": 1}', b'2:[{"status": "sea'):
        assert values_in_any_pieces(broken + b'\n0:"One "\nd:{"finishReason": "stop"}\n') == [
            {"type": "0:", "value": "One "},
            {"type": "d:", "value": {"finishReason": "stop"}},
        ]


@example(b'{"n":1}{"d":{"c":"x' + b'{"n":1}' * 8, [72], 64)
@example(b'{"n":1,"' + b" " * 50 + b"\n{" + b" " * 8 + b'"d":"', [66], 64)
@given(PIECES, st.lists(st.integers(0, 200), max_size=12), st.sampled_from([64, 1024]))
def test_any_split_of_any_bytes_gives_the_same_items(body: bytes, cuts: list[int], largest: int) -> None:
    framer = Framer(largest)
    items = []
    places = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    for start, end in pairwise(places):
        items += framer.feed(body[start:end])
    items += framer.close()
    complete = framed(body, max_value_bytes=largest)
    assert [repr(item) for item in items] == [repr(item) for item in complete]


@pytest.mark.parametrize("prefix", [b"", b"data: "])
def test_the_cost_grows_linearly_with_the_value(prefix: bytes) -> None:
    def pieces(size: int) -> list[bytes]:
        body = prefix + b'{"s":"' + b"A" * size + b'"}\n\n'
        return [body[at : at + 1_400] for at in range(0, len(body), 1_400)]

    def read(pieces: list[bytes]) -> None:
        framer = Framer()
        for piece in pieces:
            framer.feed(piece)

    assert_in_proportion(read, 250_000, made=pieces)
