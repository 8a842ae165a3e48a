"""The questions that make the demo fail, or show something, on purpose."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Behaviour(Enum):
    RATE_LIMIT = "rate limit"
    CONTENT_FILTER = "content filter"
    MID_STREAM_ERROR = "error in mid-stream"
    CUT = "cut stream"
    STALL = "stall"
    MARKDOWN = "everything Markdown can do"


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    question: str
    behaviour: Behaviour
    description: str


DEMO_QUESTIONS: tuple[DemoQuestion, ...] = (
    DemoQuestion(
        "Show me a rate limit",
        Behaviour.RATE_LIMIT,
        "HTTP status 429 with Retry-After, before any text.",
    ),
    DemoQuestion(
        "Show me a content filter",
        Behaviour.CONTENT_FILTER,
        "The sources arrive, then an error says that the question was filtered.",
    ),
    DemoQuestion(
        "Show me an error in mid-stream",
        Behaviour.MID_STREAM_ERROR,
        "An error object after the first sentences; the text so far stands.",
    ),
    DemoQuestion(
        "Show me a cut stream",
        Behaviour.CUT,
        "The connection breaks in the middle of the answer, with no error object.",
    ),
    DemoQuestion(
        "Show me a stall",
        Behaviour.STALL,
        "The answer stops in the middle and the connection stays open, ten minutes at most.",
    ),
    DemoQuestion(
        "Show me everything Markdown can do",
        Behaviour.MARKDOWN,
        "Headings, lists, tables, code, formulas, quotes and footnotes, with citations.",
    ),
)

SUBJECT = "What do I have to know about annual leave?"
"""The question whose answer is under way when the demo fails on request."""

RETRY_AFTER = 7
"""Seconds named by the rate limit."""

ERRORS: dict[Behaviour, tuple[int, str, str]] = {
    Behaviour.RATE_LIMIT: (
        429,
        "rate_limited",
        f"Too many questions at once. Try again in {RETRY_AFTER} seconds.",
    ),
    Behaviour.CONTENT_FILTER: (
        400,
        "content_filter",
        "The question was refused by the content filter. Please put it in other words.",
    ),
    Behaviour.MID_STREAM_ERROR: (
        500,
        "service_unavailable",
        "The demo lost its language model while it was answering. What it had written stands.",
    ),
}
"""For each behaviour that is an error: the HTTP status where the answer is not streamed, the code and the
words."""

MARKDOWN_QUESTION = "How many days of annual leave do I get?"
"""The search that gives sources to the show of Markdown."""

MARKDOWN = """\
# Everything Markdown can do

This answer shows what an answer may hold. It is **bold**, *slanted*, ~~struck out~~ and `typed`, with a
citation at the end of a sentence [{0}], and two side by side [{0}][{1}].

## Lists

1. First, ask for your leave [{0}].
2. Then hand over:
   - the open orders,
   - the duty phone.
3. Then go.

- [x] Leave approved
- [ ] Handover written
- [ ] Duty phone passed on

## A table

| Years of service | Days | Carried over |
| :--------------- | ---: | :----------: |
| 0 to 4           |   27 |      5       |
| 5 to 9           |   29 |      5       |
| 10 or more       |   31 |   8 [{0}]    |

## Code

```python
def significant_wave_height(spectrum: list[float], step: float) -> float:
    \"\"\"Four times the root of the spectrum's area; arr[1] in code is no citation.\"\"\"
    return 4 * (sum(spectrum) * step) ** 0.5
```

Inline too: `heights[0]`, and `1 << 2` is four.

## Formulas

The significant wave height is $H_s = 4\\sqrt{{m_0}}$, with

$$
m_n = \\int_0^\\infty f^n \\, S(f) \\, \\mathrm{{d}}f
$$

## A quote

> The sea does not read the manual.
>
> — sticker on the door of the Gdańsk workshop, *źródło nieznane*

---

Links go [elsewhere](https://example.com/), a footnote goes down[^1], and the answer ends here [{1}].

[^1]: Footnotes gather at the end.
"""
"""The show; the two fields take the citations of two sources."""


def asked_behaviour(question: str) -> Behaviour | None:
    """The behaviour that a question asks for, or None; case and punctuation do not matter."""
    asked = _plain(question)
    return next((entry.behaviour for entry in DEMO_QUESTIONS if _plain(entry.question) == asked), None)


def _plain(question: str) -> str:
    return " ".join(re.findall(r"\w+", question.lower()))
