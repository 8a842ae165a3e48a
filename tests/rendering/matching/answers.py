"""Made answers of every dialect, as their backends send them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import render_answer
from tests.protocol.asking import fold


@dataclass(frozen=True)
class Made:
    """An answer of a dialect and, in order, what its brackets cite: ids of data points, None for what is not there."""

    dialect: str
    context: Mapping[str, Any]
    text: str
    cites: tuple[str | None, ...]
    by: str
    """The rule by which each of them was matched, where it matters."""


def made(context: Mapping[str, Any], text: str, *cites: str | None, by: str = "", dialect: str = "b") -> Made:
    return Made(dialect, context, text, cites, by)


def wire(made: Made) -> bytes:
    """The answer in its dialect: the context, then the text in two pieces that no bracket is safe from."""
    half = len(made.text) // 2
    pieces = [made.text[:half], made.text[half:]]
    match made.dialect:
        case "a":
            values = [{"choices": [{"delta": {"role": "assistant"}, "context": made.context}]}]
            values += [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
        case "b" | "c":
            values = [{"delta": {"role": "assistant"}, "context": made.context}]
            values += [{"delta": {"content": piece}} for piece in pieces]
        case "d":
            values = [{"choices": [{"index": 0, "delta": {"role": "assistant", "context": made.context}}]}]
            values += [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
        case "e":
            values = [{"type": "response.context", "context": made.context}]
            values += [{"type": "response.output_text.delta", "delta": piece} for piece in pieces]
        case "f":
            tool = {"role": "tool", "content": json.dumps(made.context)}
            values = [{"choices": [{"messages": [tool]}]}]
            values += [{"choices": [{"messages": [{"role": "assistant", "content": piece}]}]} for piece in pieces]
        case _:
            raise ValueError(made.dialect)
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def answered(made: Made) -> Answer:
    return fold(wire(made))


def cited(made: Made) -> list[tuple[str | None, str]]:
    """What the brackets of the answer were matched with, and by which rule, in order."""
    answer = answered(made)
    rendered = render_answer(answer.text, answer.data_points)
    by_number = {citation.number: citation for citation in rendered.citations}
    found = [by_number[use.number] for use in rendered.uses]
    return [(None if one.data_point is None else answer.data_points[one.data_point].id, one.rule) for one in found]
