"""The steps of the backend on the way to an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final
from urllib.parse import quote

from chat_ui.languages.translation import gettext, ngettext, translated
from chat_ui.protocol.answers.answer import REASONING, Answer, Thought, Timing
from chat_ui.protocol.dialects.registry import label_of
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.citations.citations import RULE_MISSING, RULE_NUMBER, Citation, SourceIndex
from chat_ui.rendering.citations.source_names import RULE_EXACT, RULE_FIGURE, RULE_NAME, RULE_PAGE
from chat_ui.rendering.panels.descriptions import counted, description_html, description_images
from chat_ui.rendering.panels.durations import bar_html, duration_words
from chat_ui.rendering.panels.json_shapes import (
    FOLDED_FROM,
    MAX_ITEMS,
    bounded,
    cut,
    foldable_html,
    is_set,
    more_html,
    properties_html,
    size_of,
)
from chat_ui.rendering.panels.steps import (
    MOST_THOUGHTS,
    OF_A_KIND,
    Searches,
    agentic_plan,
    is_search,
    parts_html,
    plan_html,
    reported_html,
    results_by_step,
    seconds_of,
    title_of,
    usage_html,
)
from chat_ui.rendering.streaming.work import IN_PLACE, work_of_points

LAZY_FROM: Final = 20_000
"""Characters from which a description is sent only when it is opened."""

_COUNTED: Final = 5 * LAZY_FROM

_AT_ONCE: Final = 2 * LAZY_FROM
"""Characters of descriptions and properties that are sent together; later ones are sent when they are opened."""

_RULES: Final = {
    RULE_EXACT: msg("by its exact name"),
    RULE_NAME: msg("by its name, written another way"),
    RULE_FIGURE: msg("by its figure"),
    RULE_PAGE: msg("by its document, with the page or figure left out"),
    RULE_NUMBER: msg("by its number"),
    RULE_MISSING: msg("not found among the sources"),
}
_MOST_STEPS: Final = 50
_SHORTEST: Final = 0.0005


def thoughts_html(answer: Answer, citations: Sequence[Citation] = (), cited: int | None = None, step: str = "") -> str:
    """Safe HTML: the time line, each thought, then reasoning, citations and warnings, if any.

    `citations` may be the first of so many `cited` ones. A large description is an empty `<details
    data-thought="INDEX">`, which gets `thought_html` when it is opened. Below a step of a query plan `data-thought` is
    `INDEX?step=ID`. A search result that is a source of the answer has a button with its index as `data-point`. The
    step with the id `step` in a query plan has `data-active`.
    """
    parts = []
    if time_line := time_line_html(answer):
        parts.append(f'<section class="thoughts-time">{time_line}</section>')
    parts.append(_rail(answer, Searches.of(answer, active=step)))
    if answer.reasoning.strip():
        parts.append(_section(gettext(REASONING), foldable_html(answer.reasoning), "thoughts-reasoning"))
    if citations:
        parts.append(
            _section(gettext("Citations"), _citations(citations, cited or len(citations)), "thoughts-citations")
        )
    if answer.warnings:
        items = "".join(
            f"<li><code>{escape(one.code)}</code> {escape(cut(translated(one.detail)))}</li>" for one in answer.warnings
        )
        parts.append(_section(gettext("Warnings"), f"<ul>{items}</ul>", "thoughts-warnings"))
    return "".join(parts)


def raw_html(answer: Answer) -> str:
    """Safe HTML: a `<details data-json="INDEX">` for each thought, for all of it as JSON."""
    items = "".join(
        f'<li><details class="thought-json" data-json="{number}">'
        f'<summary dir="auto">{escape(title_of(thought))}</summary></details></li>'
        for number, thought in enumerate(answer.thoughts[:MOST_THOUGHTS])
    )
    return f'<h4>{escape(gettext("Steps as JSON"))}</h4><ol class="thoughts-json">{items}</ol>' if items else ""


def work_of_thoughts(answer: Answer) -> int:
    """About the microseconds that `thoughts_html` takes."""
    shown = [[thought.description, thought.props] for thought in answer.thoughts[:MOST_THOUGHTS]]
    return work_of_points(answer.data_points) + size_of(shown, IN_PLACE)


def is_large(thought: Thought) -> bool:
    """Whether a thought's description is sent only when it is opened."""
    return size_of(thought.description, LAZY_FROM) > LAZY_FROM


def thought_html(answer: Answer, number: int) -> str:
    """Safe HTML for the description of thought `number`, from 0.

    Raises:
        IndexError: the thought does not exist.
    """
    return description_html(bounded(answer.thoughts[number].description), SourceIndex(answer.data_points))


def thought_images(answer: Answer, number: int) -> list[str]:
    """The URLs of the remote images that `thought_html` offers to show.

    Raises:
        IndexError: the thought does not exist.
    """
    return description_images(bounded(answer.thoughts[number].description), SourceIndex(answer.data_points))


def _citations(citations: Sequence[Citation], count: int) -> str:
    rows = "".join(
        f'<tr><td>{citation.number}</td><td dir="auto">{escape(cut(citation.label, 300))}</td>'
        f"<td>{escape(gettext(_RULES[citation.rule]))}</td></tr>"
        for citation in citations[:MAX_ITEMS]
    )
    heads = (gettext("Number"), gettext("Source"), gettext("Matched"))
    head = "".join(f'<th scope="col">{escape(words)}</th>' for words in heads)
    return (
        '<details class="thought-details">'
        f"<summary>{escape(ngettext('Show {count} citation', 'Show {count} citations', count))}</summary>"
        f'<div class="table-scroll" role="region" tabindex="0" aria-label="{escape(gettext("Citations"))}">'
        f"<table><thead><tr>{head}"
        f"</tr></thead><tbody>{rows}</tbody></table></div>{more_html(count)}</details>"
    )


def _section(title: str, body: str, kind: str) -> str:
    return f'<section class="{kind}"><h3>{escape(title)}</h3>{body}</section>'


def _rail(answer: Answer, searches: Searches) -> str:
    if not answer.thoughts:
        is_over = answer.timing.total is not None
        over = gettext("The backend sent no thoughts with this answer.")
        words = over if is_over else gettext("The backend sent no thoughts with this answer so far.")
        return f'<p class="thoughts-empty">{escape(words)}</p>'
    steps = "".join(
        f'<li class="thought">{step}</li>'
        for step in _steps(answer.thoughts[:MOST_THOUGHTS], SourceIndex(answer.data_points), searches)
    )
    beyond = len(answer.thoughts) - MOST_THOUGHTS
    cut_off = ngettext("{count} more step is not shown.", "{count} more steps are not shown.", beyond)
    more = f'<p class="cut">{escape(cut_off)}</p>' if beyond > 0 else ""
    return f'<ol class="thoughts">{steps}</ol>{more}'


def _steps(thoughts: Sequence[Thought], sources: SourceIndex, searches: Searches) -> Iterator[str]:
    sent = 0
    before = None
    for number, thought in enumerate(thoughts):
        is_late = sent > _AT_ONCE
        told = reported_html(thought, before)
        props = _reported_props(thought, is_late)
        if agentic_plan(props):
            description = _planned(number, thought, sources, searches, is_late or is_large(thought))
        else:
            description = _description(str(number), thought, sources, is_late)
        parts = parts_html(props, told is not None)
        yield _head(thought, told) + (description + parts if is_search(thought) else parts + description)
        before = thought
        if not is_late:
            sent += size_of(thought.description, LAZY_FROM) + size_of(thought.props, LAZY_FROM)


def _planned(number: int, thought: Thought, sources: SourceIndex, searches: Searches, is_late: bool) -> str:
    """The query plan with the results of each step, then the results without a step."""
    shown: dict[str, str] = {}
    for step, found in results_by_step(thought).items():
        part = f"{number}?step={quote(step, safe='', errors='replace')}"
        shown[step] = _description(part, replace(thought, description=found), sources, is_late)
    plan, rest = agentic_plan(thought.props or {}), shown.pop("", "")
    return plan_html(plan[:MAX_ITEMS], searches, shown) + more_html(len(plan)) + "".join(shown.values()) + rest


def _head(thought: Thought, told: str | None) -> str:
    """The step in plain words, if any, then with its title below."""
    title, seconds = escape(title_of(thought)), seconds_of(thought)
    took = f'<span class="thought-took">{escape(duration_words(seconds))}</span>' if seconds else ""
    head = f'<div class="thought-head"><h3><bdi>{told or title}</bdi></h3>{took}</div>'
    return head + (f'<p class="thought-title"><bdi>{title}</bdi></p>' if told else "")


def _reported_props(thought: Thought, is_late: bool) -> JsonObject:
    """The properties that are sent together with the others; large ones are left to the JSON."""
    props = thought.props or {}
    if is_late or size_of(props, _COUNTED) > _COUNTED:
        return {}
    own = {name: value for name, value in props.items() if name not in OF_A_KIND}
    if size_of(own, LAZY_FROM) <= LAZY_FROM:
        return props
    return {name: value for name, value in props.items() if name in OF_A_KIND}


def _description(number: str, thought: Thought, sources: SourceIndex, is_late: bool) -> str:
    description = thought.description
    size = size_of(description, _COUNTED)
    if size > LAZY_FROM or (is_late and size):
        summary = f"<summary>{escape(_amount(description, size))}</summary>"
        return f'<details class="thought-details" data-thought="{number}">{summary}</details>'
    if not is_set(description):
        return ""
    if isinstance(description, str) and is_search(thought):
        return f'<pre class="thought-code" tabindex="0"><code dir="auto">{escape(description)}</code></pre>'
    html = description_html(description, sources)
    if size < FOLDED_FROM or not _is_of_names(description):
        return html
    return f'<details class="thought-details"><summary>{escape(_amount(description, size))}</summary>{html}</details>'


def _is_of_names(description: Json) -> bool:
    """Whether a description is shown as names and values, which are many lines."""
    entries = description if isinstance(description, Sequence) else [description]
    return any(isinstance(entry, Mapping) for entry in entries) and counted(description) is None


def _amount(description: Json, size: int) -> str:
    """The folded amount in words: a number of things, or about how many characters."""
    if of_one_kind := counted(description):
        number, noun = of_one_kind
        things = {
            "image": lambda: ngettext("Show the image", "Show {count} images", number),
            "message": lambda: ngettext("Show the message", "Show {count} messages", number),
            "result": lambda: ngettext("Show the result", "Show {count} results", number),
        }
        return things[noun]()
    is_exact = size <= _COUNTED or isinstance(description, str)
    if is_exact:
        return ngettext("Show {count} character", "Show {count} characters", size)
    return gettext("Show more than {length} characters", length=_COUNTED)


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
    """Safe HTML: a turn's time, its stages as bars on one scale, then its tokens and its dialect; may be empty."""
    stages = [*_stages(answer.timing), *_reported_stages(answer.thoughts[:_MOST_STEPS])]
    dialect = translated(label_of(answer.dialect)) if answer.dialect else None
    usage = usage_html(answer.usage)
    if not (stages or dialect or usage):
        return ""
    total = answer.timing.total
    took = ""
    if total is not None:
        words = gettext("{duration} total", duration=duration_words(total))
        took = f'<span class="thought-took">{escape(words)}</span>'
    head = f'<div class="thought-head"><h3>{escape(gettext("Timeline"))}</h3>{took}</div>'
    return head + _table(stages) + usage + properties_html({gettext("API format"): dialect})


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


def _reported_stages(thoughts: Sequence[Thought]) -> Iterator[_Stage]:
    """The steps with a reported length, one after the other: their beginnings are not reported."""
    start = 0.0
    for thought in thoughts:
        if seconds := seconds_of(thought):
            yield _Stage(title_of(thought), start, start + seconds, "step")
            start += seconds


def _table(stages: Sequence[_Stage]) -> str:
    if not stages:
        return ""
    total = max(stage.end for stage in stages) or 1.0
    return (
        f'<table class="usage"><caption>{escape(gettext("Time by step"))}</caption>'
        f"<tbody>{''.join(_row(stage, total) for stage in stages)}</tbody></table>"
    )


def _row(stage: _Stage, total: float) -> str:
    when = ""
    if stage.start and stage.kind != "step":
        span = gettext(", from {start} to {end}", start=duration_words(stage.start), end=duration_words(stage.end))
        when = f'<span class="count-span">{escape(span)}</span>'
    name = escape(stage.name)
    return (
        f'<tr class="usage-{stage.kind}"><th scope="row" title="{name}"><bdi>{name}</bdi></th>'
        f"<td>{bar_html(stage.start / total, stage.end / total)}</td>"
        f'<td><span class="count">{escape(duration_words(stage.seconds))}</span>{when}</td></tr>'
    )
