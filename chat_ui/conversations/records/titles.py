"""Titles of conversations."""

from __future__ import annotations

from typing import Final

MAX_TITLE: Final = 200
"""Characters of a title that a person gives."""
_FROM_QUESTION: Final = 60


def title_of(question: str) -> str:
    """A title from a question: its first line, cut at a word."""
    line = " ".join(next((line for line in question.splitlines() if line.strip()), "").split())
    if len(line) <= _FROM_QUESTION:
        return line
    cut = line[:_FROM_QUESTION]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:.") + "…"
