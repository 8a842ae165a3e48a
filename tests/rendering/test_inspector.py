import re

from chat_ui.protocol.answers.answer import Answer, Timing
from chat_ui.protocol.transport.recorder import ResponseLine, ResponseRecord
from chat_ui.rendering.panels.inspector import MOST_CHARACTERS, MOST_LINES, inspector_html

ANSWER = Answer(text="Hello", timing=Timing(0.1, 0.2, 0.5))


def shown(*lines: str) -> str:
    came = tuple(ResponseLine(0.25, line) for line in lines)
    return inspector_html(ResponseRecord("http://127.0.0.1/chat", status=200, lines=came, head_lines=len(came)), ANSWER)


def test_each_line_has_its_time_and_escaped_text():
    assert "<tr><td>0.250</td><td><code>{&quot;delta&quot;: 1}</code></td></tr>" in shown('{"delta": 1}')
    assert "<script>" not in shown("<script>alert(1)</script>")


def test_very_long_and_very_many_lines_are_cut_and_say_so():
    html = shown("x" * (MOST_CHARACTERS + 5_000_000))
    assert "5,000,000 more characters" in html
    assert len(html) < MOST_CHARACTERS + 2_000
    html = shown(*["{}"] * (MOST_LINES + 7))
    assert "7 more lines" in html
    assert html.count("<tr>") == MOST_LINES + 1
    assert f"<code>{'x' * MOST_CHARACTERS}</code>" in shown("x" * MOST_CHARACTERS)
    assert "more lines" not in shown(*["{}"] * MOST_LINES)
    lines = tuple(ResponseLine(number, "{}") for number in range(MOST_LINES + 3))
    html = inspector_html(ResponseRecord("http://127.0.0.1/chat", lines=lines, head_lines=1), ANSWER)
    assert html.count("<code>") == 1 + MOST_LINES
    assert "<td>0.000</td>" in html
    assert "<td>2.000</td>" not in html
    assert "<td>3.000</td>" in html


def test_dropped_and_missing_parts_are_told():
    lines = (ResponseLine(0.1, "first"), ResponseLine(0.9, "last"))
    html = inspector_html(
        ResponseRecord("http://127.0.0.1/chat", status=200, lines=lines, head_lines=1, left_out=99), ANSWER
    )
    assert html.index("first") < html.index("99 bytes in the middle were not kept") < html.index("last")
    html = inspector_html(ResponseRecord("http://127.0.0.1/chat"), Answer())
    assert ("no answer" in html, "No lines received" in html) == (True, True)


def test_facts_are_in_order_without_secret_or_unknown_ones():
    headers = (("Content-Type", "text/plain"), ("Set-Cookie", "id=1"), ("server", "<b>"))
    record = ResponseRecord(
        "http://127.0.0.1/chat", status=503, headers=headers, size=1_234, tried=(("http://127.0.0.1/", 404),)
    )
    answer = Answer(text="Hello" * 1_000, timing=Timing(first_text=1.0, total=3.0))
    assert re.findall("<dt>(.*?)</dt><dd><bdi>(.*?)</bdi>", inspector_html(record, answer)) == [
        ("Tried before: 404", "http://127.0.0.1/"), ("Address", "http://127.0.0.1/chat"), ("Status", "503"),
        ("Content-Type", "text/plain"), ("server", "&lt;b&gt;"), ("First text", "1.000 s"), ("Total", "3.000 s"),
        ("Characters per second", "2,500"), ("Size", "1,234 bytes"),
    ]  # fmt: skip
