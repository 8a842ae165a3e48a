"""The verdict on a backend as tables."""

from __future__ import annotations

import re

from chat_ui.protocol.conformance.report import Behaviour, Finding, Part, Report, Standing
from chat_ui.protocol.detection.requests import SentRequest
from chat_ui.protocol.events import Timing
from chat_ui.rendering.panels.report import report_html


def tables(html: str) -> dict[str, list[list[str]]]:
    """The cells of each row, by the label of the table."""
    found = re.findall(
        r'<h2>(.*?)</h2><div class="table-scroll" role="region" tabindex="0" aria-label="\1">(.*?)</div>', html
    )
    rows = {title: re.findall("<tr>(.*?)</tr>", table) for title, table in found}
    return {title: [re.findall(r"<t[hd]([^>]*)>(.*?)</t[hd]>", row) for row in table] for title, table in rows.items()}


LINK = (
    '<a href="https://a.example/x?a=&quot;&amp;b=1" target="_blank" rel="noopener noreferrer">'
    "a.example/x?a=&quot;&amp;b=1</a>"
)


def test_a_report_has_a_table_of_rules_the_broken_first_one_of_parts_and_one_of_requests():
    report = Report(
        "http://127.0.0.1/chat",
        conforms=False,
        verdict="",
        findings=(
            Finding("Ends with a line", "README", Standing.HELD, "<b>\x00"),
            Finding("Has a role", "README", Standing.BROKEN),
            Finding("One way", "README", Standing.HELD, topic="ways"),
            Finding("Another way", "README", Standing.BROKEN, topic="ways"),
            Finding("Says <b>done</b>", 'https://a.example/x?a="&b=1', Standing.NOT_SEEN),
        ),
        parts=(Part("thoughts", True, "two"), Part("context", None), Part("session", False)),
        behaviours=(Behaviour("a bad role", "with status 400"),),
        streamed=Timing(0.1, 0.25, 1.0),
        requests=(
            SentRequest("POST", "http://127.0.0.1/chat", 200, "ok"),
            SentRequest("GET", "http://127.0.0.1/", None, "no"),
        ),
    )
    cell = ' dir="auto"'
    head = ' scope="col"'
    found = tables(report_html(report))
    assert found["Rules of the specification"] == [
        [(head, "Standing"), (head, "Rule"), (head, "Source"), (head, "What came")],
        [(' class="broken"' + cell, "broken"), (cell, "Has a role"), (cell, "README"), (cell, "")],
        [(' class="held"' + cell, "held"), (cell, "Ends with a line"), (cell, "README"), (cell, "&lt;b&gt;")],
        [(' class="held"' + cell, "held"), (cell, "One way"), (cell, "README"), (cell, "")],
        [(cell, "the other one is held"), (cell, "Another way"), (cell, "README"), (cell, "")],
        [(cell, "not seen"), (cell, "Says &lt;b&gt;done&lt;/b&gt;"), ("", LINK), (cell, "")],
    ]
    assert [[words for _, words in row] for row in found["What else it does"]] == [
        ["", "What", "How"], ["present", "thoughts", "two"], ["not seen", "context", ""], ["absent", "session", ""],
        ["answers", "a bad role", "with status 400"],
        ["seconds", "streamed answer", "first byte 0.10, first text 0.25, end 1.00"],
    ]  # fmt: skip
    assert found["What else it does"][0][0] == ("", "")
    assert [[words for _, words in row][:2] for row in found["What was sent"][1:]] == [
        ["POST http://127.0.0.1/chat", "200"],
        ["GET http://127.0.0.1/", "no answer"],
    ]


def test_a_report_of_nothing_has_no_tables():
    assert report_html(Report("http://127.0.0.1/chat", conforms=None, verdict="")) == ""
