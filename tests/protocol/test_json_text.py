"""JSON reading, fast for strict JSON and tolerant otherwise, and writing in pieces."""

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat_ui.protocol.errors import NotJsonError
from chat_ui.protocol.events import Json
from chat_ui.protocol.reading.json_text import NOT_STRICT, decode, json_in_turn, json_pieces, parse, read_strict
from tests.protocol.layouts import JSON
from tests.turns import counted_turns

LETTERS = st.sampled_from('{}[]":,\\ \n\t\r0123456789.eE+-/abtrufnlsNIy\x00\x7f\u2028ż😀')


def read(text: bytes) -> object:
    try:
        return read_strict(text)
    except NOT_STRICT:
        return None


@given(JSON)
def test_any_value_is_read_as_written(value: object) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        found = read(text)
        assert found is None or found == parse(decode(text))


@given(st.text(LETTERS, max_size=40))
@example('{"a":1,"a":2}')
@example('{"n":123456789012345678901234567890}')
@example("-0")
@example("1E400")
@example("0.1e-400")
@example('"\\ud83d\\ude00"')
@example("[1.7976931348623157e308,4.9e-324,9007199254740993]")
def test_the_tolerant_reader_equals_the_fast_one_on_strict_json(text: str) -> None:
    found = read(text.encode())
    if found is not None:
        assert repr(found) == repr(parse(text.lstrip(" \t\r\n")))


def test_loose_json_is_read_and_invalid_bytes_are_replaced() -> None:
    for text, expected in {
        b'{"n":NaN}': {"n": math.nan},
        b'{"n":1e400}': {"n": math.inf},
        b'{"s":"\\ud83d"}': {"s": "\ud83d"},
        b'{"s":"a\tb"}': {"s": "a\tb"},
        b'{"s":"\xff"}': {"s": "\ufffd"},
        b'{"a":[1,],}': {"a": [1]},
    }.items():
        assert read(text) is None
        assert repr(parse(decode(text))) == repr(expected)

    texts = {b"a": "a", b"a\xc3": "a\ufffd", b"\xf0\x9f\x98": "\ufffd", b"\xffa": "\ufffda", b"": ""}
    assert {data: decode(data) for data in texts} == texts


def test_only_white_space_may_follow_a_value() -> None:
    for text in ("1 \r\n\t", '{"a": [1]} '):
        assert parse(text) == json.loads(text)
    for text in ("1 2", "1\u00a0"):
        with pytest.raises(NotJsonError, match="extra data"):
            parse(text)


SIMPLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SIMPLE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
MUCH: dict[str, Json] = {
    "quotes": '"' * 500_000,
    "control characters": "\x01" * 500_000,
    "emoji": "\N{TENT}" * 500_000,
    "halves of a pair": "a\ud83c\udfd5" * 150_000,
    "a key": {"é" * 500_000: None},
    "numbers": list(range(50_000)),
    "objects": [{"a": {}, "b": []}] * 25_000,
}


@given(VALUES, st.booleans())
def test_the_joined_pieces_are_the_json_of_the_value(value: Json, ensure_ascii: bool):
    assert "".join(json_pieces(value, ensure_ascii=ensure_ascii)) == json.dumps(value, ensure_ascii=ensure_ascii)


@pytest.mark.parametrize("value", MUCH.values(), ids=MUCH.keys())
async def test_a_large_value_is_written_in_pieces_with_turns_for_others(value: Json):
    pieces, complete = list(json_pieces(value)), json.dumps(value)
    assert "".join(pieces) == complete
    assert max(map(len, pieces)) < 200_000
    async with counted_turns() as turns:
        assert await json_in_turn(value) == complete
    assert turns() > 20
