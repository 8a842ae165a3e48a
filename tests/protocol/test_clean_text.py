"""What cannot stay in a text is taken out of it, however long it is."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from chat_ui.protocol.clean_text import MAX_DEPTH, clean_json, clean_object_in_turn, clean_text


def test_a_character_that_cannot_stay_is_taken_out_wherever_it_stands():
    for length, odd, around in product((0, 10, 1_000, 100_000), "\x00\x1b\x7f\x9b\ud800", "xé¡"):
        for text in (odd + around * length, around * length + odd, around * length + odd + around * length):
            cleaned = clean_text(text)
            assert odd not in cleaned
            assert cleaned.count(around) == text.count(around)


def test_what_can_stay_stays():
    for text in ("", "a\tb\nc", "é" * 1_000, "¡" * 100_000, "\N{TENT}"):
        assert clean_text(text) == text


def test_of_json_each_text_is_cleaned_and_what_is_no_json_is_null():
    value = {"a\x00": ["b\x00", float("nan"), float("inf"), 1.5, 2, True, None], "c": {"d": "e\x00"}}
    cleaned = clean_json(value)
    assert [*cleaned] == [clean_text("a\x00"), "c"]
    assert cleaned[clean_text("a\x00")] == [clean_text("b\x00"), None, None, 1.5, 2, True, None]
    assert cleaned["c"] == {"d": clean_text("e\x00")}


@pytest.mark.parametrize("inner", ["object", "list"])
async def test_an_object_is_cleaned_in_turn_down_to_the_same_depth_as_at_once(inner: str):
    for levels in (MAX_DEPTH, MAX_DEPTH + 1):
        value: Any = "kept\x00"
        for _ in range(levels):
            value = {"a\x00": value} if inner == "object" else [value]
        cleaned = await clean_object_in_turn({"whole": value})
        assert cleaned == clean_json({"whole": value})
        assert ("kept" in repr(cleaned)) is (levels == MAX_DEPTH)
