"""Two answers to one question side by side: their times, how much of each is cited, and their sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final

from chat_ui.languages.translation import current_language, gettext, ngettext, quoted_html
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.grounding import grounding, plain_text
from chat_ui.rendering.html.parts import html_without_buttons
from chat_ui.rendering.panels.durations import duration_words
from chat_ui.rendering.panels.passages import title_of_source

_MOST_LISTED: Final = 100
_MOST_MISSING: Final = 20


@dataclass(frozen=True, slots=True)
class Source:
    """A source of one answer: its name, its `number` in order of retrieval, from 1, and whether it is cited."""

    name: str
    number: int
    is_cited: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """The compared facts of one answer: its `sentences` and the number of `cited` ones, the labels of `missing`
    citations, the number of `retrieved` sources, and these `sources` in their order. `differing` parts of its claims
    are None if it was not checked.
    """

    sentences: int
    cited: int
    missing: tuple[str, ...]
    retrieved: int
    sources: dict[str, Source]
    differing: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """An answer of the two: its facts, and the seconds to its first text and to its end, if known."""

    facts: Facts
    first_text: float | None
    total: float | None


def facts(answer: Answer, rendered: RenderedAnswer) -> Facts:
    """The facts of an answer. Sources with the same label are one."""
    found = grounding(rendered)
    cited = {one.data_point for one in rendered.citations}
    index = SourceIndex(answer.data_points)
    sources: dict[str, Source] = {}
    for position in range(len(answer.data_points)):
        label = index.label(position)
        title = title_of_source(answer.data_points[position], label)
        name = ", ".join(filter(None, (title.title, title.line)))
        first = sources.get(label, Source(name, position + 1, is_cited=False))
        sources[label] = replace(first, is_cited=first.is_cited or position in cited)
    checks = rendered.checks
    differing = checks.differing if checks.claims else None
    return Facts(found.sentences, found.cited, found.missing, len(answer.data_points), sources, differing)


def words(_answer: Answer, rendered: RenderedAnswer) -> str:
    """The words of an answer without its citations, a line for each paragraph, item or row."""
    blocks = (html_without_buttons(block.parts, lambda *_: "", with_languages=False) for block in rendered.blocks)
    return "\n\n".join(text for block in blocks if (text := plain_text(block)))


def comparison_html(left: Column, right: Column) -> str:
    """Safe HTML: a table of the two, then the sources of only the left one, of both, and of only the right."""
    rows = (
        (gettext("First text"), *(_seconds(column.first_text) for column in (left, right))),
        (gettext("Full answer"), *(_seconds(column.total) for column in (left, right))),
        (gettext("Claims cited"), *(_cited(column.facts) for column in (left, right))),
        (gettext("Citations not found"), *(_named(column.facts.missing) for column in (left, right))),
        *_differing(left.facts, right.facts),
        (gettext("Sources"), *(str(column.facts.retrieved) for column in (left, right))),
    )
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{_as_they_stand(f"<td>{one}</td>", f"<td>{other}</td>")}</tr>'
        for name, one, other in rows
    )
    # Translators: “Left” and “Right” are the two sides of a comparison.
    sides = (f'<th scope="col">{escape(name)}</th>' for name in (gettext("Left"), gettext("Right")))
    ours, theirs = left.facts.sources, right.facts.sources
    only_left = [_item(one) for label, one in ours.items() if label not in theirs]
    both = [_shared(one, theirs[label]) for label, one in ours.items() if label in theirs]
    only_right = [_item(one) for label, one in theirs.items() if label not in ours]
    return (
        f'<table class="columns-figures"><thead><tr><td></td>{_as_they_stand(*sides)}</tr></thead>'
        f"<tbody>{lines}</tbody></table>"
        '<div class="columns-sources">'
        f"{_list(gettext('Only left'), only_left)}{_list(gettext('Both'), both)}"
        f"{_list(gettext('Only right'), only_right)}"
        "</div>"
    )


def _as_they_stand(left: str, right: str) -> str:
    """Two cells of a row, the left one to the left in every language."""
    return right + left if current_language().direction == "rtl" else left + right


def _seconds(seconds: float | None) -> str:
    return escape(duration_words(seconds)) if seconds is not None else "–"


def _cited(found: Facts) -> str:
    return escape(gettext("{cited} of {count}", cited=found.cited, count=found.sentences))


def _named(names: Sequence[str]) -> str:
    """The number of the names, and the first of them."""
    if not names:
        return "0"
    return f"{len(names)}: {quoted_html([f'<bdi>{escape(name)}</bdi>' for name in names[:_MOST_MISSING]])}"


def _differing(left: Facts, right: Facts) -> Iterator[tuple[str, str, str]]:
    if left.differing is not None or right.differing is not None:
        one, other = ("–" if found.differing is None else _named(found.differing) for found in (left, right))
        yield gettext("Different from the cited passages"), one, other


def _list(name: str, items: Sequence[str]) -> str:
    body = f"<ul>{''.join(items[:_MOST_LISTED])}</ul>" if items else f"<p>{escape(gettext('None'))}</p>"
    if (more := len(items) - _MOST_LISTED) > 0:
        body += f"<p>{escape(ngettext('And 1 more.', 'And {count} more.', more))}</p>"
    return f"<section><h3>{escape(name)}</h3>{body}</section>"


def _item(source: Source) -> str:
    place = gettext("number {number}", number=source.number)
    cited = gettext("cited") if source.is_cited else gettext("not cited")
    return f"<li><bdi>{escape(source.name)}</bdi> <small>{escape(place)}, {escape(cited)}</small></li>"


def _shared(left: Source, right: Source) -> str:
    places = gettext("left number {left}, right number {right}", left=left.number, right=right.number)
    citing = left.is_cited + right.is_cited
    cited = (gettext("not cited"), gettext("cited by one"), gettext("cited by both"))[citing]
    return f"<li><bdi>{escape(left.name)}</bdi> <small>{escape(places)}, {escape(cited)}</small></li>"
