"""Levels of headings, the width of list numbers, and the direction of text."""

import re

from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.panels.document_text import document_html
from tests.rendering.streaming import Page


def html_of(text: str) -> str:
    return "".join(render_answer(text, ()).html)


def levels(html: str) -> list[int]:
    return [int(level) for level in re.findall(r"<h(\d)", html)]


def test_headings_begin_below_the_question_and_skip_no_level():
    cases = [
        ([1, 2, 3], [3, 4, 5]), ([2, 3, 2], [3, 4, 3]), ([3], [3]), ([6, 6], [3, 3]), ([2, 4, 2], [3, 4, 3]),
        ([2, 4, 3, 1], [3, 4, 4, 3]), ([1, 2, 3, 4, 5, 6], [3, 4, 5, 6, 6, 6]),
    ]  # fmt: skip
    for written, shown in cases:
        text = "\n\n".join(f"{'#' * level} Heading\n\nWords." for level in written)
        assert levels(html_of(text)) == shown, written
        assert levels(document_html(text, "markdown")) == shown, written
        assert levels(document_html("".join(f"<h{level}>H</h{level}>" for level in written), "html")) == shown
    html = html_of("<h1>a<div><h3>b</h3></div></h1>\n\n# c")
    assert re.findall(r"</?h\d", html) == ["<h3", "<h4", "</h4", "</h3", "<h3", "</h3"]


def test_a_heading_keeps_its_first_level_at_the_end():
    text = "## A\n\n> #### B\n\n- one\n- two\n\n### C\n\n<h4>D</h4>\n\n# E\n\n" + "Words go on. " * 200
    page = Page()
    for character in text:
        page.type(character)
    assert levels(page.html)[:1] == [3]
    assert not [change for change in page.end() if "<h" in str(change)]
    assert levels(html_of(text)) == [3, 4, 4, 5, 3]


def test_a_list_with_long_numbers_states_their_length():
    cases = [
        ("1. a", None), ("7. a", None), ('<ol start="5" reversed><li>a</ol>', "d1"), ("98. a\n99. b", "d2"),
        ("2024. a", "d4"), ("- x\n\n  1000. a", "d4"), ('<ol start="-50" reversed><li>a</ol>', "d3"),
        ("123456789. a", "d9"),
    ]  # fmt: skip
    for text, room in cases:
        opening = re.search(r"<ol[^>]*>", html_of(text))
        assert opening is not None, text
        said = re.search(r'class="(\w+)"', opening.group())
        assert (said and said.group(1)) == room, text


def test_the_direction_of_text_is_found_from_all_of_it():
    cases = ["> one\n>\n> two", "- one\n\n  two", "1. > one", "<ul><li><p>one</p></li></ul>"]
    assert {text: html_of(text).count('dir="auto"') for text in cases} == dict.fromkeys(cases, 1)
    cases = [
        ('<p dir="rtl">a</p><p>b</p>', '<p dir="auto">a</p><p dir="auto">b</p>'),
        ("<div><ul><li>a</ul><ol><li>b</ol></div>", '<ul dir="auto"><li>a</li></ul><ol dir="auto"><li>b</li></ol>'),
        (
            "<div><details><summary>a</summary><p>b</p></details></div>",
            '<details><summary dir="auto">a</summary><p dir="auto">b</p></details>',
        ),
        (
            '<p><a href="https://a.example/b">c</a></p>',
            '<a href="https://a.example/b" target="_blank" rel="noopener noreferrer nofollow" dir="auto">c</a>',
        ),
        (
            '<p><a href="https://a.example/?dir=up">d</a></p>',
            '<a href="https://a.example/?dir=up" target="_blank" rel="noopener noreferrer nofollow" dir="auto">d</a>',
        ),
        ("<p><a>b</a> <a href='javascript:x'>c</a></p>", "<span>b</span> <span>c</span>"),
    ]
    for html, shown in cases:
        assert shown in html_of(html)


def test_a_table_has_the_direction_of_its_first_letter_or_of_its_context():
    cases = [
        ("| Buoy | Place |\n|---|---|\n| 1 | north |", "ltr"), ("| عوامة | مكان |\n|---|---|\n| 1 | شمال |", "rtl"),
        ("| 1 | 2 |\n|---|---|\n| מצוף | north |", "rtl"), ("| 1 | 2 |\n|---|---|\n| 3 | 4 |", "ltr"),
        ("| &amp; | **2** |\n|---|---|\n| עברית | 4 |", "rtl"),
        ("<table><tr><td title='Buoy'>שלום</td></tr></table>", "rtl"),
    ]  # fmt: skip
    for text, expected in cases:
        found = re.search(r'<div class="table-scroll"[^>]* dir="(\w+)"', html_of(text))
        assert found and found.group(1) == expected, text
        assert re.search(r'<button [^>]*dir="ltr">Copy table', html_of(text))
    html = html_of("<div><table><tr><td><p>a</p></td></tr></table><p>b</p><table><tr><td>c</td></tr></table></div>")
    assert re.findall(r'<(?:p|div class="table-scroll")[^>]*', html) == [
        '<div class="table-scroll" role="group" tabindex="0" aria-label="Table: a" dir="ltr"',
        "<p",
        '<p dir="auto"',
        '<div class="table-scroll" role="group" tabindex="0" aria-label="Table: c" dir="ltr"',
    ]
    html = html_of("<table><tr><td><table><tr><td>a</td></tr></table></td></tr></table>")
    assert html.count("table-scroll") == html.count("Copy table") == html.count("</table></div>") == 1
    assert "</table></td></tr></tbody></table></div>" in html
    quoted = html_of("> | a |\n> |---|\n> | b |")
    assert re.search(r'<div class="table-scroll"[^>]* aria-label="Table: a">', quoted)


def test_a_cell_of_words_has_a_least_width_and_figures_keep_their_units():
    html = html_of(
        "| Plan | Volume (EUR m) |\n|---|---|\n| EUR 24 | Typhoon extension granted |\n"
        "| 93.1 % | emea-suppliers@contoso.example |\n| [notes.txt] | Two audits pending in Rotterdam and Antwerp |"
    )
    assert re.findall("<t[hd]( [^>]*)?>([^<]*)", html) == [
        (' scope="col"', "Plan"),
        (' scope="col" class="words"', "Volume (EUR\u00a0m)"),
        ("", "EUR\u00a024"),
        (' class="words"', "Typhoon extension granted"),
        ("", "93.1\u00a0%"),
        (' class="words unbroken"', "emea-suppliers@contoso.example"),
        ("", ""),
        (' class="text"', "Two audits pending in Rotterdam and Antwerp"),
    ]
    assert "EUR\u00a05 for 2\u00a0kg, 3 of 4, <code>EUR 5</code>" in html_of("EUR 5 for 2 kg, 3 of 4, `EUR 5`")


def test_a_table_is_named_after_its_first_row():
    cases = [
        ("<table><tr><th> One </th><th></th><th>&lt;</th></tr><tr><td>x</td></tr></table>", "Table: One, &lt;"),
        ("<table><tr><td></td></tr><tr><td>x</td></tr></table>", "Table"),
        (f"<table><tr><td>{'x' * 81}</td></tr></table>", f"Table: {'x' * 80}"),
    ]
    for html, label in cases:
        assert f'aria-label="{label}"' in html_of(html)
