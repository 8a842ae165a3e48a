"""A conversation as the file that is exported. It runs in a process of its own, and so needs nothing of the server."""

from __future__ import annotations

import json
from collections.abc import Sequence

from chat_ui.conversations.records.answer_json import answer_from_json
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.transcript import transcript_html, transcript_markdown


def exported_html(title: str, turns: Sequence[tuple[str, str | None, str]]) -> bytes:
    """The file for these turns: each a question, and its answer as it is kept, its text apart."""
    return transcript_html(title, answered(turns)).encode("utf-8", "replace")


def exported_markdown(title: str, turns: Sequence[tuple[str, str | None, str]]) -> bytes:
    """The same as Markdown."""
    return transcript_markdown(title, answered(turns)).encode("utf-8", "replace")


def answered(turns: Sequence[tuple[str, str | None, str]]) -> list[tuple[str, Answer]]:
    """Each question with its answer."""
    return [
        (question, answer_from_json(json.loads(answer), text) if answer is not None else Answer())
        for question, answer, text in turns
    ]
