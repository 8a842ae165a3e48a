"""A long growing block is settled piece by piece, and ends like one rendered at once."""

import pickle
import re
from bisect import bisect
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.markdown.code_blocks import CHUNK_LINES, MAX_COLOURED
from chat_ui.rendering.streaming.stream import last_changes
from tests.made_sets import thinned
from tests.rendering.streaming import Page, begun_anew, characters, settled, typed

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
    if draw(st.booleans()):
        language = "markdown"
        lines = draw(st.lists(st.sampled_from(["words", "```js", "```", "~~~", "````py", "- ```c"]), max_size=50))
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
    typed(_pieces(text, len(text) // flushes + 1), POINTS).expect(render_answer(text, POINTS))


PLAIN = {
    "table": ("| a | b |\n|---|---|\n", "| one [7] | **two** |\n"),
    "code": ("```python\n", 'def lift(buoy):\n    """Lift."""\n    return buoy + "x"\n\n'),
    "code in Markdown": ("```md\n# Lift\n```js\n", "const lift = (buoy) => buoy + 1; // up\n"),
    "list": ("", "- one [7] and **two**\n"),
    "loose list": ("", "1. one [7] and **two**\n\n"),
    "list in a list": ("1. Steps:\n", "   - one [7] and **two**\n"),
    "table in a list": ("- Prices:\n\n  | a | b |\n  |---|---|\n", "  | one [7] | **two** |\n"),
    "code in a list": ("- Run:\n\n  ```js\n", "  const lift = (buoy) => buoy + `x`; // up\n"),
    "quote": ("", "> one [7] and **two**\n>\n"),
    "paragraph": ("", "One [7] is **two** and so on. "),
    "raw table": ("<table>\n", "<tr><td>one [7]</td><td>two</td></tr>\n"),
}  # fmt: skip


def test_a_long_block_of_markdown_ends_at_its_place_while_it_grows():
    page = Page()
    page.type("```markdown\n# Lift\n```js\n" + "const lift = 1; // up\n" * 40)
    for line in ("```\n", "Then go.\n", "```\n", "\n", "*Words*\n", "\n", "More.\n"):
        page.type(line)
        assert ("<em>Words</em>" in page.html) == (line in ("*Words*\n", "\n", "More.\n") and len(page.blocks) > 1)
    assert len(page.blocks) == 3
    assert page.html.count('class="code-block"') == 1


@pytest.mark.parametrize("block", thinned(PLAIN, 2))
def test_a_growing_block_is_never_sent_anew_but_by_its_changes(block):
    head, unit = block
    page = Page(POINTS)
    text = head + unit * (3_000 // len(unit))
    first, *others = (page.type(text[start : start + 70]) for start in range(0, len(text), 70))
    assert begun_anew(first) == [0]
    assert not any(map(begun_anew, others))
    assert any(map(settled, others))
    assert _words(page.blocks) == _words(render_answer(text.rstrip(), POINTS).html)
    page.type(unit * 80)
    page.type(unit)
    assert max(characters(page.type(unit)) for _ in range(12)) < 12_000
    assert not begun_anew(page.end())


def _words(blocks: tuple[str, ...]) -> list[str]:
    return re.findall(r"<[^>]+>|[^<>\s]+", "".join(blocks))


def test_a_block_settles_after_others_that_came_with_it():
    for head, unit in PLAIN.values():
        page = Page(POINTS)
        text = "Before.\n\nAnd more.\n\n" + head + unit * 60
        page.type(text)
        page.type(unit)
        assert begun_anew(page.type(unit)) == [], unit
        page.end()
        assert page.blocks == render_answer(text + 2 * unit, POINTS).html


def test_a_list_that_becomes_loose_is_shown_loose():
    page = Page()
    page.type("- one\n" * 100)
    assert "<p" not in page.html
    page.type("\n- two\n- three\n")
    assert page.html.count("<p") == 102


def test_code_is_coloured_while_it_grows_if_its_lexer_can_resume():
    page = Page()
    for _ in range(200):
        page.type('"key": [1, true],\n' if page.blocks else '```json\n{"key": [1, true],\n')
    assert page.html.count('class="kc"') < 100
    page.end()
    assert page.html.count('class="kc"') == 200
    page = Page()
    page.type('```python\ndef lift():\n    """Lift.\n')
    for number in range(60):
        page.type(f"    Line {number} is not code: return 1\n")
    assert 'class="k">return' not in page.html


def test_a_block_loses_its_colours_at_the_second_pause_of_the_machine(monkeypatch: pytest.MonkeyPatch):
    code = "```python\n" + "a = 'b'  # c\n" * 50 + "```"
    coloured = render_answer(code, ()).html
    for pauses, has_all in (((3,), True), ((3, 5), False)):
        readings = count()
        monkeypatch.setattr(
            "chat_ui.rendering.markdown.code_blocks.thread_time",
            lambda readings=readings, pauses=pauses: float(bisect(pauses, next(readings))),
        )
        assert (render_answer(code, ()).html == coloured) is has_all


def test_code_is_coloured_up_to_a_limit_and_shown_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("chat_ui.rendering.markdown.code_blocks.MAX_COLOURED", most := MAX_COLOURED // 5)
    line = "return 1\n"
    lines = most // len(line) + 10 * CHUNK_LINES
    page = Page()
    page.type("```python\n")
    for _ in range(lines // 500):
        page.type(line * 500)
    page.type(line * (lines % 500))
    while_open = page.html.count('class="k"')
    page.end()
    assert page.html.count("return") == lines
    assert page.html.count('class="k"') == while_open < lines


def test_text_after_a_very_long_block_is_shown_below_it():
    page = Page(POINTS)
    text = "- one [7] and **two**\n" * 200
    for piece in (text, "- three\n", "\nAfter.\n", "\nMore.\n"):
        page.type(piece)
    assert ("three" in page.html, "After." in page.html) == (True, True)
    page.end()
    assert page.blocks == render_answer(text + "- three\n\nAfter.\n\nMore.\n", POINTS).html


def test_an_answer_too_costly_to_follow_is_shown_at_its_end():
    page = Page(POINTS)
    page.type("Dry.\n\n")
    page.type("$ " * 14_000)
    assert (page.stream.is_too_long, 'class="plain-text"' in page.html) == (True, True)
    page.end()
    assert (page.html.count("$"), 'class="plain-text"' in page.html) == (14_000, False)


def test_a_growing_answer_can_be_ended_by_another_stream():
    for head, unit in PLAIN.values():
        page = Page(POINTS)
        page.type("Before [7].\n\n" + head + unit * 40)
        page.type(unit)
        ending = pickle.loads(pickle.dumps(page.stream.ending))
        changes, shown = pickle.loads(pickle.dumps(last_changes(ending)))
        assert changes == page.stream.flush(final=True), unit
        assert [*shown.snapshot()] == [*page.stream.blocks.snapshot()]
        assert ending.text == "Before [7].\n\n" + head + unit * 41


def test_the_end_of_an_answer_shown_as_plain_text_is_sent_anew():
    page = Page(POINTS)
    page.type("Before [7].\n\nx")
    page.type("[" * 400)
    page.type("[7]\r")
    assert '<div class="plain-text">' in page.blocks[1]
    assert page.stream.ending.text.endswith("[7]\n")
    changes, _ = last_changes(page.stream.ending)
    assert (len(changes), begun_anew(changes)) == (1, [1])
    page.stream.feed("x")
    page.end()
    assert page.blocks == render_answer("Before [7].\n\nx" + "[" * 400 + "[7]\nx", POINTS).html


def test_code_keeps_its_colours_if_a_piece_ends_within_a_comment():
    unit = "/* one\nreturn two;\nreturn three; */ return 4;\n"
    page = Page()
    page.type("```c\n")
    for _ in range(30):
        page.type(unit)
        assert page.html.count('class="k"') == page.html.count("return</span> <") == page.html.count("*/")
    page.end()
    assert page.html.count('class="k"') == 30


def test_code_is_coloured_up_to_its_costly_lines():
    cases = [
        ("1\n" * 8 + "x" * 1_501 + "\n", 8), ("1\n" * 8 + "x" * 1_500 + "\n1\n", 9),
        ("1\n" * 8 + "\n" * 64 + "1\n", 9), ("1\n" * 8 + "\n" * 72 + "1\n", 8), ("1\n" * 7 + "\n" * 80 + "1\n", 7),
    ]  # fmt: skip
    for code, coloured in cases:
        html = render_answer(f"```json\n{code}```", ()).html[0]
        assert html.count('class="mi"') == coloured, code
        assert html.count("1") == code.count("1")


def test_a_block_of_code_has_chunks_of_lines_under_its_languages_name():
    cases = [
        ("", "text", "return 1\n\n  x &lt; y\n"),
        ("python", "Python", '<span class="k">return</span> <span class="mi">1</span>\n\n  x &lt; y\n'),
        ("{.python} title", "Python", '<span class="k">return</span> <span class="mi">1</span>\n\n  x &lt; y\n'),
        ("nosuch", "nosuch", "return 1\n\n  x &lt; y\n"), ("no/such", "text", "return 1\n\n  x &lt; y\n"),
        ("x" * 41, "text", "return 1\n\n  x &lt; y\n"), ("stata", "stata", "return 1\n\n  x &lt; y\n"),
    ]  # fmt: skip
    for fence, language, content in cases:
        [block] = render_answer(f"```{fence}\nreturn 1\n\n  x < y\n```", ()).html
        assert f'<span class="code-language">{language}</span>' in block, fence
        assert f'<pre tabindex="0"><code><span class="code-lines">{content}</span></code></pre>' in block, fence
        assert typed([f"```{fence}\nreturn", " 1\n\n  x < y"]).blocks[0].strip() == block.strip()
    [block] = render_answer("```\n" + "a\n" * 17 + "```", ()).html
    assert re.findall('<span class="code-lines">(.*?)</span>', block, re.DOTALL) == ["a\n" * 8, "a\n" * 8, "a\n"]


def test_text_after_a_long_piece_follows_the_settled_part():
    cases = [
        ("1. Steps:\n" + "   - one [7] and **two**\n" * 20, "2. Next [Handbook.pdf]\n3. Last\n"),
        ("> 1. one [7] and **two**\n" + "> 1. one [7] and **two**\n" * 20, ">\n> After [Handbook.pdf]\n>\n> More\n"),
    ]
    for long, after in cases:
        page = Page(POINTS)
        page.type(long)
        page.type(long.splitlines(keepends=True)[-1])
        changes = [change for line in after.splitlines(keepends=True) for change in page.type(line)]
        assert settled(changes), long
        assert not begun_anew(changes), long
        text = long + long.splitlines(keepends=True)[-1] + after
        complete = render_answer(text, POINTS)
        assert _words(page.blocks) == _words(complete.html), long
        assert page.stream.uses == complete.uses, long
        page.end()
        assert page.blocks == complete.html, long
