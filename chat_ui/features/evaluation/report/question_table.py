"""The table of questions: its sortable columns, the filters of its rows, and the details of a row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from html import escape
from typing import Final

from chat_ui.features.evaluation.changes import QuestionChange, means
from chat_ui.features.evaluation.results import Result
from chat_ui.features.evaluation.summary import MEASURES, Measure
from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.protocol.backends.backend import Message
from chat_ui.rendering.exported_page.page_document import ExportedTurn, answer_html
from chat_ui.rendering.panels.durations import duration_words

_COLUMNS: Final = {
    "first_text_s": "First text",
    "total_s": "Total time",
    "answer_length": "Characters",
    "sentences_cited": "Sentences cited",
    "citations_not_found": "Not found",
    "citation_recall": "Recall",
    "citation_precision": "Precision",
    "citation_match": "Match",
    "support": "Supported",
}
"""The columns of figures: the name of each measure, and its heading."""
_FILTERS: Final = (
    ("failed", "Failed answers"),
    ("uncited", "Without citations"),
    ("not-found", "With citations not found"),
    ("missed", "Missing expected citations"),
)
"""The filters: the name of each kind, and its label."""
_CHANGE_FILTERS: Final = (
    ("worse", "Worse"),
    ("better", "Better"),
    ("new", "New"),
)
_LONGEST_LINE: Final = 300
_MOST_LABELS: Final = 100
_MOST_OF_AN_ANSWER: Final = 100_000
_MOST_OF_SOURCES: Final = 500_000
_MOST_OF_A_SOURCE: Final = 50_000
_MOST_OF_AN_IMAGE: Final = 500_000
"""Maximum characters of an answer, of its sources, of each source, and of an image."""
_MOST_WORDS: Final = 2_000
"""Maximum words of a compared text, as the work is quadratic."""
_MOST_PAIRS: Final = 100_000
"""Maximum compared pairs of equal words."""
_SHORT: Final = 2
"""Common words up to which two adjacent differences are joined."""
_WORD: Final = re.compile(r"(?:\w+|[^\w\s])\s*|\s+")
_THOUSAND: Final = 1_000
_SECONDS: Final = frozenset({"first_text_s", "total_s"})
_SHARES: Final = frozenset({"citation_recall", "citation_precision", "support"})


@dataclass(frozen=True, slots=True)
class Answered:
    """The results of a question, the first answer of the run `before`, if any, and the changes since."""

    results: Sequence[Result]
    before: Result | None = None
    change: QuestionChange | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the question or of any of its answers, for filters."""
        values = [result.values for result in self.results]
        kinds = {
            "failed": any(one.get("failed") for one in values),
            "uncited": any(not one.get("citations") for one in values),
            "not-found": any(one.get("citations_not_found") for one in values),
            "missed": any(one.get("citation_recall") not in (None, 1) for one in values),
            "worse": self.change is not None and self.change.is_worse,
            "better": self.change is not None and self.change.is_better,
            "new": self.before is None,
        }
        return tuple(name for name, is_one in kinds.items() if is_one)


def head_html(*, with_changes: bool) -> str:
    """Safe HTML of the header row with a sort button for each column."""
    changes = {"change": "Change"} if with_changes else {}
    heads = {"number": "Number", "words": "Question", **changes, **_COLUMNS}
    cells = "".join(
        f'<th scope="col" class="{"of-figure" if name in _COLUMNS else ""}" data-column="{name}">'
        f'<button type="button" class="sorts">{words}</button></th>'
        for name, words in heads.items()
    )
    return f"<thead><tr>{cells}</tr></thead>"


def filters_html(*, with_changes: bool) -> str:
    """Safe HTML of the filters, and of the count of visible rows."""
    kinds = [("", "All questions"), *_FILTERS, *(_CHANGE_FILTERS if with_changes else ())]
    options = "".join(f'<option value="{name}">{words}</option>' for name, words in kinds)
    return (
        f'<div class="filters"><label>Show <select id="kind">{options}</select></label>'
        '<label>Search <input id="words" type="search" autocomplete="off"></label>'
        '<p id="shown" role="status"></p></div>'
    )


def question_row(answered: Answered, *, with_changes: bool) -> str:
    """Safe HTML of a `tbody`: the line of the question, and a row with its answer that the line opens."""
    result = answered.results[0]
    number = result.question.number
    words = " ".join(result.question.text.split())
    shown = words if len(words) <= _LONGEST_LINE else f"{words[:_LONGEST_LINE]}…"
    failed = ' <strong class="failed">failed</strong>' if "failed" in answered.kinds else ""
    cells = [
        f'<td data-sort="{number}">{number}</td>',
        f'<th scope="row"><button type="button" class="opens" aria-expanded="true" aria-controls="opened-{number}">'
        f'<span dir="auto">{escape(shown)}</span></button>{failed}</th>',
    ]
    if with_changes:
        cells.append(_change_cell(answered))
    figures = means([one.values for one in answered.results])
    cells += [_figure_cell(name, figures) for name in _COLUMNS]
    return (
        f'<tbody id="question-{number}" data-kinds="{" ".join(answered.kinds)}"><tr class="line">{"".join(cells)}</tr>'
        f'<tr class="opened" id="opened-{number}"><td colspan="{len(cells)}">'
        '<div class="opened-content" hidden="until-found">'
        f"{''.join(_opened(answered, number))}</div></td></tr></tbody>"
    )


def _figure_cell(name: str, means: Mapping[str, float]) -> str:
    """Safe HTML of the mean of a measure; cited sentences are shown as counts, and sorted by share."""
    found = means.get(name)
    words = figure(MEASURES[name], found)
    if name == "sentences_cited":
        cited, sentences = found or 0.0, means.get("sentences", 0.0)
        words = f"{figure(MEASURES[name], cited)} of {figure(MEASURES['sentences'], sentences)}"
        found = cited / sentences if sentences else None
    sort = "" if found is None else f' data-sort="{found:.6g}"'
    return f'<td class="of-figure"{sort}>{escape(words)}</td>'


def figure(measure: Measure, number: float | None, *, signed: bool = False) -> str:
    """A formatted figure of a measure: rates and shares in per cent; a dash for None."""
    if number is None:
        return "–"
    size = _rounded(measure, abs(number))
    sign = ("−" if number < 0 else "+") if signed and size else ""
    if measure.name in _SECONDS:
        return sign + duration_words(size) if size or not signed else "0"
    if measure.is_rate or measure.name in _SHARES:
        return f"{sign}{size:,.{0 if size.is_integer() else 1}f} %"
    return f"{sign}{size:,.{0 if size.is_integer() else 2}f}"


def _rounded(measure: Measure, size: float) -> float:
    if measure.name in _SECONDS:
        return round(size, 3)
    if measure.is_rate or measure.name in _SHARES:
        return round(100 * size, 1)
    return round(size, 0 if size >= _THOUSAND else 2)


def _change_cell(answered: Answered) -> str:
    change = answered.change
    if change is None:
        return "<td>new</td>"
    balance = len(change.better) - len(change.worse)
    if change.is_worse:
        words, look = '<span aria-hidden="true">▼</span> worse', "is-worse"
    elif change.is_better:
        words, look = '<span aria-hidden="true">▲</span> better', "is-better"
    else:
        words, look = "different" if change.is_any else "unchanged", ""
    return f'<td class="change {look}" data-sort="{balance}">{words}</td>'


def _opened(answered: Answered, number: int) -> Iterator[str]:
    result = answered.results[0]
    question = result.question
    if len(question.messages) > 1:
        yield _section("Earlier messages", _said_before(question.messages[:-1]))
    yield _section("Question", f'<p class="asked" dir="auto">{escape(question.text)}</p>')
    for one in answered.results:
        name = f"Answer {one.time}" if len(answered.results) > 1 else "Answer"
        turn = ExportedTurn(question.text, one.answer)
        yield _section(name, _answer(turn, f"answer-{number}-{one.time}") + _facts(one))
    if question.truth:
        legend = _legend("only expected", "only in the answer")
        yield _section("Expected answer", f'<p class="truth" dir="auto">{escape(question.truth)}</p>')
        differences = differences_html(question.truth, result.answer.bracketed_text)
        yield _section("Compared with the expected answer", differences + legend)
    if answered.before is not None and answered.change is not None:
        yield _before(answered.before, result, answered.change, number)


def _before(before: Result, now: Result, change: QuestionChange, number: int) -> str:
    lists = "".join(
        _labels(name, labels)
        for name, labels in (
            ("Sources gained", change.sources_gained),
            ("Sources lost", change.sources_lost),
            ("Citations gained", change.citations_gained),
            ("Citations lost", change.citations_lost),
            ("Better", [MEASURES[one].label for one in change.better]),
            ("Worse", [MEASURES[one].label for one in change.worse]),
        )
    )
    answer = _answer(ExportedTurn(before.question.text, before.answer), f"before-{number}")
    return _section("Compared with the earlier answer", _compared(before, now) + lists) + _section(
        "Earlier answer", answer + _facts(before)
    )


def _compared(before: Result, now: Result) -> str:
    texts = before.answer.bracketed_text, now.answer.bracketed_text
    if texts[0] == texts[1]:
        return "<p>Both answers have the same text.</p>"
    return differences_html(*texts) + _legend("only earlier", "only now")


def _answer(turn: ExportedTurn, within: str) -> str:
    """Safe HTML of an answer. Very long text is cut, as a browser would not open the report."""
    answer = turn.answer
    points: list[DataPoint] = []
    room = _MOST_OF_SOURCES
    for point in answer.data_points:
        text = point.text[: min(_MOST_OF_A_SOURCE, room)]
        room -= len(text)
        image = point.image if len(point.image or "") <= _MOST_OF_AN_IMAGE else None
        points.append(replace(point, text=text, image=image))
    shown = replace(answer, text=answer.text[:_MOST_OF_AN_ANSWER], data_points=tuple(points))
    is_cut = '<p class="answer-note">Long text is cut here. See results.jsonl for all of it.</p>'
    return answer_html(replace(turn, answer=shown), within) + (is_cut if shown != answer else "")


def _section(name: str, html: str) -> str:
    return f"<section><h3>{name}</h3>{html}</section>"


def _legend(gone: str, come: str) -> str:
    return f'<p class="answer-note"><del>{gone}</del> · <ins>{come}</ins></p>'


def _labels(name: str, labels: Sequence[str]) -> str:
    if not labels:
        return ""
    items = "".join(f"<li><bdi>{escape(label)}</bdi></li>" for label in labels[:_MOST_LABELS])
    more = len(labels) - _MOST_LABELS
    note = f"<li>And {more:,} more.</li>" if more > 0 else ""
    return f"<h4>{name}</h4><ul>{items}{note}</ul>"


def _said_before(messages: Sequence[Message]) -> str:
    names = {"user": "Question", "assistant": "Answer", "system": "System message"}
    told = ((names.get(message.role, message.role), message.content) for message in messages)
    return "".join(
        f'<p class="asked" dir="auto"><strong>{escape(name)}:</strong> {escape(content)}</p>' for name, content in told
    )


def _facts(result: Result) -> str:
    rows: list[str] = []
    for measure in MEASURES.values():
        found = result.values.get(measure.name)
        if measure.name == "failed" or found is None:
            continue
        told = figure(measure, measure.of(result.values))
        if isinstance(found, bool):
            told = "yes" if found else "no"
        elif isinstance(found, Sequence) and not isinstance(found, str) and found:
            names = found if measure.name != "warnings" else [one.detail for one in result.answer.warnings]
            named = ", ".join(f"<bdi>{escape(str(label))}</bdi>" for label in names[:_MOST_LABELS])
            told = f"{told}: {named}"
        rows.append(f"<div><dt>{measure.label}</dt><dd>{told}</dd></div>")
    return f'<dl class="facts">{"".join(rows)}</dl>'


def differences_html(old: str, new: str) -> str:
    """Safe HTML of `new`, with its added words in `ins`, and the removed words of `old` in `del`."""
    before, after = _WORD.findall(old)[:_MOST_WORDS], _WORD.findall(new)[:_MOST_WORDS]
    is_complete = len(before) < _MOST_WORDS and len(after) < _MOST_WORDS
    cut = "" if is_complete else "<p><small>Only the beginnings of long texts are compared.</small></p>"
    return f'<p class="differences" dir="auto">{"".join(_pieces(before, after))}</p>{cut}'


def _pieces(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for old, new in _runs(before, after):
        gone, come = escape("".join(old)), escape("".join(new))
        if old == new:
            yield come
            continue
        if gone:
            yield f"<del>{gone}</del>"
        if come:
            yield f"<ins>{come}</ins>"


def _matcher(before: Sequence[str], after: Sequence[str]) -> SequenceMatcher[str]:
    """The matcher of both. In costly cases it ignores frequent words."""
    often = Counter(after)
    return SequenceMatcher(None, before, after, sum(often[word] for word in before) > _MOST_PAIRS)


def _runs(before: Sequence[str], after: Sequence[str]) -> list[tuple[list[str], list[str]]]:
    """The words of both in equal and differing runs; short equal runs are joined with their differing neighbours."""
    runs: list[tuple[list[str], list[str]]] = []
    for what, old_start, old_end, new_start, new_end in _matcher(before, after).get_opcodes():
        old, new = list(before[old_start:old_end]), list(after[new_start:new_end])
        if what == "equal":
            runs.append((old, new))
            continue
        if len(runs) > 1 and len(runs[-1][0]) <= _SHORT:
            between = runs.pop()
            old, new = [*runs[-1][0], *between[0], *old], [*runs[-1][1], *between[1], *new]
            runs.pop()
        runs.append((old, new))
    return runs
