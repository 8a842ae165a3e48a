"""The words that are found in what backends say when they fail."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from chat_ui.protocol.errors import MAX_MESSAGE, error_of, page_title, plain_words
from chat_ui.protocol.http_errors import retry_after


def test_a_python_trace_is_left_out_but_its_last_line() -> None:
    trace = "It failed.\nTraceback (most recent call last):\n  File \"/srv/a.py\", line 1\n    g()\nKeyError: 'plan'\n"
    assert plain_words(trace) == "It failed.\nKeyError: 'plan'"
    assert plain_words(trace.replace("KeyError", "openai.RateLimited")) == "It failed.\nopenai.RateLimited: 'plan'"


def test_the_frames_of_a_javascript_trace_are_left_out() -> None:
    assert plain_words("Error: no plan\n    at run (/srv/a.js:1:2)\n    at /srv/b.js:3:4") == "Error: no plan"
    assert plain_words("Error: no plan at run (/srv/a.js:1:2) at go (/srv/b.js:3:4)") == "Error: no plan"


def test_a_page_is_told_by_its_title_and_heading() -> None:
    page = "<!doctype html><title>Oops &amp; sorry</title><body><h1>No <i>plan</i></h1><p>x</p></body>"
    assert plain_words(page) == "Oops & sorry: No plan"
    assert page_title(page) == "Oops & sorry"


def test_a_class_in_angle_brackets_is_no_page() -> None:
    assert plain_words("Error type: <class 'RateLimitError'>") == "Error type: <class 'RateLimitError'>"


@pytest.mark.parametrize("key", ["Bearer abcdef1234", "sk-abcdef1234", "api_key=abcdef1234", "api-key: abcdef1234"])
def test_keys_are_left_out(key: str) -> None:
    assert "abcdef" not in plain_words(f"Refused {key} today")


def test_words_are_bounded_and_can_be_shown() -> None:
    words = plain_words("a\x00\x1b[31m\u202e\ud800b" + "x" * 10_000)
    assert len(words) == MAX_MESSAGE
    assert words.startswith("a[31mb")
    assert words.endswith("…")


@pytest.mark.parametrize(
    "hostile",
    ["<title>", "<pre>", "<", " at at", "Traceback (most recent call last):\n", " at a(", '{"a":', "[["],
)
def test_hostile_words_take_no_time(hostile: str) -> None:
    text = hostile * (1_000_000 // len(hostile))
    started = time.process_time()
    error_of(text)
    page_title(text[:64_000])
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("12", 12.0),
        ("1.5", 1.5),
        ("-3", None),
        ("Sat, 21 Nov 2026 20:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 19:00:00 GMT", 0.0),
        ("tomorrow", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, datetime(2026, 11, 21, 20, 0, 0, tzinfo=UTC)) == seconds
