"""Markdown on the page while it is typed."""

import re
from html import unescape

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.copies import copy_markdown
from tests.rendering.streaming import Page

POINTS = (
    DataPoint("notes.txt", "notes.txt"),
    DataPoint("1", "First"),
    DataPoint("_index.md", "_index.md"),
    DataPoint("My Notes.md", "My Notes.md"),
)


def readable(html: str) -> str:
    html = re.sub(r'<button type="button" class="copy-.*?</button>', "", html)
    return unescape(re.sub(r"<[^>]+>", "", html)).strip()


def words(page: Page) -> str:
    return readable(page.html)


def shown(text: str) -> str:
    page = Page(POINTS)
    page.type(text)
    return words(page)


def test_half_typed_markdown_shows():
    wanted = {
        "an **open": "an open", "an **open*": "an open", "an **open**": "an open", "an *open": "an open", "an *": "an",
        "some `code": "some code", "some ``co`de": "some co`de", "some ~~gone": "some gone", "**a *b": "a b",
        "***dry**": "dry", "*a **b**": "a b", "*a _b* c": "a _b c",
        "_see https://a.example/x": "see https://a.example/x", "see [the guide](https://a.exam": "see the guide",
        "see [the gui": "see", "see [notes.tx": "see", "see [notes.txt]": "see\u00a01",
        "see ![alt](https://a.ex": "see",
        "see [the plan](https://a.example/Shared Doc": "see the plan",
        "see ![alt](https://a.example/Shared Doc": "see", "in [0, 5) flows": "in [0, 5) flows",
        "in [1, 2[ which flows": "in [1, 2[ which flows", "in ]1, 2[, which flows": "in ]1, 2[, which flows",
        "in [0, ∞[ which flows [no": "in [0, ∞[ which flows", "formula $x^": "formula",
        "costs $5 and more": "costs $5 and more", "$$\nx": "", "raw <b": "raw", "raw <a href='https:": "raw",
        "1 < 2 and": "1 < 2 and", "text\n-": "text", "text\n##": "text", "text\n\n1.": "text", "| a | b": "",
        "| a | b |\n": "", "| a | b |\n|": "", "| a | b |\n| ": "", "| a | b |\n-": "", "| a | b |\n:": "",
        "text\n\n| a | b |\n|": "text", "| a | b |\n|--": "", "fish &am": "fish", "back\\": "back",
        "formula \\(x \\in [1, 2": "formula", "formula \\[ x =": "formula",
        "brackets \\(see\\) flow": "brackets (see) flow",
        f"brackets \\[{'long ' * 40}": f"brackets [{('long ' * 40).strip()}",
        "snake_case": "snake_case", "5 * 3 =": "5 * 3 =", "fish &": "fish", "fish & chips": "fish & chips",
        "fish &abcdefghij": "fish", "fish &abcdefghijk": "fish &abcdefghijk", "a $$x": "a", "a $": "a",
        "a $ b": "a $ b", "a 5$ b": "a 5$ b", "a 5$b": "a 5$b", "a $5*x$ b": "a 5*x b", "a 5$*x$ b": "a 5$x$ b",
        "a $b" + "c" * 159: "a", "a $b" + "c" * 160: "a $b" + "c" * 160, "a $$b" + "c" * 319: "a",
        "a $$b" + "c" * 320: "a $$b" + "c" * 320, "a \\(b" + "c" * 159: "a", "a \\(b" + "c" * 160: "a (b" + "c" * 160,
        "a \\[": "a", "a \\* b": "a * b", "a <b c='" + "d" * 291: "a", "a <b c='" + "d" * 300: "a <b c='" + "d" * 300,
        "a <https://b.example": "a", "a <!": "a", "run <path> and": "run <path> and", "a <b>bold": "a bold",
        "a <code> is": "a <code> is", "a <a href='https://a.example'>label": "a",
        "a <a href='https://a.example'>label</a>": "a label", "<ul>\n<li>b": "b", "<table> is": "<table> is",
        "a <5": "a <5", "a [" + "b" * 299: "a", "a [" + "b" * 300: "a [" + "b" * 300, "a ![b": "a", "a! [b": "a!",
        "![b": "", "a ```": "a", "a ``b`": "a b", "text\n=": "text", "text\n> ": "text", "text\n`": "text",
        "text\n#######": "text\n#######", "text\n12345": "text\n12345", "text\n    -": "text\n-", "a | b": "a | b",
        "a | b\n-": "a | b", "text\n| a | b |": "text", "text\n| a | b |\n|:-": "text",
        "text\n| a | b |\nc": "text\n| a | b |\nc",
        "text\n| a | b |\n| c | d |\n|": "text\n| a | b |\n| c | d |",
        "| a | b |\n\n|": "| a | b |", "text\n| a |\n": "text", "a **": "a", "see [it](page 4": "see [it](page 4",
        "see [it](page": "see", "see [it](page 'a title": "see", "see [it](my no": "see",
        "see [it](my notes of": "see [it](my notes of", "a **b** _": "a b", "see [ref_i": "see",
        "see [ref_id:1]": "see\u00a01", "see 【": "see", "see 【4:0†so": "see", "see 【4:1†source】": "see\u00a01",
        "see 【4:2†source】": "see", "see 【4:2†source】 and": "see 【4:2†source】 and",
        "see 【" + "b" * 300: "see 【" + "b" * 300, "see ［1": "see", "see (": "see", "see (So": "see",
        "see (Soft": "see (Soft", "see (Source: no": "see", "see (**Source:** no": "see",
        "see (Sources of no": "see (Sources of no", "see (Source: notes.txt)": "see\u00a01",
        "see (Source: other.txt)": "see (Source: other.txt)", "see (Source: " + "b" * 300: "see (Source: " + "b" * 300,
        "see（来源：no": "see", "see^": "see", "see^[1": "see", "see^[1]": "see", "see^[1]^": "see1", "see^2": "see^2",
        "see [[1]](htt": "see", "see [it 【1】](https://a.ex": "see", "a *b **": "a b",
    }  # fmt: skip
    assert {typed: shown(typed) for typed in wanted} == wanted


def test_held_back_characters_are_text_at_the_end():
    for text in ("an **open", "a [bracket", "a <b", "a $x^", "|a| + b", "text\n+", "a [l](http"):
        page = Page(POINTS)
        page.type(text)
        page.end()
        words = unescape(re.sub(r"<(?!b$)[^>]+>", "", page.html))
        assert words.split() == text.split()


def test_half_a_citation_is_left_out_at_the_end_except_of_copies():
    for said, end in (
        ("", "[notes.t"), ("", "["), ("[notes.txt", ""), ("[notes.txt, My No", ""), ("[note to", ""), ("]1, 2[", ""),
    ):  # fmt: skip
        text = f"It is so {said}{end}"
        rendered = render_answer(text, POINTS)
        assert readable("".join(rendered.html)) == f"It is so {said}".strip(), text
        assert copy_markdown(text, rendered, POINTS) == text


def test_a_table_whose_text_ends_is_a_table():
    for text, row in (
        ("Plans:\n| a | b |\n| --- | -", ["a", "b"]),
        ("| a | b |\n|:", ["a", "b"]),
        ("Plans:\n\n| a | b c", ["a", "b c"]),
        ("|a|b\n", ["a", "b"]),
        ("| | a \\| b |\n|", ["", "a | b"]),
        ("1. One\n\n   | a |\n   | --", ["a"]),
        ("| a | b |\n|--|--|\n|", ["a", "b"]),
    ):
        page = Page(POINTS)
        page.type(text)
        page.end()
        assert page.html == "".join(render_answer(text, POINTS).html), text
        assert re.findall(r'<th scope="col">([^<]*)</th>', page.html) == row, text
        assert "--" not in page.html
    fenced = "```\n| a | b |\n| -"
    assert "".join(render_answer(fenced, ()).html).count("|") == fenced.count("|")


def test_an_open_fence_is_code_at_once_and_a_table_grows_by_rows():
    page = Page()
    page.type("```python\nx = 1\n``")
    assert page.html.count('class="code-block"') == 1
    assert "``" not in page.html
    page = Page()
    page.type("| a | b |\n|---|---|\n| 1 | **2")
    assert page.html.count("<tr>") == 2
    assert "<strong>2</strong>" in page.html


TYPED = [
    "***dry*** words", "*a **b** c* d", "_a __b__ c_ d", "**a *b* c** d", "**a _b_ c**, d", "~~**a** b~~ c",
    "See [_index.md] for more words", "_See [_index.md] for_ more", "See [sub [_index.md] here] and more",
    "Of [*.pdf] and [**/*.pdf] files", "See [https://en.example/wiki/Tent_(band)] for more",
    "See https://en.example/wiki/Tent_(band) for more",
    "See https://en.example/_x, or https://en.example/a*b for more", "_See https://en.example/x for_ more",
    "**See https://en.example/x** for more", "[a-zA-Z0-9_.] holds letters",
    "A [link *to*](https://a.example/x_y) and *more*", "It is 5 * 3 * 2 and snake_case_name here",
    "He said (_quietly_) \"**No**\", and *left*.", "x **[notes.txt]** z", "**[notes.txt], [1]:** z", "a*b*c**d** e",
    "A `*` in ``a`*`` code* d*", "`a``b*` c *d*", "\\*a\\* *b* \\[*c*", "&amp; *a* &copy; b & c",
    "<b>*a*</b> <i title='*'>b</i> c* d", "a *b [c*d] e* f", "[0, *5*) and *x*", "**a** *b*~~c~~d", "~a~ ~~~b~~~ c",
    "_a_b_ c", "a~~b~c~~ d", "*a~b*c~ d", "a **b** * c *d*", "x ***a** b* c", "x *a **b*** c", "**a*b*c** d",
    "_(a)_ _b_", "a_(b)_ c", "(_a_) b", "a * b *c* d", "**a**b**c** d", "see https://a.example/_b_ *c* d",
    "*see https://a.example* d", "*a\nb* c", "**a** _b\nc_ d", "a [b](c *d*) *e*", "[a](<b c>) *d*", "a < *b* > c",
    "<https://a.example/*b> *c*", "\\[a*b=c\\] *d* e", "$$a*b$$ *c* d", "`` ` `` *a*", "`a` `b` *c*", "US$5*x* and $6",
    "$a *b* c", "a $5 *b* c $6 d", "*a [notes.txt] b* c", "**a [1]** b [1] c", "[*a*] [**b] c**",
    "so 【4:0†_index.md】 *a* b", "so (Source: _index.md) _a_ b", "so 【1†source】, (Source: notes.txt) and ^[1]^ b",
    "*so 【1】* b^2^ 【no】 (Source: no_one_) c", "so (see *a*) (Source) ^[a]", "**so (**Source:** notes.txt)** b",
    "a [b *c] d* e", "*a [b] c* d", "a&#42;b&#42; *c*", "a &lt;*b*&gt; c", "***a***", "*a***b**", "**a *b***c",
    "*见 https://a.example/_b（_c_）*，**https://a.example/b**后 ~~https://a.example/~b~~。*d* e",
    "_a __b___ c", "*a*_b_**c**", "1*2*3 _4_5_", "3$*a$ c* d", "**年假（两周）：**请*先（注）。*填 ~~旧（表）。~~好",
    "这是**“重点”**内容", "**마크다운(Markdown)**은 **“중요”**는 쉽다", "**หมายเหตุ:**กรุณา *(ดู)*ที่นี่",
    "و**«مهم»**جدا و*(هنا)*", "⚠️**“a”** b", "**“年”\ufe01**a **葛\U000e0100（）**b",
    # Citations and marks of models.
    "Rail first [notes.txt], then [1]. Done", "Rail\ue200cite\ue202notes.txt\ue202turn0search1\ue201, then. Done",
    "Rail \ue200cite\ue202turn0search1\ue201. Done", "Rail \ue200url\ue202first\ue202turn0search1\ue201. Done",
    "[cite_start]Rail first.[cite: 1] [cite_start]Done", "Rail first <cite>1</cite>. Done <cite>so</cite>",
    'Rail first <cite id="1"/>. Done', '<cite id="1">Rail *first*</cite>. Done',
    # Citations in raw HTML.
    "<table><tr><td>a [notes.txt]</td></tr></table>\n",
    "<table>\n<tr>\n<td>a [notes.txt, 1] and [1]</td>\n</tr>\n</table>\n", "<p>a [notes.txt] b</p>\n",
    "<ul><li>a [1]</li><li>b [notes.txt]</li></ul>\n", "<div>a <b>b [notes.txt]</b></div>\n",
    "<details><summary>a [1]</summary>\n\nb [notes.txt]\n\n</details>\n",
    "<table><caption>a [notes.txt]</caption></table>\n", "<table><tr><td>a 【4:0†notes.txt】</td></tr></table>\n",
    "<p>a (Source: notes.txt)</p>\n", "<p>a^[notes.txt]^ b</p>\n", "<p>a\ue200cite\ue202notes.txt\ue201 b</p>\n",
    "<p>[cite_start]a [cite: 1] b</p>\n", "<p><code>x</code> a [notes.txt] b</p>\n",
    # Links and images.
    "See [the guide](page 4) now", "See [the *book*](notes.txt) now", "See [1](notes.txt) now",
    "See [the book](My Notes.md 'A title') now", "See [the guide](https://a.example/x 'A title') now",
    "See [the guide](guide.md) now", "See [it](https://a.example/Shared Documents/_a_ b (1).pdf) now",
    "See [*it*](https://a.example/a b.pdf 'A c') *now*", "See [a [b] c](https://a.example) now",
    "See [*a* b](https://a.example/_x) and _c_ now", "It is [1](p. 4) now", "It is [the **rule**](page *4*) now",
    "See [it](<https://a.example/a b>) now", "See ![it](page 4) now",
    # Tables and prices.
    "Prices:\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n\nMore.", "It costs $5[1]-$6[1] ok", "From $5/$6 on",
    "US$5,000–US$6,000 a year",
]  # fmt: skip


def test_a_text_shown_during_typing_is_there_at_the_end():
    for number, text in enumerate(TYPED):
        complete = render_answer(text, POINTS).html
        at_the_end = readable("".join(complete))
        for size in (1, (3, 7)[number % 2]):
            page = Page(POINTS)
            for start in range(0, len(text), size):
                page.type(text[start : start + size])
                assert at_the_end.startswith(words(page)), text
            page.end()
            assert page.blocks == complete, text


def test_a_citation_in_raw_html_is_never_shown_half():
    page = Page(POINTS)
    for letter in "- one\n- <p>a [notes.txt] b</p>\n":
        page.type(letter)
        assert "[" not in page.html
    assert 'class="citation"' in page.html
    page = Page(POINTS)
    for letter in "**Rail first [**sic":
        page.type(letter)
        assert "*" not in page.html
    assert "<strong>Rail first</strong>" in page.html


def test_a_form_of_ragflow_is_never_shown_half():
    points = [DataPoint("c", "plan.pdf", names=("ID:0", "##0$$", "{{source:0}}"))]
    for text in ("One ##0$$ two ##0$$. C# {a} #1", "One {{source:0}} {{x}} {{", "<p>One ##0$$ {{source:0}}</p>\n"):
        page, complete = Page(points), render_answer(text, points).html
        for letter in text:
            page.type(letter)
            assert readable("".join(complete)).startswith(words(page)), text
            assert "#0" not in page.html and "source:" not in page.html, text
        page.end()
        assert page.blocks == complete, text


def test_a_word_is_shown_while_it_is_typed():
    page = Page()
    lengths = []
    for letter in "Plain words flow without delay":
        page.type(letter)
        lengths.append(len(page.html))
    assert lengths == sorted(lengths)
    assert len(set(lengths)) > 24


def test_a_bracket_in_raw_html_that_cannot_cite_is_shown_at_once():
    cases = [
        "<p>in [0, 5) flows", "<p>a (see) 【x】 x^2 flows", "<p><code>x(s", "<p>in [1, 2[ which flows",
        "<p><code>arr[ind", "<pre>[1, 2,", "<p>x [sic] y", "<p>[" + "so on " * 50,
    ]  # fmt: skip
    assert [text for text in cases if shown(text) != re.sub(r"<[^>]+>", "", text).strip()] == []


def test_a_citation_before_an_invalid_address_stays_a_citation():
    for rest in ("(page 4) here", "(p. 4) here", " (page 4)", "(see 'x' y)", "(", "(a b"):
        text = "It is [notes.txt]" + rest
        complete = render_answer(text, POINTS)
        assert len(complete.uses) == 1, rest
        page = Page(POINTS)
        page.type("It is [notes.txt]")
        for letter in rest:
            page.type(letter)
            assert 'class="citation"' in page.html, rest
        page.end()
        assert page.blocks == complete.html, rest


def test_a_formula_of_numbers_is_recognised_once_more_follows():
    page = Page()
    page.type("So $5 + 3$")
    assert "<math" not in page.html
    page.type(".")
    assert "<math" in page.html


def test_a_finished_block_is_sent_once_unless_a_reference_comes_late():
    page = Page()
    page.type("First.\n\nSecond.\n\nThird")
    assert [change[0] for change in page.type(" goes on")] == [2]
    page = Page()
    page.type("See [guide] now.\n\nMore.\n\nMore still.\n\n")
    assert "<a " not in page.html
    changes = page.type("[guide]: https://g.example\n\nEnd.\n\nEnd.\n")
    assert 0 in [change[0] for change in changes]
    assert 'href="https://g.example"' in page.blocks[0]
    page = Page()
    page.type("Rail first [notes.txt].\n\nThen.\n\nMore.\n")
    assert "citation-missing" in page.html
    page.stream.set_data_points(POINTS)
    changes = page.type("")
    assert [change[0] for change in changes] == [0]
    assert "citation-missing" not in page.html


def test_a_block_is_finished_once_the_next_has_certainly_begun():
    cases = [
        ("a\n\nb", 1), ("a\nb", 0), ("# a\n\nb", 1), ("# a\nb\nc", 0), ("# a\nb\nc\n", 1), ("- a\n\nb\nc", 0),
        ("- a\n\nb\nc\n", 1), ("- a\n\nb\n\nc", 2), ("a\n\n- b\n\n# c\n\nd\n", 3),
    ]  # fmt: skip
    for text, finished in cases:
        page = Page()
        page.type(text)
        assert page.stream.finished == finished, text
        page.end()
        assert page.stream.finished == len(page.blocks), text
