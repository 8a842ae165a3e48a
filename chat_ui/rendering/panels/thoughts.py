"""What the backend did on the way to an answer, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final

from chat_ui.protocol.answers.answer import Answer, Thought
from chat_ui.protocol.events import Json
from chat_ui.rendering.citations.citations import (
    RULE_EXACT,
    RULE_FIGURE,
    RULE_MISSING,
    RULE_NAME,
    RULE_NUMBER,
    RULE_PAGE,
    Citation,
    SourceIndex,
)
from chat_ui.rendering.growing.work import IN_PLACE, work_of_points
from chat_ui.rendering.panels.descriptions import counted, description_html, description_images, is_query
from chat_ui.rendering.panels.json_shapes import (
    MAX_ITEMS,
    bounded,
    cut,
    definitions_html,
    more_html,
    name_html,
    query_plan_html,
    size_of,
    text_html,
    token_usage_html,
    value_html,
)
from chat_ui.rendering.panels.time_line import time_line_html

FOLDED_FROM = 600
"""Characters from which a description is folded."""


LAZY_FROM: Final = 20_000
"""Characters from which a description is sent only when it is opened."""

_COUNTED: Final = 5 * LAZY_FROM
"""Characters of a description up to which they are counted."""

MOST_THOUGHTS: Final = 200
"""Thoughts that are shown."""

_AT_ONCE: Final = 2 * LAZY_FROM
"""Characters of descriptions and properties that are sent together; later ones are sent when they are opened."""


def thoughts_html(answer: Answer, citations: Sequence[Citation] = (), cited: int | None = None) -> str:
    """Safe HTML: each thought, then reasoning, token usage, citations, warnings, timing and dialect, when there.

    `citations` may be the first of so many `cited` ones.

    A description that is large is an empty `<details data-thought="INDEX">` to be filled with `thought_html` when it is
    opened; `<details data-json="INDEX">` stands for all of a thought as JSON. A search result that is a source of the
    answer has a button with its index as `data-point`.
    """
    sources = SourceIndex(answer.data_points)
    steps = "".join(f"<li>{step}</li>" for step in _steps(answer.thoughts[:MOST_THOUGHTS], sources))
    beyond = len(answer.thoughts) - MOST_THOUGHTS
    more = f'<p class="cut">{beyond:,} more steps are not shown.</p>' if beyond > 0 else ""
    parts = [f'<ol class="thoughts">{steps}</ol>{more}' if steps else ""]
    if answer.reasoning.strip():
        reasoning = _folded(text_html(answer.reasoning), answer.reasoning)
        parts.append(_section("Reasoning", reasoning, "thoughts-reasoning"))
    if answer.usage:
        parts.append(_section("Token usage", token_usage_html(answer.usage), "thoughts-usage"))
    if citations:
        parts.append(_section("Citations", _citations(citations, cited or len(citations)), "thoughts-citations"))
    if answer.warnings:
        items = "".join(
            f"<li><code>{escape(one.code)}</code> {escape(cut(one.detail))}</li>" for one in answer.warnings
        )
        parts.append(_section("Warnings", f"<ul>{items}</ul>", "thoughts-warnings"))
    if time_line := time_line_html(answer):
        parts.append(_section("Time line", time_line, "thoughts-facts"))
    html = "".join(parts)
    return html or '<p class="thoughts-empty">The backend sent no thoughts with this answer.</p>'


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
        IndexError: there is no such thought.
    """
    return description_html(bounded(answer.thoughts[number].description), SourceIndex(answer.data_points))


def thought_images(answer: Answer, number: int) -> list[str]:
    """The URLs of the remote images that `thought_html` offers to show.

    Raises:
        IndexError: there is no such thought.
    """
    return description_images(bounded(answer.thoughts[number].description), SourceIndex(answer.data_points))


_RULES: Final = {
    RULE_EXACT: "as the source is called",
    RULE_NAME: "by its name, written another way",
    RULE_FIGURE: "by its figure",
    RULE_PAGE: "by its document, with the page or figure left out",
    RULE_NUMBER: "by its number",
    RULE_MISSING: "not found among the sources",
}


def _citations(citations: Sequence[Citation], count: int) -> str:
    rows = "".join(
        f'<tr><td>{citation.number}</td><td dir="auto">{escape(cut(citation.label, 300))}</td>'
        f"<td>{_RULES[citation.rule]}</td></tr>"
        for citation in citations[:MAX_ITEMS]
    )
    return (
        '<div class="table-scroll" role="region" tabindex="0" aria-label="Citations"><table><thead><tr>'
        '<th scope="col">Number</th><th scope="col">Source</th><th scope="col">Matched</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>{more_html(count)}"
    )


def _section(title: str, body: str, kind: str) -> str:
    return f'<section class="{kind}"><h3>{title}</h3>{body}</section>'


def _steps(thoughts: Sequence[Thought], sources: SourceIndex) -> Iterator[str]:
    sent = 0
    for number, thought in enumerate(thoughts):
        is_large = sent > _AT_ONCE
        yield _step(number, thought, sources, is_large)
        if not is_large:
            sent += size_of(thought.description, LAZY_FROM) + size_of(thought.props, LAZY_FROM)


def _step(number: int, thought: Thought, sources: SourceIndex, is_large: bool) -> str:
    title = thought.title.strip() or "Step"
    body = f'<h3 dir="auto">{escape(cut(title))}</h3>'
    props = {} if is_large or size_of(thought.props, _COUNTED) > _COUNTED else dict(thought.props or {})
    usage, plan = props.pop("token_usage", None), props.pop("query_plan", None)
    if props and size_of(props, LAZY_FROM) <= LAZY_FROM:
        body += definitions_html([(name_html(name), value_html(value)) for name, value in props.items()])
    if isinstance(usage, Mapping):
        body += f'<div class="token-usage">{token_usage_html(usage)}</div>'
    elif usage is not None:
        body += value_html(usage)
    if plan is not None:
        body += query_plan_html(plan)
    as_json = f'<details class="thought-json" data-json="{number}"><summary>As JSON</summary></details>'
    shown = body + _description(number, thought, sources, is_large)
    return shown + (as_json if thought.props or not isinstance(thought.description, str | None) else "")


def _description(number: int, thought: Thought, sources: SourceIndex, is_large: bool) -> str:
    description = thought.description
    size = size_of(description, _COUNTED)
    if size > LAZY_FROM or (is_large and size):
        summary = f"<summary>{_amount(description, size)}</summary>"
        return f'<details class="thought-details" data-thought="{number}">{summary}</details>'
    if isinstance(description, str) and is_query(thought):
        return f'<pre class="thought-code" tabindex="0"><code dir="auto">{escape(description)}</code></pre>'
    html = description_html(description, sources)
    return html if "<img " in html else _folded(html, description)


def _folded(html: str, description: Json) -> str:
    size = size_of(description, _COUNTED)
    if size < FOLDED_FROM:
        return html
    return f'<details class="thought-details"><summary>{_amount(description, size)}</summary>{html}</details>'


def _amount(description: Json, size: int) -> str:
    """What is unfolded, in words: how many of what, or about how many characters."""
    if of_one_kind := counted(description):
        number, noun = of_one_kind
        return f"Show {number:,} {noun}s" if number > 1 else f"Show the {noun}"
    is_exact = size <= _COUNTED or isinstance(description, str)
    return f"Show {size:,} characters" if is_exact else f"Show more than {_COUNTED:,} characters"
