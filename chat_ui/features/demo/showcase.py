"""Questions that make the demo fail or show a behaviour on purpose."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path


class Behaviour(Enum):
    """The behaviours, by the question that triggers each."""

    RATE_LIMIT = "Show me a rate limit"
    CONTENT_FILTER = "Show me a content filter"
    MID_STREAM_ERROR = "Show me an error in mid-stream"
    CUT = "Show me a cut stream"
    STALL = "Show me a stall"
    DIFFERENCE = "Show me a wrong figure"
    MARKDOWN = "Show me everything Markdown can do"


DESCRIPTIONS: dict[Behaviour, str] = {
    Behaviour.RATE_LIMIT: "HTTP status 429 with Retry-After, before any text.",
    Behaviour.CONTENT_FILTER: "Sources arrive, then an error: the question was filtered.",
    Behaviour.MID_STREAM_ERROR: "An error object after the first sentences; the text so far is kept.",
    Behaviour.CUT: "The connection breaks in the middle of the answer, without an error object.",
    Behaviour.STALL: "The answer stops in the middle; the connection stays open for up to ten minutes.",
    Behaviour.DIFFERENCE: "A complete answer with a number of days that its source does not have.",
    Behaviour.MARKDOWN: "Headings, lists, tables, code, formulas, quotes and footnotes, with citations.",
}

SUBJECT = "What do I have to know about annual leave?"
"""The question whose answer streams before a requested failure or difference."""

RETRY_AFTER = 7
"""Seconds of the rate limit's Retry-After."""

ERRORS: dict[Behaviour, tuple[int, str, str]] = {
    Behaviour.RATE_LIMIT: (
        429,
        "rate_limited",
        f"Too many questions at once. Try again in {RETRY_AFTER} seconds.",
    ),
    Behaviour.CONTENT_FILTER: (
        400,
        "content_filter",
        "The content filter refused the question. Rephrase it and try again.",
    ),
    Behaviour.MID_STREAM_ERROR: (
        500,
        "service_unavailable",
        "The language model failed during the answer. The text so far is kept.",
    ),
}
"""The HTTP status of an unstreamed answer, the code and the message of each failing behaviour."""

RIGHT_FIGURE, WRONG_FIGURE = "27 days", "24 days"
"""The figure of the sources for `SUBJECT`, and the shown one."""

MARKDOWN_QUESTION = "How many days of paid leave do I get?"
"""The search that provides the sources of the Markdown showcase."""

MARKDOWN = (Path(__file__).parent / "everything.md").read_text("utf-8")
"""The showcase; the two fields are for the citations of two sources."""


def asked_behaviour(question: str) -> Behaviour | None:
    """The behaviour that a question triggers, or None; case and punctuation do not matter."""
    asked = _plain(question)
    return next((one for one in Behaviour if _plain(one.value) == asked), None)


def _plain(question: str) -> str:
    return " ".join(re.findall(r"\w+", question.lower()))
