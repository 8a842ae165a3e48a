"""Any JSON as safe HTML that a person can read: names with values, counts of tokens as bars, plans as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Final

from chat_ui.protocol.events import Json
from chat_ui.rendering.html.image_html import image_html, image_src
from chat_ui.rendering.html.link_labels import DIRECTION_MARKS, beside_label
from chat_ui.rendering.html.links import link_href

MAX_TEXT: Final = 50_000
"""Characters of one text that are shown; what is beyond is counted in a note."""

MAX_ITEMS: Final = 200
"""Entries of one list or object that are shown; what is beyond is counted in a note."""

MAX_VALUES: Final = 20_000
"""Values that one may consist of and be shown as what it is."""

_MAX_DEPTH: Final = 12


def definitions_html(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values, both safe HTML, side by side."""
    rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in pairs[:MAX_ITEMS])
    return f'<dl class="properties">{rows}</dl>{more_html(len(pairs))}'


def object_html(value: Mapping[str, Json], depth: int) -> str:
    """An object as names and values."""
    return definitions_html([(name_html(name), value_html(item, depth + 1)) for name, item in value.items()])


def name_html(name: str) -> str:
    """The name of a value, which ends a line between its words and not inside one."""
    return escape(cut(str(name))).replace("_", "_<wbr>")


def value_html(value: Json, depth: int = 0) -> str:
    """Any JSON, for reading."""
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
        return object_html(value, depth) if value else "<em>empty</em>"
    items = "".join(f"<li>{value_html(item, depth + 1)}</li>" for item in value[:MAX_ITEMS])
    return f'<ul class="values">{items}</ul>{more_html(len(value))}' if items else "<em>empty</em>"


def _string_value(value: str) -> str:
    if image_src(value):
        return image_html(value, "image")
    href = link_href(value)
    if href and href.lower().startswith("http"):
        rel = "noopener noreferrer nofollow"
        label = escape(cut(value).translate(DIRECTION_MARKS)) + beside_label(value, href)
        return f'<a href="{escape(href)}" target="_blank" rel="{rel}" dir="auto">{label}</a>'
    return text_html(value) if "\n" in value else f'<code dir="auto">{escape(cut(value))}</code>'


def _number(value: float) -> str:
    try:
        return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
    except ValueError:
        # An integer with more digits than Python turns to text.
        return hex(int(value))[:40] + "…"


def text_html(text: str) -> str:
    """Text with its line breaks."""
    beyond = len(text) - MAX_TEXT
    note = f'<p class="cut">{beyond:,} more characters are not shown.</p>' if beyond > 0 else ""
    return f'<p class="thought-text" dir="auto">{escape(text[:MAX_TEXT].strip())}</p>{note}'


def cut(text: str, limit: int = 2_000) -> str:
    """The text, short enough for a line."""
    return text if len(text) <= limit else text[:limit] + "…"


def more_html(count: int) -> str:
    """A note of how many of `count` entries are not shown."""
    return f'<p class="cut">{count - MAX_ITEMS:,} more are not shown.</p>' if count > MAX_ITEMS else ""


def token_usage_html(usage: Mapping[str, Json]) -> str:
    """Bars with numbers for counts of tokens; a part of the whole where a whole is known."""
    counts = [(str(name), count) for name, value in usage.items() if (count := _count(value)) is not None]
    largest = max((value for _, value in counts), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{escape(cut(name.replace("_", " ")))}</th>'
        f'<td><meter min="0" max="{largest:g}" value="{value:g}" aria-hidden="true"></meter> '
        f'<span class="count">{escape(_number(value))}</span></td></tr>'
        for name, value in counts[:MAX_ITEMS]
    )
    others = {name: value for name, value in usage.items() if value is not None and _count(value) is None}
    table = f'<table class="usage"><caption>Tokens</caption><tbody>{rows}</tbody></table>' if rows else ""
    return table + (object_html(others, 0) if others else "")


def _count(value: Json) -> float | None:
    countable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15
    return value if isinstance(value, (int, float)) and countable else None


def query_plan_html(plan: Json) -> str:
    """A plan's steps as a table, a column for each key; anything else as it is."""
    steps = [plan] if isinstance(plan, Mapping) else plan
    if isinstance(steps, str) or not isinstance(steps, Sequence) or not steps:
        return value_html(plan)
    if not all(isinstance(step, Mapping) for step in steps):
        return value_html(plan)
    rows = [step for step in steps[:MAX_ITEMS] if isinstance(step, Mapping)]
    columns = list(dict.fromkeys(str(key) for row in rows for key in row))[:12]
    head = "".join(f'<th scope="col">{escape(cut(name.replace("_", " ")))}</th>' for name in columns)
    longest = max((_milliseconds(name, row.get(name)) for row in rows for name in columns), default=0.0)
    body = "".join(
        "<tr>"
        + "".join(_plan_cell(name, row[name], longest) if name in row else "<td></td>" for name in columns)
        + "</tr>"
        for row in rows
    )
    return (
        '<div class="table-scroll" role="region" tabindex="0" aria-label="Query plan">'
        f'<table class="query-plan"><caption>Query plan</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
        f"{more_html(len(steps))}"
    )


def _plan_cell(name: str, value: Json, longest: float) -> str:
    """A cell of a plan; a time has a bar as well, as long as its share of the longest."""
    if time := _milliseconds(name, value):
        bar = f'<meter min="0" max="{longest:g}" value="{time:g}" aria-hidden="true"></meter>'
        return f'<td class="query-time">{bar} <span class="count">{escape(_number(time))} ms</span></td>'
    return f"<td>{value_html(value, 1)}</td>"


def _milliseconds(name: str, value: Json) -> float:
    count = _count(value) if name.casefold().endswith("_ms") else None
    return float(count) if count else 0.0


def size_of(value: Json, limit: int) -> int:
    """About how many characters a value has; counting stops beyond `limit`."""
    size = 0
    for one in _values(value):
        size += len(one) if isinstance(one, str | Mapping | Sequence) else 5
        if size > limit:
            break
    return size


def bounded(value: Json) -> Json:
    """The value, or the beginning of its JSON where it consists of too many others to be shown as what it is."""
    if sum(1 for _ in islice(_values(value), MAX_VALUES + 1)) <= MAX_VALUES:
        return value
    # Of a list and of an object the names and values are pieces of their own.
    pieces = islice(json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value), MAX_VALUES)
    return "".join(pieces)[:MAX_TEXT] + "…"


def _values(value: Json) -> Iterator[Json]:
    """A value and those that it consists of, with the names in objects."""
    waiting: list[Iterator[Json]] = [iter((value,))]
    while waiting:
        for current in waiting[-1]:
            yield current
            if isinstance(current, Mapping):
                waiting += [iter(current.values()), iter(current.keys())]
                break
            if isinstance(current, Sequence) and not isinstance(current, str):
                waiting.append(iter(current))
                break
        else:
            waiting.pop()
