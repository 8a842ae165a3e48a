"""A conversation as Markdown with numbered references, and as the copy of it that a browser keeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from chat_ui.languages.translation import gettext, recorded_on
from chat_ui.protocol.answers.answer import REASONING, Answer
from chat_ui.rendering.answer import ending_html, ending_words, render_answer
from chat_ui.rendering.citations.citations import Citation
from chat_ui.rendering.copies import copy_markdown
from chat_ui.rendering.html.parts import NumberedPart, citation_class, citation_label, html_without_buttons
from chat_ui.rendering.panels.sources import source_id, sources_html, use_id

STYLE = (Path(__file__).parent / "transcript.css").read_text(encoding="utf-8")


def transcript_markdown(title: str, turns: Sequence[tuple[str, Answer]], *, with_thoughts: bool = False) -> str:
    """The questions and answers in order; each answer's references are numbered and listed after it, before the model's
    reasoning where it is `with_thoughts`.
    """
    parts = [f"# {_one_line(title)}"]
    for question, answer in turns:
        rendered = render_answer(answer.text, answer.data_points)
        recorded = recorded_on(answer.recorded_at)
        parts += [_quoted(question), f"*{recorded}*" if recorded else ""]
        parts.append(copy_markdown(answer.text, rendered, answer.data_points).strip())
        if ending := ending_words(answer):
            parts.append(f"*{_one_line(ending)}*")
        if with_thoughts and answer.reasoning.strip():
            parts += [f"**{gettext(REASONING)}**", _quoted(answer.reasoning.strip())]
    return "\n\n".join(part for part in parts if part) + "\n"


def transcript_body(title: str, turns: Sequence[tuple[str, Answer]]) -> str:
    """The safe HTML of a conversation, without anything to press that does nothing: a citation is a link to its source
    in the list below the answer, and the source has links back.
    """
    body = [f"<h1>{escape(title)}</h1>"]
    for number, (question, answer) in enumerate(turns, 1):
        within = f"answer-{number}"
        rendered = render_answer(answer.text, answer.data_points)
        body.append(f'<article class="question" dir="auto"><h2>{escape(question)}</h2></article>')
        blocks = "".join(f'<div dir="auto">{_linked(block.parts, within)}</div>' for block in rendered.blocks)
        error = ending_html(answer)
        sources = ""
        if answer.data_points or rendered.citations:
            listed = sources_html(answer, rendered, within=within)
            sources = f"<details open><summary>{escape(gettext('Sources'))}</summary>{listed}</details>"
        recorded = recorded_on(answer.recorded_at)
        sign = f'<p class="recorded">{escape(recorded)}</p>' if recorded else ""
        body.append(f'<article class="answer">{sign}{blocks}{error}{sources}</article>')
    return "".join(body)


def _linked(parts: Iterable[NumberedPart], within: str) -> str:
    """Safe HTML with links for citations, and no buttons."""

    def link(citation: Citation, use: int) -> str:
        places = f'id="{use_id(within, use)}" href="#{source_id(within, citation.number)}"'
        label = escape(citation_label(citation))
        return f'<a class="{citation_class(citation)}" {places} aria-label="{label}">{citation.number}</a>'

    return html_without_buttons(parts, link)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _one_line(text: str) -> str:
    return " ".join(text.split())
