"""The text of contents in every shape, and of the objects that hold them."""

from __future__ import annotations

from typing import Any

from chat_ui.protocol.dialects.answer_text import reasoning
from chat_ui.protocol.dialects.objects import content_text, message_text
from chat_ui.protocol.events import ReasoningDelta


def within(levels: int) -> Any:
    content: Any = "a"
    for _ in range(levels):
        content = [content]
    return content


def test_a_content_is_its_text() -> None:
    cases = [
        (None, ""), (True, ""), ("a", "a"), (7, "7"), (1.5, "1.5"),
        ({"text": "a", "content": "b"}, "a"), ({"content": "b", "value": "c"}, "b"), ({"value": "c"}, "c"),
        ({"refusal": "d"}, "d"), ({"text": None, "content": "b"}, "b"), ({"text": "", "content": "b"}, ""),
        ({"other": "e"}, ""), ({"type": "text", "text": "a"}, "a"), ({"type": 7, "text": "a"}, "a"),
        ({"type": "tool_use", "text": "a"}, ""), ({"type": "tool_result", "content": "a"}, ""),
        ({"type": "compaction", "content": "a"}, ""),
        ([{"type": "thinking", "text": "a"}, {"text": "b"}, {"text": "c", "thought": True}], "b"),
        (["a", {"text": "b"}, None, 7], "ab7"), (within(8), "a"), (within(9), ""),
    ]  # fmt: skip
    assert [(content, content_text(content)) for content, _ in cases] == cases


def test_parts_that_are_thinking_are_no_text_and_are_not_lost() -> None:
    cases = [
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Twos?"}]}, {"text": "A"}]},
        {"content": [{"type": "thinking", "thinking": "Twos?", "signature": "x"}, {"type": "text", "text": "A"}]},
        {"content": [{"type": "reasoning", "text": "Twos?"}, {"type": "output_text", "text": "A"}]},
        {"content": [{"text": "Twos?", "thought": True}, {"text": "A"}]},
        {"content": "A", "reasoning_content": [{"type": "thinking", "content": "Twos?"}]},
        {"content": "A", "reasoning_details": [{"type": "reasoning.text", "text": "Twos?"}]},
    ]
    for message in cases:
        assert "".join(event.text for event in reasoning(message) if isinstance(event, ReasoningDelta)) == "Twos?"
        assert message_text(message) == "A"


def test_a_message_is_its_content_and_the_words_of_a_refusal() -> None:
    assert message_text({"content": "a", "refusal": "b"}) == "ab"
    assert message_text({}) == ""
