"""Conversations to take along."""

from __future__ import annotations

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.events import ErrorInfo
from chat_ui.rendering.transcript import transcript_markdown

LEAVE = DataPoint("Leave.pdf#page=2", "Leave.pdf", "Parents get 20 weeks.", url="https://example.com/leave.pdf")
ANSWER = Answer(text="**Twenty** weeks [Leave.pdf#page=2].", data_points=(LEAVE,))


def test_markdown_has_questions_answers_and_numbered_references():
    text = transcript_markdown("Leave\n# of parents", [("How long?\nReally?", ANSWER), ("More?", Answer(text="No."))])
    assert text.startswith("# Leave # of parents\n\n> How long?\n> Really?\n\n**Twenty** weeks [1].\n\nReferences:")
    assert "1. Leave.pdf#page=2 <https://example.com/leave.pdf>" in text
    assert text.endswith("> More?\n\nNo.\n")


def test_markdown_says_what_went_wrong():
    assert "*It broke.*" in transcript_markdown("T", [("Q", Answer(text="Half", error=ErrorInfo("It broke.")))])
