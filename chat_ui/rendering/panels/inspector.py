"""What travelled for an answer, as HTML: the facts of the exchange and its lines, with the time of each."""

from __future__ import annotations

from html import escape
from typing import Final

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.transport.recorder import WireLine, WireRecord
from chat_ui.rendering.panels.json_shapes import definitions_html

MOST_LINES: Final = 1_000
MOST_CHARACTERS: Final = 2_000
"""Of one line, so that a context of megabytes does not freeze the page."""


def inspector_html(record: WireRecord, answer: Answer) -> str:
    """The exchange behind `answer`: a definition list of facts, then a table of the lines as they came."""
    head, tail = record.lines[: record.head_lines], record.lines[record.head_lines :]
    too_many = max(0, len(head) - MOST_LINES)
    rows = [_row(line) for line in head[:MOST_LINES]]
    if too_many:
        rows.append(_gap(f"{too_many:,} more lines"))
    if record.left_out:
        rows.append(_gap(f"{record.left_out:,} bytes in the middle were not kept"))
    rows += [_row(line) for line in tail[-MOST_LINES:]]
    if not rows:
        rows.append(_gap("No line came"))
    return (
        "<h4>The exchange</h4>"
        + definitions_html([(escape(name), f"<bdi>{escape(value)}</bdi>") for name, value in _facts(record, answer)])
        + '<div class="table-scroll" role="region" tabindex="0" aria-label="Lines as they came">'
        '<table class="wire"><thead><tr><th scope="col">Seconds</th><th scope="col">Line</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _facts(record: WireRecord, answer: Answer) -> list[tuple[str, str]]:
    timing = answer.timing
    facts = [(f"Tried before: {status}", url) for url, status in record.tried]
    facts.append(("Address", record.url))
    facts.append(("Status", "no answer" if record.status is None else str(record.status)))
    facts += [(name, value) for name, value in record.headers if name.lower() in {"content-type", "server", "date"}]
    for name, seconds in (
        ("First byte", timing.first_byte),
        ("First text", timing.first_text),
        ("Total", timing.total),
    ):
        if seconds is not None:
            facts.append((name, f"{seconds:.3f} s"))
    speed = answer.characters_per_second
    if speed is not None:
        facts.append(("Characters per second", f"{speed:,.0f}"))
    facts.append(("Size", f"{record.size:,} bytes"))
    return facts


def _row(line: WireLine) -> str:
    text = line.text
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}… ({len(text) - MOST_CHARACTERS:,} more characters)"
    return f"<tr><td>{line.seconds:.3f}</td><td><code>{escape(text)}</code></td></tr>"


def _gap(words: str) -> str:
    return f'<tr class="gap"><td></td><td>{escape(words)}</td></tr>'
