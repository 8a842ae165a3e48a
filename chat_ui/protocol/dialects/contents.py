"""The text of contents, which backends send as strings, numbers, parts and lists of parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.events import Json, JsonObject

_THINKING: Final = ("thinking", "reasoning")
_OF_THOUGHT: Final = ("thinking", "reasoning", "summary", "text", "content")
"""Keys of the words of such a part."""
_MAX_NESTING: Final = 8
_NO_TEXT: Final = ("compaction", "tool_result", "web_search_tool_result", "tool_use")
"""Types of parts that are no text of the answer, whatever is in their content."""


def thinking_text(content: Json) -> str:
    """The thinking among the parts of a content: those of Mistral and Anthropic of the type `thinking`, others of the
    type `reasoning`, and Gemini's that are a `thought`.
    """
    parts = content if isinstance(content, list) else [content]
    thoughts = [part for part in parts if isinstance(part, Mapping) and _is_thinking(part)]
    return "".join(content_text(next((part[key] for key in _OF_THOUGHT if part.get(key)), None)) for part in thoughts)


def _is_thinking(part: JsonObject) -> bool:
    return part.get("type") in _THINKING or part.get("thought") is True


def content_text(content: Json, depth: int = 0) -> str:
    """The text of a content: a string, null (nothing), a number (its text) or a list of parts (their `text`, or the
    words of a refusal).
    """
    if content is None or isinstance(content, bool) or depth > _MAX_NESTING:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, int | float):
        return _number_text(content)
    if isinstance(content, Mapping):
        if content.get("type") in _NO_TEXT or _is_thinking(content):
            return ""
        for key in ("text", "content", "value", "refusal"):
            if content.get(key) is not None:
                return content_text(content[key], depth + 1)
        return ""
    return "".join(content_text(part, depth + 1) for part in content)


def _number_text(number: float) -> str:
    try:
        return str(number)
    except ValueError:
        return hex(int(number))


def message_text(message: JsonObject) -> str:
    """The text of a message or of a piece of one: its content, and the words in which a model refuses."""
    return content_text(message.get("content")) + content_text(message.get("refusal"))
