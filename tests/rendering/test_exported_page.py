"""A conversation as one file: its contents, its policy, and the list of its contents."""

import base64
import hashlib
import re
from dataclasses import replace
from datetime import datetime
from html import unescape
from html.parser import HTMLParser

import pytest

from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.protocol.events import ErrorInfo
from chat_ui.rendering.ai_notice import HTML_MARK
from chat_ui.rendering.exported_page.going_out import MOST_FINDINGS, Amount, contents_of
from chat_ui.rendering.exported_page.page_document import ExportedTurn, Look, exported_page
from tests.growth import assert_in_proportion

LEAVE = DataPoint(
    "Leave.pdf#page=2", "Leave.pdf", "Parents get 20 weeks. Tents are red.", url="https://example.com/leave.pdf"
)
ANSWER = Answer(text="**Parents** get twenty weeks, 20 weeks [Leave.pdf#page=2].", data_points=(LEAVE,))
KEY = "sk-proj-q7Zt2LmX9vKc4RbN8sWd1YhF6pGj3TaE"


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def page(*answers: Answer) -> str:
    return exported_page("T", [ExportedTurn("Q", answer) for answer in answers])


def without_own(html: str) -> str:
    """The document without the page's style, script and mark."""
    return re.sub(r"<(style|script)>.*?</\1>", "", html.replace(HTML_MARK, ""), count=2, flags=re.DOTALL)


def source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_one_script_and_one_style_by_their_hashes():
    for look in (Look(), Look(b"wOF2 a typeface", ":root{--accent-9:#123456}")):
        html = exported_page("T", [ExportedTurn("Q", ANSWER)], look=look)
        policy = unescape(re.findall('<meta http-equiv="C[^"]*" content="([^"]*)"', html)[0])
        (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
        (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
        assert policy == (
            f"default-src 'none'; script-src {source(script)}; style-src {source(style)}; img-src data:; "
            "font-src data:; base-uri 'none'; form-action 'none'"
        ), look
        assert (base64.b64encode(look.typeface).decode() in style, look.accent in style) == (True, True)
        assert not {"import", "export"} & set(re.findall(r"^\w+", script, re.MULTILINE)), look


def test_the_page_fetches_nothing_and_runs_no_foreign_code():
    hostile = Answer(
        text="<script>alert(1)</script> ![x](https://evil.example/x.png) [a](javascript:alert(1)) <p style='x'>",
        data_points=(DataPoint('a"><script>', "a", "<img src=https://evil.example/y.png onerror=alert(1)>"),),
        error=ErrorInfo("<b>broke</b>"),
        thoughts=(Thought("<script>", "</details></article><script>alert(1)</script>"),),
    )
    turn = ExportedTurn("<img src=x onerror=alert(1)>", hostile, "</p><script>")
    html = exported_page("</title><script>", [turn], note="<script>", with_thoughts=True)
    elements = Elements(without_own(html)).found
    assert not {tag for tag, _ in elements} & {"script", "iframe", "link", "object", "embed", "form", "style", "base"}
    assert not [one for tag, one in elements if tag == "img" and not (one["src"] or "").startswith("data:")]
    assert not [name for _, one in elements for name in one if name.startswith("on") or name == "style"]


def test_a_citation_leads_to_its_marked_source_and_back():
    cited = Answer(text="A [Leave.pdf#page=2]. B [Gone.pdf]. C [Leave.pdf#page=2].", data_points=(LEAVE,))
    found = Elements(without_own(page(cited, cited))).found
    links = [one for tag, one in found if tag == "a" and (one.get("href") or "").startswith("#")]
    places = [one["id"] for _, one in found if one.get("id", "").startswith("answer-") and one.get("tabindex") != ""]
    linked = {link["href"] for link in links}
    assert len(set(places)) == len(places)
    assert {f"#{place}" for place in places if re.search("-(use|source)-", place or "")} == linked
    uses = [one for one in links if "data-use" in one]
    assert [one["data-use"] for one in uses] == ["0", "1", "2"] * 2
    assert re.findall("<mark.*?</mark>", page(ANSWER)) == ['<mark data-uses="0">Parents get 20 weeks.</mark>']


@pytest.mark.wcag("3.1.2")
def test_foreign_text_has_its_language_and_links_in_it_the_pages():
    german = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet"
    answer = Answer(text=f"{german} [Leave.pdf#page=2].", data_points=(replace(LEAVE, text=german),))
    html = exported_page("T", [ExportedTurn(f"Stimmt das? {german}", answer), ExportedTurn("Q", ANSWER)])
    found = [
        (attributes.get("class"), attributes.get("lang"))
        for _, attributes in Elements(html).found
        if attributes.get("class") in {"question-text", "answer-text", "citation", "passage passage-text"}
    ]
    assert found == [
        ("question-text", "de"), ("answer-text", "de"), ("citation", "en"), ("passage passage-text", "de"),
        ("question-text", None), ("answer-text", None), ("citation", None), ("passage passage-text", None),
    ]  # fmt: skip


def test_thoughts_pages_date_and_backend_are_there_if_given():
    answer = Answer(text=ANSWER.text, data_points=(LEAVE,), thoughts=(Thought("Searched for parents", "leave"),))
    bare = without_own(exported_page("T", [ExportedTurn("Q", answer)]))
    recorded = replace(answer, recorded_at="2024-11-20T09:30:00+00:00")
    turn = ExportedTurn("Q", recorded, "Contoso", {0: "<p>The whole page</p>"})
    complete = without_own(exported_page("T", [turn], note="Exported today", with_thoughts=True))
    given = "Searched for parents", "Contoso", "Recorded on 20 November 2024", "The whole page", "Exported today"
    for words in given:
        assert (words in bare, words in complete) == (False, True), words
    assert (
        complete.index("Recorded on 20 November 2024")
        < complete.index('class="answer-text"')
        < complete.index("Contoso")
    )
    year = datetime.now().astimezone().year
    this_year = replace(answer, recorded_at=f"{year}-01-15T12:00:00+00:00")
    assert f"Recorded on 15 January {year}" in exported_page("T", [ExportedTurn("Q", this_year)])
    assert [contents_of("T", [ExportedTurn("Q", one)]).recorded for one in (answer, recorded)] == [0, 1]


def test_a_page_without_sources_has_no_list_and_skips_no_heading_level():
    assert 'class="answer-sources"' not in without_own(page(Answer(text="Hello.")))
    assert 'class="answer-sources"' in without_own(page(Answer(text="So [Gone.pdf].")))
    found = Elements(page(Answer(text="### A\n\n##### B\n\n# C"))).found
    headings = [tag for tag, _ in found if re.fullmatch("h[1-6]", tag)]
    assert headings == ["h1", "h2", "h3", "h4", "h3", "h2"]


def test_the_time_grows_linearly_with_the_conversation():
    turns = [ExportedTurn("How long?", ANSWER)]
    assert_in_proportion(lambda some: exported_page("T", some), 20, made=lambda length: turns * length)


def test_the_contents_are_counted_and_searched_for_secrets():
    step = {"id": 1, "type": "web", "query": KEY}
    passage = f"Before. Password: Sommer2024! {KEY} After."
    secret = Answer(
        text=f"Use {KEY} [a.md].",
        data_points=(DataPoint("a.md", "a.md", passage, image="data:,x", step=step),),
        thoughts=(Thought("Called", f"with {KEY}"),),
    )
    turns = [
        ExportedTurn("Ä?", secret, "Contoso", pages={0: f"<p>Bearer <b>{KEY}</b></p>"}),
        ExportedTurn("More", ANSWER, "Contoso"),
        ExportedTurn("And?", Answer(citations=(PlacedCitation(KEY, 0, 0),)), ""),
    ]
    contents = contents_of("T", turns)
    assert (contents.questions, contents.answers.count, contents.sources.count) == (Amount(3, 3 + 4 + 4), 2, 2)
    assert (contents.thoughts.count, contents.pages.count, contents.backends) == (1, 1, ("Contoso",))
    assert [(one.kind, one.where) for one in contents.suspects] == [
        ("API key", "Answer 1"), ("password", "Source “A” of answer 1"), ("API key", "Source “A” of answer 1"),
        ("API key", "Source “A” of answer 1"), ("API key", "Document “A” of answer 1"), ("API key", "Answer 3"),
    ]  # fmt: skip
    assert contents_of("T", turns, with_thoughts=True).found == contents.found + 1
    shown = " ".join(one.around for one in contents.suspects)
    assert "After." in shown
    assert KEY[10:] not in shown
    assert "Sommer" not in shown


def test_very_many_findings_are_cut_and_counted():
    contents = contents_of("T", [ExportedTurn(f"{KEY} " * 500, Answer())])
    assert (len(contents.suspects), contents.found) == (MOST_FINDINGS, 500)
