"""A link shows its host beside a label that looks like another address, and a label reorders no other text."""

import re
from html import unescape

from chat_ui.conversations.conversation import Turn
from chat_ui.conversations.records.records import AnswerHead, Status
from chat_ui.page.state.views import answer_view
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.copies import copy_html
from chat_ui.rendering.html.image_html import image_html
from chat_ui.rendering.html.links import beside_label, host_of
from chat_ui.rendering.panels.document_text import document_html
from chat_ui.rendering.panels.sources import sources_html
from chat_ui.rendering.panels.thoughts import thoughts_html
from tests.growth import assert_in_proportion
from tests.rendering.harmless import judged
from tests.rendering.streaming import typed

EVIL = "https://evil.example/way"


def shown(text: str) -> str:
    """An answer as shown, which is the same when typed letter by letter."""
    blocks = render_answer(text, ()).html
    assert typed(text).blocks == blocks
    html = "".join(blocks)
    assert judged(html).faults == []
    return html


def words(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


def test_a_label_that_looks_like_another_address_has_the_host_beside_it():
    cases = [
        "https://bank.example", "http://bank.example/path", "HTTPS://BANK.EXAMPLE", "bank.example",
        "Bank.Example/path?query", "www.bank.example", "sign in at bank.example now", "(bank.example)",
        "“bank.example”", "🔒bank.example", "//bank.example", "https:bank.example", "https:\\\\bank.example",
        "ftp://bank.example", "bank.**exam**ple", "`https://bank.example`", "ba\u200bnk.example", "bank.exam\u00adple",
        "bank\u2060.\ufeffexample", "bank.e\u034fxample", "ｂａｎｋ．ｅｘａｍｐｌｅ", "bank。example", "bank｡example",
        "bank\u2024example", "https:∕∕bank.example", "bаnk.example", "\u202eelpmaxe.knab", "\u2067bank.example",
        "bank&#46;example", "bank&period;example", "192.0.2.1", "https://[2001:db8::1]/", "https://localhost",
        "localhost", "me@bank.example", "mailto:me@bank.example", "https://evil.example@bank.example",
        "https://bank.example@evil.example", "https://bank.example#evil.example", "https://evil.example.bank.example",
        "evil.example and bank.example",
    ]  # fmt: skip
    for label in cases:
        by_reference = "".join(render_answer(f"See [{label}][1].\n\n[1]: {EVIL}\n", ()).html)
        for html in (shown(f"[{label}]({EVIL})"), by_reference):
            assert "<a " in html, label
            assert words(html).rstrip(".\n").endswith(" (evil.example)"), label


def test_a_label_that_is_not_another_address_is_shown_without_a_host():
    cases = [
        f"[the way]({EVIL})", f"[evil.example]({EVIL})", f"[www.evil.example]({EVIL})",
        f"[https://evil.example/other/way.html?at=bank.example]({EVIL})",
        f"[Report.pdf]({EVIL})", f"[Node.js]({EVIL})", f"[version 3.12.1, 5.5 of 10, e.g. this]({EVIL})", EVIL,
        f"<{EVIL}>", "http://x.test:8080/a.b", "<me+you@mail.example>",
        "[me@mail.example](mailto:me@mail.example?subject=Hi)",
    ]  # fmt: skip
    for text in cases:
        html = shown(text)
        assert "<a " in html, text
        assert "link-address" not in html, text


def test_the_shown_host_is_the_links_target():
    cases = [
        ("https://bank.example@evil.example/", "evil.example"),
        ("<https://bank.example:pass@evil.example/>", "evil.example"),
        ("https://пример.рф/", "xn--e1afmkfd.xn--p1ai"), ("https://bаnk.example/", "xn--bnk-6cd.example"),
        ("[bank.example](https://xn--bnk-6cd.example/)", "xn--bnk-6cd.example"),
        ("[me@bank.example](mailto:you@evil.example?cc=me@bank.example)", "you@evil.example"),
        ("[bank.example](mailto:me@bank.example)", "me@bank.example"),
        ("| a |\n|---|\n| [bank.example](https://evil.example) |", "evil.example"),
        ("- [ ] [bank.example](https://evil.example)", "evil.example"),
        ("<a href='https://evil.example'><p>bank.example</p></a>", "evil.example"),
        ("<a href='https://evil.example' dir=rtl><b>bank</b>.example</a>", "evil.example"),
        ("[![bank.example](https://i.example/p.png)](https://evil.example)", "evil.example"),
        ("[bank.example [a.pdf]](https://evil.example)", "evil.example"),
    ]  # fmt: skip
    for text, address in cases:
        assert f"({address})" in words(shown(text))


def test_the_host_is_the_one_that_a_browser_opens():
    wanted = {
        "https:///evil.example": "evil.example", "https://EVIL.example:8443/a": "evil.example",
        "https://evil.example\\@bank.example": "evil.example", "https://b%61nk.example": "bank.example",
        "https://straße.example": "xn--strae-oqa.example", "https://a@b@evil.example": "evil.example",
        "https://<b>.example": "%3Cb%3E.example", "https://\ud800.example": "%3F.example",
    }  # fmt: skip
    assert {url: host_of(url) for url in wanted} == wanted


def test_text_is_shown_in_its_order():
    html = shown(f"Before [\u202eabc\u2067def&#x202b;]({EVIL}) after.")
    link = re.search(r"<a [^>]*>", html)
    assert link is not None
    assert 'dir="auto"' in link.group()
    assert words(html).strip() == "Before abcdef after."
    html = shown("One \u202etwo&#x202D; three `co\u202ede`\n\n```python\nx = 1 # \u202e}\n```\n\n$a\u202eb$\n")
    assert not set("\u202d\u202e") & set(html)
    assert "שלום\u200f!" in shown("שלום\u200f! word")


def test_links_of_thoughts_sources_and_documents_are_alike():
    tricky = "https://bank.example@evil.example/"
    point = DataPoint("1", "bank.example", "Words <a href='https://evil.example'>bank.example</a>", url=tricky)
    answer = Answer("A [1].", thoughts=(Thought("Step", None, {"at": tricky}),), data_points=(point,))
    assert "(evil.example)" in words(thoughts_html(answer))
    html = sources_html(answer, render_answer(answer.text, answer.data_points))
    assert ">evil.example</a>" in html
    assert "bank.example (evil.example)" in words(html)
    assert "bank.example (evil.example)" in words(document_html("[bank.example](https://evil.example)", "markdown"))
    assert "bank.example (evil.example)" in words(document_html("<a href=http://evil.example>bank.example", "html"))
    rendered = render_answer("[bank.example](https://evil.example)", ())
    assert "bank.example (evil.example)" in words(copy_html(rendered, ()))


def test_a_follow_up_question_is_shown_as_it_is_asked():
    head = AnswerHead("a", 1, Status.FINISHED, followups=("Pay \u202ereversed?",))
    turn = Turn("Why?", generations=[head])
    assert answer_view(turn, "/api/answers").followups == ["Pay reversed?"]


def test_a_remote_image_is_named_by_its_host_and_reorders_nothing():
    html = image_html("https://пример.рф/p.png", "\u202eabc")
    assert "Show image from xn--e1afmkfd.xn--p1ai" in html
    assert "\u202e" not in html
    assert 'dir="auto"' in html


def test_a_long_label_costs_in_proportion_to_its_length():
    for label in ("a", "a.", ".", "a.example ", "ａ．", "a@", "https://", "://a/", "\u200b", "𝐚."):
        assert_in_proportion(lambda text: beside_label(text, EVIL), 1_000, made=label.__mul__)


def test_the_end_of_a_very_long_address_is_shown():
    for length, is_complete in ((200, True), (201, False)):
        host = f"{'a.' * ((length - 4) // 2)}{'b' * (length % 2)}evil"
        assert len(host) == length
        assert beside_label("bank.example", f"https://{host}/") == (
            f' <bdi class="link-address">({host if is_complete else "…" + host[-200:]})</bdi>'
        ), length


def test_an_image_with_an_ambiguous_address_is_only_words():
    read_otherwise = "https://a.example\\@b.example/i.png", "https://a@b.example/i.png"
    for url in (*read_otherwise, "https://[a/i.png", "mailto:a@b.example"):
        assert image_html(url, "A map") == '<span class="remote-image">A map</span>'
    linked = image_html("https://a.example/i.png", "", linked=True)
    assert linked == '<span class="remote-image">Image a.example</span>'


def test_html_cannot_reverse_the_pieces_of_a_label():
    cases = ["<a href='{}' dir='rtl'>{}</a>", "<p dir='rtl'><a href='{}'><b dir='rtl'>{}</b></a></p>"]
    assert [
        around for around in cases if "rtl" in shown(around.format(EVIL, "<bdi>.example</bdi><bdi>bank</bdi>"))
    ] == []
