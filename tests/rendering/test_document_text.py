from chat_ui.languages.translation import gettext
from chat_ui.rendering.panels.document_text import (
    MAX_TEXT,
    Decoded,
    decoded,
    document_html,
    shown_document,
)

CUT = "The rest of this document is not shown here"


def test_markdown_is_formatted_without_citations_and_plain_text_unchanged():
    assert document_html("a < b\nc", "text") == '<div class="document-plain" dir="auto">a &lt; b\nc</div>'
    assert "One\ntwo" in document_html("One\ntwo", "markdown")
    for text in ("---\n\nNote: one\n\n---\ntwo", "---\nnote: one\n", "one\n\n---\na: b\n---\n"):
        html = document_html(text, "markdown")
        assert "<hr>" in html, text
        assert "document-plain" not in html, text
    html = document_html("# Tents\r\n\r\nA [notes.txt] *tent*\n\n```\ncode\n```", "markdown")
    assert [words for words in ("Tents</h", "[notes.txt] <em>tent</em>", "code") if words not in html] == []
    assert "<button" not in html
    assert "<h3" in document_html("# a" + "b" * 299_997, "markdown")
    very_long = document_html("# a" + "b" * 299_998, "markdown")
    assert very_long.startswith('<div class="document-plain" dir="auto"># a')


def test_the_front_matter_of_markdown_is_shown_and_no_heading():
    cases = [
        ("---\ntitle: Leave\ntags: [a, <b>]\n---\n\nTwenty days", "title: Leave\ntags: [a, &lt;b&gt;]"),
        ("---\r\n# of the wiki\r\ntitle: Leave\r\n...\r\nTwenty days", "# of the wiki\ntitle: Leave"),
        ("+++\ntitle = 'Leave'\n[extra]\n+++\nTwenty days", "title = &#x27;Leave&#x27;\n[extra]"),
    ]
    for text, front in cases:
        html = document_html(text, "markdown")
        rest = '<div class="answer-text"><p dir="auto">Twenty days</p>\n</div>'
        assert html == f'<div class="document-plain" dir="auto">{front}</div>{rest}', text


def test_a_page_of_html_shows_its_readable_text_despite_open_elements():
    cases = [
        "<!-- note -->", "<script>alert(1)</script>", "<STYLE>p {}</STYLE >", "<?xml a?>", "<!DOCTYPE html>",
        "<title>Name</title>",
    ]  # fmt: skip
    for hidden in cases:
        html = document_html(f"<p>Before</p>{hidden}<p>After</p>", "html")
        assert html == document_html("<p>Before</p><p>After</p>", "html"), hidden
        assert "After" in html, hidden
    for opened in ("<script>", "<!--", "<title>", "<textarea>", "<svg>", "<?xml", "<template>"):
        html = document_html(f"<p>Before</p>{opened} a <p>After</p> {opened} the end", "html")
        assert [word for word in ("Before", "After", "the end") if word not in html] == [], opened


def test_forbidden_tags_of_a_page_of_html_are_removed():
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


def test_a_long_document_is_cut_and_says_so():
    assert CUT not in document_html("x" * MAX_TEXT, "text")
    html = document_html("x" * (MAX_TEXT + 1), "text")
    assert CUT in html
    assert html.count("x") == MAX_TEXT
    assert CUT in document_html("short", "text", is_cut=True)


# A short document, its source's known words, its encoding, and the encoding's name.
GUESSED = [
    ("Überstunden für Ältere: zwölf €", "Überstunden", "cp1252", "Windows-1252"),
    ("Menü im Café", "Café", "cp1252", "Windows-1252"), ("Año nuevo, señor", "Año nuevo", "cp1252", "Windows-1252"),
    ("Zażółć gęślą jaźń", "Zażółć", "cp1250", "Windows-1250"),
    ("Отпуск длится двадцать дней", "Отпуск", "cp1251", "Windows-1251"),
    ("Отпуск длится двадцать дней", "Отпуск", "koi8-r", "KOI8-R"),
    ("Yıllık izin yirmi gündür", "Yıllık izin", "cp1254", "Windows-1254"),
    ("החופשה נמשכת עשרים יום", "החופשה", "cp1255", "Windows-1255"),
    ("品名,休暇\r\n価格,20日\r\n", "休暇", "shift_jis", "Shift_JIS"),
    ("休暇は二十日です", "休暇は", "euc-jp", "EUC-JP"), ("名称,休假\n价格,20天\n", "休假", "gbk", "GBK"),
    ("員工每年有二十天年假", "年假", "big5", "Big5"), ("휴가는 이십 일입니다", "휴가는", "euc-kr", "EUC-KR"),
    ("Annual leave\nlasts long", "", "utf-16-le", "UTF-16LE"), ("Urlaub für Ältere", "", "utf-16-be", "UTF-16BE"),
    ("员工每年有二十天年假", "二十天", "utf-16-le", "UTF-16LE"),
]  # fmt: skip


def test_an_encoding_is_guessed_from_the_source_if_the_server_names_none():
    found = [decoded(text.encode(encoding), "text", known=known) for text, known, encoding, _ in GUESSED]
    assert found == [Decoded(text, name) for text, _, _, name in GUESSED]
    for text, _, encoding, _ in GUESSED:
        data = text.encode(encoding)
        assert decoded(data, "text", encoding) == Decoded(text)
        assert decoded(data, "text", "utf-8", text).text == text
        assert decoded(data, "text", "hex", text).text == text


def test_utf_8_byte_order_marks_and_a_cut_character_are_no_guess():
    cases = ["utf-8-sig", "utf-16"]
    assert {encoding: decoded("Menü".encode(encoding), "text", "windows-1252") for encoding in cases} == dict.fromkeys(
        cases, Decoded("Menü")
    )
    for text in ("", "leave", "Menü", "年假"):
        found = [decoded(text.encode(), "text", charset) for charset in ("", "us-ascii", "utf-8")]
        assert found == [Decoded(text)] * 3
    text = "Bäche, Flüsse, Öl, Täler, Seen."
    assert decoded(text.encode() + b"\xff", "text") == Decoded(f"{text}\ufffd")
    assert decoded(b"<meta charset=utf-16><p>Leave", "html").text.endswith("Leave")
    data = "Menü".encode()[:-1]
    assert decoded(data, "text", is_cut=True) == Decoded("Men\ufffd")
    assert decoded(data, "text").guess != ""


def test_a_documents_own_encoding_counts_after_the_servers():
    old_meta = '<META http-equiv=Content-Type content="text/html; charset=windows-1251">'
    xml = '<?xml version="1.0" encoding="windows-1251"?>'
    for head, kind in (('<meta charset="windows-1251">', "html"), (old_meta, "html"), (xml, "text")):
        text = f"{head}<p>Отпуск"
        assert decoded(text.encode("cp1251"), kind) == Decoded(text), head
        assert decoded(text.encode("koi8-r"), kind, "koi8-r") == Decoded(text), head


def test_a_guessed_encoding_is_told_and_a_named_one_is_not():
    said = gettext("Text encoding guessed: {encoding}.", encoding="Windows-1252")
    data = "Größe;5 €".encode("cp1252")
    assert said in shown_document(data, "text")
    assert said not in shown_document(data, "text", "iso-8859-1")
