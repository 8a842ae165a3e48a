"""The line below an answer: its cited sentences and its missing sources."""

import re
from html import escape

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.rendering.answer import answer_as_text, render_answer
from chat_ui.rendering.grounding import Grounding, grounding, grounding_html, grounds, plain_text
from chat_ui.rendering.panels.strip import strip_html

POINTS = (DataPoint("a.txt", "a.txt"), DataPoint("b.txt", "b.txt"))


def test_sentences_and_their_citations_are_counted():
    wanted = {
        "": Grounding(0, 0, 0, ()), "It is so.": Grounding(1, 0, 0, ()),
        "Only two. It is so [a.txt].": Grounding(1, 1, 1, ()),
        "It is so [a.txt]. It is not [b.txt]. It may be.": Grounding(3, 2, 2, ()),
        "It is so [x.pdf]. It is not [y.pdf].": Grounding(2, 0, 0, ("x.pdf", "y.pdf"), 0),
        "It is so [a.txt]. They float [y.pdf].": Grounding(2, 1, 1, ("y.pdf",), 1),
        "It is so [a.txt][a.txt]. It is not [y.pdf].": Grounding(2, 1, 1, ("y.pdf",), 2),
        "It is so【4:0†a.txt】. It is so (Source: b.txt).": Grounding(2, 2, 2, ()),
        "It is so. [a.txt] It is not.": Grounding(2, 1, 1, ()), "[a.txt] It is so. It is not.": Grounding(2, 1, 1, ()),
        "It is so.\n\n[a.txt] Only.": Grounding(1, 0, 1, ()),
        "# It is so [a.txt]\n\n```\nIt is so.\n```\n\nIt is $a b c$ so.": Grounding(1, 0, 1, ()),
        "|It is so|\n|-|\n|It is not [a.txt]|\n": Grounding(1, 1, 1, ()),
        "- It is so [a.txt]\n- It is not\n\n  But it may": Grounding(3, 1, 1, ()),
        "员工每年可休假十五天。[a.txt] 申请须提前两周提交。是的。": Grounding(2, 1, 1, ()),
        "従業員は休暇を取れます[a.txt]。はい。": Grounding(1, 1, 1, ()),
        "[a.txt]": Grounding(0, 0, 1, ()), "It is so.\n\nSources: [a.txt], [b.txt].": Grounding(1, 1, 2, ()),
        "It is so. See also [a.txt].\n\nIt may be. See [b.txt] below.": Grounding(2, 1, 2, ()),
    }  # fmt: skip
    assert {text: grounding(render_answer(text, POINTS)) for text in wanted} == wanted


ROWS = "| Tent | Cost |\n|---|---|\n| A ridge tent | 9 crowns |\n| A dome tent | 12 crowns |\n"
ITEMS = "- A lamp is needed\n- A rope is needed\n"


def test_the_rows_and_items_of_a_cited_lead_in_are_cited():
    cases = [
        (f"Costs of the tents [a.txt]:\n\n{ROWS}", 3, 3), (f"**Costs of all tents：** [a.txt]\n\n{ROWS}", 3, 3),
        (f"Costs of the tents:\n\n{ROWS}", 0, 3), (f"Costs of the tents [x.pdf]:\n\n{ROWS}", 0, 3),
        (f"Costs [a.txt]:\n\n{ROWS}", 2, 2), (f"### Costs of the tents [a.txt]\n\n{ROWS}", 2, 2),
        (f"### Costs of the tents [a.txt]\n\nIt is so.\n\n{ROWS}", 0, 3),
        (f"Costs of the tents [a.txt]:\n\nIt is so.\n\n{ROWS}", 1, 4), (f"Costs of the tents [a.txt]\n\n{ROWS}", 1, 3),
        (f"It is so. [a.txt] These are needed:\n\n{ITEMS}", 1, 4),
        (f"These are needed [a.txt]:\n{ITEMS}\n{ROWS}", 3, 5),
        (f"These are needed:\n\n[a.txt]\n\n{ITEMS}", 3, 3), (f"{ITEMS}\n[a.txt][b.txt]", 2, 2),
        (f"{ROWS}\n[a.txt]\n\n[b.txt]\n\nIt is so.", 2, 3), (f"{ROWS}[a.txt]\n", 2, 2),
        (f"These are needed:\n\n{ITEMS}\n[a.txt]", 2, 2), (f"It is so. These are needed:\n{ITEMS}\n[a.txt]", 2, 3),
        ("These are needed:\n\n- A lamp is red [a.txt]\n- A rope is red", 1, 2),
        ("- These are needed [a.txt]:\n  - A lamp is red\n    - A rope is red\n- A tent is red", 3, 4),
        ("- These are needed:\n  - A lamp is red [a.txt]\n  - A rope is red\n- A tent is red", 1, 3),
        ("These [a.txt]:\n- A lamp is red. It is warm.\n- Ropes:\n  - A rope is red", 3, 3),
        (ROWS.replace("9 crowns", "9 crowns [a.txt]"), 1, 2), (ROWS.replace("A dome", "[a.txt] A. B is. A dome"), 1, 2),
        (ROWS.replace("Cost", "Cost [a.txt]"), 2, 2), (f"{ROWS.replace('Cost', 'Cost [x.pdf]')}", 0, 2),
        ("<table><caption>Costs of tents [a.txt]</caption><tr><th>A</th></tr><tr><td>It is so</td></tr></table>", 2, 2),
        (f"Run this script [a.txt]:\n\n```\nx\n```\n\n{ITEMS}", 1, 3),
        ("These [a.txt]:\n\n<div>\n\n" + ITEMS + "\n</div>", 2, 2),
    ]  # fmt: skip
    for text, cited, count in cases:
        found = grounding(render_answer(text, POINTS))
        assert (found.cited, found.sentences) == (cited, count), text


def head(found: Grounding, points: int = 3) -> str:
    html = grounding_html(found, points, "<ul></ul>", "<ol></ol>")
    assert html.endswith('</div><ul></ul><div class="references"><ol></ol></div>')
    return html.removeprefix('<div class="grounding-head">').partition("</div>")[0]


def words(html: str) -> str:
    return re.sub("<[^>]*>", "", html)


def test_the_line_says_how_many_claims_are_cited_with_a_sign_only_for_few():
    cases = [
        (Grounding(1, 1, 1, ()), 1, "All claims cited", False),
        (Grounding(4, 4, 1, ()), 3, "All claims cited", False),
        (Grounding(6, 2, 1, ()), 1, "2 of 6 claims cited", False),
        (Grounding(7, 2, 1, ()), 1, "2 of 7 claims cited", True),
        (Grounding(3, 0, 2, ()), 2, "0 of 3 claims cited", True),
        (Grounding(3, 0, 0, ()), 3, "No sources cited", True),
        (Grounding(2, 0, 0, ()), 3, "No sources cited", False),
        (Grounding(2, 0, 1, ()), 3, "1 of 3 sources cited", False),
        (Grounding(0, 0, 1, ()), 3, "1 of 3 sources cited", False),
    ]
    for found, points, line, is_low in cases:
        html = head(found, points)
        assert words(html) == line, found
        assert '<span dir="ltr">' in html, found
        assert ("grounding-low" in html, "Few claims are cited" in html, "icon" in html) == (is_low,) * 3, found
        assert "grounding-warning" not in html, found
        assert f" of {points} source" in re.findall('title="(.*?)"', html)[0], found
    assert grounding_html(Grounding(3, 0, 0, ()), 0) == "", (
        "nothing is said where nothing is cited and there is no source"
    )


def test_a_live_answer_has_only_its_strip():
    answer = Answer("It is so [a.txt].", data_points=POINTS)
    html = grounds(answer, render_answer(answer.text, POINTS), is_live=True)
    assert html == f'<div class="grounding-head"></div>{strip_html(answer, render_answer(answer.text, POINTS))}'


def test_a_missing_source_is_warned_of_first():
    cases = [
        (("<x>",), "1 cited source not found: “&lt;x&gt;”"),
        (("x", "y", "z"), "3 cited sources not found: “x”, “y”, “z”"),
        (("x" * 300, *"yzab"), f"5 cited sources not found: “{'x' * 300}”, “y”, “z” and 2 more"),
    ]
    for missing, warning in cases:
        html = head(Grounding(2, 1, 0, missing, 4))
        warned = '<p class="grounding-warning" role="note"><button type="button" data-first-use="4"'
        assert html.startswith(warned), missing
        names = ", ".join(f"“{escape(label)}”" for label in missing)
        said = f"{warning.partition(':')[0]}: {names}"
        assert f'aria-label="{said}" title="{said}. A citation without a retrieved source may be made up' in html, (
            missing
        )
        assert words(html) == f"{warning}1 of 2 claims cited", missing
    assert words(head(Grounding(1, 1, 1, ("x",)))).endswith("”1 of 1 claim cited"), "not all claims are well cited"


def test_the_words_of_a_block_have_a_line_for_each_paragraph_item_and_row():
    html = "<p>a  b<br>c</p><ul><li>d</li></ul><table><tr><td>e</td>\n<td>f</td></tr></table><hr><p>g <i>.</i></p>"
    assert plain_text(html + '<img alt=">"> &lt;') == "a b\nc\nd\ne, f\ng.\n<"


def test_an_unrenderable_answer_is_shown_as_text_in_whole_lines():
    cases = [([0], 1), ([3_999, 4_000], 1), ([4_000, 4_000], 2), ([1, 20_000, 1], 3), ([20_000], 1), ([1] * 4_001, 2)]
    for lengths, pieces in cases:
        text = "\n".join("<" * length for length in lengths)
        words, *shown = answer_as_text(text).html
        assert words.startswith('<p class="as-text">'), lengths
        assert all(one.startswith('<div class="plain-text">') and one.endswith("</div>") for one in shown), lengths
        assert len(shown) == pieces, lengths
        pieces_of_text = [one[len('<div class="plain-text">') : -len("</div>")] for one in shown]
        assert "\n".join(pieces_of_text) == escape(text), lengths
