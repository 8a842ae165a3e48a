"""The text of contents, which backends send as strings, numbers, parts and lists of parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.events import Json, JsonObject

_MAX_NESTING: Final = 8
_NO_TEXT: Final = frozenset({"compaction", "tool_result", "web_search_tool_result", "tool_use"})
"""Types of parts that are no text of the answer, whatever is in their content."""


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
        if isinstance(part_type := content.get("type"), str) and part_type in _NO_TEXT:
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
