"""The thinking at the head of a text: where the server does not separate the two, models such as DeepSeek R1 and Qwen
send `<think>…</think>` before the answer.
"""

from __future__ import annotations

import re
from typing import Final

from chat_ui.protocol.events import Event, ReasoningDelta, TextDelta

_NAMES: Final = ("think", "thinking", "thought", "reasoning")
_OPENING: Final = re.compile(rf"\s*<({'|'.join(_NAMES)})>")
_LONGEST_HEAD: Final = 64
"""Characters of white space after which no thinking is expected any more."""


class ThinkingFilter:
    """Separates the thinking at the head of a text from the rest, wherever the pieces are cut."""

    def __init__(self) -> None:
        self._held = ""
        self._closing = ""
        self._is_begun = self._is_over = False

    def feed(self, text: str) -> list[Event]:
        """The thinking and the text that the next piece of the text releases."""
        if self._is_over:
            return [TextDelta(text)]
        self._held += text
        if not self._is_begun:
            opening = _OPENING.match(self._held)
            if opening is None:
                return [] if _may_open(self._held) else self._release()
            self._is_begun = True
            self._closing = f"</{opening[1]}>"
            self._held = self._held[opening.end() :]
        events: list[Event] = []
        if self._closing:
            thought, end, rest = self._held.partition(self._closing)
            if not end:
                thought = thought[: len(thought) - _length_begun(thought, self._closing)]
                rest = self._held[len(thought) :]
            if thought:
                events.append(ReasoningDelta(thought))
            self._held = rest
            if not end:
                return events
            self._closing = ""
        self._held = self._held.lstrip()
        return events + self._release() if self._held else events

    def close(self) -> list[Event]:
        """The events held back, once nothing more comes."""
        if not self._closing:
            return self._release()
        thought, self._held = self._held, ""
        return [ReasoningDelta(thought)] if thought else []

    def _release(self) -> list[Event]:
        text, self._held, self._is_over = self._held, "", True
        return [TextDelta(text)] if text else []


def _may_open(text: str) -> bool:
    begun = text.lstrip()
    return len(text) < _LONGEST_HEAD and any(f"<{name}>".startswith(begun) for name in _NAMES)


def _length_begun(text: str, closing: str) -> int:
    """The length of the end of `text` that begins `closing`."""
    return next((n for n in range(min(len(closing) - 1, len(text)), 0, -1) if closing.startswith(text[-n:])), 0)
