"""A step of the backend: its name in plain words, its time, and its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final

from chat_ui.languages.translation import current_language, gettext, gettext_html, quoted_html, translated
from chat_ui.protocol.answers.answer import Thought
from chat_ui.protocol.events import Json
from chat_ui.protocol.translatable import plural_msg
from chat_ui.rendering.citations.source_names import clean_label
from chat_ui.rendering.panels.descriptions import is_query
from chat_ui.rendering.panels.json_shapes import cut, is_set, number_of, properties_html, words_of_name
from chat_ui.rendering.panels.tables import is_result, query_plan_html, results_in, steps_of_plan, time_of_step

_USAGE: Final = ("token_usage", "usage")
_PLAN: Final = "query_plan"
OF_A_KIND: Final = (*_USAGE, _PLAN)
"""The names of properties with a shape to themselves."""
_SEARCHABLE: Final = "article|chunk|document|file|item|page|passage|record|result|row|source"
_SEARCHED: Final = re.compile(rf"(?:(?P<before>{_SEARCHABLE})s?_)?searched(?:_(?P<after>{_SEARCHABLE})s?)?")
_TOOK: Final = re.compile(
    r"(?:elapsed|duration|took|latency)(?:_time)?_?(?:ms|milliseconds|s|sec|seconds)", re.IGNORECASE
)
_DETAILS: Final = re.compile(r"_?(?:tokens_?)?details?$")
_SEARCH_OPTION: Final = re.compile(r"(?:use_)?(?:text|vector)_search|has_vector|retrieval_mode|use_semantic_\w+")
_QUERIES: Final = ("query", "search_query", "search")
_LONGEST_QUERY: Final = 120
_MOST_QUERIES: Final = 3


def title_of(thought: Thought) -> str:
    """The backend's title of a step."""
    return cut(clean_label(translated(thought.title)), 300) or gettext("Step")


def reported_html(thought: Thought, before: Thought | None) -> str | None:
    """Safe HTML: the outcome of a search in plain words; None for other steps and vague ones.

    `before` is the step before it, perhaps the query of its results.
    """
    found = _found(thought.description)
    if found is None:
        return None
    searched = _searched(thought.props or {})
    queries = _queries(thought, before if found else None)
    took = escape(current_language().number(found) if found else gettext("none"))
    listed = _listed(queries) if queries else ""
    if not searched:
        return gettext_html("Searched for {queries}, found {results}", queries=listed, results=took) if listed else None
    things = escape(translated(_things(int(searched[1]), searched[2])))
    if listed:
        return gettext_html(
            "Searched {things} for {queries}, kept {results}", things=things, queries=listed, results=took
        )
    return gettext_html("Searched {things}, kept {results}", things=things, results=took)


def _things(count: int, kind: str) -> str:
    """A number of searched things, in words."""
    match kind:
        case "article":
            return plural_msg("{count} article", "{count} articles", count)
        case "chunk":
            return plural_msg("{count} chunk", "{count} chunks", count)
        case "document":
            return plural_msg("{count} document", "{count} documents", count)
        case "file":
            return plural_msg("{count} file", "{count} files", count)
        case "item":
            return plural_msg("{count} item", "{count} items", count)
        case "page":
            return plural_msg("{count} page", "{count} pages", count)
        case "record":
            return plural_msg("{count} record", "{count} records", count)
        case "result":
            return plural_msg("{count} result", "{count} results", count)
        case "row":
            return plural_msg("{count} row", "{count} rows", count)
        case "source":
            return plural_msg("{count} source", "{count} sources", count)
        case _:
            return plural_msg("{count} passage", "{count} passages", count)


def seconds_of(thought: Thought) -> float | None:
    """The seconds of a step, if the backend reports them."""
    props = thought.props or {}
    if told := _time(props):
        return told[1]
    total = sum(map(time_of_step, _plan(props)))
    return total / 1000 if total else None


def parts_html(props: Mapping[str, Json], is_told: bool) -> str:
    """Safe HTML of the properties of a step: the short ones, its tokens and its plan.

    The time in `seconds_of` is left out, as are those in `reported_html` if that is above (`is_told`).
    """
    elsewhere = (_time(props), _searched(props) if is_told else None)
    left_out = {*OF_A_KIND, *(told[0] for told in elsewhere if told)}
    html = properties_html({name: value for name, value in props.items() if name not in left_out})
    for name in _USAGE:
        html += usage_html(props.get(name))
    return html + (query_plan_html(props[_PLAN]) if is_set(props.get(_PLAN)) else "")


def usage_html(usage: Json) -> str:
    """Safe HTML: counts of tokens as a line, then the other entries."""
    if not is_set(usage):
        return ""
    if not isinstance(usage, Mapping):
        return properties_html({gettext("tokens"): usage})
    counts = list(_counts(usage))
    total = next((count for name, count in counts if name == "total"), None)
    parts = ", ".join(
        f"{_count_in_words(count)} <bdi>{escape(cut(name, 100))}</bdi>"
        for name, count in counts
        if (name, count) != ("total", total)
    )
    words = gettext("{number} tokens", number=_count_in_words(total)) if total is not None else gettext("Tokens")
    head = escape(words)
    line = f"{head}: {parts}" if parts else head
    others = {name: value for name, value in usage.items() if not isinstance(value, Mapping) and not _is_count(value)}
    told = f'<p class="token-usage">{line}</p>' if counts or total is not None else ""
    return told + properties_html(others)


def _count_in_words(count: float) -> str:
    """A count of tokens in the language; a fraction, such as a cost, as JSON writes it."""
    return current_language().number(count) if isinstance(count, int) else number_of(count)


def _counts(usage: Mapping[str, Json], within: str = "", depth: int = 0) -> Iterator[tuple[str, float]]:
    """Counts of tokens with their names, which begin with the name of the object that they are `within`."""
    for name, value in usage.items():
        if isinstance(value, Mapping) and depth < 2:
            yield from _counts(value, f"{within}{_DETAILS.sub('', str(name))}_", depth + 1)
        elif isinstance(value, int | float) and _is_count(value):
            yield words_of_name(within + (re.sub(r"_?tokens$", "", str(name)) or str(name))), value


def _time(props: Mapping[str, Json]) -> tuple[str, float] | None:
    """The name and the seconds of a step's time; of several the first."""
    for name, value in props.items():
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9 and _TOOK.fullmatch(name):
            return name, value / 1000 if name.casefold().endswith(("ms", "milliseconds")) else float(value)
    return None


def _is_count(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15


def _found(description: Json) -> int | None:
    """The number of search results in a description; None for other contents."""
    results = results_in(description)
    if isinstance(results, str) or not isinstance(results, Sequence):
        return None
    return len(results) if all(map(is_result, results)) else None


def _searched(props: Mapping[str, Json]) -> tuple[str, float, str] | None:
    """The name and the number of the searched things, and the name of each."""
    for name, value in props.items():
        told = _SEARCHED.fullmatch(str(name))
        if told and isinstance(value, int | float) and _is_count(value):
            return name, value, told["before"] or told["after"] or "passage"
    return None


def _queries(thought: Thought, before: Thought | None) -> list[str]:
    props = thought.props or {}
    own = [value for name in _QUERIES if isinstance(value := props.get(name), str)]
    planned = [query for step in _plan(props) for query in _searches(step)]
    asked = [] if before is None or not is_search(before) else [str(before.description)]
    return [query for query in own or planned or asked if is_set(query)]


def is_search(thought: Thought) -> bool:
    """Whether a step is a query: by its title, or by the options of a search beside a line of text."""
    description = thought.description
    if not isinstance(description, str) or len(description) > _LONGEST_QUERY * 2 or "\n" in description.strip():
        return False
    return is_query(thought) or any(_SEARCH_OPTION.fullmatch(str(name)) for name in thought.props or {})


def _plan(props: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    return [step for step in steps_of_plan(props.get(_PLAN)) if isinstance(step, Mapping)]


def _searches(step: Mapping[str, Json]) -> Iterator[str]:
    """The query of a planned search, at its top or among its arguments."""
    for place in (step, *(value for value in step.values() if isinstance(value, Mapping))):
        for name in _QUERIES:
            if isinstance(query := place.get(name), str):
                yield query
                return
            if isinstance(query, Mapping) and isinstance(text := query.get("search"), str):
                yield text
                return


def _listed(queries: Sequence[str]) -> str:
    shown = [f"<bdi>{escape(cut(query.strip(), _LONGEST_QUERY))}</bdi>" for query in queries[:_MOST_QUERIES]]
    more = len(queries) - len(shown)
    listed = quoted_html(shown)
    if not more:
        return listed
    return gettext_html("{queries} and {more} more", queries=listed, more=escape(current_language().number(more)))
