"""Lists of objects as tables: search results with their scores, the steps of a plan, and records of any kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from chat_ui.languages.translation import gettext, in_digits, ngettext
from chat_ui.protocol.answers.data_points import read_step
from chat_ui.protocol.answers.markup import words_of_html
from chat_ui.protocol.events import Json
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.citations.source_names import clean_label
from chat_ui.rendering.html.source_titles import source_title
from chat_ui.rendering.panels.durations import bar_html, duration_words
from chat_ui.rendering.panels.json_shapes import (
    MAX_ITEMS,
    beginning,
    cut,
    foldable_html,
    is_set,
    more_html,
    properties_html,
    summary_html,
    value_html,
    words_of_name,
)

_RESULT_KEYS: Final = frozenset({"sourcepage", "sourcefile", "score", "reranker_score", "content", "captions"})
_RESULT_NAMES: Final = ("sourcepage", "title", "name", "sourcefile", "filepath", "filename", "source", "id")
_RESULT_TEXTS: Final = ("content", "snippet", "text", "chunk", "description")
_MOST_SCORES: Final = 2
_MOST_COLUMNS: Final = 12
_SHORT: Final = 120
_MILLISECONDS: Final = re.compile(r"(?:.*_ms|.*[a-z]Ms|.*_MS)")
_SPENT: Final = re.compile(r".*(?:elapsed|duration|took|latency|time)_?ms", re.IGNORECASE)


def is_result(value: Json) -> bool:
    """Whether a value is a search result: with a name and a text, the keys of a search index, or its step."""
    if not isinstance(value, Mapping):
        return False
    is_found = read_step(value.get("activity")) is not None or len(_RESULT_KEYS & value.keys()) >= 2
    return is_found or all(
        any(isinstance(value.get(name), str) for name in names) for names in (_RESULT_NAMES, _RESULT_TEXTS)
    )


def results_in(description: Json) -> Json:
    """The search results in an object with nothing else, as tools return them; else the description."""
    held = next(iter(description.values())) if isinstance(description, Mapping) and len(description) == 1 else None
    return held if isinstance(held, list | tuple) and held and all(map(is_result, held)) else description


def results_html(results: Sequence[Mapping[str, Json]], sources: SourceIndex, count: int) -> str:
    """The first of `count` search results as a table with a column for each score.

    A result that is one of `sources` has a button with its index as `data-point`.
    """
    scores = list(dict.fromkeys(name for result in results for name in result if _score(result, name) is not None))
    scores = scores[:_MOST_SCORES]
    best = {name: max(_score(result, name) or 0.0 for result in results) for name in scores}
    head = "".join(f'<th scope="col">{escape(cut(words_of_name(name), 60))}</th>' for name in scores)
    rows = "".join(
        f"<tr><td>{_result(result, scores, sources)}</td>"
        + "".join(_score_cell(_score(result, name), best[name]) for name in scores)
        + "</tr>"
        for result in results
    )
    counted = f'<th scope="col"><bdi>{escape(ngettext("{count} result", "{count} results", count))}</bdi></th>'
    return (
        f'<table class="results"><thead><tr>{counted}{head}</tr></thead><tbody>{rows}</tbody></table>{more_html(count)}'
    )


def _result(result: Mapping[str, Json], scores: Sequence[str], sources: SourceIndex) -> str:
    name_key, text_key = _key(result, _RESULT_NAMES), _key(result, _RESULT_TEXTS)
    name = str(result[name_key]) if name_key else ""
    text = words_of_html(str(result[text_key])).strip() if text_key else ""
    step_key = "activity" if read_step(result.get("activity")) else None
    told = {key for key in (name_key, text_key, step_key, *scores) if key}
    rest = {key: value for key, value in result.items() if key not in told and value != name}
    return _name(name, _point(result, sources), sources) + _text(text, properties_html(rest))


def _name(name: str, point: tuple[int, str] | None, sources: SourceIndex) -> str:
    """The name of a result; for a source, a button with its title in place of its id."""
    if point is None:
        return _bdi(name) if name else ""
    number, label = point
    title = source_title(sources.points[number], label)
    words = ", ".join(filter(None, (title.title, title.place))) if clean_label(name) == title.id else name
    said = escape(gettext("Show the source {source}", source=label))
    return (
        f'<button type="button" class="result-source" data-point="{number}" aria-label="{said}" '
        f'title="{escape(title.id)}">{_bdi(words) if words else escape(gettext("Show the source"))}</button>'
    )


def _bdi(name: str) -> str:
    return f'<bdi class="result-name">{escape(cut(clean_label(name), 300))}</bdi>'


def _text(text: str, properties: str) -> str:
    complete = f"{foldable_html(text) if text else ''}{properties}"
    if not properties and len(text) <= _SHORT:
        return complete
    summary = summary_html(beginning(text, _SHORT), gettext("Show more"))
    return f'<details class="result-more">{summary}{complete}</details>'


def _key(result: Mapping[str, Json], names: Sequence[str]) -> str | None:
    return next((name for name in names if isinstance(result.get(name), str) and is_set(result[name])), None)


def _score(result: Mapping[str, Json], name: str) -> float | None:
    value = result.get(name)
    is_one = "score" in str(name) and not isinstance(value, bool)
    return value if is_one and isinstance(value, int | float) and -1e15 < value < 1e15 else None


def _score_cell(score: float | None, best: float) -> str:
    if score is None:
        return "<td></td>"
    share = min(1.0, max(0.0, score / best)) if best > 0 else 0.0
    return f'<td class="result-score"><span class="count">{_score_words(score)}</span>{bar_html(0, share)}</td>'


def _score_words(score: float) -> str:
    """A score with four significant digits, as the language writes it; a very small or large one with its exponent."""
    written = f"{score:.4g}"
    return written if "e" in written else in_digits(float(written), len(written.partition(".")[2]))


def _point(result: Mapping[str, Json], sources: SourceIndex) -> tuple[int, str] | None:
    """The index and the label of the source that a search result became, else None."""
    for key in (*_RESULT_NAMES, "url"):
        name = result.get(key)
        for match in sources.resolve(name) if isinstance(name, str) else ():
            if match.data_point is not None:
                return match.data_point, match.label[:200]
    return None


def are_records(values: Sequence[Json]) -> bool:
    """Whether values are objects of one kind, with only short values."""
    objects = [value for value in values if isinstance(value, Mapping)]
    return (
        len(values) > 1
        and len(objects) == len(values)
        and len(dict.fromkeys(str(name) for value in objects for name in value)) <= _MOST_COLUMNS
        and all(value and not any(isinstance(one, Mapping | list) for one in value.values()) for value in objects)
    )


def records_html(rows: Sequence[Mapping[str, Json]], count: int, title: str = "", kind: str = "values-table") -> str:
    """The first of `count` objects as a table, with a column for each name with a value."""
    columns = _columns(rows)[:_MOST_COLUMNS]
    head = "".join(f'<th scope="col">{escape(_heading(name))}</th>' for name in columns)
    longest = max((spent(name, row.get(name)) for row in rows for name in columns), default=0.0)
    body = "".join(f"<tr>{''.join(_cell(name, row.get(name), longest) for name in columns)}</tr>" for row in rows)
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    return (
        f'<div class="table-scroll" role="group" tabindex="0" aria-label="{escape(title or gettext("Table"))}">'
        f'<table class="{kind}">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        f"{more_html(count)}"
    )


def _columns(rows: Sequence[Mapping[str, Json]]) -> list[str]:
    """The names with values: the first with words in front, then those of times."""
    names = list(dict.fromkeys(str(name) for row in rows for name in row if is_set(row[name])))
    title = next((name for name in names if all(isinstance(row.get(name), str) for row in rows)), None)
    return sorted(names, key=lambda name: 0 if name == title else 1 if _MILLISECONDS.fullmatch(name) else 2)


def query_plan_html(plan: Json) -> str:
    """A plan's steps as a table, a column for each key; anything else as it is."""
    steps = steps_of_plan(plan)
    if not steps or not all(isinstance(step, Mapping) for step in steps):
        return value_html(plan)
    rows = [step for step in steps[:MAX_ITEMS] if isinstance(step, Mapping)]
    return records_html(rows, len(steps), gettext("Query plan"), "query-plan")


def steps_of_plan(plan: Json) -> Sequence[Json]:
    """The steps of a plan, possibly a single one; else empty."""
    steps = [plan] if isinstance(plan, Mapping) else plan
    return steps if isinstance(steps, Sequence) and not isinstance(steps, str) else []


def _heading(name: str) -> str:
    words = cut(words_of_name(name), 100)
    return words.removesuffix(" ms") if _MILLISECONDS.fullmatch(name) else words


def _cell(name: str, value: Json, longest: float) -> str:
    """A cell of a table; a time has a bar as well, as long as its share of the longest."""
    if time := _milliseconds(name, value):
        bar = bar_html(0, time / longest) if spent(name, value) else ""
        return f'<td class="query-time"><span class="count">{escape(duration_words(time / 1000))}</span>{bar}</td>'
    return f"<td>{value_html(value, 1) if is_set(value) else ''}</td>"


def time_of_step(step: Mapping[str, Json]) -> float:
    """The milliseconds of a plan's step: the first by its names; else 0."""
    return next(filter(None, (spent(name, value) for name, value in step.items())), 0.0)


def spent(name: str, value: Json) -> float:
    """The milliseconds that a value says were spent; a limit of time does not count."""
    return _milliseconds(name, value) if _SPENT.fullmatch(str(name)) else 0.0


def _milliseconds(name: str, value: Json) -> float:
    """The milliseconds in a value, by its name; else 0."""
    is_time = _MILLISECONDS.fullmatch(str(name)) and not isinstance(value, bool)
    return float(value) if is_time and isinstance(value, int | float) and 0 < value < 1e12 else 0.0
