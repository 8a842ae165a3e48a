"""Any split of a text ends like the whole text, and finished blocks stay."""

import cProfile
import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import render_answer
from tests.rendering.streaming import Page, typed

POINTS = (
    DataPoint("Handbook.pdf#page=2", "Handbook.pdf", "Paid leave is 30 days."),
    DataPoint("Price List.csv", "Price List.csv"),
    DataPoint("7", "Tent", url="https://b.example"),
)

FRAGMENTS = st.sampled_from(
    [
        "\n", "\n\n", " ", "  ", "    ", "\t", "word ", "Sentence. ", "**", "*", "_", "__", "~~", "`", "``", "```",
        "```python\n", "~~~\n", "# ", "## ", "- ", "* ", "1. ", "2) ", "- [ ] ", "- [x] ", "> ", "---", "===",
        "|", "| a | b |\n", "|---|---|\n", "| --", "a | b", "$", "$$", "$x^2$", "\\", "\\[", "<", ">", "<b>", "</b>",
        "<table>", "</table>", "<tr><td>", "</td></tr>", "<details>\n\n", "</details>", "<div>", "<!--", "-->",
        "<script>", "</script>", "<path>", "<p>", "<ul>\n<li>", "</ul>", "<div>\n\n", "</div>", "<pre>", "</a>",
        "<a href=x>", "<table>\n", "<details> x", "<div>\n", "</div>\n", "<hr>\n", "<b>\n",
        "• ", "$$x$$", "[", "]", "(", ")", "!", "[7]", "[Handbook.pdf]", "[Handbook.pdf#page=2]",
        "[price%20list.csv; 7]", "[none.pdf]", "[0, 5)", "[^n]", "[^n]: note\n", "[ref]", "[ref]: https://a.example\n",
        "[ref]: <", "'title\n", '"t"', "![x](https://i.example/p.png)", "https://a.example/b?c=d ", "&amp;", "&#65;",
        "[ref_id:7]", "[^7]", "[^7]: note\n", "【4:7†source】", "【", "†", "】", "^", "^[7]^", "(Source: ",
        "(Source: Tent)", "（来源：", "）", "[[7]](https://b.example)", "[[7]](", "result[7]", "array [7]", "[7-8]",
        "[citation:5e7acdfb-c62f-48b9-942e-5b8e4f774a6b]",
        "[cite: 7]", "[cite_start]", "\ue200", "\ue201", "\ue202", "\ue200cite\ue202Tent\ue202turn0search1\ue201",
        "<cite>", "\ue200url\ue202a *word*\ue202turn0search1\ue201", "</cite>", "<cite>7</cite>", '<cite id="7"/>',
        "<cite id=", '<cite id="7">',
        "[Handbook.pdf, S. 2]", "[Handbook.pdf、2ページ", "and old[7]",
        "[a.example](https://b.example)", "[a.example **b**", "](https://b.example)", "\u202e", "\u2067", "&#x202e;",
        "&", ":", "é", "日本語", "שלום", "\u2028", "\ufdd0", "0", "\x00",
    ]
)  # fmt: skip
TEXTS = st.lists(FRAGMENTS, max_size=30).map("".join) | st.text(max_size=80)


@st.composite
def split_texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    text = draw(TEXTS)
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    edges = [0, *cuts, len(text)]
    return text, [text[start:end] for start, end in itertools.pairwise(edges)]


@given(split_texts())
def test_any_split_ends_with_the_blocks_citations_and_uses_of_the_whole(case):
    text, pieces = case
    typed(pieces, POINTS).expect(render_answer(text, POINTS))


@given(TEXTS)
@example("See [ref].\n\nword\n\n[ref]: https://a.example\n")
def test_a_text_typed_letter_by_letter_ends_as_the_whole(text):
    assert typed(text, POINTS).blocks == render_answer(text, POINTS).html


@pytest.mark.thorough
def test_obscure_html_of_many_brackets_ends_as_the_whole():
    text = f"<div><!-- -->Dry [7].{'[x]' * 45_000}</div>"
    complete, page = render_answer(text, POINTS), typed([text], POINTS)
    assert page.blocks == complete.html
    assert page.stream.uses == complete.uses


def test_a_final_definition_counts_for_any_split():
    cases = [
        "See [Price List.csv] and [7].\n\n[Price List.csv]: https://a.example/prices",
        "See [x][r].\n\n[r]: https://a.example\n",
        "Dry [7].\n\n[7]: https://a.example/tent\n[8]: https://a.example/lamp",
    ]
    for text in cases:
        complete = render_answer(text, POINTS)
        for cut in range(len(text) + 1):
            page = typed([text[:cut], text[cut:]], POINTS)
            assert page.blocks == complete.html, text
            assert page.stream.uses == complete.uses, text
        assert typed(text, POINTS).blocks == complete.html


@given(split_texts(), st.integers(0, 12))
def test_late_or_repeated_sources_end_as_if_they_came_first(case, after):
    text, pieces = case
    page = Page()
    for index, piece in enumerate(pieces):
        if index == after:
            page.stream.set_data_points(POINTS)
        page.type(piece)
    page.stream.set_data_points(POINTS)
    page.end()
    assert page.blocks == render_answer(text, POINTS).html


@given(st.lists(TEXTS.filter(lambda text: "]:" not in text), max_size=6))
def test_a_block_followed_by_another_does_not_change(pieces):
    page = Page(POINTS)
    finished: tuple[str, ...] = ()
    for piece in pieces:
        page.type(piece)
        assert page.blocks[: len(finished)] == finished
        finished = page.blocks[: page.stream.finished]
    page.end()
    assert page.blocks[: len(finished)] == finished


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=200))
def test_no_text_raises(text):
    render_answer(text, POINTS)
    page = Page(POINTS)
    page.type(text)
    page.end()


def calls_of_going_on(beginning: str) -> int:
    """The number of calls to go on with fifty words, one by one."""
    page, profile = Page(POINTS), cProfile.Profile()
    page.type(beginning)
    profile.enable()
    for _ in range(50):
        page.type("word ")
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


def test_a_paragraph_continues_cheaply_after_any_beginning():
    cases = ["[7] says ", "**Tents** are ", "2024 was ", "“Dry” is ", "$x$ is ", "Dry.\n3 tents "]
    assert [
        beginning for beginning in cases if not calls_of_going_on(beginning) < 1.2 * calls_of_going_on("Tents are ")
    ] == []


WORDS = st.lists(FRAGMENTS | st.sampled_from(["word ", "Two words, ", "it's.", "a", " b", "3", ". "]), max_size=30)


@given(WORDS)
@example(["word ", "[^n]: note\n", "<details>\n\n", "[^n]: note\n"])
@example(["word [^n]\n\n", "[^", "n]: note", " one\n", "\nword"])
@example(["word [ref]\n\n", "[ref]: https://a.example\n'title\n", "more'\n", "\nword"])
@example(["[7]\n 2024", "."])
@example(["[7]:", " b"])
@example(["[a.example](https://b.example 'its ti", "tle')"])
@example(["&amp", "; word"])
@example(["[7]: b 'a", " title'"])
@example(["$x$ ,", "2024"])
@example(["2024. was", " dry"])
def test_the_shown_text_does_not_depend_on_the_flushes(pieces):
    page = Page(POINTS)
    for end, piece in enumerate(pieces, 1):
        page.type(piece)
        at_once = Page(POINTS)
        at_once.type("".join(pieces[:end]))
        assert page.html == at_once.html
