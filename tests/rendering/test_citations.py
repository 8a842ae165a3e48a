"""Brackets that are citations, with their sources, and brackets that are text."""

import re
from html import unescape

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.copies import copy_markdown

BY_NAME = (
    DataPoint("Travel_Policy.pdf#page=4", "Travel_Policy.pdf", "Rail first."),
    DataPoint("Travel_Policy.pdf#page=9", "Travel_Policy.pdf", "Flights."),
    DataPoint("Price List 2026.csv", "Price List 2026.csv"),
    DataPoint("map.pdf#page=8(figure8_1.png)", "map.pdf", image="data:image/png;base64,AAAA"),
    DataPoint("Ürlaub.md", "Ürlaub.md"),
    DataPoint("福利手册.pdf#page=2", "福利手册.pdf"),
    DataPoint("__init__.py", "__init__.py"),
    DataPoint("https://docs.example/setup", "Setup guide", url="https://docs.example/setup"),
    DataPoint("a, b and c.txt", "a, b and c.txt"),
    DataPoint("notes.txt", "notes.txt"),
)
BY_NUMBER = (DataPoint("1", "Tent"), DataPoint("2", "Lamp"), DataPoint("17", "Stove"))
BY_DOC = (DataPoint("doc1", "Guide"), DataPoint("doc2", "Rules"))

NAMED = {
    "[Travel_Policy.pdf#page=4]": [(0, "exact")], "[Travel_Policy.pdf#page=9]": [(1, "exact")],
    "[Travel_Policy.pdf]": [(0, "exact")], "[travel_policy.PDF#page=9]": [(1, "name")],
    "[Travel_Policy.pdf#page=4][notes.txt]": [(0, "exact"), (9, "exact")],
    "[notes.txt, Travel_Policy.pdf#page=9]": [(9, "exact"), (1, "exact")],
    "[notes.txt; Ürlaub.md]": [(9, "exact"), (4, "exact")], "[a, b and c.txt]": [(8, "exact")],
    "[Price%20List%202026.csv]": [(2, "name")], "[price  list 2026.csv]": [(2, "name")],
    "[map.pdf#page=8(figure8_1.png)]": [(3, "exact")], "[map.pdf#page=8]": [(3, "page")],
    "[notes.txt#page=3]": [(9, "page")], "[%C3%9Crlaub.md]": [(4, "name")], "[U\u0308rlaub.md]": [(4, "name")],
    "[福利手册.pdf#page=2]": [(5, "exact")], "员工福利[福利手册.pdf]。": [(5, "exact")],
    "[__init__.py]": [(6, "exact")], "[Travel\\_Policy.pdf#page=4]": [(0, "exact")],
    "[https://docs.example/setup]": [(7, "exact")], "[https://docs.example/setup/]": [(7, "name")],
    "**bold [notes.txt]**": [(9, "exact")], "# Heading [notes.txt]": [(9, "exact")],
    "> quote [notes.txt]": [(9, "exact")], "- item [notes.txt]": [(9, "exact")],
    "| h |\n|---|\n| cell [notes.txt] |": [(9, "exact")],
    "<table><tr><td>cell [notes.txt]</td></tr></table>": [(9, "exact")],
    "<table>\n<tr><td>[notes.txt]</td>\n\n<td>[Ürlaub.md]</td></tr>\n</table>": [(9, "exact"), (4, "exact")],
    "a <b>raw [notes.txt]</b> tag": [(9, "exact")], "word[notes.txt]": [(9, "exact")], "[notes.txt](": [(9, "exact")],
    "[notes.txt] (see there)": [(9, "exact")], "~~old [notes.txt]~~": [(9, "exact")],
    "[none_such.pdf]": [(None, "not found")], "[Options.pdf]": [(None, "not found")],
    "[Policy.pdf#page=4]": [(None, "not found")], "[Travel_Policy.pdf#page=5]": [(None, "not found")],
    "[https://elsewhere.example/a]": [(None, "not found")], "[doc99]": [(None, "not found")],
    "[notes.txt, none_such.docx]": [(9, "exact"), (None, "not found")], "[other.py]": [(None, "not found")],
    # A list whose first name has a place.
    "[notes.txt#page=1, Travel_Policy.pdf#page=4]": [(9, "page"), (0, "exact")],
    "[notes.txt#page=1; none_such.pdf#page=4]": [(9, "page"), (None, "not found")],
    "[notes.txt#page=1 and Ürlaub.md]": [(9, "page"), (4, "exact")],
    "[notes.txt#page=1, Ürlaub.md#page=2, Travel_Policy.pdf]": [(9, "page"), (4, "page"), (0, "exact")],
    "[https://docs.example/setup#first, notes.txt]": [(7, "page"), (9, "exact")],
    "[Travel_Policy.pdf#page=4,9]": [(0, "exact"), (1, "exact")],
    "[notes.txt + Ürlaub.md]": [(9, "exact"), (4, "exact")],
    "[none_such.pdf#page=3; map.pdf#page=8(figure8_1.png)]": [(None, "not found"), (3, "exact")],
    # The same page in other notations.
    "[Travel_Policy.pdf#page 9]": [(1, "name")], "[Travel_Policy.pdf#p9]": [(1, "name")],
    "[Travel_Policy.pdf#p=9]": [(1, "name")], "[Travel_Policy.pdf%23page%3D9]": [(1, "name")],
    "[notes.txt%23page%3D3]": [(9, "page")], "[Travel_Policy.pdf%23page%3D5]": [(None, "not found")],
    "[Travel_Policy.pdf S. 9]": [(1, "name")], "[Travel_Policy.pdf、9ページ]": [(1, "name")],
    "[Travel_Policy.pdf، ص ٩]": [(1, "name")], "[Title: Travel_Policy.pdf, Page: 9]": [(1, "name")],
    "[Travel_Policy.pdf, S. 4, S. 9]": [(0, "name"), (1, "exact")],
    "[Travel_Policy.pdf, 第4页、第9页]": [(0, "name"), (1, "exact")],
    "[Travel_Policy.pdf, S. 5]": [(None, "not found")],
    # The same name with other hyphens, quotes and forms of letters.
    "[Price‑List–2026.csv]": [(None, "not found")], "[Ｐｒｉｃｅ　Ｌｉｓｔ 2026.csv]": [(2, "name")],
    # Words and quotes around a name.
    "[File: notes.txt]": [(9, "exact")], "[Quelle: notes.txt]": [(9, "exact")], "[来源：notes.txt]": [(9, "exact")],
    "[Source 1: notes.txt]": [(9, "exact")], "[1. notes.txt]": [(9, "exact")], "[via notes.txt]": [(9, "exact")],
    "[„notes.txt“]": [(9, "exact")], "[«notes.txt»]": [(9, "exact")],
    # Names without variants.
    "[made_up.mp4]": [(None, "not found")], "[made up.ipynb]": [(None, "not found")],
    "[A made up\nname.pdf]": [(None, "not found")],
    # An address keeps what follows its `&`.
    "[https://docs.example/setup?a=1&page=2]": [(None, "not found")],
}  # fmt: skip

NUMBERED = {
    "[1]": [(0, "number")], "Warm [17].": [(2, "number")], "[1][2]": [(0, "number"), (1, "number")],
    "[1, 2]": [(0, "number"), (1, "number")], "[2; 17]": [(1, "number"), (2, "number")], "[Lamp]": [(1, "exact")],
    "[5]": [(None, "not found")], "便宜[1]": [(0, "number")], "(see above)[1]": [(0, "number")],
    "[a link](https://a.example)[2]": [(1, "number")],
    "<table><tr><td>x [1][2]</td></tr></table>": [(0, "number"), (1, "number")],
    "[01]": [(0, "number")], "[١]": [(0, "number")],
    "La tente est sèche[1], la lampe légère[2].": [(0, "number"), (1, "number")],
    "Für Gäste[1]": [(0, "number")], "It burns _long_[2]": [(1, "number")], "It is __warm__[1]": [(0, "number")],
    "Dry _[1]_": [(0, "number")], "<p>It costs <b>90 crowns</b>[1].</p>": [(0, "number")],
    "<td>It burns <b>long</b>[2]</td>": [(1, "number")], "Bring a map[1]": [(0, "number")],
    "The load is 40 kg[1]": [(0, "number")], "It costs 10-20[1]": [(0, "number")], "In the 1990s[1]": [(0, "number")],
    "It has two[1], not one[2]": [(0, "number"), (1, "number")], "Bring the tent(s)[1]": [(0, "number")],
    "Do the check-in[1]": [(0, "number")], "Rules of the EU[1]": [(0, "number")], "Said on GitHub[1]": [(0, "number")],
    "Dry.[^a][1]\n\n[^a]: Quite.": [(0, "number")], "![a](https://a.example/i.png)[1]": [(0, "number")],
    "[1-2]": [(0, "number"), (1, "number")], "As a result[1], the final result[2]": [(0, "number"), (1, "number")],
    "The results[1] of an array[2]": [(0, "number")], "Tents come in an array [2]": [(1, "number")],
    "Dry[^1] and warm[^17].": [(0, "number"), (2, "number")], "It is so[ref_id:1]": [(0, "number")],
    "x[citation:1]": [(0, "number")], "Big city[1] and old[2].": [(0, "number"), (1, "number")],
    "It is so[1], too[2]. No[17]": [(0, "number"), (1, "number"), (2, "number")],
    "Es ist neu[1] und alt[2].": [(0, "number"), (1, "number")],
    "- Era así[1], y no fue[2]": [(0, "number"), (1, "number")], "| was |\n|---|\n| Sie ist rot[1] |": [(0, "number")],
    "Das GPT-4[1] und CO2[2]": [(0, "number"), (1, "number")],
    "| Year | Load |\n|---|---|\n| 1995[1] | 5 km[2] |": [(0, "number"), (1, "number")],
    "- **Berlin[1]**: the **old[2]** town": [(0, "number"), (1, "number")],
    "See https://a.example/b[1][2].": [(0, "number"), (1, "number")], "[Ref. 1]": [(0, "number")],
    '<cite id="1">It is **dry**</cite> and <CITE>2</CITE>': [(0, "number"), (1, "number")],
}  # fmt: skip

TEXT = [
    "[sic]", "[...]", "[…]", "[km / h]", "[0, 5)", "(0, 5]", "[0, 5]", "arr[1]", "arr[1][2]", "f(x)[1]", "[1]",
    "[page=4]", "[page 4]", "[Policy]", "[pdf]", "[.pdf]", "[]", "[ ]", "[x]", "- [ ] open task", "- [x] done task",
    "`[notes.txt]`", "``a [notes.txt] b``", "```\n[notes.txt]\n```", "    [notes.txt]", "$[notes.txt]$",
    "$$\n[notes.txt]\n$$", "\\[notes.txt\\]", "\\[notes.txt]", "[notes.txt](https://a.example)",
    "[see [notes.txt] here](https://a.example)", "![notes.txt](https://a.example/i.png)", "[^notes.txt]",
    "[notes.txt]\n\n[notes.txt]: https://a.example", "[text][r]\n\n[r]: https://a.example", "<code>[notes.txt]</code>",
    "<pre>[notes.txt]</pre>", "<a href='https://a.example'>[notes.txt]</a>", "<table title='[notes.txt]'></table>",
    "[Node.js]", "[e.g. this]", "[example.com]", "[v1.2]", "[emphasis added]", "[1-3]", "[notes.txt", "notes.txt]",
    "\\(x = [notes.txt]\\)", "\\[ x_{[notes.txt]} \\]", "- \\(\\frac{a}{b} [notes.txt]\\)",
    "[a [b", "[a == b.txt]", "[*.pdf]", "[3.14]", "[Smith et al., 2020]", "https://a.example/[notes.txt",
]  # fmt: skip


def cited(text, points):
    rendered = render_answer(text, points)
    by_number = {citation.number: citation for citation in rendered.citations}
    return [(by_number[use.number].data_point, by_number[use.number].rule) for use in rendered.uses]


def test_a_bracket_cites_its_source_among_named_and_numbered_ones():
    assert {text: cited(text, BY_NAME) for text in NAMED} == NAMED
    assert {text: cited(text, BY_NUMBER) for text in NUMBERED} == NUMBERED


def test_ragflows_forms_cite_only_its_own_sources():
    names = [(f"ID:{place}", f"##{place}$$", f"{{{{source:{place}}}}}") for place in range(3)]
    own = [DataPoint(f"c{place}", "plan.pdf", names=forms) for place, forms in enumerate(names)]
    for text, places in (
        ("One ##0$$, two ##2$$ ##1$$.", [0, 2, 1]), ("##1$$ first", [1]), ("One [ID:0][ID: 2].", [0, 2]),
        ("One [ID:0] [ID:1]", [0, 1]), ("[ID:0, ID:1]", [0, 1]), ("**{{source:0}}**", [0]),
        ("<b>One ##0$$ {{source:2}}</b>", [0, 2]), ("| a |\n|---|\n| ##1$$ |", [1]),
    ):  # fmt: skip
        assert [place for place, _ in cited(text, own)] == places, text
        assert "$$" not in unescape(re.sub(r"<[^>]*>", "", "".join(render_answer(text, own).html))), text
    for text in ("One [ID:3], ##3$$ and {{source:3}}", "`##0$$`", "#0$$", "# 0", "{{ source:0 }}", "C# {a}"):
        assert cited(text, own) == [], text
    for others in (BY_NUMBER, BY_DOC, BY_NAME):
        for text in ("[ID:1]", "[ID:2]", "##1$$", "{{source:1}}", "{{source:17}}"):
            assert cited(text, others) == [], text
            assert text in unescape("".join(render_answer(text, others).html)), text


def test_a_bracket_that_cannot_cite_is_text():
    rendered = {text: render_answer(text, BY_NAME) for text in TEXT}
    assert [text for text, one in rendered.items() if one.uses or 'class="citation' in "".join(one.html)] == []


INDEXES = [
    "arr[1]", "x_[2]", "m[1][2]", "f()[1]", "[0, 5)", "[km / h]", "`[1]`", "Then read myList[1] there.",
    "All of userNames[2]", "It is a dict[1]", "Of all nums[1]", "Change the params[1]", "Read the arr[1]", "my_list[1]",
    "Use snake_case_[1]", "In code, result[1] is it", "Use the variable result[1]", "Read result[1] first",
    "https://a.example/?b[1]=2", "https://a.example/?b[c]", "a **arr[1]** and *ptr[1]*", '<cite index="1-2">a</cite>',
    "Then x = old[1] is set", "Read foo[1], bar[2] and map[1]", "Of the variable old[1]", "In code, ids[1] is it",
    "It sorts dp[1] first", "old[1] = 2",
    "Then array [2] and argv [1]", "array [2]", "x[^1]", "In C#, items[^1] is last", "A slice arr[1-2]", "arr[#1]",
    "<p>Read <code>a</code>[1]</p>", "<p>It is x<sub>n</sub>[1]</p>",
]  # fmt: skip


def test_an_index_is_text_among_numbered_sources_and_a_number_among_few():
    assert {text: found for text in INDEXES if (found := cited(text, BY_NUMBER))} == {}
    points = (DataPoint("a.pdf", "a.pdf"), DataPoint("2", "2", "Words without a name."))
    assert cited("In [1985] it was so [2].", points) == [(1, "number")]
    assert cited("[1] and [2]", ()) == []


FIGURES = (
    DataPoint("A.pdf#page=1", "A.pdf", "One."),
    DataPoint("A.pdf#page=1(figure1_1.png)", "A.pdf", image="data:image/png;base64,AAAA"),
    DataPoint("B.pdf#page=1", "B.pdf", "Two."),
    DataPoint("C.pdf#page=1(figure1_1.png)", "C.pdf", image="data:image/png;base64,AAAA"),
    DataPoint("figure9_9.png", "figure9_9.png", image="data:image/png;base64,AAAA"),
    DataPoint("https://a.example/chart", "chart", image="https://a.example/chart.png"),
)


def test_a_figure_belongs_to_its_document_and_a_sign_in_a_name_to_no_page():
    wanted = {
        "[A.pdf#page=1(figure1_1.png)]": [(1, "exact")], "[C.pdf(figure1_1.png)]": [(3, "figure")],
        "[B.pdf#page=1(figure1_1.png)]": [(2, "page")], "[A.pdf#page=7(figure1_1.png)]": [(None, "not found")],
        "[D.pdf#page=1(figure1_1.png)]": [(None, "not found")], "[B.pdf#page=1(figure9_9.png)]": [(4, "figure")],
        "[figure1_1.png]": [(1, "figure")],
        "[B.pdf#page=1, A.pdf#page=1(figure1_1.png)]": [(2, "exact"), (1, "exact")],
        "[A.pdf#page=1(figure1_1.png), C.pdf#page=1(figure1_1.png)]": [(1, "exact"), (3, "exact")],
        "[B.pdf, D.pdf#page=1(figure9_9.png)]": [(2, "exact"), (4, "figure")],
        "[https://a.example/chart.png]": [(5, "exact")],
    }  # fmt: skip
    assert {text: cited(text, FIGURES) for text in wanted} == wanted
    wanted = {
        "[C# guide.pdf#page=2]": [(0, "exact")], "[C# guide.pdf]": [(0, "exact")],
        "[C# guide.pdf#page=7]": [(None, "not found")], "[F#.md#page=3]": [(2, "page")], "[Note #4]": [(1, "exact")],
        "[C]": [], "[Note]": [],
    }  # fmt: skip
    assert {text: cited(text, SHARP) for text in wanted} == wanted


SHARP = (DataPoint("C# guide.pdf#page=2", "C# guide.pdf"), DataPoint("Note #4", "Note #4"), DataPoint("F#.md", "F#.md"))


def test_a_page_within_a_sources_range_and_a_doc_number_cite_it():
    points = (DataPoint("G.pdf#page=2-3", "G.pdf"),)
    assert cited("[G.pdf#page=3]", points) == [(0, "page")]
    assert cited("[G.pdf#page=4]", points) == [(None, "not found")]
    assert cited("[doc2][doc1]", BY_DOC) == [(1, "number"), (0, "number")]
    assert cited("[doc3]", BY_DOC) == [(None, "not found")]
    assert cited("[doc2]", BY_NAME) == [(1, "number")]


def test_marks_without_a_source_are_hidden_and_their_words_stay():
    cases = [
        ("[cite_start]It burns [cite: 1].", "It burns 1.", "It burns [1]."),
        ("[cite_start]It burns[cite_end] long.", "It burns long.", "It burns long."),
        ('<cite id="1">It burns *long*</cite>.', "It burns long1.", "It burns *long*[1]."),
        ("So [cite_start]it is [1]. [cite_start]It is [2].", "So it is 1. It is 2.", "So it is [1]. It is [2]."),
        ("Dry [1] [cite_start]and warm.", "Dry 1 and warm.", "Dry [1] and warm."),
        ("Dry \ue200cite\ue202turn0search1\ue201. Warm.", "Dry. Warm.", "Dry. Warm."),
        ("Dry \ue200cite\ue202turn0search1\ue201 and warm.", "Dry and warm.", "Dry and warm."),
        ("\ue200cite\ue202turn0search1\ue201", "", ""),
        ("In \ue200entity\ue202[\"city\",\"Paris\",\"France\"]\ue201.", "In Paris.", "In Paris."),
        ("\ue200video\ue202A <tent>\ue202turn0video0\ue201!", "A <tent>!", "A <tent>!"),
        ("Dry \ue200cite\ue202turn0sea", "Dry", "Dry"), ("Dry \ue200ci\n\nWarm.", "Dry Warm.", "Dry\n\nWarm."),
        ("Some\ue200 words \ue201stay.", "Some words stay.", "Some words stay."),
        ("<p>Dry \ue200url\ue202tents\ue202turn0search1\ue201.</p>", "Dry tents.",
         "<p>Dry \ue200url\ue202tents\ue202turn0search1\ue201.</p>"),
    ]  # fmt: skip
    for text, shown, copied in cases:
        rendered = render_answer(text, BY_NUMBER)
        words = unescape(re.sub(r"<[^>]+>", "", "".join(rendered.html)))
        assert " ".join(words.split()) == shown, text
        assert copy_markdown(text, rendered, BY_NUMBER).partition("\n\nReferences")[0] == copied


def test_a_bracket_cites_up_to_a_number_of_names_and_a_length():
    points = tuple(DataPoint(f"part {number}.txt", "") for number in range(40))
    assert cited(f"[{', '.join(point.id for point in points)}]", points) == [(n, "exact") for n in range(40)]
    for count, is_cited in ((200, True), (201, False)):
        points = tuple(DataPoint(f"{number}", "") for number in range(count))
        assert len(cited(f"[{', '.join(point.id for point in points)}]", points)) == (count if is_cited else 0)
    for length, is_cited in ((1_500, True), (1_501, False)):
        name = "a" * (length - 3) + ".md"
        assert bool(cited(f"[{name}]", (DataPoint(name, ""),))) is is_cited, length


def test_latex_brackets_have_a_formula_and_escaped_ones_text():
    for text, display in (("Be \\(x \\in [1, 2]\\) so.", "inline"), ("So\n\\[ y = [1] \\]\nis it.", "block")):
        rendered = render_answer(text, BY_NUMBER)
        assert f'<math display="{display}">' in rendered.html[0], text
        assert rendered.uses == (), text
    cases = ["$E$ in 1905", "- $E$ in 1905", "$E$ in a path C:\\"]
    assert [text for text in cases if '<math display="inline">' not in render_answer(text, BY_NUMBER).html[0]] == []
    for text in ("It \\(or this\\) is [1].", "As \\[ was said \\] [1]."):
        rendered = render_answer(text, BY_NUMBER)
        assert "<math" not in rendered.html[0], text
        assert len(rendered.uses) == 1, text


def test_a_source_keeps_its_number_in_order_of_first_use():
    rendered = render_answer("B [notes.txt]. A [Ürlaub.md]. B [NOTES.txt]. ? [x.pdf] ? [X.pdf]", BY_NAME)
    assert [use.number for use in rendered.uses] == [1, 2, 1, 3, 3]
    assert [(one.number, one.label) for one in rendered.citations] == [(1, "notes.txt"), (2, "Ürlaub.md"), (3, "x.pdf")]


def test_a_citation_is_a_button_that_names_its_source():
    html = render_answer("Rail [Travel_Policy.pdf#page=4], [x.pdf].", BY_NAME).html[0]
    assert (
        '<button type="button" class="citation" data-citation="1" data-use="0" '
        'data-name="Travel Policy" aria-label="Citation 1: Travel_Policy.pdf#page=4">1</button>'
    ) in html
    assert (
        '<button type="button" class="citation citation-missing" data-citation="2" data-use="1" '
        'data-name="X" aria-label="Citation 2: x.pdf, not found among the sources">?</button>'
    ) in html


def test_the_most_similar_source_is_cited():
    cases = [
        ("[a.pdf, Smith, J, K.pdf]", ("a.pdf", "Smith, J, K.pdf", "x.pdf"), [0, 1]),
        ("[Smith, J.pdf, b.pdf]", ("Smith, J.pdf", "b.pdf"), [0, 1]),
        ("[Guide.PDF#page=2]", ("guide.pdf#page=1-3", "guide.pdf#page=2"), [1]),
        ("[Guide.PDF#page=2]", ("guide.pdf", "guide.pdf#page=2"), [1]),
        ("[Guide.PDF#page=3]", ("guide.pdf", "GUIDE.pdf", "Guide.PDF"), [2]),
        ("[Map.pdf#page=8(b.png)]", ("map.pdf#page=8(a.png)", "map.pdf#page=8(b.png)"), [1]),
        ("[Map.pdf#page=8]", ("map.pdf#page=8(a.png)", "map.pdf#page=8"), [1]),
        ("[My%20doc.pdf%23page=2]", ("my doc.pdf#page=1", "my doc.pdf#page=2"), [1]),
    ]
    for bracket, names, cited in cases:
        rendered = render_answer(f"So it is {bracket}.", tuple(DataPoint(name, name) for name in names))
        assert [one.data_point for one in rendered.citations] == cited, bracket


ENDINGS = (
    DataPoint("https://a.example/data.abc", "", url="https://a.example/notes.ghi"),
    DataPoint("plan.def", "plan"),
)


def test_a_name_with_a_sources_extension_cites_and_a_file_name_its_path():
    wanted = {
        "[other.def]": [(None, "not found")], "[OTHER.DEF]": [(None, "not found")], "[other.abc]": [],
        "[other.ghi]": [], "[data.abc]": [], "[plan.def]": [(1, "exact")],
        "[https://a.example/notes.ghi]": [(0, "exact")],
    }  # fmt: skip
    assert {text: cited(text, ENDINGS) for text in wanted} == wanted
    wanted = {
        "[guide.md]": [(0, "page")], "[GUIDE.md#page=1]": [(0, "name")], "[guide.md#page=2]": [(None, "not found")],
        "[rules.md]": [(None, "not found")], "[docs/rules.md]": [(1, "exact")], "[old/Rules.md]": [(2, "name")],
        "[guide.pdf]": [(3, "name")], "[4]": [(3, "number")],
    }  # fmt: skip
    assert {text: cited(text, PATHS) for text in wanted} == wanted


PATHS = (
    DataPoint("docs/guide.md#page=1", "docs/guide.md"),
    DataPoint("docs/rules.md", "docs/rules.md"),
    DataPoint("old/rules.md", "old/rules.md"),
    DataPoint("4", "Guide.PDF", url="https://a.example/files/guide.pdf"),
)


def test_a_source_is_named_by_its_document_or_its_backends_title():
    wanted = [
        (DataPoint("a.pdf#page=2", "The guide"), "a.pdf#page=2"), (DataPoint("4f", "The  guide\n"), "The guide"),
        (DataPoint("4f", ""), "4f"), (DataPoint("", ""), "Source 1"),
    ]  # fmt: skip
    assert [(point, SourceIndex((point,)).label(0)) for point, _ in wanted] == wanted


def test_a_long_bracket_may_cite_once_its_names_are_known():
    wanted = {
        "https://a.exam": True, "notes.tx": False, "notes.txt, Url": True, "notes.txt; Ürlaub.md; more": True,
        "words, notes.txt": False, "a, b and c.txt": False,
    }  # fmt: skip
    assert {typed: SourceIndex(BY_NAME).may_become(typed) for typed in wanted} == wanted
