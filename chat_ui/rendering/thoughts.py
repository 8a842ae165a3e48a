"""What the backend did on the way to an answer, step by step."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from html import escape, unescape

from chat_ui.protocol.answer import Answer, Thought
from chat_ui.protocol.events import Json
from chat_ui.rendering.links import image_html, image_src, link_href

FOLDED_FROM = 600
"""Characters from which a description is folded."""

MAX_TEXT = 50_000
"""Characters of one text that are shown; what is beyond is counted in a note."""

MAX_ITEMS = 200
"""Entries of one list or object that are shown; what is beyond is counted in a note."""

_MAX_DEPTH = 12
_MAX_LITERAL = 100_000
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_MESSAGE_REPR = re.compile(r"\s*[{\[]")
_RESULT_KEYS = frozenset({"sourcepage", "sourcefile", "score", "reranker_score", "content", "captions"})
_RESULT_NAMES = ("sourcepage", "title", "name", "sourcefile", "filepath", "id")
_RESULT_TEXTS = ("content", "snippet", "text", "chunk")


def thoughts_html(answer: Answer) -> str:
    """Safe HTML: each thought, then reasoning, token usage, warnings, timing and dialect, when there."""
    steps = "".join(f"<li>{_step(thought)}</li>" for thought in answer.thoughts)
    parts = [f'<ol class="thoughts">{steps}</ol>' if steps else ""]
    if answer.reasoning.strip():
        parts.append(_section("Reasoning", _text(answer.reasoning), "thoughts-reasoning"))
    if answer.usage:
        parts.append(_section("Token usage", _token_usage(answer.usage), "thoughts-usage"))
    if answer.warnings:
        items = "".join(
            f"<li><code>{escape(one.code)}</code> {escape(_cut(one.detail))}</li>" for one in answer.warnings
        )
        parts.append(_section("Warnings", f"<ul>{items}</ul>", "thoughts-warnings"))
    facts = _facts(answer)
    if facts:
        parts.append(_section("This answer", _definitions(facts), "thoughts-facts"))
    html = "".join(parts)
    return html or '<p class="thoughts-empty">The backend sent no thoughts with this answer.</p>'


def _facts(answer: Answer) -> list[tuple[str, str]]:
    timing = answer.timing
    seconds = (
        ("First byte", timing.first_byte),
        ("First text", timing.first_text),
        ("Total", timing.total),
    )
    facts = [(name, f"{value:.2f} s") for name, value in seconds if value is not None]
    if answer.dialect:
        facts.append(("Dialect", answer.dialect))
    return [(name, escape(value)) for name, value in facts]


def _section(title: str, body: str, kind: str) -> str:
    return f'<section class="{kind}"><h2>{title}</h2>{body}</section>'


def _step(thought: Thought) -> str:
    title = thought.title.strip() or "Step"
    body = f'<h2 dir="auto">{escape(_cut(title))}</h2>'
    props = dict(thought.props or {})
    usage, plan = props.pop("token_usage", None), props.pop("query_plan", None)
    if props:
        body += _definitions([(escape(_cut(str(name))), _value(value)) for name, value in props.items()])
    if isinstance(usage, Mapping):
        body += f'<div class="token-usage">{_token_usage(usage)}</div>'
    elif usage is not None:
        body += _value(usage)
    if plan is not None:
        body += _query_plan(plan)
    return body + _description(thought.description)


def _definitions(pairs: Sequence[tuple[str, str]]) -> str:
    rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in pairs[:MAX_ITEMS])
    return f'<dl class="properties">{rows}</dl>{_more(len(pairs))}'


def _description(description: Json) -> str:
    if description is None:
        return ""
    if isinstance(description, str):
        html, length = _prose(description), len(description)
    elif isinstance(description, Mapping):
        html = _message(description) if _is_message(description) else _object(description, 0)
        length = len(html)
    elif isinstance(description, Sequence):
        html = "".join(_entry(entry) for entry in description[:MAX_ITEMS]) + _more(len(description))
        length = len(html)
    else:
        return f'<p class="thought-text">{_value(description)}</p>'
    if length < FOLDED_FROM:
        return html
    return f'<details class="thought-details"><summary>Show {length:,} characters</summary>{html}</details>'


def _prose(text: str) -> str:
    """A description in one string: JSON or a Python repr as what it holds, else lines, `<br>` among them."""
    parsed = _parsed(text)
    if parsed is not None:
        return _entry(parsed) if isinstance(parsed, Mapping) else "".join(map(_entry, parsed[:MAX_ITEMS]))
    return _text(unescape(_TAG.sub("", _BREAK.sub("\n", text))))


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


def _entry(entry: Json) -> str:
    if isinstance(entry, str):
        parsed = _parsed(entry)
        if isinstance(parsed, Mapping):
            return _entry(parsed)
        return _prose(entry)
    if isinstance(entry, Mapping):
        if _is_message(entry):
            return _message(entry)
        return _result(entry) if _is_result(entry) else _object(entry, 0)
    return _value(entry)


def _is_message(value: Mapping[str, Json]) -> bool:
    return isinstance(value.get("role"), str) and ("content" in value or "tool_calls" in value)


def _message(message: Mapping[str, Json]) -> str:
    content = message.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        body = "".join(_content_part(part) for part in content[:MAX_ITEMS]) + _more(len(content))
    elif isinstance(content, str):
        body = _text(content)
    else:
        body = _value(content) if content is not None else ""
    rest = {name: value for name, value in message.items() if name not in ("role", "content") and value is not None}
    if rest:
        body += _object(rest, 0)
    role = escape(_cut(str(message["role"])))
    return f'<div class="message"><span class="message-role">{role}</span>{body}</div>'


def _content_part(part: Json) -> str:
    if isinstance(part, Mapping):
        text = part.get("text")
        if isinstance(text, str):
            return _text(text)
        image = part.get("image_url")
        url = image.get("url") if isinstance(image, Mapping) else image
        if isinstance(url, str):
            return image_html(url, "image of the message")
    return _value(part)


def _is_result(value: Mapping[str, Json]) -> bool:
    return len(_RESULT_KEYS & value.keys()) >= 2 or ("content" in value and any(k in value for k in _RESULT_NAMES))


def _result(result: Mapping[str, Json]) -> str:
    name_key = next((key for key in _RESULT_NAMES if isinstance(result.get(key), str) and result[key]), None)
    text_key = next((key for key in _RESULT_TEXTS if isinstance(result.get(key), str)), None)
    head = f'<span class="result-name" dir="auto">{escape(_cut(str(result[name_key])))}</span>' if name_key else ""
    text = _text(unescape(_TAG.sub("", str(result[text_key])))) if text_key else ""
    rest = [
        (escape(_cut(str(name))), _value(value))
        for name, value in result.items()
        if name not in (name_key, text_key) and value is not None and value not in ("", [], {})
    ]
    return f'<div class="result">{head}{_definitions(rest) if rest else ""}{text}</div>'


def _object(value: Mapping[str, Json], depth: int) -> str:
    return _definitions([(escape(_cut(str(name))), _value(item, depth + 1)) for name, item in value.items()])


def _value(value: Json, depth: int = 0) -> str:
    if value is None:
        return "<em>none</em>"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"<code>{escape(_number(value))}</code>"
    if isinstance(value, str):
        return _string_value(value)
    if depth > _MAX_DEPTH:
        return "<em>more, nested deeper</em>"
    if isinstance(value, Mapping):
        return _object(value, depth) if value else "<em>empty</em>"
    items = "".join(f"<li>{_value(item, depth + 1)}</li>" for item in value[:MAX_ITEMS])
    return f'<ul class="values">{items}</ul>{_more(len(value))}' if items else "<em>empty</em>"


def _string_value(value: str) -> str:
    if image_src(value):
        return image_html(value, "image")
    href = link_href(value)
    if href and href.lower().startswith("http"):
        rel = "noopener noreferrer nofollow"
        return f'<a href="{escape(href)}" target="_blank" rel="{rel}">{escape(_cut(value))}</a>'
    return _text(value) if "\n" in value else f'<code dir="auto">{escape(_cut(value))}</code>'


def _number(value: float) -> str:
    try:
        return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
    except ValueError:
        # An integer with more digits than Python turns to text.
        return hex(int(value))[:40] + "…"


def _text(text: str) -> str:
    cut = len(text) - MAX_TEXT
    note = f'<p class="cut">{cut:,} more characters are not shown.</p>' if cut > 0 else ""
    return f'<p class="thought-text" dir="auto">{escape(text[:MAX_TEXT].strip())}</p>{note}'


def _cut(text: str, limit: int = 2_000) -> str:
    return text if len(text) <= limit else text[:limit] + "…"


def _more(count: int) -> str:
    return f'<p class="cut">{count - MAX_ITEMS:,} more are not shown.</p>' if count > MAX_ITEMS else ""


def _token_usage(usage: Mapping[str, Json]) -> str:
    """Bars with numbers for counts of tokens; a part of the whole where a whole is known."""
    counts = [(str(name), count) for name, value in usage.items() if (count := _count(value)) is not None]
    largest = max((value for _, value in counts), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{escape(_cut(name.replace("_", " ")))}</th>'
        f'<td><meter min="0" max="{largest:g}" value="{value:g}" aria-hidden="true"></meter> '
        f'<span class="count">{escape(_number(value))}</span></td></tr>'
        for name, value in counts[:MAX_ITEMS]
    )
    others = {name: value for name, value in usage.items() if value is not None and _count(value) is None}
    table = f'<table class="usage"><caption>Tokens</caption><tbody>{rows}</tbody></table>' if rows else ""
    return table + (_object(others, 0) if others else "")


def _count(value: Json) -> float | None:
    countable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15
    return value if isinstance(value, (int, float)) and countable else None


def _query_plan(plan: Json) -> str:
    """A plan's steps as a table, a column for each key; anything else as it is."""
    steps = [plan] if isinstance(plan, Mapping) else plan
    if isinstance(steps, str) or not isinstance(steps, Sequence) or not steps:
        return _value(plan)
    if not all(isinstance(step, Mapping) for step in steps):
        return _value(plan)
    rows = [step for step in steps[:MAX_ITEMS] if isinstance(step, Mapping)]
    columns = list(dict.fromkeys(str(key) for row in rows for key in row))[:12]
    head = "".join(f'<th scope="col">{escape(_cut(name.replace("_", " ")))}</th>' for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_value(row[name], 1) if name in row else ''}</td>" for name in columns) + "</tr>"
        for row in rows
    )
    return (
        '<div class="table-scroll" role="region" tabindex="0" aria-label="Query plan">'
        f'<table class="query-plan"><caption>Query plan</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
        f"{_more(len(steps))}"
    )
