"""The head of the table of questions: its columns, each of which sorts, and what filters the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Final, TypeAlias

from chat_ui.evaluation.measure_names import MEASURES
from chat_ui.evaluation.report.figures import figure
from chat_ui.languages.translation import gettext, translated
from chat_ui.protocol.translatable import Translatable, msg

Means: TypeAlias = Mapping[str, float]
"""The measures of a question by their names: the means of its answers."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures: its `name` in the document, its `label`, and what it shows of a question."""

    name: str
    label: Translatable
    number: Callable[[Means], float | None]
    words: Callable[[Means], str]


def _of(name: str, label: Translatable) -> Column:
    measure = MEASURES[name]
    return Column(name, label, lambda means: means.get(name), lambda means: figure(measure, means.get(name)))


def _cited(means: Means) -> str:
    cited, sentences = (figure(MEASURES[name], means.get(name, 0)) for name in ("sentences_cited", "sentences"))
    return gettext("{cited} of {count}", cited=cited, count=sentences)


def _share_cited(means: Means) -> float | None:
    return means["sentences_cited"] / means["sentences"] if means.get("sentences") else None


COLUMNS: Final = (
    _of("first_text_s", msg("First text")),
    _of("total_s", msg("Whole answer")),
    _of("answer_length", msg("Characters")),
    Column("sentences_cited", msg("Sentences cited"), _share_cited, _cited),
    _of("citations_not_found", msg("Not found")),
    _of("citation_recall", msg("Recall")),
    _of("citation_precision", msg("Precision")),
    _of("citation_match", msg("Match")),
    _of("support", msg("Carried")),
)
"""The columns of figures."""
FILTERS: Final = (
    ("failed", msg("Failed answers")),
    ("uncited", msg("Without a citation")),
    ("not-found", msg("With citations that are not found")),
    ("missed", msg("Without a citation of the truth")),
)
"""Which questions can be shown alone: the name of each kind, and its words."""
CHANGE_FILTERS: Final = (
    ("worse", msg("Got worse")),
    ("better", msg("Got better")),
    ("new", msg("Not in the run before")),
)


def head_html(*, with_changes: bool) -> str:
    """Safe HTML of the row of column heads; each is a button that sorts."""
    heads = [("number", gettext("Number")), ("words", gettext("Question"))]
    if with_changes:
        heads.append(("change", gettext("Change")))
    heads += [(column.name, translated(column.label)) for column in COLUMNS]
    figures = {column.name for column in COLUMNS}
    cells = "".join(
        f'<th scope="col" class="{"of-figure" if name in figures else ""}" data-column="{name}">'
        f'<button type="button" class="sorts">{escape(words)}</button></th>'
        for name, words in heads
    )
    return f"<thead><tr>{cells}</tr></thead>"


def filters_html(*, with_changes: bool) -> str:
    """Safe HTML of what filters the rows, and of the count of those that are shown."""
    kinds = [("", gettext("All questions")), *((name, translated(words)) for name, words in FILTERS)]
    if with_changes:
        kinds += [(name, translated(words)) for name, words in CHANGE_FILTERS]
    options = "".join(f'<option value="{name}">{escape(words)}</option>' for name, words in kinds)
    return (
        '<div class="filters">'
        f'<label>{escape(gettext("Show"))} <select id="kind">{options}</select></label>'
        f'<label>{escape(gettext("Words"))} <input id="words" type="search" autocomplete="off"></label>'
        f'<p id="shown" role="status" data-words="{escape(gettext("{number} of {count} questions shown"))}"></p></div>'
    )
