import re
from html import unescape

from chat_ui.rendering.panels.passages import (
    FOLDED,
    MAX_PASSAGE,
    carries,
    first_words,
    folded_passage,
    passage_html,
    passage_with_uses,
)

CLAIM = "A tent keeps the rain out"
MARKED = "A tent keeps rain out for years."
FILLER = [f"Sentence {number} is of something else." for number in range(200)]


def words(html: str) -> str:
    return unescape(re.sub("<[^>]*>", "", html))


def long_text(place: int, marked: str = MARKED) -> str:
    return " ".join([*FILLER[:place], marked, *FILLER[place:]])


def test_a_long_passage_shows_the_supporting_sentence_with_its_neighbours():
    text = long_text(100)
    folded = folded_passage(text, CLAIM)
    assert words(folded.html) == f"… {FILLER[99]} {MARKED} {FILLER[100]} …"
    assert f"<mark>{MARKED}</mark>" in folded.html
    assert folded.html.count("<mark>") == 1
    assert folded.hidden == len(text) - len(words(folded.html)) + len("…  …")


def test_a_long_gap_between_marked_sentences_is_an_ellipsis():
    far, near = " ".join(FILLER[:50]), " ".join(FILLER[:4])
    apart = folded_passage(f"{far} {MARKED} {far} {MARKED} {far}", CLAIM)
    part = f"{FILLER[49]} {MARKED} {FILLER[0]}"
    assert words(apart.html) == f"… {part} … {part} …"
    together = folded_passage(f"{far} {MARKED} {near} {MARKED} {far}", CLAIM)
    assert words(together.html) == f"… {FILLER[49]} {MARKED} {near} {MARKED} {FILLER[0]} …"


def test_a_long_neighbour_is_cut_between_words_and_marks_at_the_length():
    long = f"Nothing of it {'is said here ' * 50}at all."
    shown = words(folded_passage(f"{long} {MARKED} {long} {' '.join(FILLER)}", CLAIM).html)
    before, after = shown.split(MARKED)
    assert before.startswith("… ")
    assert before.removeprefix("… ") in long + " "
    assert 100 < len(before) < 170
    assert after.removesuffix(" …").strip() in long
    assert len(words(folded_passage(" ".join([MARKED] * 500), CLAIM).html)) < 2 * FOLDED


def test_an_excerpt_without_a_claim_starts_at_the_beginning():
    first, last = folded_passage(long_text(0), CLAIM).html, folded_passage(long_text(200), CLAIM).html
    assert words(first).startswith(MARKED)
    assert words(first).endswith(" …")
    assert words(last).startswith("… ")
    assert words(last).endswith(MARKED)
    text = long_text(100)
    for claim in ("", "Flights need approval"):
        folded = folded_passage(text, claim)
        assert words(folded.html).startswith(FILLER[0])
        assert "<mark>" not in folded.html
        assert folded.hidden == len(text) - len(words(folded.html).removesuffix(" …"))


def test_a_very_long_supporting_sentence_is_shown_to_twice_the_length():
    sentence = f"A tent keeps rain out {'and is warm ' * 500}at last."
    folded = folded_passage(long_text(100, sentence), CLAIM)
    assert FOLDED * 1.9 < len(words(folded.html)) < FOLDED * 2.1
    middle = f"A tent keeps rain out {'and is warm ' * 70}at last."
    assert f"{middle}</mark>" in folded_passage(long_text(100, middle), CLAIM).html


def test_a_passage_is_shown_up_to_a_length_and_the_rest_counted():
    for length, is_folded in ((100, False), (150, False), (151, True)):
        text = ("word " * 40)[:length]
        assert (folded_passage(text, "", 100).hidden > 0) is is_folded, length
    assert "passage-cut" not in passage_html("x" * MAX_PASSAGE)
    assert '<p class="passage-cut">1 more character is not shown.</p>' in passage_html("x" * (MAX_PASSAGE + 1))
    folded = folded_passage("x" * 2_000, "", 100)
    assert words(folded.html) == "x" * 100 + " …"
    assert folded.hidden == 1_900


def test_a_supporting_table_is_shown_whole_up_to_a_size():
    row = "<tr><td>Tent</td><td>90 crowns</td></tr>\n"
    complete = folded_passage(f"<table>{row * 50}</table>", "90 crowns")
    assert complete.hidden == 0
    assert complete.html.count("<tr>") == complete.html.count("<mark>90 crowns</mark>") == 50
    for rows, claim in ((500, "90 crowns"), (50, "")):
        part = folded_passage(f"<table>{row * rows}</table>", claim)
        assert part.hidden > 0
        assert "Tent\u200390 crowns\n" in words(part.html)
        assert "<tr>" not in part.html
    assert folded_passage(f"<table>{row * 50}</table>", "90 crowns", 260).hidden > 0


def test_a_supporting_sentence_is_marked_from_first_to_last_word():
    wanted = {
        ("The tent is green.", "Tents, pegs, poles, ropes, lamps and stoves"): (False, False),
        ("Buoys drift.", "buoys"): (True, True),
        ("Red buoys drift northwards.", "red buoys sink slowly southwards"): (True, True),
        ("Red lamps drift northwards.", "red buoys sink"): (False, False),
        ("Red buoys drift.", "red buoys sink slowly southwards in the cold winter storms of January"): (False, False),
    }
    for (sentence, claim), marks in wanted.items():
        assert (carries(sentence, claim), "<mark>" in passage_html(sentence, claim)) == marks, claim
    text = "Heading\n  A tent keeps rain out  \nOther"
    assert "Heading\n  <mark>A tent keeps rain out</mark>  \nOther" in passage_html(text, CLAIM)
    html = passage_html("A tent keeps rain out. Poles bend. The tent keeps the rain outside.", CLAIM)
    assert re.findall("<mark>(.*?)</mark>", html) == ["A tent keeps rain out.", "The tent keeps the rain outside."]
    assert words(html) == "A tent keeps rain out. Poles bend. The tent keeps the rain outside."
    for text, claim, mark in (
        ("公司规定如下。员工每年可以休假十五天。请提前申请。", "员工每年可休假十五天", "员工每年可以休假十五天。"),
        ("会社の規則です。休暇は年に15日です。申請が必要です。", "年に15日の休暇を取れます", "休暇は年に15日です。"),
    ):
        assert re.findall("<mark>(.*?)</mark>", passage_html(text, claim)) == [mark]
    rows = "| Child | 9 crowns | 2 crowns |\n| Partner | 9 crowns | 3 crowns |"
    html = passage_html(rows, "Child, 9 crowns, 2 crowns")
    assert re.findall("<mark>(.*?)</mark>", html) == [rows.partition("\n")[0]]


TABLE = (
    "<p>Tents &amp; ropes. The tents <b>are</b> warm. They cost this.</p><table><tr><th>Tent</th><th>Cost</th></tr>"
    "<tr><td>A ridge tent</td><td>9 crowns</td></tr>\n<tr><td>A <i>dome</i> tent</td><td>12 crowns</td></tr>"
    "<tr><td>A tunnel</td><td>30 crowns</td></tr></table>"
)
ROWS = "Cost of the tents, which are warm:\nA ridge tent, 9 crowns\nA dome tent, 12 crowns"


def marks_of(html: str) -> list[str]:
    return re.findall("<mark>(.*?)</mark>", html)


def test_the_rows_of_a_claim_are_marked_in_a_table_and_in_text():
    assert marks_of(passage_html(TABLE, ROWS)) == ["A ridge tent", "9 crowns", "A ", "dome", " tent", "12 crowns"]
    assert marks_of(folded_passage(TABLE, ROWS, 100).html) == [
        "A ridge tent\u20039 crowns",
        "A dome tent\u200312 crowns",
    ]
    piped = "Tents are warm.\n| Tent | Cost |\n| A ridge tent. It is red. | 9 crowns |\n| A dome tent | 12 crowns |\n"
    rows = ["| A ridge tent. It is red. | 9 crowns |", "| A dome tent | 12 crowns |"]
    assert marks_of(passage_html(piped, ROWS)) == rows
    assert marks_of(passage_html("Stoves.\n" + piped, "Tents:\nStoves\nA ridge tent, 9 crowns")) == ["Stoves.", rows[0]]
    assert carries(TABLE, ROWS)
    lead = passage_html("Ropes. The cost of the tents is low. They are red.", ROWS)
    assert marks_of(lead) == ["The cost of the tents is low."], "without a row the lead-in is looked for"
    assert marks_of(passage_html("The tents we have: ridge or dome. Rope.", "Our tents:\nRidge\nDome")) == [
        "The tents we have: ridge or dome."
    ]
    assert re.findall('<mark data-uses="(.*?)">(.*?)</mark>', passage_with_uses(TABLE, {3: ROWS, 1: "12 crowns"})) == [
        ("3", "A ridge tent"), ("3", "9 crowns"), ("1 3", "A "), ("1 3", "dome"), ("1 3", " tent"),
        ("1 3", "12 crowns"),
    ]  # fmt: skip


def test_a_sentence_of_a_page_is_marked_across_its_formatting():
    html = passage_html(TABLE, "The tents are warm")
    assert "Tents &amp; ropes. <mark>The tents </mark><b><mark>are</mark></b><mark> warm.</mark> They cost" in html
    image = '<p>Tents <img src="https://a.example/map.png" alt="A map"> are warm. Ropes.</p>'
    for with_buttons in (True, False):
        marked = passage_html(image, "Tents are warm", with_buttons=with_buttons)
        assert marked.replace("<mark>", "").replace("</mark>", "") == passage_html(image, with_buttons=with_buttons)
        assert marks_of(marked) == ["Tents ", " are warm."]
    cell = f"<table><tr><td>The tents are warm. {'Ropes are red. ' * 30}</td></tr></table>"
    assert marks_of(passage_html(cell, "The tents are warm")) == ["The tents are warm."], "a long row is no unit"


def test_an_excerpt_does_not_end_in_a_marked_row():
    row = "<tr><td>A ridge tent of red cloth with long ropes</td><td>9 crowns</td></tr>"
    html = folded_passage(f"<table>{row * 20}</table>", "A ridge tent of red cloth", 100).html
    assert marks_of(html) == ["A ridge tent of red cloth with long ropes\u20039 crowns"] * 2
    assert html.endswith("</mark> …</div>")


def test_a_passage_before_it_is_opened_ends_with_a_sentence():
    text = "Tents are warm. Ropes are long. Lamps burn all night long."
    assert words(folded_passage(text * 2, "", 40).html) == "Tents are warm. Ropes are long. …"
    assert words(folded_passage(f"Yes. {'word ' * 90}", "", 40).html) == "Yes. word word word word word word word …"


def test_a_passage_beside_an_answer_has_buttons_and_one_in_a_card_does_not():
    table = "<table><tr><td>Tent</td></tr></table>"
    assert "copy-table" in passage_html(table)
    assert "copy-table" in folded_passage(table).html
    assert "<button" not in passage_html(table, with_buttons=False)
    assert "<button" not in folded_passage(table, with_buttons=False).html


def test_a_line_break_is_shown_unless_a_block_begins_or_ends_there():
    cases = [
        ("<p>a</p>\nb\nc\n<p>d</p>", '<p dir="auto">a</p>b<br>c<p dir="auto">d</p>'),
        ("<div>\na\n<i>b</i>\nc</div>\nd", "<div>\na\n<i>b</i>\nc</div>d"),
        ("\n<b>a</b>\n", "<br><b>a</b><br>"), ("a<br>\n\nb", "a<br>b"), ("<i>a</i>\n\nb", "<i>a</i><br><br>b"),
        ("<ul><li>a\nb</li></ul><b>c</b>\nd", "a\nb</li></ul><b>c</b><br>d"),
        ("a\n<p>b\nc</p>\nd\ne", 'a<p dir="auto">b\nc</p>d<br>e'), ("a < b\nc", "a &lt; b\nc"),
    ]  # fmt: skip
    for passage, shown in cases:
        assert f"{shown}</div>" in passage_html(passage)


def test_an_excerpt_of_html_has_a_line_for_each_block_and_words_of_cells():
    page = "<h1>Tents &amp; lamps</h1><table><tr><th>Tent</th><td>90</td></tr></table><p>Dry   and\nwarm.<br>Light.</p>"
    page += '<p><img src="https://a.example/map.png" alt="A map"></p>'
    folded = folded_passage(f"{page}\n<p>{'word ' * 100}</p>", "", 70)
    assert words(folded.html) == "Tents & lamps\nTent\u200390\nDry and\nwarm.\nLight.\nA map …"


def test_adjacent_marks_are_shown_together():
    beside = f"{MARKED} Poles bend. The tent keeps the rain outside. {'So it is. ' * 300}"
    folded = folded_passage(beside, CLAIM)
    assert folded.html.startswith(f'<div class="passage passage-text" dir="auto"><mark>{MARKED}</mark> Poles bend. ')
    assert re.findall("<mark>(.*?)</mark>", folded.html) == [MARKED, "The tent keeps the rain outside."]


def test_the_first_words_of_a_passage_are_on_one_line():
    wanted = {
        "Short and\n  plain.": "Short and plain.", "word " * 100: f"{'word ' * 9}word …",
        "<h1>Tents</h1><p>Dry &amp; warm</p>": "Tents Dry & warm", "": "",
    }  # fmt: skip
    assert {passage: first_words(passage, 52) for passage in wanted} == wanted
