"""The items of a body in order, and the limit of text that is not JSON."""

from typing import Any

from chat_ui.protocol.dialects.objects import has_only, only_choice, text_of
from chat_ui.protocol.events import AnswerWarning
from chat_ui.protocol.reading.items import MOST_UNREAD, Framed, Items, Limits, where
from chat_ui.protocol.reading.json_text import excerpt, type_of


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def test_values_belong_to_their_event_and_invalid_parts_are_counted() -> None:
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
    last = "10,000 parts in a row are not JSON, the last of them at byte 7: 'x' (not JSON)"
    assert found[-1] == AnswerWarning("unreadable", last)
    assert items.take() == []
    items = Items()
    items.event = "note"
    items.give_each([1, 2])
    items.warn("not_json", 7, b"x" * 81, "why")
    assert items.take() == [
        Framed(1, "note"), Framed(2, "note"), AnswerWarning("not_json", f"at byte 7: {'x' * 80!r} (why)"),
    ]  # fmt: skip
    assert where(0, b"\xff") == "at byte 0: '\ufffd'"


def test_a_value_of_too_many_parts_is_recognised_by_its_marks() -> None:
    are_too_many = {b"[1,2]": False, b"[1,2,3,4]": True, b"[1,2,345]": False, b"[,,": False}
    assert {data: Limits(100, 3).are_too_many_parts(data) for data in are_too_many} == are_too_many
    assert (Limits(100, 3).shown, Limits(7, 3).shown) == (80, 7)


def test_a_value_is_named_and_shown_in_a_warning() -> None:
    shown: list[tuple[Any, str, str]] = [
        (None, "null", "'null'"),
        (True, "a boolean", "'true'"),
        (1.5, "a number", "'1.5'"),
        ("ü", "a string", "'ü'"),
        (["ü"], "a list", "'[\"ü\"]'"),
        ("x" * 80, "a string", repr("x" * 80)),
        ("x" * 81, "a string", repr("x" * 79 + "…")),
        ([[]], "a list", "'[[]]'"),
        (nested(100_000), "a list", "…"),
    ]
    assert [(type_of(value), excerpt(value)) for value, *_ in shown] == [(kind, words) for _, kind, words in shown]


def test_a_message_with_only_a_text_is_that_text_and_null_says_nothing() -> None:
    only: list[dict[str, Any]] = [{}, {"a": 1}, {"a": 1, "b": None}, {"b": 0}, {"a": 1, "b": ""}]
    assert [has_only(frozenset({"a"}), value) for value in only] == [True] * 3 + [False] * 2
    for message in ({"content": "a"}, {"content": "a", "role": "assistant"}, {"content": "a", "role": None}):
        assert text_of({**message, "refusal": None}) == "a"
    others: list[Any] = [
        {"content": "a", "role": "user"}, {"content": "a", "refusal": "b"}, {"content": ["a"]}, {}, "a",
    ]  # fmt: skip
    assert [text_of(message) for message in others] == [None] * len(others)


def test_a_choice_is_the_only_one_if_the_rest_is_empty() -> None:
    keys = frozenset({"delta", "index", "finish_reason"})
    for choice in ({"delta": {}}, {"delta": {}, "index": 0, "finish_reason": None}, {"delta": {}, "logprobs": None}):
        assert only_choice({"choices": [choice]}, keys) == choice
    others: list[Any] = [
        [{"delta": {}, "logprobs": {}}], [{"delta": {}, "index": 1}], [{"delta": {}, "finish_reason": "stop"}],
        [{"delta": {}}, {"delta": {}}], [], ["a"], {"delta": {}},
    ]  # fmt: skip
    assert [only_choice({"choices": choices}, keys) for choices in others] == [None] * len(others)
