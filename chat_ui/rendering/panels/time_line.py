"""When what of an answer came, as bars on a line of time and in numbers."""

from __future__ import annotations

from html import escape

from chat_ui.protocol.answers.answer import Answer, Timing
from chat_ui.protocol.dialects.registry import label_of
from chat_ui.rendering.panels.json_shapes import definitions_html


def time_line_html(answer: Answer) -> str:
    """Safe HTML: the stages of a turn, each a bar from its beginning to its end, then the moments in seconds after the
    request, and the dialect; empty where none of it is known.
    """
    facts = _facts(answer)
    return _bars(answer.timing) + definitions_html(facts) if facts else ""


def _facts(answer: Answer) -> list[tuple[str, str]]:
    timing = answer.timing
    seconds = (
        ("First byte", timing.first_byte),
        ("Context", timing.context),
        ("First text", timing.first_text),
        ("Total", timing.total),
    )
    facts = [(name, f"{value:.2f} s") for name, value in seconds if value is not None]
    if answer.dialect:
        facts.append(("Dialect", f"{label_of(answer.dialect)} ({answer.dialect})"))
    return [(name, escape(value)) for name, value in facts]


def _bars(timing: Timing) -> str:
    marks = [
        ("Waiting for the first byte", timing.first_byte),
        ("Until the context", timing.context),
        ("Until the first text", timing.first_text),
        ("Until the end", timing.total),
    ]
    stages = sorted(((name, end) for name, end in marks if end is not None), key=lambda stage: stage[1])
    if not stages:
        return ""
    whole = stages[-1][1] or 1.0
    rows: list[str] = []
    start = 0.0
    for name, end in stages:
        bar = f'<rect x="{100 * start / whole:.2f}" width="{100 * (end - start) / whole:.2f}" height="1"></rect>'
        rows.append(
            f'<tr><th scope="row">{name}</th><td>'
            f'<svg class="stage" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">{bar}</svg> '
            f'<span class="count">{end - start:.2f} s</span></td></tr>'
        )
        start = end
    return f'<table class="usage"><caption>From the request to the end</caption><tbody>{"".join(rows)}</tbody></table>'
