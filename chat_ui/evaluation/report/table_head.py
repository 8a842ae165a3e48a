"""The head of the table of questions: its columns, each of which sorts, and what filters the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from chat_ui.evaluation.measure_names import MEASURES
from chat_ui.evaluation.report.figures import figure

Means: TypeAlias = Mapping[str, float]
"""The measures of a question by their names: the means of its answers."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures: its `name` in the document, its `label`, and what it shows of a question."""

    name: str
    label: str
    number: Callable[[Means], float | None]
    words: Callable[[Means], str]


def _of(name: str, label: str) -> Column:
    measure = MEASURES[name]
    return Column(name, label, lambda means: means.get(name), lambda means: figure(measure, means.get(name)))


def _cited(means: Means) -> str:
    cited, sentences = (figure(MEASURES[name], means.get(name, 0)) for name in ("sentences_cited", "sentences"))
    return f"{cited} of {sentences}"


def _share_cited(means: Means) -> float | None:
    return means["sentences_cited"] / means["sentences"] if means.get("sentences") else None


COLUMNS: Final = (
    _of("first_text_s", "First text"),
    _of("total_s", "Whole answer"),
    _of("answer_length", "Characters"),
    Column("sentences_cited", "Sentences cited", _share_cited, _cited),
    _of("citations_not_found", "Not found"),
    _of("citation_recall", "Recall"),
    _of("citation_precision", "Precision"),
    _of("citation_match", "Match"),
    _of("support", "Carried"),
)
"""The columns of figures."""
FILTERS: Final = (
    ("failed", "Failed answers"),
    ("uncited", "Without a citation"),
    ("not-found", "With citations that are not found"),
    ("missed", "Without a citation of the truth"),
)
"""Which questions can be shown alone: the name of each kind, and its words."""
CHANGE_FILTERS: Final = (
    ("worse", "Got worse"),
    ("better", "Got better"),
    ("new", "Not in the run before"),
)


def head_html(*, with_changes: bool) -> str:
    """Safe HTML of the row of column heads; each is a button that sorts."""
    heads = [("number", "Number"), ("words", "Question")]
    if with_changes:
        heads.append(("change", "Change"))
    heads += [(column.name, column.label) for column in COLUMNS]
    figures = {column.name for column in COLUMNS}
    cells = "".join(
        f'<th scope="col" class="{"of-figure" if name in figures else ""}" data-column="{name}">'
        f'<button type="button" class="sorts">{words}</button></th>'
        for name, words in heads
    )
    return f"<thead><tr>{cells}</tr></thead>"


def filters_html(*, with_changes: bool) -> str:
    """Safe HTML of what filters the rows, and of the count of those that are shown."""
    kinds = [("", "All questions"), *FILTERS, *(CHANGE_FILTERS if with_changes else ())]
    options = "".join(f'<option value="{name}">{words}</option>' for name, words in kinds)
    return (
        f'<div class="filters"><label>Show <select id="kind">{options}</select></label>'
        '<label>Words <input id="words" type="search" autocomplete="off"></label>'
        '<p id="shown" role="status"></p></div>'
    )
