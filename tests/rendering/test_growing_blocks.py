"""A block that grows long is settled piece by piece, and ends as if it had been rendered at once."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.markdown.code_blocks import CHUNK_LINES, MAX_COLOURED
from tests.rendering.growing import Page, typed

POINTS = (DataPoint("Handbook.pdf#page=2", "Handbook.pdf"), DataPoint("7", "Tent"))

WORDS = st.sampled_from(
    ["tent", "**warm**", "`a|b`", "[7]", "[Handbook.pdf]", "[none.pdf]", "*half", "**half", "a < b", "<b>bold</b>",
     "<b>", "<br>", "שלום", "$x^2$", "[link](https://a.example)", "[ref]", "~~old~~", "&amp;", "\\*", "Ends. Then"]
)  # fmt: skip
TEXT = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
CODE_LINE = st.sampled_from(
    ["x = 1", "def lift(buoy):", '    """Lift it."""', '"""', "/* open", "close */", "    return [7]", "", "'", "}",
     "# note", '{"a": [1, "b"],', "<a href='x'>", "\tif (a < b) {"]
)  # fmt: skip


def _indented(text: str, prefix: str) -> str:
    return "".join(prefix + line for line in text.splitlines(keepends=True))


@st.composite
def tables(draw: st.DrawFn) -> str:
    rows = draw(st.lists(st.lists(TEXT, min_size=1, max_size=3), min_size=4, max_size=20))
    return "| a | b | c |\n|---|:-:|--:|\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


@st.composite
def fences(draw: st.DrawFn) -> str:
    language = draw(st.sampled_from(["python", "js", "c", "json", "html", "", "nosuch"]))
    lines = draw(st.lists(CODE_LINE, min_size=5, max_size=50))
    return f"```{language}\n" + "".join(line + "\n" for line in lines) + draw(st.sampled_from(["```\n", ""]))


@st.composite
def raw_tables(draw: st.DrawFn) -> str:
    rows = draw(st.lists(TEXT, min_size=3, max_size=20))
    between = draw(st.sampled_from(["\n", "", "\n\n"]))
    return "<table>\n" + between.join(f"<tr><td>{row}</td></tr>" for row in rows) + "\n</table>\n"


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    marker = draw(st.sampled_from(["- ", "1. ", "* "]))
    items = []
    for text, below in draw(st.lists(st.tuples(TEXT, inner), min_size=2, max_size=8)):
        items.append(marker + text + "\n" + draw(st.sampled_from(["", "", "lazy line\n", "\n"])))
        items.append(_indented(below, " " * len(marker)))
    return "".join(items)


NESTED = lists(st.just("") | lists(st.just("")) | tables() | fences())
QUOTES = st.lists(TEXT | tables() | lists(st.just("")), min_size=2, max_size=6).map(
    lambda parts: "".join(_indented(part + "\n\n", "> ") for part in parts)
)
PARAGRAPHS = st.lists(TEXT, min_size=40, max_size=80).map(" ".join)
BLOCKS = tables() | fences() | raw_tables() | NESTED | QUOTES | PARAGRAPHS
ANSWERS = st.lists(BLOCKS, min_size=1, max_size=2).map("\n".join)


def _pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@given(ANSWERS, st.integers(2, 60))
def test_any_split_of_long_blocks_ends_as_the_whole(text, flushes):
    page = typed(_pieces(text, len(text) // flushes + 1), POINTS)
    whole = render_answer(text, POINTS)
    assert page.blocks == whole.html
    assert page.stream.citations == whole.citations
    assert page.stream.uses == whole.uses


PLAIN = {
    "table": ("| a | b |\n|---|---|\n", "| one [7] | **two** |\n"),
    "code": ("```python\n", 'def lift(buoy):\n    """Lift."""\n    return buoy + "x"\n\n'),
    "list": ("", "- one [7] and **two**\n"),
    "loose list": ("", "1. one [7] and **two**\n\n"),
    "list in a list": ("1. Steps:\n", "   - one [7] and **two**\n"),
    "table in a list": ("- Prices:\n\n  | a | b |\n  |---|---|\n", "  | one [7] | **two** |\n"),
    "code in a list": ("- Run:\n\n  ```js\n", "  const lift = (buoy) => buoy + `x`; // up\n"),
    "quote": ("", "> one [7] and **two**\n>\n"),
    "paragraph": ("", "One [7] is **two** and so on. "),
    "raw table": ("<table>\n", "<tr><td>one [7]</td><td>two</td></tr>\n"),
}  # fmt: skip
HEADS_AND_UNITS = pytest.mark.parametrize(("head", "unit"), PLAIN.values(), ids=PLAIN.keys())


@HEADS_AND_UNITS
def test_a_growing_block_is_never_shown_anew(head, unit):
    page = Page(POINTS)
    text = head + unit * (6_000 // len(unit))
    settled = False
    for start in range(0, len(text), 70):
        for change in page.type(text[start : start + 70]):
            assert not (settled and change.anew)
            settled = settled or change.settles is not None
    assert settled
    assert not any(change.anew for change in page.end())


@HEADS_AND_UNITS
def test_what_is_shown_while_a_block_grows_is_what_the_whole_would_show(head, unit):
    page = Page(POINTS)
    text = head + unit * 60
    for line in text.splitlines(keepends=True):
        page.type(line)
    assert _words(page.blocks) == _words(render_answer(text.rstrip(), POINTS).html)


def _words(blocks: tuple[str, ...]) -> list[str]:
    return re.findall(r"<[^>]+>|[^<>\s]+", "".join(blocks))


@HEADS_AND_UNITS
def test_what_goes_to_the_page_is_proportional_to_what_is_new(head, unit):
    page = Page(POINTS)
    page.type(head + unit * 200)
    page.type(unit)
    largest = max(sum(len(change.html or "") for change in page.type(unit)) for _ in range(40))
    assert largest < 12_000


@HEADS_AND_UNITS
def test_a_block_settles_after_others_that_came_with_it(head, unit):
    page = Page(POINTS)
    text = "Before.\n\nAnd more.\n\n" + head + unit * 60
    page.type(text)
    page.type(unit)
    changes = page.type(unit)
    assert [change.index for change in changes if change.anew] == []
    page.end()
    assert page.blocks == render_answer(text + 2 * unit, POINTS).html


def test_a_list_that_becomes_loose_is_shown_loose():
    page = Page()
    page.type("- one\n" * 100)
    assert "<p" not in page.html
    page.type("\n- two\n- three\n")
    assert page.html.count("<p") == 102


def test_code_in_a_language_whose_lexer_cannot_resume_is_coloured_when_it_ends():
    page = Page()
    for _ in range(200):
        page.type('"key": [1, true],\n' if page.blocks else '```json\n{"key": [1, true],\n')
    assert page.html.count('class="kc"') < 100
    page.end()
    assert page.html.count('class="kc"') == 200


def test_a_docstring_over_many_lines_keeps_its_colour():
    page = Page()
    page.type('```python\ndef lift():\n    """Lift.\n')
    for number in range(60):
        page.type(f"    Line {number} is not code: return 1\n")
    assert 'class="k">return' not in page.html


def test_code_is_coloured_up_to_a_bound_and_shown_whole():
    line = "return 1\n"
    lines = MAX_COLOURED // len(line) + 10 * CHUNK_LINES
    page = Page()
    page.type("```python\n")
    for _ in range(lines // 500):
        page.type(line * 500)
    page.type(line * (lines % 500))
    while_open = page.html.count('class="k"')
    page.end()
    assert page.html.count("return") == lines
    assert page.html.count('class="k"') == while_open < lines
