"""Conversations to take along."""

from __future__ import annotations

from html import escape

import pytest

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.events import FINISH_REASON, NO_END, ErrorInfo, Warning  # noqa: A004
from chat_ui.rendering.exported_page.page_document import ExportedTurn, answer_html
from chat_ui.rendering.transcript import transcript_body, transcript_markdown

LEAVE = DataPoint("Leave.pdf#page=2", "Leave.pdf", "Parents get 20 weeks.", url="https://example.com/leave.pdf")
ANSWER = Answer(text="**Twenty** weeks [Leave.pdf#page=2].", data_points=(LEAVE,))


def test_markdown_has_questions_answers_and_numbered_references():
    text = transcript_markdown("Leave\n# of parents", [("How long?\nReally?", ANSWER), ("More?", Answer(text="No."))])
    assert text.startswith("# Leave # of parents\n\n> How long?\n> Really?\n\n**Twenty** weeks [1].\n\nReferences:")
    assert "1. Leave.pdf#page=2 <https://example.com/leave.pdf>" in text
    assert text.endswith("> More?\n\nNo.\n")


def test_markdown_says_what_went_wrong():
    assert "*It broke.*" in transcript_markdown("T", [("Q", Answer(text="Half", error=ErrorInfo("It broke.")))])


def test_markdown_has_the_reasoning_where_thoughts_are_wanted():
    turns = [("Q", Answer(text="Yes.", reasoning="Perhaps?\n\nNo.\n")), ("R", Answer(text="No."))]
    whole = transcript_markdown("T", turns, with_thoughts=True)
    assert "> Q\n\nYes.\n\n**Reasoning**\n\n> Perhaps?\n>\n> No.\n\n> R\n\nNo." in whole
    assert "Perhaps" not in transcript_markdown("T", turns)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("Half", complete=False, warnings=(Warning(NO_END, "<no> end"),)), "may not be whole: <no> end."),
        (Answer("Half", warnings=(Warning(FINISH_REASON, "<odd> end"),)), "may not be whole: <odd> end."),
        (Answer("Half", complete=False), "The answer was cut off."),
        (Answer("Whole", warnings=(Warning(NO_END, "never sent"),)), ""),
    ],
)
def test_an_answer_that_is_not_whole_says_so(answer: Answer, words: str):
    turn = ExportedTurn("Q", answer, "")
    text, body, page = (
        transcript_markdown("T", [("Q", answer)]),
        transcript_body("T", [("Q", answer)]),
        answer_html(turn, "a"),
    )
    assert words in text
    assert escape(words) in body
    assert escape(words) in page
    assert ("whole:" in text, 'class="error"' in body) == ("whole:" in words, bool(words))


def test_markdown_says_when_an_answer_was_recorded():
    recorded = Answer(text="Yes.", recorded_at="2024-11-20T09:30:00+00:00")
    turns = [("Q", recorded), ("R", Answer(text="No."))]
    assert "> Q\n\n*Recorded on 20 November 2024*\n\nYes.\n\n> R\n\nNo." in transcript_markdown("T", turns)
