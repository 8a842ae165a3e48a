import re

from chat_ui.features.checking.report import report_html
from chat_ui.protocol.conformance.report import Behaviour, Finding, Part, Report, Standing
from chat_ui.protocol.detection.requests import SentRequest
from chat_ui.protocol.events import Timing


def tables(html: str) -> dict[str, list[list[str]]]:
    """The cells of each row, by the label of the table."""
    found = re.findall(
        r'<h2>(.*?)</h2>(?:<p.*?</p>)?<div class="table-scroll" role="region" tabindex="0" aria-label="\1">(.*?)</div>',
        html,
    )
    rows = {title: re.findall("<tr>(.*?)</tr>", table) for title, table in found}
    return {title: [re.findall(r"<t[hd]([^>]*)>(.*?)</t[hd]>", row) for row in table] for title, table in rows.items()}


PLACE = "a.example/x?a=&quot;&amp;b=1"
LINK = f'<a href="https://{PLACE}" target="_blank" rel="noopener noreferrer">{PLACE}</a>'


def test_a_report_has_tables_of_rules_parts_and_requests():
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
    html = report_html(report)
    found = tables(html)
    rules = found["Rules"]
    assert rules[0] == [(' scope="col"', words) for words in ("Result", "Rule and response", "Source")]
    assert [[words for _, words in row] for row in rules[1:]] == [
        ["fail", "Has a role", "README"],
        ["pass", 'Ends with a line<p class="response" dir="auto">&lt;b&gt;</p>', "README"],
        ["pass", "One way", "README"], ["not seen", "Says &lt;b&gt;done&lt;/b&gt;", LINK],
        ["skipped", "Another way", "README"],
    ]  # fmt: skip
    classes = ["fail", "pass", "pass", "not-seen", "skipped"]
    assert [row[0][0] for row in rules[1:]] == [f' class="{name}"{cell}' for name in classes]
    assert [[marks for marks, _ in row[1:]] for row in rules[1:]] == [*[[cell] * 2] * 3, [cell, ""], [cell] * 2]
    assert "<strong>1 fail · 2 pass · 1 not seen · 1 skipped</strong><br>Not seen: " in html
    assert [[words for _, words in row] for row in found["Other behaviour"]] == [
        ["", "Feature or request", "Details"], ["present", "thoughts", "two"], ["not seen", "context", ""],
        ["absent", "session", ""],
        ["response", "a bad role", "with status 400"],
        ["timing", "streamed answer", "first byte 0.10 s, first text 0.25 s, end 1.00 s"],
    ]  # fmt: skip
    assert found["Other behaviour"][0][0] == ("", "")
    assert [[words for _, words in row][:2] for row in found["Requests"][1:]] == [
        ["POST http://127.0.0.1/chat", "200"],
        ["GET http://127.0.0.1/", "no answer"],
    ]
    assert report_html(Report("http://127.0.0.1/chat", conforms=None, verdict="")) == ""
