"""Conversations to take along."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.events import ErrorInfo
from chat_ui.rendering.transcript import transcript_html, transcript_markdown

LEAVE = DataPoint("Leave.pdf#page=2", "Leave.pdf", "Parents get 20 weeks.", url="https://example.com/leave.pdf")
ANSWER = Answer(text="**Twenty** weeks [Leave.pdf#page=2].", data_points=(LEAVE,))


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_markdown_has_questions_answers_and_numbered_references():
    text = transcript_markdown("Leave\n# of parents", [("How long?\nReally?", ANSWER), ("More?", Answer(text="No."))])
    assert text.startswith("# Leave # of parents\n\n> How long?\n> Really?\n\n**Twenty** weeks [1].\n\nReferences:")
    assert "1. Leave.pdf#page=2 <https://example.com/leave.pdf>" in text
    assert text.endswith("> More?\n\nNo.\n")


def test_markdown_says_what_went_wrong():
    assert "*It broke.*" in transcript_markdown("T", [("Q", Answer(text="Half", error=ErrorInfo("It broke.")))])


def test_html_is_one_document_that_fetches_and_runs_nothing():
    hostile = Answer(
        text="<script>alert(1)</script> ![x](https://evil.example/x.png) [a](javascript:alert(1))",
        data_points=(DataPoint("a", "a", "<img src=https://evil.example/y.png onerror=alert(1)>"),),
        error=ErrorInfo("<b>broke</b>"),
    )
    html = transcript_html("<title>", [("<img src=x onerror=alert(1)>", hostile), ("How long?", ANSWER)])
    elements = Elements(html).found
    assert not {tag for tag, _ in elements} & {"script", "iframe", "link", "object", "embed", "form"}
    assert not [attributes for tag, attributes in elements if tag == "img" and "data:" not in (attributes["src"] or "")]
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on")]
    assert "Parents get 20 weeks." in html
    assert "<strong>Twenty</strong>" in html


def test_a_citation_in_html_leads_to_its_source_and_back():
    cited = Answer(text="A [Leave.pdf#page=2]. B [Gone.pdf]. C [Leave.pdf#page=2].", data_points=(LEAVE,))
    found = Elements(transcript_html("T", [("Q", cited), ("Q", cited)])).found
    links = [attributes for tag, attributes in found if tag == "a" and (attributes.get("href") or "").startswith("#")]
    places = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(set(places)) == len(places) == 10
    assert {f"#{place}" for place in places} == {link["href"] for link in links}
    ways = [link for link in links if (link["aria-label"] or "").startswith("Citation 1")]
    item = next(index for index, (_, attributes) in enumerate(found) if f"#{attributes.get('id')}" == ways[0]["href"])
    back = [attributes["href"] for tag, attributes in found[item + 1 : item + 8] if tag == "a"]
    assert f"#{ways[0]['id']}" in back


def test_html_has_nothing_to_press_that_does_nothing():
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    picture = DataPoint("P", "P", "word " * 2_000, image="data:image/png;base64,iVBORw0KGgo=")
    answer = Answer(
        text=f"{table}```python\nx = 1\n```\n\n![a](https://example.com/a.png) [P] [Leave.pdf#page=2] [Gone.pdf]",
        data_points=(LEAVE, picture),
    )
    html = transcript_html("T", [("Q", answer)])
    assert "button" not in {tag for tag, _ in Elements(html).found}
    assert html.count("word ") == 2_000
    assert '<span class="code-language">Python</span>' in html
    assert 'src="data:image/png' in html
    assert 'href="https://example.com/a.png"' in html


def test_no_level_of_headings_is_skipped_in_html():
    found = Elements(transcript_html("T", [("Q", Answer(text="### A\n\n##### B\n\n# C"))])).found
    assert [tag for tag, _ in found if tag in {"h1", "h2", "h3", "h4", "h5"}] == ["h1", "h2", "h3", "h4", "h3"]


@pytest.mark.parametrize(
    ("answer", "has_sources"),
    [
        (Answer(text="Hello."), False),
        (Answer(text="Hello.", data_points=(LEAVE,)), True),
        (Answer(text="So [Gone.pdf]."), True),
    ],
)
def test_html_lists_what_was_retrieved_or_cited(answer: Answer, has_sources: bool):
    assert ("<summary>Sources</summary>" in transcript_html("T", [("Q", answer)])) is has_sources


def test_what_was_recorded_says_so():
    recorded = Answer(text="Yes.", recorded_at="2024-11-20T09:30:00+00:00")
    turns = [("Q", recorded), ("R", Answer(text="No."))]
    assert "> Q\n\n*Recorded on 20 November 2024*\n\nYes.\n\n> R\n\nNo." in transcript_markdown("T", turns)
    assert transcript_html("T", turns).count('<p class="recorded">Recorded on 20 November 2024</p>') == 1
