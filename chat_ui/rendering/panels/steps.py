"""A step of the backend: its name in plain words, its time, its parts, and the searches of its query plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from chat_ui.languages.translation import current_language, gettext, gettext_html, quoted_html, translated
from chat_ui.protocol.answers.answer import Answer, Thought
from chat_ui.protocol.answers.framework_documents import scalar
from chat_ui.protocol.dialects.families.knowledge_base import STEP_TITLES
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import msg, plural_msg
from chat_ui.rendering.citations.source_names import clean_label
from chat_ui.rendering.panels.descriptions import is_query
from chat_ui.rendering.panels.durations import duration_words
from chat_ui.rendering.panels.json_shapes import MAX_ITEMS, cut, is_set, number_of, properties_html, words_of_name
from chat_ui.rendering.panels.tables import is_result, query_plan_html, results_in, spent, steps_of_plan, time_of_step

MOST_THOUGHTS: Final = 200
"""Thoughts that are shown."""
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
_PLANNING: Final = "modelQueryPlanning"
_SEARCHES: Final = {"web": msg("Searched the web"), "remoteSharePoint": msg("Searched SharePoint")}
_AGENTIC: Final = frozenset({*STEP_TITLES, *_SEARCHES, "searchIndex"})


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
    total = sum(map(time_of_step, plan_of(props)))
    return total / 1000 if total else None


def parts_html(props: Mapping[str, Json], is_told: bool) -> str:
    """Safe HTML of the properties of a step: the short ones, its tokens and its plan, unless `plan_html` shows that.

    The time in `seconds_of` is left out, as are those in `reported_html` if that is above (`is_told`).
    """
    elsewhere = (_time(props), _searched(props) if is_told else None)
    left_out = {*OF_A_KIND, *(told[0] for told in elsewhere if told)}
    html = properties_html({name: value for name, value in props.items() if name not in left_out})
    for name in _USAGE:
        html += usage_html(props.get(name))
    return html + (query_plan_html(props[_PLAN]) if is_set(props.get(_PLAN)) and not agentic_plan(props) else "")


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
    planned = list(filter(None, map(query_of, plan_of(props))))
    asked = [] if before is None or not is_search(before) else [str(before.description)]
    return [query for query in own or planned or asked if is_set(query)]


def is_search(thought: Thought) -> bool:
    """Whether a step is a query: by its title, or by the options of a search beside a line of text."""
    description = thought.description
    if not isinstance(description, str) or len(description) > _LONGEST_QUERY * 2 or "\n" in description.strip():
        return False
    return is_query(thought) or any(_SEARCH_OPTION.fullmatch(str(name)) for name in thought.props or {})


def plan_of(props: Mapping[str, Json], most: int | None = None) -> list[Mapping[str, Json]]:
    """The first steps, at `most`, of the query plan in the properties of a step; may be empty."""
    return [step for step in steps_of_plan(props.get(_PLAN))[:most] if isinstance(step, Mapping)]


def query_of(step: Mapping[str, Json]) -> str:
    """The query of a planned search, at its top or among its arguments; else empty."""
    for place in (step, *(value for value in step.values() if isinstance(value, Mapping))):
        for name in _QUERIES:
            if isinstance(query := place.get(name), str):
                return query
            if isinstance(query, Mapping) and isinstance(text := query.get("search"), str):
                return text
    return ""


def _listed(queries: Sequence[str]) -> str:
    shown = [f"<bdi>{escape(cut(query.strip(), _LONGEST_QUERY))}</bdi>" for query in queries[:_MOST_QUERIES]]
    more = len(queries) - len(shown)
    listed = quoted_html(shown)
    if not more:
        return listed
    return gettext_html("{queries} and {more} more", queries=listed, more=escape(current_language().number(more)))


@dataclass(frozen=True, slots=True)
class Searches:
    """The `numbers` of the searches behind the sources of an answer, by id. Badges of `linked` ids lead to Thoughts,
    where the step with the id `active` is marked.

    The number of a search is its place among the searches of the query plans, without planning and the like. If no plan
    is known, it is the place among the steps that found a source, in the order of the backend's numbers.
    """

    numbers: Mapping[str, int]
    linked: Collection[str] = ()
    active: str = ""

    @classmethod
    def of(cls, answer: Answer, *, shows_thoughts: bool = False, active: str = "") -> Searches:
        """The searches of `answer`; badges lead to the plans in its thoughts if `shows_thoughts`."""
        shown = answer.thoughts[:MOST_THOUGHTS]
        steps = [step for thought in shown for step in agentic_plan(thought.props or {}, MAX_ITEMS)]
        planned = [step for step in steps if _in(step, "type") not in STEP_TITLES]
        found = [point.step for point in answer.data_points if point.step]
        found.sort(key=lambda step: number if isinstance(number := step.get("number"), int) else 0)
        ids = dict.fromkeys(filter(None, map(_in, planned or found)))
        linked = frozenset(map(_in, steps)) if shows_thoughts else ()
        return cls({name: number for number, name in enumerate(ids, 1)}, linked, active)

    def words(self, step: JsonObject) -> str:
        """The step in plain words."""
        kind, query, number = _in(step, "type"), clean_label(_in(step, "query")), self.numbers.get(_in(step))
        if titled := _SEARCHES.get(kind) or STEP_TITLES.get(kind):
            return translated(titled)
        if query and number:
            return gettext("Query {number}: {query}", number=number, query=cut(query, _LONGEST_QUERY))
        return cut(words_of_name(kind), _LONGEST_QUERY) or gettext("Step")

    def badge_html(self, step: JsonObject | None) -> str:
        """Safe HTML of the badge of a source that `step` found: a button with the step's id as `data-step`, or text."""
        if step is None:
            return ""
        words, name = self.words(step), _in(step)
        shown = f'<bdi title="{escape(_in(step, "query"))}">{escape(words)}</bdi>'
        if name not in self.linked:
            return f'<p class="step-badge">{shown}</p>'
        place = f'data-step="{escape(name)}" aria-label="{escape(gettext("Show in Thoughts: {step}", step=words))}"'
        return f'<button type="button" class="step-badge" {place}>{shown}</button>'


def agentic_plan(props: Mapping[str, Json], most: int | None = None) -> Sequence[JsonObject]:
    """The first steps, at `most`, of the query plan in the properties of a thought; empty unless one of the shown steps
    is of agentic retrieval.
    """
    steps = plan_of(props, most)
    return steps if any(_in(step, "type") in _AGENTIC for step in steps[:MAX_ITEMS]) else ()


def results_by_step(thought: Thought) -> Mapping[str, Json]:
    """The search results by the id, in their `activity`, of a step of the query plan; under "" those without."""
    if isinstance(thought.description, str) or not isinstance(thought.description, Sequence):
        return {"": thought.description}
    ids = {*map(_in, agentic_plan(thought.props or {}))}
    found: dict[str, list[Json]] = {}
    for result in thought.description:
        step = result.get("activity") if isinstance(result, Mapping) else None
        name = _in(step) if isinstance(step, Mapping) else ""
        found.setdefault(name if name in ids else "", []).append(result)
    return found


def plan_html(plan: Sequence[JsonObject], searches: Searches, results: dict[str, str]) -> str:
    """Safe HTML of a query plan: a list of steps for each iteration, which begins with planning.

    Each step takes its HTML out of `results`, by its id. The active step has `data-active`.
    """
    iterations: list[list[JsonObject]] = []
    for step in plan:
        if _in(step, "type") == _PLANNING or not iterations:
            iterations.append([])
        iterations[-1].append(step)
    html = ""
    for number, steps in enumerate(iterations, 1):
        title = gettext("Iteration {number}", number=number) if len(iterations) > 1 else gettext("Query plan")
        items = "".join(_step_html(step, searches, results.pop(_in(step), "")) for step in steps)
        html += f'<h4>{escape(title)}</h4><ol class="query-steps">{items}</ol>'
    return html


def _step_html(step: JsonObject, searches: Searches, results: str) -> str:
    """A step in plain words, its time and its other properties above its results."""
    query, time = query_of(step), time_of_step(step)
    words = searches.words({**step, "query": query})
    others: dict[str, Json] = {"query": "" if query in words else query}
    for name, value in step.items():
        if name not in {"id", "type"} and value != query and not spent(name, value):
            others[name] = value
            if isinstance(value, Mapping):
                others[name] = {key: one for key, one in value.items() if one != query}
    mark = ' data-active aria-current="true"' if searches.active and _in(step) == searches.active else ""
    took = f'<span class="thought-took">{escape(duration_words(time / 1000))}</span>' if time else ""
    head = f'<div class="thought-head"><bdi>{escape(words)}</bdi>{took}</div>'
    return f"<li{mark}>{head}{properties_html(others)}{results}</li>"


def _in(step: JsonObject, name: str = "id") -> str:
    return scalar(step.get(name))
