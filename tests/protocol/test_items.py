"""What is found in a body in order, and when so much is no JSON that nothing more is read."""

from __future__ import annotations

from typing import Any

import pytest

from chat_ui.protocol.dialects.objects import has_only, only_choice, text_of
from chat_ui.protocol.events import Warning  # noqa: A004
from chat_ui.protocol.reading.items import MOST_UNREAD, Framed, Items, Limits, where
from chat_ui.protocol.reading.json_text import excerpt, type_of


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def test_parts_that_are_no_json_are_counted_until_the_next_value() -> None:
    items = Items()
    for _ in range(MOST_UNREAD - 1):
        items.warn("not_json", 3, b"x", "why")
    assert not items.are_unreadable
    items.give(1)
    for _ in range(MOST_UNREAD - 1):
        items.give_words(b"x", 5, "why")
    assert not items.are_unreadable
    items.give_words(b"x", 7, "why")
    assert items.are_unreadable
    found = items.take()
    assert len(found) == 2 * MOST_UNREAD + 1
    last = "10,000 parts in a row are no JSON, the last of them at byte 7: 'x' (not JSON)"
    assert found[-1] == Warning("unreadable", last)
    assert items.take() == []


def test_values_belong_to_their_event() -> None:
    items = Items()
    items.event = "note"
    items.give_each([1, 2])
    items.warn("not_json", 7, b"x" * 81, "why")
    assert items.take() == [
        Framed(1, "note"), Framed(2, "note"), Warning("not_json", f"at byte 7: {'x' * 80!r} (why)"),
    ]  # fmt: skip
    assert where(0, b"\xff") == "at byte 0: '\ufffd'"


@pytest.mark.parametrize(
    ("data", "are_too_many"), [(b"[1,2]", False), (b"[1,2,3,4]", True), (b"[1,2,345]", False), (b"[,,", False)]
)
def test_a_value_of_too_many_parts_is_told_by_its_marks(data: bytes, are_too_many: bool) -> None:
    assert Limits(100, 3).are_too_many_parts(data) is are_too_many
    assert (Limits(100, 3).shown, Limits(7, 3).shown) == (80, 7)


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (None, "null", "'null'"),
        (True, "a boolean", "'true'"),
        (1.5, "a number", "'1.5'"),
        ("ü", "a string", "'ü'"),
        (["ü"], "a list", "'[\"ü\"]'"),
        ("x" * 80, "a string", repr("x" * 80)),
        ("x" * 81, "a string", repr("x" * 79 + "…")),
        ([[]], "a list", "'[[]]'"),
        (nested(100_000), "a list", "…"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_value_is_named_and_shown_in_a_warning(value: Any, kind: str, shown: str) -> None:
    assert type_of(value) == kind
    assert excerpt(value) == shown


@pytest.mark.parametrize(
    ("value", "is_all"),
    [({}, True), ({"a": 1}, True), ({"a": 1, "b": None}, True), ({"b": 0}, False), ({"a": 1, "b": ""}, False)],
)
def test_null_says_nothing_beside_the_keys_that_are_known(value: dict[str, Any], is_all: bool) -> None:
    assert has_only(frozenset({"a"}), value) is is_all


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "a"}, "a"),
        ({"content": "a", "role": "assistant"}, "a"),
        ({"content": "a", "role": None, "refusal": None}, "a"),
        ({"content": "a", "role": "user"}, None),
        ({"content": "a", "refusal": "b"}, None),
        ({"content": ["a"]}, None),
        ({}, None),
        ("a", None),
    ],
)
def test_a_message_of_a_text_alone_is_that_text(message: Any, text: str | None) -> None:
    assert text_of(message) == text


@pytest.mark.parametrize(
    ("choices", "is_only"),
    [
        ([{"delta": {}}], True),
        ([{"delta": {}, "index": 0, "finish_reason": None}], True),
        ([{"delta": {}, "logprobs": None}], True),
        ([{"delta": {}, "logprobs": {}}], False),
        ([{"delta": {}, "index": 1}], False),
        ([{"delta": {}, "finish_reason": "stop"}], False),
        ([{"delta": {}}, {"delta": {}}], False),
        ([], False),
        (["a"], False),
        ({"delta": {}}, False),
    ],
)
def test_a_choice_is_the_only_one_where_it_says_nothing_else(choices: Any, is_only: bool) -> None:
    keys = frozenset({"delta", "index", "finish_reason"})
    assert only_choice({"choices": choices}, keys) == (choices[0] if is_only else None)
