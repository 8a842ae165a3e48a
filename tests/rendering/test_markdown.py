"""The supported parts of Markdown."""

import re
from html import unescape
from urllib.parse import quote

from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.markdown import markdown
from tests.rendering.streaming import typed

BARE_ROW = "b\n"
FOOTNOTE = '<sup class="footnote-reference">1</sup>'
URL = '<a href="https://a.example/b" target="_blank" rel="noopener noreferrer nofollow" dir="auto">{}</a>'


READ = [
    ("~~a~~ **b** _c_", '<p dir="auto"><s>a</s> <strong>b</strong> <em>c</em></p>\n'),
    ("See https://a.example/b.", f'<p dir="auto">See {URL.format("https://a.example/b")}.</p>\n'),
    ("a.example and a@b.example and 10.0.0.1", '<p dir="auto">a.example and a@b.example and 10.0.0.1</p>\n'),
    (f"https://a.example/{'b' * 1_988}", f'<p dir="auto">https://a.example/{"b" * 1_988}</p>\n'),
    ("[c](https://a.example/b)", f'<p dir="auto">{URL.format("c")}</p>\n'),
    ("[c]\n\n[c]: https://a.example/b", f'<p dir="auto">{URL.format("c")}</p>\n'),
    ("a\n[c]: https://a.example/b", f'<p dir="auto">a<br>\n[c]: {URL.format("https://a.example/b")}</p>\n'),
    ("> [1]: Leave_Policy.pdf", '<blockquote dir="auto">\n<p>[1]: Leave_Policy.pdf</p>\n</blockquote>\n'),
    ("> [c]: https://a.example/b\n>\n> [c]",
     f'<blockquote dir="auto">\n<p>{URL.format("c")}</p>\n</blockquote>\n'),
    ("a[^1]\n\n[^1]: note",
     f'<p dir="auto">a{FOOTNOTE}</p>\n'
     '<div><span class="footnote-label">1</span><p dir="auto">note</p>\n</div>\n'),
    ("a:\n• b\n• c", '<p dir="auto">a:<br>\n• b<br>\n• c</p>\n'),
    ("a<br>\nb\n<br>c", '<p dir="auto">a<br>\nb\n<br>c</p>\n'),
    ("a</br>b</BR>\nc", '<p dir="auto">a<br>b<br>\nc</p>\n'),
    ("# a\n- b\nc", '<h3 dir="auto">a</h3>\n<ul dir="auto">\n<li>b<br>\nc</li>\n</ul>\n'),
    ("a^[note]", '<p dir="auto">a^[note]</p>\n'),
    ("$ a$ 1$b$ $c$2", '<p dir="auto">$ a$ 1$b$ $c$2</p>\n'),
    ("$$a\n\nb$$", '<p dir="auto">$$a</p>\n<p dir="auto">b$$</p>\n'),
    ("**年假（两周）：**请*先（注）。*填~~（旧）~~表",
     '<p dir="auto"><strong>年假（两周）：</strong>请<em>先（注）。</em>填<s>（旧）</s>表</p>\n'),
    ("这是**“重点”**内容", '<p dir="auto">这是<strong>“重点”</strong>内容</p>\n'),
    ("**마크(Mark)**은 **“중요”**는", '<p dir="auto"><strong>마크(Mark)</strong>은 <strong>“중요”</strong>는</p>\n'),
    ("**ข้อ:**กรุณา**(ดู)**ที่นี่", '<p dir="auto"><strong>ข้อ:</strong>กรุณา<strong>(ดู)</strong>ที่นี่</p>\n'),
    ("و**«مهم»**جدا", '<p dir="auto">و<strong>«مهم»</strong>جدا</p>\n'),
    ("⚠️**“a”** **“年”\ufe01**a", '<p dir="auto">⚠️<strong>“a”</strong> <strong>“年”\ufe01</strong>a</p>\n'),
    ("**(a)**b ** 年 ** __（年）__月", '<p dir="auto">**(a)**b ** 年 ** __（年）__月</p>\n'),
    ("a**😀**b", '<p dir="auto">a**😀**b</p>\n'),
    ("1. a\n1. b", '<ol dir="auto">\n<li>a</li>\n<li>b</li>\n</ol>\n'),
]  # fmt: skip
FORMULAS = [
    ("a $b$ c", "inline"), ("$$b$$", "block"), ("a $$b$$ c", "block"), ("$$\nb\n$$", "block"), ("$$b$$ (1)", "block"),
    (r"a \(b\) c", "inline"), (r"\[b = c\]", "block"),
]  # fmt: skip


def test_a_new_reader_reads_markdown_and_formulas():
    markdown._markdown.cache_clear()
    for text, html in READ:
        assert "".join(render_answer(text, ()).html) == html
    for text, display in FORMULAS:
        html = "".join(render_answer(text, ()).html)
        assert re.findall('<math[^>]* display="(.*?)"', html) == [display]
        assert "$" not in html


def test_typed_markdown_ends_like_the_whole():
    for text, html in READ:
        size = 1 + len(text) // 100
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        assert "".join(typed(pieces).blocks) == html


README = "# A\n```bash\nb\n```\nC\n"


def test_a_block_of_markdown_contains_blocks_of_code():
    cases = [
        (f"```markdown\n{README}```\n\n*d*", README), (f"```md\n{README}{README}```\n*d*", README + README),
        ("~~~mdx\n~~~bash\nb\n~~~\nC\n~~~\n*d*", "~~~bash\nb\n~~~\nC\n"),
        ("```md\n- ```\n  b\n  ```\n```\n*d*", "- ```\n  b\n  ```\n"),
        ("```md\n````bash\nb\n````\nC\n```\n*d*", "````bash\nb\n````\nC\n"),
        ("````md\n```bash\nb\n```\n````\n*d*", "```bash\nb\n```\n"),
        ("```md\n~~~bash\nb\n~~~\n```\n*d*", "~~~bash\nb\n~~~\n"), ("```python\n```bash\n```\n*d*", "```bash\n"),
        ("```md\n```bash\nb\n```\n*d*", "```bash\nb\n"), ("```md\na\n```\n*d*\n\n```md\nb", "a\n"),
        ("> ```md\n> ```bash\n> b\n> ```\n> C\n> ```\n>\n> *d*", "```bash\nb\n```\nC\n"),
        ("1. ```md\n   ```bash\n   b\n   ```\n   C\n   ```\n   *d*", "```bash\nb\n```\nC\n"),
        ("- ```md\n  ```bash\n  b\n  ```\n\n*d*\n\n- ```\n  e\n  ```\n", "```bash\nb\n"),
    ]  # fmt: skip
    for text, code in cases:
        html = "".join(render_answer(text, ()).html)
        assert "<em>d</em>" in html, text
        assert unescape(re.sub("<[^<>]+>", "", re.findall("<code>(.*?)</code>", html, re.DOTALL)[0])) == code, text
        assert "".join(typed(text).blocks) == html


def test_a_bare_url_ends_before_the_punctuation_of_every_script():
    cases = [
        *(("https://a.example/b", f"{mark}c") for mark in "（）。，、；：？！“”„‘’‚«»‹›「」『』【】〔〕"),
        *(("https://a.example/b", f"{mark}c") for mark in "《》〈〉—―…‥～｜＞→✅"),
        *(("https://a.example/b", f"{mark} c") for mark in "،؛؟۔।॥։።។။༎჻¡¿"),
        *(("https://a.example/b", f"{mark}c") for mark in "\u200b\u200c\u200d\u2060\ufeff\u200e\u061c\u00ad\ue200"),
        ("https://a.example/b", "에서 c"), ("https://a.example", "（c）"), ("https://a.example/b?c=1", "です"),
        ("https://a.example", "에서 c"), ("https://a.example/b", "** c"), ("https://a.example/b", "~~ c"),
        ("https://a.example/b_(c)", "。d"), ("https://a.example/日本/ページ・二", "。c"),
        ("https://a.example/?q=東京", "、c"),
        ("https://a.example/é", "…"), ("https://a.example/1990–2000", "—c"), ("https://a.example/हिन्दी", "।"),
        ("https://a.example/می\u200cخواهم", "،"), ("https://a.example/क्\u200dष", "।"), ("https://a.example/צה״ל", "״"),
    ]  # fmt: skip
    for url, after in cases:
        html = "".join(render_answer(f"见 {url}{after}", ()).html)
        assert re.findall('<a href="(.*?)"', html) == [quote(url, safe=":/?=_()&")], after
        assert unescape(re.sub("<[^<>]+>", "", html)) == f"见 {url}{after}\n"


def test_an_address_with_spaces_is_one_address_if_no_other_words_follow():
    cases = [
        ("[c](https://a.example/S D/b c.pdf)", "https://a.example/S%20D/b%20c.pdf"),
        ("[c](https://a.example/S D/b (1 c).pdf 'A title')", "https://a.example/S%20D/b%20(1%20c).pdf"),
        (
            "[c](HTTPS://a.example/S D/b \\(1\\).aspx?id=/S D#c d )",
            "HTTPS://a.example/S%20D/b%20(1).aspx?id=/S%20D#c%20d",
        ),
        ('![c](https://a.example/S D/b.png "A title")', "https://a.example/S%20D/b.png"),
        ("| [c](https://a.example/S D/*b*.pdf) |\n|-|", "https://a.example/S%20D/*b*.pdf"),
        ("<a href='https://a.example/S D/b c.pdf'>c</a>", "https://a.example/S%20D/b%20c.pdf"),
        ("[c](https://a.example/b 'd\\' e')", "https://a.example/b"),
        ("[c](https://a.example/b (d))", "https://a.example/b"),
    ]
    for link, url in cases:
        [block] = render_answer(link, ()).html
        assert re.findall('<a href="(.*?)"', block) == [url], link
        assert "](" not in block, link
    cases = ["https://a.example and more", "https://a.example/b and\nmore", "b c.pdf"]
    assert [address for address in cases if "](" not in render_answer(f"[c]({address})", ()).html[0]] == []
    [block] = render_answer("[c](https://a.example/b and https://d.example/e)", ()).html
    assert re.findall('<a href="(.*?)"', block) == ["https://a.example/b", "https://d.example/e"]


def test_a_table_keeps_its_alignment_and_many_missing_cells_make_it_text():
    html = "".join(render_answer("a\n\n|b|c|d|\n|:-|-:|-|\n|e|", ()).html)
    alignments = 'align="left"', 'align="right"'
    heads, cells = (re.findall(f"<t{kind} ?(.*?)>", html) for kind in "hd")
    assert heads[-3:] == [*(f'{alignment} scope="col"' for alignment in alignments), 'scope="col"']
    assert cells == [*alignments, ""]
    assert "<table>" in "".join(render_answer("a\n|b|\n|-|", ()).html)
    head = f"{'|a' * 100}|\n{'|-' * 100}|\n"
    for rows, is_table in ((20, True), (21, False)):
        blocks = render_answer(f"{head}{BARE_ROW * rows}\n|c|\n|-|\n", ()).html
        assert ["<table" in block for block in blocks] == [is_table, True], rows
        assert ("b" in blocks[0], "c" in blocks[1]) == (True, True), rows
    html = render_answer(f"{head}{BARE_ROW}\n{BARE_ROW * 30}", ()).html
    assert ["<table" in block for block in html] == [True, False]


def test_a_task_is_a_box_before_its_words():
    [html] = render_answer("- [ ] a\n- [x] b\n- [X]\n  c\n- [y] d\n- e [x] f\n\n  [x] g", ()).html
    boxes = re.findall(r'<input type="checkbox" class="task" disabled(.*?) aria-label="(.*?)">', html)
    assert boxes == [("", "Not done"), (" checked", "Done"), (" checked", "Done")]
    assert '"Not done"> a' in html
    assert "[y] d" in html
    assert "e [x] f" in html
    assert "[x] g" in html


def test_a_raw_table_or_details_is_one_block_across_empty_lines():
    text = "<table><tr><td>\n\n**a**\n\n<TABLE></table>\n\nb\n\n</td></tr></table>\n\nc\n\n</details>\n\nd"
    blocks = render_answer(text, ()).html
    assert len(blocks) == 4
    assert "<strong>a</strong>" in blocks[0]
    assert blocks[1:2] == ('<p dir="auto">c</p>\n',)
    assert len(render_answer("<div>\n\na\n\n</div>", ()).html) == 1
    assert len(render_answer("<div>\n\na\n\nb", ()).html) == 3


def test_formulas_on_a_line_are_separate_and_a_block_has_no_empty_line():
    for text in ("$$x = 5$$ and $$y = 6$$", "$$x$$, $$y$$", "$$x\n$$ and $$y$$", "$$x$$ and\n$$y$$"):
        html = "".join(render_answer(text, ()).html)
        assert html.count("<math") == 2, text
        assert "$" not in html, text
        assert "".join(typed(list(text)).blocks) == html
    assert "<math" in render_answer(f"$x{'{}' * 200}$", ()).html[0]
    assert '<code class="formula-source"' in render_answer(f"$x{'{}' * 201}$", ()).html[0]
    html = "".join(render_answer("So\n$$x$$\nwhere\n\\[y = 1\\]\nis. But\n$$\\frac{$$\nis not", ()).html)
    assert [html.count("<br>"), html.count("<math"), html.count('<code class="formula-source"')] == [2, 2, 1]


def test_a_raw_table_may_have_an_extra_end_tag_and_markdown_inside():
    text = "<table>\n<tr><td>a</td></tr></tr>\n</td>\n<tr><td>b</td></tr>\n</table>"
    (html,) = render_answer(text, ()).html
    assert html.count("<td>") == 2
    assert "&lt;" not in html
    assert typed(list(text)).html == html
    (html,) = render_answer("<table></tr> and </td> more", ()).html
    assert html == "&lt;table&gt;&lt;/tr&gt; and &lt;/td&gt; more"
    text = "<table>\n<tr><th>A</th></tr>\n\n<tr>\n<td>\n\n**b**\n\n- c\n\n</td>\n</tr>\n</table>\n\nafter"
    table, after = render_answer(text, ()).html
    assert re.findall("<(?:t[hd]|strong|li)>", table) == ["<th>", "<td>", "<strong>", "<li>"]
    assert "&lt;" not in table + after
    assert typed(list(text)).blocks == (table, after)
    assert "&lt;td&gt;" in render_answer("<tr>\n<td>\n\nb\n\n</td></tr>", ()).html[0]


def test_a_tag_without_markup_meaning_is_text():
    cases = [
        ("<style> is *one*\n\n- a", '<p dir="auto">&lt;style&gt; is <em>one</em></p>\n'),
        ("a\n<div> is *one*", '<p dir="auto">a<br>\n&lt;div&gt; is <em>one</em></p>\n'),
        ("if a<b then c>d", '<p dir="auto">if a&lt;b then c&gt;d</p>\n'),
        ("</path> and <A HREF=x>", '<p dir="auto">&lt;/path&gt; and &lt;A HREF=x&gt;</p>\n'),
        ("**<b>a** b</b>", '<p dir="auto"><strong>&lt;b&gt;a</strong> b&lt;/b&gt;</p>\n'),
        ("<B>a</b> <i>b", '<p dir="auto"><b>a</b> &lt;i&gt;b</p>\n'),
        ("<u><s>a</u></s>", '<p dir="auto"><u><s>a</s></u></p>\n'),
        ("<script>a</script>", '<p dir="auto">&lt;script&gt;a&lt;/script&gt;</p>\n'),
    ]
    for text, html in cases:
        shown = render_answer(text, ()).html
        assert shown[0] == html, text
        assert typed(list(text)).blocks == shown
    [image] = render_answer("<img> <img src='https://a.example/b.png' alt=c>", ()).html
    assert (image.count("&lt;img&gt;"), image.count("remote-image")) == (1, 1)


def test_a_footnote_before_its_reference_is_known():
    text = "[^n]: Note\n\nWords[^n].\n\nMore."
    page = typed(text)
    assert page.blocks == render_answer(text, ()).html
    assert '<sup class="footnote-reference">n</sup>' in page.blocks[1]
    later = "Words[^n] and [r].\n\nMore.\n\n[^n]: Note\n\n[r]: https://a.example/\n\nEnd."
    assert typed(later).blocks == render_answer(later, ()).html
    assert "footnote-reference" in typed(later).blocks[0]
