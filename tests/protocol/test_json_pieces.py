"""JSON in pieces: joined they are the JSON that is written in one go, and others have their turn between them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.events import Json
from chat_ui.protocol.reading.json_text import json_in_turn, json_pieces
from tests.turns import counted_turns

SIMPLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SIMPLE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
MUCH: dict[str, Json] = {
    "quotes": '"' * 1_000_000,
    "control characters": "\x01" * 1_000_000,
    "emoji": "\N{TENT}" * 1_000_000,
    "halves of a pair": "a\ud83c\udfd5" * 300_000,
    "a key": {"é" * 1_000_000: None},
    "numbers": list(range(100_000)),
    "objects": [{"a": {}, "b": []}] * 50_000,
}
EACH = pytest.mark.parametrize("value", MUCH.values(), ids=MUCH.keys())


@given(VALUES, st.booleans())
def test_the_pieces_joined_are_the_json_of_the_value(value: Json, ensure_ascii: bool):
    assert "".join(json_pieces(value, ensure_ascii=ensure_ascii)) == json.dumps(value, ensure_ascii=ensure_ascii)


@EACH
def test_no_piece_of_a_large_value_is_large(value: Json):
    assert "".join(json_pieces(value)) == json.dumps(value)
    assert max(map(len, json_pieces(value))) < 200_000


@EACH
async def test_others_have_their_turn_while_a_large_value_is_written(value: Json):
    async with counted_turns() as turns:
        assert await json_in_turn(value) == json.dumps(value)
    assert turns() > 40
