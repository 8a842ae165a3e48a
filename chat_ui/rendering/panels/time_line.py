"""When what of an answer came, as bars on a line of time and in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from chat_ui.languages.translation import gettext, translated
from chat_ui.protocol.answers.answer import Answer, Thought, Timing
from chat_ui.protocol.dialects.registry import label_of
from chat_ui.rendering.panels.durations import bar_html, duration_words
from chat_ui.rendering.panels.json_shapes import properties_html
from chat_ui.rendering.panels.steps import seconds_of, title_of, usage_html

_MOST_STEPS: Final = 50
_SHORTEST: Final = 0.0005


@dataclass(frozen=True, slots=True)
class _Stage:
    name: str
    start: float
    end: float
    kind: str

    @property
    def seconds(self) -> float:
        return self.end - self.start


def time_line_html(answer: Answer) -> str:
    """Safe HTML: how long a turn took, its stages with a bar each, on one scale, then its tokens and its dialect.

    Empty where none of it is known.
    """
    stages = [*_stages(answer.timing), *_steps(answer.thoughts[:_MOST_STEPS])]
    dialect = f"{translated(label_of(answer.dialect))} ({answer.dialect})" if answer.dialect else None
    usage = usage_html(answer.usage)
    if not (stages or dialect or usage):
        return ""
    total = answer.timing.total
    took = ""
    if total is not None:
        words = gettext("{duration} in all", duration=duration_words(total))
        took = f'<span class="thought-took">{escape(words)}</span>'
    head = f'<div class="thought-head"><h3>{escape(gettext("Time line"))}</h3>{took}</div>'
    return head + _table(stages) + usage + properties_html({gettext("dialect"): dialect})


def _stages(timing: Timing) -> Iterator[_Stage]:
    marks = [
        (gettext("First byte"), timing.first_byte),
        (gettext("Context"), timing.context),
        (gettext("First text"), timing.first_text),
    ]
    start = 0.0
    for name, end in sorted(((name, end) for name, end in marks if end is not None), key=lambda mark: mark[1]):
        if end - start > _SHORTEST or not start:
            yield _Stage(name, start, end, "wait")
            start = end
    if timing.total is not None:
        begin = start if timing.first_text is None else timing.first_text
        name = gettext("Rest") if timing.first_text is None else gettext("Text")
        yield _Stage(name, min(begin, timing.total), timing.total, "text")


def _steps(thoughts: Sequence[Thought]) -> Iterator[_Stage]:
    """The steps whose length the backend tells, one after the other: it does not tell when they began."""
    start = 0.0
    for thought in thoughts:
        if seconds := seconds_of(thought):
            yield _Stage(title_of(thought), start, start + seconds, "step")
            start += seconds


def _table(stages: Sequence[_Stage]) -> str:
    if not stages:
        return ""
    whole = max(stage.end for stage in stages) or 1.0
    return (
        f'<table class="usage"><caption>{escape(gettext("Where the time went"))}</caption>'
        f"<tbody>{''.join(_row(stage, whole) for stage in stages)}</tbody></table>"
    )


def _row(stage: _Stage, whole: float) -> str:
    when = ""
    if stage.start and stage.kind != "step":
        span = gettext(", from {start} to {end}", start=duration_words(stage.start), end=duration_words(stage.end))
        when = f'<span class="count-span">{escape(span)}</span>'
    name = escape(stage.name)
    return (
        f'<tr class="usage-{stage.kind}"><th scope="row" title="{name}"><bdi>{name}</bdi></th>'
        f"<td>{bar_html(stage.start / whole, stage.end / whole)}</td>"
        f'<td><span class="count">{escape(duration_words(stage.seconds))}</span>{when}</td></tr>'
    )
