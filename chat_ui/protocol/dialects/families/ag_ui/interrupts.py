"""Agents that stop for what no chat page gives: an approval, the fields of a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.dialects.errors import plain_words
from chat_ui.protocol.dialects.tool_calls import read_json
from chat_ui.protocol.events import Json
from chat_ui.protocol.translatable import msg

_MOST: Final = 10


def interrupt_in_words(interrupts: Json) -> str:
    """What the agent waits for, and what to do, for a person."""
    asked = [_question(one) for one in interrupts[:_MOST]] if isinstance(interrupts, list) else []
    words = plain_words("; ".join(filter(None, asked)))
    waits = (
        msg("The agent waits for an answer that this page cannot give it: “{question}”", question=words)
        if words
        else msg("The agent waits for an answer that this page cannot give it.")
    )
    advice = msg("Put the question differently, or ask on the page that was made for this agent.")
    return msg("{problem} {advice}", problem=waits, advice=advice)


def _question(interrupt: Json) -> str:
    interrupt = read_json(interrupt)
    if not isinstance(interrupt, Mapping):
        return interrupt if isinstance(interrupt, str) else ""
    for key in ("message", "question", "reason"):
        if isinstance(words := interrupt.get(key), str) and words.strip():
            return words
    return ""
