from collections.abc import Callable

import pytest

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.copies import copy_html, copy_markdown
from chat_ui.rendering.grounding import grounding
from chat_ui.rendering.markdown.formulas import formula_html
from chat_ui.rendering.markdown.linked_sources import closing_brackets
from chat_ui.rendering.panels.passages import passage_html
from chat_ui.rendering.panels.sources import sources_html
from chat_ui.rendering.panels.strip import strip_html
from chat_ui.rendering.resources import cards
from chat_ui.rendering.streaming.stream import AnswerStream
from chat_ui.rendering.streaming.work import IN_PLACE, work_of
from tests.growth import assert_in_proportion, cost_of
from tests.made_sets import sampled, thinned
from tests.rendering.costly import COSTLY
from tests.rendering.streaming import characters

POINTS = (DataPoint("a.pdf", "a.pdf"),)
LENGTH = 4_000

REPEATED = {
    "open brackets": "[", "closing brackets": "]", "bracket pairs": "[a]", "half links": "[a](", "images": "![[",
    "stars": "*", "strong": "a**b", "mixed emphasis": "*a_ ", "unclosed emphasis": "**a *b ", "code marks": "` ",
    "dollars": "$a", "double dollars": "$$a ", "escapes": "\\$", "angles": "<", "half tags": "<a ", "comments": "<!--",
    "instructions": "x<?", "cdata": "x<![CDATA[", "quotes": ">", "quote lines": "> > > a\n", "list marks": "- ",
    "one line": "word ", "paragraphs": "Some text here [a.pdf].\n\n", "list items": "- item one\n",
    "raw blocks": "<div>", "raw lists": "<ul><li>", "raw inline": "x<b>", "raw cells": "<table><td>",
    "hidden raw blocks": "<svg><style><div>", "link titles": '[a](b "', "footnotes": "[^a]: x\n\n",
    "references": "[r]: /u\n", "entities": "&amp", "urls": "https://a.example/ ", "schemes": "http://",
    "mail": "mailto:", "slashes": "\\", "pipes": "|", "headings": "# ", "strikes": "~~a ", "lines": "a\n",
    "citations": "x [a.pdf] ", "stops": "a. [a.pdf] ", "leading citations": "- [a.pdf]\n",
    "raw citations": "<i>[a.pdf]</i> ", "cited rows": "<tr><td>[a.pdf]", "parentheses": "[a](((", "formulas": "$x^2$ ",
    "latex brackets": "\\(", "latex formulas": "\\(x=1\\) ",
}  # fmt: skip
COUNTED = {
    "distinct footnotes": lambda length: "".join(f"[^{number}]: x\n\n" for number in range(length // 9)),
    "distinct references": lambda length: "".join(f"[r{number}]: /u\n" for number in range(length // 10)) + "\n[r1]",
    "runs of code marks": lambda length: "".join("`" * size + "x" for size in range(int((2 * length) ** 0.5))),
    "attributes": lambda length: "<div " + " ".join(f"a{number}" for number in range(length // 6)) + ">",
    "formatting across paragraphs": lambda length: "".join(f"<p><b x{number}>" for number in range(length // 12)),
    "table rows": lambda length: "| a | b |\n|---|---|\n" + "| x [a.pdf] | y |\n" * (length // 18),
    "raw table rows": lambda length: "<table>" + "<tr><td>[a.pdf] x</td></tr>" * (length // 28) + "</table>",
    "table columns": lambda length: "a|" * (length // 2) + "\n" + "-|" * (length // 2),
    "cells of one row": lambda length: "[a.pdf]|" * (length // 10) + "\n" + "-|" * (length // 10),
    "pipes in a cell": lambda length: "a|b\n-|-\n" + "[a.pdf]\\|" * (length // 9),
    "citations in lines of a quote": lambda length: "> x [a.pdf]\n" * (length // 12),
    "lists after lead-ins": lambda length: "Long [a.pdf]:\n- item of it\n\n[a.pdf]\n\n" * (length // 36),
    "citations of a list": lambda length: "a [a.pdf] " * (length // 20) + ":\n" + "- item of it\n" * (length // 28),
    "lists in lists": lambda length: (
        "".join(" " * level + "- all of it [a.pdf]:\n" for level in range(0, 12, 2)) * (length // 144)
    ),
    "an open link title": lambda length: "[r]: /u '" + "x\n" * (length // 2),
}


def repeated(unit: str) -> Callable[[int], str]:
    return lambda length: unit * (length // len(unit))


@pytest.mark.parametrize("text", thinned({name: repeated(unit) for name, unit in REPEATED.items()} | COUNTED, 9))
def test_a_repetitive_or_varied_answer_costs_in_proportion(text):
    assert_in_proportion(lambda text: render_answer(text, POINTS), LENGTH, made=text)


def test_a_very_long_line_is_shown_whole_with_its_citations():
    line = "word " * 20_000
    assert line.strip() in render_answer(line, POINTS).html[0]
    html = render_answer("*a* [a.pdf] " * 2_000, POINTS).html[0]
    assert html.count('class="citation') == 2_000


def _stream(unit: str, length: int) -> None:
    stream = AnswerStream(POINTS)
    text = unit * max(1, length // max(1, len(unit)))
    for start in range(0, len(text), 100):
        stream.feed(text[start : start + 100])
        stream.flush()
    stream.flush(final=True)


def test_a_stream_of_many_blocks_costs_in_proportion():
    assert_in_proportion(
        lambda length: _stream("A sentence of some words [a.pdf].\n\n- one\n- two\n\n", length), 12_000
    )


OPEN_BLOCKS = {
    "list": ("1. Steps:\n", "   - one of **two**\n"),
    "table": ("| a | b |\n|---|---|\n", "| one [a.pdf] | two |\n"),
    "code": ("```python\n", "def lift(buoy):\n    return buoy + 1\n"),
    "paragraph": ("", "One sentence of some [a.pdf] words. "),
    "raw table": ("<table>\n", "<tr><td>one [a.pdf]</td><td>two</td></tr>\n"),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("head", "unit"), OPEN_BLOCKS.values(), ids=OPEN_BLOCKS.keys())
def test_a_stream_of_one_block_costs_in_proportion(head, unit):
    assert_in_proportion(lambda length: _stream(head + unit * (length // len(unit)), length), 6_000)


def not_seen_before(text: Callable[[int], str]) -> Callable[[int], str]:
    """A made text, with the caches of its rendering cleared."""

    def made(length: int) -> str:
        formula_html.cache_clear()
        closing_brackets.cache_clear()
        return text(length)

    return made


UNSEEN = {name: not_seen_before(text) for name, text in COSTLY.items()}
FAMILIES = pytest.mark.parametrize("text", thinned(UNSEEN, 12))


@FAMILIES
def test_a_costly_answer_costs_in_proportion(text):
    assert_in_proportion(lambda text: render_answer(text, POINTS), 2_000, made=text)


@FAMILIES
def test_a_growing_costly_answer_costs_in_proportion(text):
    assert_in_proportion(lambda length: _stream(text(length), length), 3_000)


@pytest.mark.parametrize("text", thinned(UNSEEN, 30))
def test_a_flush_of_a_costly_answer_costs_the_same_at_any_length(text):
    def longest(length: int) -> float:
        return max(map(min, zip(*(_costs_of_flushes(text(length)) for _ in range(3)), strict=True)))

    assert longest(8_000) < 2 * longest(2_000) + 0.002


@FAMILIES
def test_names_of_sources_cost_in_proportion(text):
    def index(name: str) -> None:
        sources_html(Answer(data_points=(DataPoint(name, name, name, url=name),)), render_answer("[a]", ()))

    assert_in_proportion(index, 4_000, made=text)


@FAMILIES
def test_a_costly_answer_is_copied_and_checked_in_proportion(text):
    def take_along(written: str) -> None:
        rendered = render_answer(written, POINTS)
        copy_markdown(written, rendered, POINTS)
        copy_html(rendered, POINTS)
        grounding(rendered)
        cards(Answer(written, data_points=POINTS), rendered, None)
        strip_html(Answer(written, data_points=(DataPoint(written, written, written, url=written),)), rendered)

    assert_in_proportion(take_along, 800, made=text)


def _costs_of_flushes(text: str) -> list[float]:
    stream, costs = AnswerStream(POINTS), []
    for start in range(0, len(text), 200):
        stream.feed(text[start : start + 200])
        costs.append(cost_of(stream.flush))
    return costs


def _least_cost(work: Callable[[], object]) -> float:
    return min(cost_of(work) for _ in range(3))


@pytest.mark.parametrize("names", sampled([*COSTLY], 16))
def test_work_is_estimated_without_rendering(names):
    """The estimate chooses where to render, so no text may take far longer than prose of equal work."""
    prose = "A sentence of some words, and another of as many [a.pdf].\n\n" * 60
    for name in names:
        costly = COSTLY[name](len(prose))
        each = _least_cost(lambda costly=costly: render_answer(costly, POINTS)) / work_of(costly)
        usual = _least_cost(lambda: render_answer(prose, POINTS)) / work_of(prose)
        assert each < 10 * usual, name


def test_a_long_paragraph_of_plain_words_is_sent_about_once():
    stream, sent = AnswerStream(), 0
    for _ in range(1_000):
        stream.feed("plain words go on " * 20)
        sent += characters(stream.flush())
    assert sent < 10 * 1_000 * 20 * len("plain words go on ")


def test_estimating_the_work_costs_the_same_for_any_length():
    def decide(length: int) -> Callable[[], None]:
        text = "word " * (length // 5)

        def often() -> None:
            for _ in range(20):
                assert work_of(text, IN_PLACE) > IN_PLACE

        return often

    assert _least_cost(decide(8_000_000)) < 10 * _least_cost(decide(80_000)) + 0.02


def test_work_up_to_a_limit_is_known_exactly():
    texts = [text(length) for text in COSTLY.values() for length in (20, 200, 2_000)]
    assert [work_of(text, IN_PLACE) > IN_PLACE for text in texts] == [work_of(text) > IN_PLACE for text in texts]


def test_a_long_passage_costs_in_proportion():
    claim = "Tents keep the rain out for years"
    assert_in_proportion(lambda length: passage_html("Tents are dry. " * (length // 15), claim), 100_000)
    assert_in_proportion(lambda length: passage_html("tents " * (length // 6), claim), 100_000)
    row = "<tr><td>Tents are <b>dry</b></td></tr>"
    rows = "\n".join(["Tents:", *("Tents are dry in years" for _ in range(100))])
    assert_in_proportion(lambda length: passage_html(f"<table>{row * (length // len(row))}", rows), 100_000)
    assert_in_proportion(lambda length: passage_html("<b>" + "Tents are dry. " * (length // 15), rows), 100_000)


def test_many_late_sources_are_much_work_at_the_end():
    stream = AnswerStream()
    stream.feed("Buoys are red [a1.txt].")
    stream.flush()
    stream.set_data_points([DataPoint(f"a{number}.txt", f"a{number}.txt") for number in range(1_000)])
    assert stream.final_work(IN_PLACE) > IN_PLACE
