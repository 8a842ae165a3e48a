"""The line under an answer that says how much of it rests on its sources."""

from __future__ import annotations

from html import escape

import pytest

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import answer_as_text, render_answer
from chat_ui.rendering.grounding import Grounding, grounding, grounding_html, plain_text

POINTS = (DataPoint("a.txt", "a.txt"), DataPoint("b.txt", "b.txt"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", Grounding(0, 0, 0, ())),
        ("It is so.", Grounding(1, 0, 0, ())),
        ("Only two. It is so [a.txt].", Grounding(1, 1, 1, ())),
        ("It is so [a.txt]. It is not [b.txt]. It may be.", Grounding(3, 2, 2, ())),
        ("It is so [x.pdf]. It is not [y.pdf].", Grounding(2, 0, 0, ("x.pdf", "y.pdf"))),
        ("It is so. [a.txt] It is not.", Grounding(2, 1, 1, ())),
        ("[a.txt] It is so. It is not.", Grounding(2, 1, 1, ())),
        ("It is so.\n\n[a.txt] Only.", Grounding(1, 0, 1, ())),
        ("# It is so [a.txt]\n\n```\nIt is so.\n```\n\nIt is $a b c$ so.", Grounding(1, 0, 1, ())),
        ("|It is so|\n|-|\n|It is not [a.txt]|\n", Grounding(1, 1, 1, ())),
        ("- It is so [a.txt]\n- It is not\n\n  But it may", Grounding(3, 1, 1, ())),
        ("[a.txt]", Grounding(0, 0, 1, ())),
    ],
)
def test_sentences_and_their_citations_are_counted(text: str, found: Grounding):
    assert grounding(render_answer(text, POINTS)) == found


@pytest.mark.parametrize(
    ("found", "line", "warning"),
    [
        (Grounding(1, 1, 1, ()), "1 of 1 sentence with a citation · 1 source", ""),
        (Grounding(3, 0, 2, ()), "0 of 3 sentences with a citation · 2 sources", ""),
        (Grounding(2, 1, 0, ("<x>",)), "1 of 2 sentences with a citation · 0 sources · 1 not found",
         '<span dir="auto">“&lt;x&gt;”</span>, which is not'),
        (Grounding(2, 1, 0, ("x", "y", "z")), "1 of 2 sentences with a citation · 0 sources · 3 not found",
         '<span dir="auto">“x”, “y”, “z”</span>, which are not'),
        (Grounding(2, 1, 0, ("x" * 121, *"yzab")), "1 of 2 sentences with a citation · 0 sources · 5 not found",
         f'<span dir="auto">“{"x" * 120}”, “y”, “z”</span> and 2 more, which are not'),
    ],
)  # fmt: skip
def test_a_line_says_what_was_counted_and_warns_of_what_was_not_found(found: Grounding, line: str, warning: str):
    html = grounding_html(found, "<ol></ol>")
    assert html.startswith(f'<p class="grounding">{line}</p>')
    assert html.endswith('<div class="references"><ol></ol></div>')
    assert (
        f'<p class="grounding-warning" role="note">This answer cites {warning} among the sources that were retrieved. '
        "Treat what rests on it with care.</p>" in html
    ) is bool(warning)
    assert ("warning" in html) is bool(warning)


def test_nothing_is_said_of_an_answer_that_cites_nothing():
    assert grounding_html(Grounding(3, 0, 0, ()), "<ol></ol>") == ""


def test_the_words_of_a_block_stand_on_a_line_for_each_paragraph_item_and_row():
    html = "<p>a  b<br>c</p><ul><li>d</li></ul><table><tr><td>e</td>\n<td>f</td></tr></table><hr><p>g <i>.</i></p>"
    assert plain_text(html + '<img alt=">"> &lt;') == "a b\nc\nd\ne, f\ng.\n<"


@pytest.mark.parametrize(
    ("lengths", "pieces"),
    [([0], 1), ([3_999, 4_000], 1), ([4_000, 4_000], 2), ([1, 20_000, 1], 3), ([20_000], 1), ([1] * 4_001, 2)],
)
def test_an_answer_that_cannot_be_rendered_is_its_text_in_pieces_of_whole_lines(lengths: list[int], pieces: int):
    text = "\n".join("<" * length for length in lengths)
    words, *shown = answer_as_text(text).html
    assert words.startswith('<p class="as-text">')
    assert all(one.startswith('<div class="plain-text">') and one.endswith("</div>") for one in shown)
    assert len(shown) == pieces
    assert "\n".join(one[len('<div class="plain-text">') : -len("</div>")] for one in shown) == escape(text)
