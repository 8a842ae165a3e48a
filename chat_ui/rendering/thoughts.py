"""What the backend did on the way to an answer, step by step."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from html import escape, unescape
from typing import Final

from chat_ui.protocol.answer import Answer, Thought, Timing
from chat_ui.protocol.events import Json
from chat_ui.rendering.citations import (
    RULE_EXACT,
    RULE_FIGURE,
    RULE_MISSING,
    RULE_NAME,
    RULE_NUMBER,
    RULE_PAGE,
    Citation,
    SourceIndex,
)
from chat_ui.rendering.json_shapes import (
    MAX_ITEMS,
    cut,
    definitions_html,
    more_html,
    object_html,
    query_plan_html,
    size_of,
    text_html,
    token_usage_html,
    value_html,
)
from chat_ui.rendering.links import image_html, image_src

FOLDED_FROM = 600
"""Characters from which a description is folded."""

_MAX_LITERAL = 100_000
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_MESSAGE_REPR = re.compile(r"\s*[{\[]")
_RESULT_KEYS = frozenset({"sourcepage", "sourcefile", "score", "reranker_score", "content", "captions"})
_RESULT_NAMES = ("sourcepage", "title", "name", "sourcefile", "filepath", "id")
_RESULT_TEXTS = ("content", "snippet", "text", "chunk")


LAZY_FROM: Final = 20_000
"""Characters from which a description is sent only when it is opened."""

_COUNTED: Final = 50 * LAZY_FROM
"""Characters of a description up to which they are counted."""


def thoughts_html(answer: Answer, citations: Sequence[Citation] = ()) -> str:
    """Safe HTML: each thought, then reasoning, token usage, citations, warnings, timing and dialect, when there.

    A description that is large is an empty `<details data-thought="INDEX">` to be filled with `thought_html` when it is
    opened; `<details data-json="INDEX">` stands for all of a thought as JSON. A search result that is a source of the
    answer has a button with its index as `data-point`.
    """
    sources = SourceIndex(answer.data_points)
    steps = "".join(f"<li>{_step(number, thought, sources)}</li>" for number, thought in enumerate(answer.thoughts))
    parts = [f'<ol class="thoughts">{steps}</ol>' if steps else ""]
    if answer.reasoning.strip():
        parts.append(_section("Reasoning", text_html(answer.reasoning), "thoughts-reasoning"))
    if answer.usage:
        parts.append(_section("Token usage", token_usage_html(answer.usage), "thoughts-usage"))
    if citations:
        parts.append(_section("Citations", _citations(citations), "thoughts-citations"))
    if answer.warnings:
        items = "".join(
            f"<li><code>{escape(one.code)}</code> {escape(cut(one.detail))}</li>" for one in answer.warnings
        )
        parts.append(_section("Warnings", f"<ul>{items}</ul>", "thoughts-warnings"))
    facts = _facts(answer)
    if facts:
        parts.append(_section("Time line", _time_line(answer.timing) + definitions_html(facts), "thoughts-facts"))
    html = "".join(parts)
    return html or '<p class="thoughts-empty">The backend sent no thoughts with this answer.</p>'


def thought_html(answer: Answer, number: int) -> str:
    """Safe HTML for the description of thought `number`, from 0.

    Raises:
        IndexError: there is no such thought.
    """
    return _shapes(answer.thoughts[number].description, SourceIndex(answer.data_points))


def _facts(answer: Answer) -> list[tuple[str, str]]:
    timing = answer.timing
    seconds = (
        ("First byte", timing.first_byte),
        ("Context", timing.context),
        ("First text", timing.first_text),
        ("Total", timing.total),
    )
    facts = [(name, f"{value:.2f} s") for name, value in seconds if value is not None]
    if answer.dialect:
        facts.append(("Dialect", answer.dialect))
    return [(name, escape(value)) for name, value in facts]


def _time_line(timing: Timing) -> str:
    """The stages of a turn one after the other, each as long as it took."""
    marks = [
        ("Waiting for the first byte", timing.first_byte),
        ("Until the context", timing.context),
        ("Until the first text", timing.first_text),
        ("Until the end", timing.total),
    ]
    total = timing.total or 0.0
    rows: list[str] = []
    start = 0.0
    for name, end in sorted(((name, end) for name, end in marks if end is not None), key=lambda stage: stage[1]):
        rows.append(
            f'<tr><th scope="row">{name}</th>'
            f'<td><meter min="0" max="{max(total, end):.4f}" value="{end - start:.4f}" aria-hidden="true"></meter> '
            f'<span class="count">{end - start:.2f} s</span></td></tr>'
        )
        start = end
    if not rows:
        return ""
    return f'<table class="usage"><caption>From the request to the end</caption><tbody>{"".join(rows)}</tbody></table>'


_RULES: Final = {
    RULE_EXACT: "as the source is called",
    RULE_NAME: "by its name, written another way",
    RULE_FIGURE: "by its figure",
    RULE_PAGE: "by its document, with the page or figure left out",
    RULE_NUMBER: "by its number",
    RULE_MISSING: "not found among the sources",
}


def _citations(citations: Sequence[Citation]) -> str:
    rows = "".join(
        f'<tr><td>{citation.number}</td><td dir="auto">{escape(cut(citation.label, 300))}</td>'
        f"<td>{_RULES[citation.rule]}</td></tr>"
        for citation in citations[:MAX_ITEMS]
    )
    return (
        '<div class="table-scroll" role="region" tabindex="0" aria-label="Citations"><table><thead><tr>'
        '<th scope="col">Number</th><th scope="col">Source</th><th scope="col">Matched</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>{more_html(len(citations))}"
    )


def _section(title: str, body: str, kind: str) -> str:
    return f'<section class="{kind}"><h2>{title}</h2>{body}</section>'


def _step(number: int, thought: Thought, sources: SourceIndex) -> str:
    title = thought.title.strip() or "Step"
    body = f'<h2 dir="auto">{escape(cut(title))}</h2>'
    props = dict(thought.props or {})
    usage, plan = props.pop("token_usage", None), props.pop("query_plan", None)
    if props and size_of(props, LAZY_FROM) <= LAZY_FROM:
        body += definitions_html([(escape(cut(str(name))), value_html(value)) for name, value in props.items()])
    if isinstance(usage, Mapping):
        body += f'<div class="token-usage">{token_usage_html(usage)}</div>'
    elif usage is not None:
        body += value_html(usage)
    if plan is not None:
        body += query_plan_html(plan)
    as_json = f'<details class="thought-json" data-json="{number}"><summary>As JSON</summary></details>'
    shown = body + _description(number, thought, sources)
    return shown + (as_json if thought.props or not isinstance(thought.description, str | None) else "")


def _description(number: int, thought: Thought, sources: SourceIndex) -> str:
    description = thought.description
    size = size_of(description, _COUNTED)
    if size > LAZY_FROM:
        summary = f"<summary>{_amount(description, size)}</summary>"
        return f'<details class="thought-details" data-thought="{number}">{summary}</details>'
    if isinstance(description, str) and _is_query(thought):
        return f'<pre class="thought-code" tabindex="0"><code dir="auto">{escape(description)}</code></pre>'
    html = _shapes(description, sources)
    if size < FOLDED_FROM or "<img " in html:
        return html
    return f'<details class="thought-details"><summary>{_amount(description, size)}</summary>{html}</details>'


def _amount(description: Json, size: int) -> str:
    """What is unfolded, in words: how many of what, or about how many characters."""
    entries = description if isinstance(description, Sequence) and not isinstance(description, str) else [description]
    for is_kind, noun in ((_is_image, "image"), (_is_message, "message"), (_is_result, "result")):
        if entries and all(is_kind(entry) for entry in entries):
            return f"Show {len(entries):,} {noun}s" if len(entries) > 1 else f"Show the {noun}"
    is_exact = size <= _COUNTED or isinstance(description, str)
    return f"Show {size:,} characters" if is_exact else f"Show more than {_COUNTED:,} characters"


def _is_image(value: Json) -> bool:
    return isinstance(value, str) and image_src(value) is not None


def _is_query(thought: Thought) -> bool:
    """Whether a thought is a query for a search or a database."""
    words = thought.title.casefold()
    text = str(thought.description)
    return ("query" in words or "sql" in words) and not _MESSAGE_REPR.match(text) and not _BREAK.search(text)


def _shapes(description: Json, sources: SourceIndex) -> str:
    if description is None:
        return ""
    if isinstance(description, str):
        return _entry(description, sources)
    if isinstance(description, Mapping):
        return _message(description) if _is_message(description) else _entry(description, sources)
    if isinstance(description, Sequence):
        return "".join(_entry(entry, sources) for entry in description[:MAX_ITEMS]) + more_html(len(description))
    return f'<p class="thought-text">{value_html(description)}</p>'


def _prose(text: str, sources: SourceIndex) -> str:
    """A description in one string: JSON or a Python repr as what it holds, else lines, `<br>` among them."""
    if image_src(text):
        return image_html(text, "image of a thought")
    parsed = _parsed(text)
    if isinstance(parsed, Mapping):
        return _entry(parsed, sources)
    if parsed is not None:
        return "".join(_entry(entry, sources) for entry in parsed[:MAX_ITEMS]) + more_html(len(parsed))
    return text_html(unescape(_TAG.sub("", _BREAK.sub("\n", text))))


def _parsed(text: str) -> Mapping[str, Json] | Sequence[Json] | None:
    """What a string holds when it is a JSON object or list, or the repr of one in Python; else None."""
    if len(text) > _MAX_LITERAL or not _MESSAGE_REPR.match(text) or text.rstrip()[-1:] not in "}]":
        return None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
    return value if isinstance(value, (dict, list)) else None


def _entry(entry: Json, sources: SourceIndex) -> str:
    if isinstance(entry, str):
        return _prose(entry, sources)
    if isinstance(entry, Mapping):
        if _is_message(entry):
            return _message(entry)
        return _result(entry, sources) if _is_result(entry) else object_html(entry, 0)
    return value_html(entry)


def _is_message(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("role"), str)
        and ("content" in value or "tool_calls" in value)
    )


def _message(message: Mapping[str, Json]) -> str:
    content = message.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        body = "".join(_content_part(part) for part in content[:MAX_ITEMS]) + more_html(len(content))
    elif isinstance(content, str):
        body = text_html(content)
    else:
        body = value_html(content) if content is not None else ""
    rest = {name: value for name, value in message.items() if name not in ("role", "content") and value is not None}
    if rest:
        body += object_html(rest, 0)
    role = escape(cut(str(message["role"])))
    return f'<div class="message"><span class="message-role">{role}</span>{body}</div>'


def _content_part(part: Json) -> str:
    if isinstance(part, Mapping):
        text = part.get("text")
        if isinstance(text, str):
            return text_html(text)
        image = part.get("image_url")
        url = image.get("url") if isinstance(image, Mapping) else image
        if isinstance(url, str):
            return image_html(url, "image of the message")
    return value_html(part)


def _is_result(value: Json) -> bool:
    if not isinstance(value, Mapping):
        return False
    return len(_RESULT_KEYS & value.keys()) >= 2 or ("content" in value and any(k in value for k in _RESULT_NAMES))


def _result(result: Mapping[str, Json], sources: SourceIndex) -> str:
    name_key = next((key for key in _RESULT_NAMES if isinstance(result.get(key), str)), None)
    text_key = next((key for key in _RESULT_TEXTS if isinstance(result.get(key), str)), None)
    head = f'<span class="result-name" dir="auto">{escape(cut(str(result[name_key])))}</span>' if name_key else ""
    text = text_html(unescape(_TAG.sub("", str(result[text_key])))) if text_key else ""
    scores = {name: value for name, value in result.items() if "score" in name and isinstance(value, int | float)}
    chips = "".join(
        f'<span class="result-score">{escape(cut(name.replace("_", " "), 60))} {value_html(value)}</span>'
        for name, value in scores.items()
    )
    rest = [
        (escape(cut(str(name))), value_html(value))
        for name, value in result.items()
        if name not in (name_key, text_key, *scores) and value is not None and value not in ("", [], {})
    ]
    head = f'<div class="result-head">{head}{chips}{_source_button(result, sources)}</div>'
    return f'<div class="result">{head}{definitions_html(rest) if rest else ""}{text}</div>'


def _source_button(result: Mapping[str, Json], sources: SourceIndex) -> str:
    """A way from a search result to the source that it became, where it became one."""
    for key in _RESULT_NAMES:
        name = result.get(key)
        for match in sources.resolve(name) if isinstance(name, str) else ():
            if match.data_point is not None:
                label = escape(f"Show the source {match.label[:200]}")
                return (
                    f'<button type="button" class="result-source" data-point="{match.data_point}" '
                    f'aria-label="{label}">Show the source</button>'
                )
    return ""
