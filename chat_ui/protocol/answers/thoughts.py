"""Thoughts: the steps that a backend reports, in every shape that backends send."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from chat_ui.protocol.answers.markup import words_of_html
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import msg

MAX_THOUGHTS: Final = 1000
STEPS: Final = "steps"
"""The key of a context for thoughts by unique names, which are added to earlier ones."""
THOUGHT_KEYS: Final = frozenset({"thoughts", "intent", "all_retrieved_documents", STEPS})
"""Keys of a context for thoughts."""
_HEADING = re.compile(r"([^:\n]{1,60}):\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Thought:
    """A step of the backend: `description` and `props` are any JSON."""

    title: str
    description: Json = None
    props: JsonObject | None = None


def read_thoughts(context: JsonObject) -> tuple[Thought, ...]:
    """At most `MAX_THOUGHTS` thoughts of a merged context, those of Azure OpenAI On Your Data among them."""
    return tuple(islice(_steps(context), MAX_THOUGHTS))


def _steps(context: JsonObject) -> Iterator[Thought]:
    thoughts = context.get("thoughts")
    if isinstance(thoughts, str):
        yield from _written(thoughts)
    elif isinstance(thoughts, Mapping):
        yield _thought(thoughts, 1)
    elif isinstance(thoughts, Sequence):
        for number, thought in enumerate(thoughts, 1):
            if isinstance(thought, Mapping):
                yield _thought(thought, number)
            elif isinstance(thought, str):
                yield from _written(thought)
            elif thought is not None:
                yield Thought(_step(number), thought)
    if context.get("intent"):
        yield Thought(msg("Search intent"), context["intent"])
    if context.get("all_retrieved_documents"):
        yield Thought(msg("All retrieved documents"), context["all_retrieved_documents"])
    steps = context.get(STEPS)
    for number, step in enumerate(steps.values() if isinstance(steps, Mapping) else (), 1):
        if isinstance(step, Mapping):
            yield _thought(step, number)


def _step(number: int) -> str:
    return msg("Step {number}", number=number)


def _thought(thought: JsonObject, number: int) -> Thought:
    title, props = thought.get("title"), thought.get("props")
    shown = title if isinstance(title, str) and title.strip() else _step(number)
    description = thought.get("description")
    if "title" not in thought and "description" not in thought:
        return Thought(shown, thought)
    if props is not None and not isinstance(props, Mapping):
        props = {"props": props}
    return Thought(shown, description, props if isinstance(props, Mapping) else None)


def _written(text: str) -> Iterator[Thought]:
    """The thought in one string with `<br>`: `Searched for:<br>query<br><br>Conversations:<br>…`."""
    paragraphs = re.split(r"\n[ \t]*\n", words_of_html(text))
    for number, paragraph in enumerate((part.strip() for part in paragraphs), 1):
        heading = _HEADING.match(paragraph)
        if heading and heading.group(2).strip():
            yield Thought(heading.group(1).strip(), heading.group(2).strip())
        elif paragraph:
            yield Thought(
                paragraph[:-1] if paragraph.endswith(":") and len(paragraph) < 60 else _step(number), paragraph
            )
