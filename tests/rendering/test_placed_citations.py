"""Citations given beside a text: their places in every construct of Markdown, also while it grows."""

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.answers.placed_citation import PlacedCitation, with_brackets
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.copies import copy_markdown
from tests.rendering.streaming import Page
from tests.rendering.test_stream_properties import TEXTS

POINTS = (DataPoint("plan.pdf", "plan.pdf", "One pair a year."), DataPoint("7", "Tent", url="https://b.example"))
_BUTTON = re.compile(r'<button[^>]*data-citation="(\d+)"[^>]*>(?:\d+|\?)</button>')
_AROUND = re.compile(r'</?span[^>]*>| (?:dir|start|class|scope|tabindex|role|aria-label|lang)="[^"]*"')


def shown(text: str, *places: str | int | tuple[int, int], label: str = "plan.pdf") -> str:
    """The HTML of `text` with a citation at each `|`, and its buttons as `①` and `②`."""
    html = "".join(rendered(text, *places, label=label).html)
    return _AROUND.sub("", _BUTTON.sub(lambda found: "①②③"[int(found[1]) - 1], html)).replace("\n", "")


def rendered(text: str, *places: str | int | tuple[int, int], label: str = "plan.pdf"):
    spans = [(text.index(one) + len(one),) * 2 if isinstance(one, str) else one for one in places]
    spans = [(one, one) if isinstance(one, int) else one for one in spans]
    return render_answer(text, POINTS, [PlacedCitation(label, *span) for span in sorted(spans)])


def test_a_citation_is_placed_where_markdown_allows():
    cases = [
        ("One pair. Two.", "pair.", "<p>One pair.\u00a0① Two.</p>"),
        ("One pair.", 0, "<p>①One pair.</p>"),
        ("**One pair.** Two.", "pair.**", "<p><strong>One pair.</strong>\u00a0① Two.</p>"),
        ("**One pair.** Two.", "pair.", "<p><strong>One pair.\u00a0①</strong> Two.</p>"),
        ("_One_ two.", "_One_", "<p><em>One</em>\u00a0① two.</p>"),
        ("One.\nTwo.", "One.\n", "<p>One.\u00a0①<br>Two.</p>"),
        ("One.\n\nTwo.", "One.\n\n", "<p>One.\u00a0①</p><p>Two.</p>"),
        ("One.  \nTwo.", "One.", "<p>One.\u00a0①<br>Two.</p>"),
        ("# One\n\nTwo.", "One", "<h3>One\u00a0①</h3><p>Two.</p>"),
        ("- One.\n- Two.", "One.\n", "<ul><li>One.\u00a0①</li><li>Two.</li></ul>"),
        ("- One.\n- Two.", "- Two.", "<ul><li>One.</li><li>Two.\u00a0①</li></ul>"),
        ("> One.\n> Two.", "One.", "<blockquote><p>One.\u00a0①<br>Two.</p></blockquote>"),
        ("One `a b` two.", "`a", "<p>One <code>a b</code>\u00a0① two.</p>"),
        ("One `a b`.", "`a b`", "<p>One <code>a b</code>\u00a0①.</p>"),
        ("One.\n\n    a\n    b\n\nTwo.", "a\n", None), ("See [a b](https://a.example/c) two.", "[a", None),
        ("See [a b](https://a.example/c) two.", "https://a.ex", None),
        ("See https://a.example/c two.", "https://a.ex", None),
        ("See <https://a.example/c> two.", "<https://a.ex", None), ("One $x + y$ two.", "$x", None),
        ("<p>One pair.</p>", "pair.", "<p>One pair.\u00a0①</p>"),
        ("<p>One pair.</p>", "pair.</", "<p>One pair.</p>\u00a0①"),
        ("One <br> two.", "One <b", "<p>One <br>\u00a0① two.</p>"), ("![a b](https://i.example/p.png)", "![a", None),
        ("***", 3, "<hr><p>①</p>"),
        ("One.\n\n> Two.", "> ", "<p>One.</p><blockquote><p>①Two.</p></blockquote>"),
        ("One.\n\n>\n\nTwo.", ">", "<p>One.</p><blockquote>①</blockquote><p>Two.</p>"),
        ("One.\n\n- \n\nTwo.", "- ", "<p>One.</p><ul><li>①</li></ul><p>Two.</p>"),
        ("[a]: https://a.example", "[a]", "<p>①</p>"),
    ]  # fmt: skip
    for text, place, html in cases:
        found = shown(text, place)
        if html is None:
            assert found.count("①") == 1, text
            plain = "".join(render_answer(text, POINTS).html).replace("\n", "")
            without = re.sub(r"<p>①</p>|\u00a0?①", "", found)
            assert without == _AROUND.sub("", plain), text
            assert not re.search(r"<(a|code|pre|math)\b[^>]*>(?:(?!</\1>).)*①", found), text
        else:
            assert found == html, text


def test_a_citation_in_a_table_is_in_its_cell() -> None:
    text = "| a | b |\n|---|---|\n| x\\|y | x\\|y |\n| c | d |\n"
    assert "<td>x|y\u00a0①</td><td>x|y</td>" in shown(text, "| x\\|y")
    assert "<td>x|y</td><td>x|y\u00a0①</td>" in shown(text, "| x\\|y | x\\|y")
    assert "<td>x|y</td><td>x|y\u00a0①</td>" in shown(text, "| x\\|y | x\\|y |\n")
    assert "<td>d\u00a0①</td>" in shown(text, len(text))


def test_a_citation_replaces_a_models_mark() -> None:
    assert shown("One【4:0†a】. Two.", (3, 10)) == "<p>One\u00a0①. Two.</p>"
    assert shown("One ([Plan](https://a.example)). Two.", (4, 31)) == "<p>One\u00a0①. Two.</p>"
    assert shown("| a |\n|---|\n| x\\|y【1】 |", (18, 21)).count("x|y\u00a0①</td>") == 1


def test_two_citations_at_a_place_are_side_by_side_and_follow_a_mark() -> None:
    text = "One【4:0†a】. Two."
    citations = [PlacedCitation("plan.pdf", 3, 10), PlacedCitation("7", 5, 5), PlacedCitation("7", 11, 11)]
    found = render_answer(text, POINTS, citations)
    assert [use.number for use in found.uses] == [1, 2, 2]
    assert with_brackets(text, citations) == "One [plan.pdf][7]. [7] Two."
    assert found.html == render_answer(with_brackets(text, citations), POINTS).html


def test_a_link_to_a_source_with_a_placed_citation_cites_once() -> None:
    found = rendered("See [the plan](plan.pdf) and [1](plan.pdf) too.", "(plan.pdf)")
    assert [use.number for use in found.uses] == [1, 1]
    assert "the plan" in "".join(found.html)
    assert [use.number for use in rendered("See [plan.pdf] two.", "[plan", label="7").uses] == [1, 2]


def test_a_missing_source_is_cited_as_missing_and_the_text_stays() -> None:
    found = rendered("One pair.", 9, label="who knows")
    assert [(one.label, one.rule) for one in found.citations] == [("who knows", "not found")]
    assert Answer("One pair.", citations=(PlacedCitation("who knows", 9, 9),)).bracketed_text == "One pair. [who knows]"


def test_a_copy_has_the_number_at_the_place_of_the_citation() -> None:
    text = "One pair. Two `a` **b**【1】.\n\n- c\n"
    found = rendered(text, "pair.", (23, 26), "- c\n")
    copied = copy_markdown(text, found, POINTS)
    assert copied.startswith("One pair. [1] Two `a` **b** [1].\n\n- c [1]\n\nReferences:")
    assert copy_markdown(text, found, POINTS, with_citations=False) == "One pair. Two `a` **b**.\n\n- c\n"
    text = "One pair. And [7] more [7]."
    found = rendered(text, "pair.", "[7] more")
    assert copy_markdown(text, found, POINTS).startswith("One pair. [1] And [2] more [1] [2].")


@st.composite
def cited_texts(draw: st.DrawFn) -> tuple[str, list[PlacedCitation], list[tuple[str, int]]]:
    """A text, its citations, and its pieces, each with the number of citations known before it."""
    text = draw(TEXTS)
    spans = draw(st.lists(st.tuples(st.integers(0, len(text)), st.integers(0, 8)), max_size=6))
    labels = draw(st.lists(st.sampled_from(["plan.pdf", "7", "none"]), min_size=len(spans), max_size=len(spans)))
    cited = [
        PlacedCitation(label, start, min(len(text), start + max(0, length - 5)))
        for label, (start, length) in zip(labels, spans, strict=True)
    ]
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pieces = [text[start:end] for start, end in itertools.pairwise([0, *cuts, len(text)])]
    return text, cited, [(piece, draw(st.integers(0, len(cited)))) for piece in pieces]


def in_order(citations: list[PlacedCitation]) -> list[PlacedCitation]:
    return sorted(citations, key=lambda one: (one.start, one.end))


@given(cited_texts())
def test_citations_at_any_time_end_like_the_whole(case) -> None:
    text, cited, pieces = case
    page = Page(POINTS)
    for piece, known in pieces:
        page.stream.set_citations(in_order(cited[:known]))
        page.type(piece)
    page.stream.set_citations(in_order(cited))
    page.end()
    page.expect(render_answer(text, POINTS, in_order(cited)))


@given(cited_texts())
def test_citations_change_no_word_of_a_text(case) -> None:
    text, cited, _ = case
    cited = in_order([PlacedCitation(one.label, one.end, one.end) for one in cited])
    words = [re.sub(r"<[^>]*>|\s|\u00a0", "", _BUTTON.sub("", "".join(html))) for html in (
        render_answer(text, ()).html, render_answer(text, (), cited).html,
    )]  # fmt: skip
    if not any(character in text for character in "[(【（$<^`\ue200"):
        assert words[0] == words[1]


def test_a_late_citation_changes_only_its_block() -> None:
    page = Page(POINTS)
    text = "".join(f"Paragraph {number} says so.\n\n" for number in range(9))
    page.type(f"{text}The last one is")
    page.stream.set_citations([PlacedCitation("plan.pdf", *(text.index("4 says so.") + 10,) * 2)])
    assert [change[0] for change in page.type("")] == [4]
    assert "data-citation" in page.blocks[4]
    # Plain words are appended without parsing.
    assert [change[0] for change in page.type(" growing")] == [9]


def test_a_citation_in_a_long_open_block_is_shown_at_once() -> None:
    page = Page(POINTS)
    text = ""
    cited: list[PlacedCitation] = []
    for number in range(60):
        piece = f"- Item {number} is so long that it fills a line of its own in a list.\n"
        text += piece
        cited.append(PlacedCitation("plan.pdf", len(text) - 1, len(text) - 1))
        page.stream.set_citations(cited)
        changes = page.type(piece)
        assert sum(len(str(change)) for change in changes) < 4_000
    page.end()
    assert page.blocks == render_answer(text, POINTS, cited).html


def test_late_citations_of_a_long_answer_wait_for_its_end() -> None:
    page = Page(POINTS)
    text = "".join(f"Paragraph {number} says so, and more of it.\n\n" for number in range(300))
    page.type(text)
    places = [found.end() for found in re.finditer("says so", text)]
    cited = [PlacedCitation("plan.pdf", place, place) for place in places]
    page.stream.set_citations(cited)
    assert [change[0] for change in page.type("")] == [299]
    page.end()
    assert page.blocks == render_answer(text, POINTS, cited).html
