from html import escape, unescape
from re import findall

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.events import FINISH_REASON, NO_END, AnswerWarning, ErrorInfo
from chat_ui.rendering.ai_notice import MARKDOWN_MARK
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.copies import copy_html, copy_markdown, references_html, transcript_markdown
from chat_ui.rendering.exported_page.page_document import ExportedTurn, answer_html
from chat_ui.rendering.grounding import grounding, plain_text
from chat_ui.rendering.html.parts import html_without_buttons

POINTS = (DataPoint("a.md", "a.md"), DataPoint("b.md", "b.md", url="https://b.example/"))
LEAVE = DataPoint("Leave.pdf#page=2", "Leave.pdf", "Parents get 20 weeks.", url="https://example.com/leave.pdf")
ANSWER = Answer(text="**Twenty** weeks [Leave.pdf#page=2].", data_points=(LEAVE,))


def copied(text):
    return copy_markdown(text, render_answer(text, POINTS), POINTS)


def test_citations_become_numbers_with_references_and_their_pages():
    assert copied("B [b.md]. A [a.md; b.md]. ? [c.pdf]") == (
        "B [1]. A [2][1]. ? [3]\n\nReferences:\n\n"
        "1. b.md <https://b.example/>\n2. a.md\n3. c.pdf (not found among the sources)\n"
    )
    points = (DataPoint("plan.pdf", "plan.pdf", url="https://b.example/"), DataPoint("a.pdf#page=2", "a.pdf"))
    text = "Three [plan.pdf#page=3], two [plan.pdf, p. 2], three [plan.pdf#page=3] and all [plan.pdf]. [a.pdf#page=2]"
    rendered = render_answer(text, points)
    words = "plan.pdf#page=3, plan.pdf#page=2 <https://b.example/>"
    assert copy_markdown(text, rendered, points).endswith(f"\n1. {words}\n2. a.pdf#page=2\n")
    assert f"<li>{escape(words)}</li>" in copy_html(rendered, points)


def test_printed_references_have_titles_pages_and_addresses_in_place_of_ids():
    page = "https://learn.example/search-basics?tab=1"
    points = (
        DataPoint("Leave_Policy.pdf", "Leave_Policy.pdf", url="https://b.example/"),
        DataPoint("tickets/INC-2026-004711_8.md", "tickets/INC-2026-004711_8.md"),
        DataPoint(page, page),
    )
    text = f"[Leave_Policy.pdf#page=2] [tickets/INC-2026-004711_8.md] [{page}] [Leave_Policy.pdf#page=3] [gone.pdf]"
    html = references_html(render_answer(text, points), points, on_paper=True)
    assert [unescape(item) for item in findall("<li>(.*?)</li>", html)] == [
        "Leave Policy, p. 2, p. 3 <https://b.example/>",
        "INC-2026-004711 8",
        f"Search basics <{page}>",
        "gone.pdf (not found among the sources)",
    ]


def test_text_without_citations_is_copied_without_marks_and_controls():
    text = "`[a.md]` [a.md](https://x.example) $[a.md]$ \\[a.md\\] [a.md]\n\n```\n[a.md]\n```\n\n- > x [a.md]\n"
    assert copied(text).startswith(
        "`[a.md]` [a.md](https://x.example) $[a.md]$ \\[a.md\\] [1]\n\n```\n[a.md]\n```\n\n- > x [1]"
    )
    cases = ["<kbd>[a.md]</kbd>", "<div><code>[a.md]</code></div>"]
    assert [quiet for quiet in cases if not copied(f"{quiet}\n\nx [a.md]").startswith(f"{quiet}\n\nx [1]")] == []
    assert copied("Hello **you**\nthere") == "Hello **you**\nthere"
    assert copied("a\x1b[31mb [a.md]").startswith("a\ufffd[31mb [1]\n")
    rendered = render_answer("Dry \ue200cite\ue202turn0search1\ue201. Warm.", POINTS)
    assert "Dry. Warm." in copy_html(rendered, POINTS)


def test_citations_are_numbered_at_their_places():
    text = "| x | y |\n|---|---|\n| `[a.md]` | [a.md] |\n\n<table><tr><td title='[a.md]'>[b.md]</td></tr></table>"
    assert "| `[a.md]` | [1] |" in copied(text)
    assert "<td title='[a.md]'>[2]</td>" in copied(text)
    wanted = {
        "> - one [a.md]\n>   two [b.md]\nlazy [a.md]": "> - one [1]\n>   two [2]\nlazy [1]",
        "-\tx [a.md]\n\n\ty [a.md]\n\t\tz [a.md]": "-\tx [1]\n\n\ty [1]\n\t\tz [1]",
        "Title [a.md]\n===\n\n# [a.md] #\n\n[^1]: Note [a.md]": "Title [1]\n===\n\n# [1] #\n\n[^1]: Note [1]",
        "|a|\n|-|\n|x \\| `[a.md]` \\| [a.md] \\| [a.md]|": "|a|\n|-|\n|x \\| `[a.md]` \\| [1] \\| [1]|",
        "|a|b|\n|-|-|\n|[a.md]|[a.md]|\n| |[a.md]|": "|a|b|\n|-|-|\n|[1]|[1]|\n| |[1]|",
        "> <div>x [a.md]\n> [b.md] &#91;a.md]</div>": "> <div>x [1]\n> [2] &#91;a.md]</div>",
        "x【2†a.md】, y (Source: b.md), z^[a.md]^.": "x[1], y [2], z[1].",
        "x [the *a*](a.md) [1](a.md) [b](https://b.example/)": "x [the *a*](a.md)[1] [1] [b](https://b.example/)[2]",
        "|a|\n|-|\n|x \\| [the \\| a](a.md)|": "|a|\n|-|\n|x \\| [the \\| a](a.md)[1]|",
        "x [[1]](https://b.example/) > y\n> 【a.md】": "x [1] > y\n> [2]",
        "|a|\n|-|\n|【a.md】 \\| (Source: b.md)|": "|a|\n|-|\n|[1] \\| [2]|",
        "<div>x 【a.md】 [y 【z】 【[b.md]】\n[a.md] (Source: b.md)": "<div>x [1] [y 【z】 【[2]】\n[1] [2]",
        "[a.md]\r\n[a.md]\r[a.md]": "[1]\n[1]\n[1]",
        "\u00a0\n[a.md]": "\u00a0\n[1]",
        "> \u2028\n> \u00a0\n> x [a.md]\n> [a.md]": "> \u2028\n> \u00a0\n> x [1]\n> [1]",
    }
    assert {text: copied(text).partition("\n\nReferences:")[0] for text in wanted} == wanted


TABLE_AND_CODE = "| a | b |\n|---|---|\n| 1 | 2 [a.md] |\n\n```python\nx = 1\n```"


def test_rich_text_has_numbers_for_citations_and_no_buttons():
    html = html_without_buttons(render_answer(TABLE_AND_CODE, POINTS).parts, with_languages=False)
    assert plain_text(html) == "a, b\n1, 2\nx = 1"
    text = f"![A map](https://i.example/map.png) of it [a.md; c.pdf].\n\n{TABLE_AND_CODE}"
    html = copy_html(render_answer(text, POINTS), POINTS)
    assert "<button" not in html
    assert "Python" not in html
    assert '<a href="https://i.example/map.png"' in html
    assert "<sup>[1]</sup><sup>[2]</sup></span>.</span>" in html
    assert "<td>2 <sup>[1]</sup></td>" in html


def test_a_forged_button_in_an_answer_is_not_a_citation():
    written = '<button type="button" class="citation" data-citation="1" data-use="0">1</button>'
    rendered = render_answer(f"Tents keep the rain out {written}. `{written}` is not one either.", POINTS)
    assert grounding(rendered).cited == 0
    assert copy_html(rendered, POINTS).count("<sup>") == 0


def test_a_copy_without_citations_has_none_of_any_form():
    text = "So【2†a.md】, or (Source: b.md), or [[1]](https://b.example/), or so^[a.md]^."
    rendered = render_answer(text, POINTS)
    assert copy_markdown(text, rendered, POINTS, with_citations=False) == "So, or, or, or so."


def test_a_transcript_has_questions_answers_faults_days_and_reasoning():
    turns = [("How long?\nReally?", ANSWER), ("More?", Answer(text="No."))]
    text = transcript_markdown("Leave\n# of parents", turns, notice="")
    assert text.startswith("# Leave # of parents\n\n> How long?\n> Really?\n\n**Twenty** weeks [1].\n\nReferences:")
    assert "1. Leave.pdf#page=2 <https://example.com/leave.pdf>" in text
    assert text.endswith(f"> More?\n\nNo.\n\n{MARKDOWN_MARK}")
    assert "*It broke.*" in transcript_markdown("T", [("Q", Answer(text="Half", error=ErrorInfo("It broke.")))])
    turns = [("Q", Answer(text="Yes.", reasoning="Perhaps?\n\nNo.\n")), ("R", Answer(text="No."))]
    complete = transcript_markdown("T", turns, with_thoughts=True)
    assert "> Q\n\nYes.\n\n**Reasoning**\n\n> Perhaps?\n>\n> No.\n\n> R\n\nNo." in complete
    assert "Perhaps" not in transcript_markdown("T", turns)
    recorded = Answer(text="Yes.", recorded_at="2024-11-20T09:30:00+00:00")
    turns = [("Q", recorded), ("R", Answer(text="No."))]
    assert "> Q\n\n*Recorded on 20 November 2024*\n\nYes.\n\n> R\n\nNo." in transcript_markdown("T", turns)


def test_an_incomplete_answer_says_so():
    cases = [
        (Answer("Half", complete=False, warnings=(AnswerWarning(NO_END, "<no> end"),)), "may be incomplete: <no> end."),
        (Answer("Half", warnings=(AnswerWarning(FINISH_REASON, "<odd> end"),)), "may be incomplete: <odd> end."),
        (Answer("Half", complete=False), "The answer was cut off."),
        (Answer("Whole", warnings=(AnswerWarning(NO_END, "never sent"),)), ""),
    ]
    for answer, words in cases:
        turn = ExportedTurn("Q", answer, "")
        text, page = transcript_markdown("T", [("Q", answer)]), answer_html(turn, "a")
        assert words in text, answer
        assert escape(words) in page, answer
        assert ("incomplete:" in text, 'class="error"' in page) == ("incomplete:" in words, bool(words)), answer
