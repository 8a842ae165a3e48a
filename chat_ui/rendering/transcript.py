"""A conversation to take along: as Markdown with numbered references, or as one HTML file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from chat_ui.protocol.answer import Answer
from chat_ui.rendering.answers import render_answer
from chat_ui.rendering.plain import copy_markdown
from chat_ui.rendering.sources import sources_html

_STYLE = (Path(__file__).parent / "transcript.css").read_text(encoding="utf-8")


def transcript_markdown(title: str, turns: Sequence[tuple[str, Answer]]) -> str:
    """The questions and answers in order; each answer's references are numbered and listed after it."""
    parts = [f"# {_one_line(title)}"]
    for question, answer in turns:
        quoted = "\n".join(f"> {line}".rstrip() for line in question.splitlines())
        rendered = render_answer(answer.text, answer.data_points)
        parts += [quoted, copy_markdown(answer.text, rendered, answer.data_points).strip()]
        if answer.error is not None:
            parts.append(f"*{_one_line(answer.error.message)}*")
    return "\n\n".join(part for part in parts if part) + "\n"


def transcript_html(title: str, turns: Sequence[tuple[str, Answer]]) -> str:
    """A whole HTML document without scripts and without anything that is fetched."""
    body = [f"<h1>{escape(title)}</h1>"]
    for question, answer in turns:
        rendered = render_answer(answer.text, answer.data_points)
        body.append(f'<article class="question" dir="auto"><p>{escape(question)}</p></article>')
        blocks = "".join(f'<div dir="auto">{block}</div>' for block in rendered.blocks)
        error = f'<p class="error">{escape(answer.error.message)}</p>' if answer.error is not None else ""
        sources = ""
        if answer.data_points or rendered.citations:
            listed = sources_html(answer, rendered, None)
            sources = f"<details><summary>Sources</summary>{listed}</details>"
        body.append(f'<article class="answer">{blocks}{error}{sources}</article>')
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta http-equiv="x-dns-prefetch-control" content="off">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>{''.join(body)}</main></body></html>\n"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
