"""Twice the text costs about twice as much, whatever the text is."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from chat_ui.protocol.answer import DataPoint
from chat_ui.rendering.answers import render_answer
from chat_ui.rendering.passages import passage_html
from chat_ui.rendering.stream import AnswerStream

POINTS = (DataPoint("a.pdf", "a.pdf"),)
GROWTH = 2.6
LENGTH = 8_000

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


def _cost(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def _assert_linear(work: Callable[[int], object], length: int) -> None:
    work(length // 10)
    seen = []
    for _ in range(3):
        once, twice = _cost(lambda: work(length)), _cost(lambda: work(2 * length))
        if twice <= GROWTH * once + 0.05:
            return
        seen.append(f"{once:.3f} s, then {twice:.3f} s for twice the length")
    pytest.fail("; ".join(seen))


@pytest.mark.parametrize("unit", REPEATED.values(), ids=REPEATED.keys())
def test_an_answer_that_repeats_costs_in_proportion(unit):
    _assert_linear(lambda length: render_answer(unit * (length // len(unit)), POINTS), LENGTH)


COUNTED = {
    "distinct footnotes": lambda length: "".join(f"[^{number}]: x\n\n" for number in range(length // 9)),
    "distinct references": lambda length: "".join(f"[r{number}]: /u\n" for number in range(length // 10)) + "\n[r1]",
    "runs of code marks": lambda length: "".join("`" * size + "x" for size in range(int((2 * length) ** 0.5))),
    "attributes": lambda length: "<div " + " ".join(f"a{number}" for number in range(length // 6)) + ">",
    "formatting across paragraphs": lambda length: "".join(f"<p><b x{number}>" for number in range(length // 12)),
    "table rows": lambda length: "| a | b |\n|---|---|\n" + "| x [a.pdf] | y |\n" * (length // 18),
    "raw table rows": lambda length: "<table>" + "<tr><td>[a.pdf] x</td></tr>" * (length // 28) + "</table>",
    "table columns": lambda length: "a|" * (length // 2) + "\n" + "-|" * (length // 2),
    "an open link title": lambda length: "[r]: /u '" + "x\n" * (length // 2),
}


@pytest.mark.parametrize("text", COUNTED.values(), ids=COUNTED.keys())
def test_an_answer_that_varies_costs_in_proportion(text):
    _assert_linear(lambda length: render_answer(text(length), POINTS), LENGTH)


def test_ten_megabytes_of_brackets_are_shown_and_cost_in_proportion():
    assert len("".join(render_answer("[" * 10_000_000, POINTS).blocks)) > 10_000_000
    _assert_linear(lambda length: render_answer("[" * length, POINTS), 500_000)


def test_a_line_of_a_hundred_thousand_characters_is_shown_whole():
    line = "word " * 20_000
    assert line.strip() in render_answer(line, POINTS).blocks[0]


def test_a_citation_in_a_very_long_paragraph_is_still_a_button():
    html = render_answer("*a* [a.pdf] " * 5_000, POINTS).blocks[0]
    assert html.count('class="citation"') == 5_000


def _stream(unit: str, length: int) -> None:
    stream = AnswerStream(POINTS)
    text = unit * max(1, length // len(unit))
    for start in range(0, len(text), 100):
        stream.feed(text[start : start + 100])
        stream.flush()
    stream.flush(final=True)


def test_a_stream_of_many_blocks_costs_in_proportion():
    _assert_linear(lambda length: _stream("A sentence of some words [a.pdf].\n\n- one\n- two\n\n", length), 12_000)


OPEN_BLOCKS = {
    "table": ("| a | b |\n|---|---|\n", "| one [a.pdf] | two |\n"),
    "code": ("```python\n", "def lift(buoy):\n    return buoy + 1\n"),
    "list": ("1. Steps:\n", "   - one of **two**\n"),
    "paragraph": ("", "One sentence of some [a.pdf] words. "),
    "raw table": ("<table>\n", "<tr><td>one [a.pdf]</td><td>two</td></tr>\n"),
}


@pytest.mark.parametrize(("head", "unit"), OPEN_BLOCKS.values(), ids=OPEN_BLOCKS.keys())
def test_a_stream_of_one_block_costs_in_proportion(head, unit):
    _assert_linear(lambda length: _stream(head + unit * (length // len(unit)), length), 6_000)


def test_a_stream_sends_each_finished_block_about_once():
    stream = AnswerStream(POINTS)
    sent = 0
    text = "A sentence of some words [a.pdf], and more.\n\n" * 300
    for start in range(0, len(text), 50):
        stream.feed(text[start : start + 50])
        sent += len(stream.flush())
    assert sent < 4 * 300


def test_a_long_passage_costs_in_proportion():
    claim = "Tents keep the rain out for years"
    _assert_linear(lambda length: passage_html("Tents are dry. " * (length // 15), claim), 100_000)
    _assert_linear(lambda length: passage_html("tents " * (length // 6), claim), 100_000)
