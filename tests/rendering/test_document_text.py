"""The text of a document as it is read beside an answer."""

from __future__ import annotations

import csv

from chat_ui.rendering.panels.document_text import MAX_CELL, MAX_COLUMNS, MAX_ROWS, MAX_TEXT, document_html

CUT = "The rest of this document is not shown here"


def test_plain_text_stays_as_it_is():
    assert document_html("a < b\nc", "text") == '<div class="document-plain" dir="auto">a &lt; b\nc</div>'


def test_markdown_is_formatted_and_cites_nothing():
    html = document_html("# Tents\r\n\r\nA [notes.txt] *tent*\n\n```\ncode\n```", "markdown")
    assert "Tents</h" in html
    assert "[notes.txt] <em>tent</em>" in html
    assert "<button" not in html
    assert "code" in html


def test_what_stands_before_a_text_in_markdown_is_no_heading_and_is_shown():
    cases = [
        ("---\ntitle: Leave\ntags: [a, <b>]\n---\n\nTwenty days", "title: Leave\ntags: [a, &lt;b&gt;]"),
        ("---\r\n# of the wiki\r\ntitle: Leave\r\n...\r\nTwenty days", "# of the wiki\ntitle: Leave"),
        ("+++\ntitle = 'Leave'\n[extra]\n+++\nTwenty days", "title = &#x27;Leave&#x27;\n[extra]"),
    ]
    for text, front in cases:
        html = document_html(text, "markdown")
        rest = '<div class="answer-text"><p dir="auto">Twenty days</p>\n</div>'
        assert html == f'<div class="document-plain" dir="auto">{front}</div>{rest}', text


def test_lines_in_markdown_are_lines():
    for text in ("---\n\nNote: one\n\n---\ntwo", "---\nnote: one\n", "one\n\n---\na: b\n---\n"):
        html = document_html(text, "markdown")
        assert "<hr>" in html, text
        assert "document-plain" not in html, text


def test_of_a_page_of_html_what_is_for_its_reader_is_shown():
    cases = [
        "<!-- note -->", "<script>alert(1)</script>", "<STYLE>p {}</STYLE >", "<?xml a?>", "<!DOCTYPE html>",
        "<title>Name</title>",
    ]  # fmt: skip
    for hidden in cases:
        html = document_html(f"<p>Before</p>{hidden}<p>After</p>", "html")
        assert html == document_html("<p>Before</p><p>After</p>", "html"), hidden
        assert "After" in html, hidden


def test_what_is_never_closed_hides_nothing():
    for opened in ("<script>", "<!--", "<title>", "<textarea>", "<svg>", "<?xml", "<template>"):
        html = document_html(f"<p>Before</p>{opened} a <p>After</p> {opened} the end", "html")
        assert [word for word in ("Before", "After", "the end") if word not in html] == [], opened


def test_lines_of_a_markdown_document_go_on_as_its_editor_wrapped_them():
    assert "One\ntwo" in document_html("One\ntwo", "markdown")


def test_of_a_page_of_html_no_tag_is_shown_that_a_page_may_have():
    page = (
        "<html lang=en><head><meta charset=utf-8><link rel=icon href=x></head><body class='a>b'><main><section>"
        "<svg viewBox='0 0 1 1'><path d='M0 0'/><g><circle r=1></circle></g></svg>"
        "<p>One<p>Two <font color=red>three</font><ul><li>Four<li>Five</ul><my-part>Six</my-part><input name=a>"
        "<select><option>Seven</select></section><div>Eight &lt;b&gt; <path> Nine"
    )
    html = document_html(page, "html")
    assert html.count("&lt;") == 2
    assert "<li>Four</li><li>Five</li>" in html
    assert "<p>Two three</p>" in html.replace(' dir="auto"', "")
    assert "Eight &lt;b&gt; &lt;path&gt; Nine" in html


def test_a_table_has_a_head_and_rows_whatever_separates_its_cells():
    for separator in (",", ";", "\t", "|"):
        text = "\n".join(separator.join(row) for row in (("Name", "Price"), ("Tent", "90"), (), ("Lamp", "<b>")))
        html = document_html(text, "csv")
        assert (
            '<thead><tr><th scope="col" dir="auto">Name</th><th scope="col" dir="auto">Price</th></tr></thead>' in html
        ), separator
        assert '<tbody><tr><td dir="auto">Tent</td><td dir="auto">90</td></tr><tr><td dir="auto">Lamp</td>' in html, (
            separator
        )
        assert html.count("<tr>") == 3, separator
        assert "<b>" not in html, separator
        assert CUT not in html, separator


def test_an_empty_table_is_empty():
    assert "<thead></thead><tbody></tbody>" in document_html("", "csv")


def test_of_a_large_table_the_beginning_is_shown_and_says_so():
    for rows, columns, is_cut in ((0, 0, False), (1, 0, True), (0, 1, True)):
        line = ",".join("c" for _ in range(MAX_COLUMNS + columns if columns else 2))
        html = document_html("\n".join(line for _ in range(1 + MAX_ROWS + rows if not columns else 3)), "csv")
        assert (CUT in html) is is_cut, rows
        assert html.count("<tr>") == (1 + MAX_ROWS if not columns else 3), rows
        assert html.count("<th ") == (MAX_COLUMNS if columns else 2), rows


def test_a_long_cell_is_cut():
    assert document_html("a,b\n" + "q" * (MAX_CELL + 10) + ",c", "csv").count("q") == MAX_CELL


def test_a_long_document_is_cut_and_says_so():
    assert CUT not in document_html("x" * MAX_TEXT, "text")
    html = document_html("x" * (MAX_TEXT + 1), "text")
    assert CUT in html
    assert html.count("x") == MAX_TEXT
    assert CUT in document_html("short", "text", is_cut=True)


def test_a_table_that_cannot_be_read_is_its_text():
    # The limit is the whole process's, and reading a set of questions raises it.
    before = csv.field_size_limit(131_072)
    try:
        html = document_html('a,b\n"' + "<" * 140_000, "csv")
    finally:
        csv.field_size_limit(before)
    assert html == f'<div class="document-plain" dir="auto">a,b\n&quot;{"&lt;" * 140_000}</div>'


def test_markdown_that_is_very_long_is_its_text():
    assert "<h3" in document_html("# a" + "b" * 299_997, "markdown")
    assert document_html("# a" + "b" * 299_998, "markdown").startswith('<div class="document-plain" dir="auto"># a')
