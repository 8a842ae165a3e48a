"""The exchange of an answer as HTML: its facts and its lines, with the time of each."""

from __future__ import annotations

from html import escape
from typing import Final

from chat_ui.languages.translation import gettext, in_digits, ngettext
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.transport.recorder import ResponseLine, ResponseRecord
from chat_ui.rendering.panels.json_shapes import definitions_html

MOST_LINES: Final = 1_000
MOST_CHARACTERS: Final = 2_000
"""Characters of one line, so that a context of megabytes does not freeze the page."""


def inspector_html(record: ResponseRecord, answer: Answer) -> str:
    """The exchange behind `answer`: a definition list of facts, then a table of the lines."""
    head, tail = record.lines[: record.head_lines], record.lines[record.head_lines :]
    too_many = max(0, len(head) - MOST_LINES)
    rows = [_row(line) for line in head[:MOST_LINES]]
    if too_many:
        rows.append(_gap(ngettext("{count} more line", "{count} more lines", too_many)))
    if record.left_out:
        rows.append(
            _gap(
                ngettext(
                    "{count} byte in the middle was not kept",
                    "{count} bytes in the middle were not kept",
                    record.left_out,
                )
            )
        )
    rows += [_row(line) for line in tail[-MOST_LINES:]]
    if not rows:
        rows.append(_gap(gettext("No lines received")))
    return (
        f"<h4>{escape(gettext('Request and response'))}</h4>"
        + definitions_html([(escape(name), f"<bdi>{escape(value)}</bdi>") for name, value in _facts(record, answer)])
        + f'<div class="table-scroll" role="region" tabindex="0" aria-label="{escape(gettext("Lines received"))}">'
        f'<table class="raw-lines"><thead><tr><th scope="col">{escape(gettext("Seconds"))}</th>'
        f'<th scope="col">{escape(gettext("Line"))}</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _facts(record: ResponseRecord, answer: Answer) -> list[tuple[str, str]]:
    timing = answer.timing
    facts = [(gettext("Tried before: {status}", status=str(status)), url) for url, status in record.tried]
    facts.append((gettext("Address"), record.url))
    facts.append((gettext("Status"), gettext("no answer") if record.status is None else str(record.status)))
    facts += [(name, value) for name, value in record.headers if name.lower() in {"content-type", "server", "date"}]
    for name, seconds in (
        (gettext("First byte"), timing.first_byte),
        (gettext("First text"), timing.first_text),
        (gettext("Total"), timing.total),
    ):
        if seconds is not None:
            facts.append((name, gettext("{seconds} s", seconds=in_digits(seconds, 3))))
    speed = answer.characters_per_second
    if speed is not None:
        facts.append((gettext("Characters per second"), in_digits(speed, 0)))
    facts.append((gettext("Size"), ngettext("{count} byte", "{count} bytes", record.size)))
    return facts


def _row(line: ResponseLine) -> str:
    text = line.text
    if len(text) > MOST_CHARACTERS:
        beyond = len(text) - MOST_CHARACTERS
        more = ngettext("({count} more character)", "({count} more characters)", beyond)
        text = f"{text[:MOST_CHARACTERS]}… {more}"
    return f"<tr><td>{in_digits(line.seconds, 3)}</td><td><code>{escape(text)}</code></td></tr>"


def _gap(words: str) -> str:
    return f'<tr class="gap"><td></td><td>{escape(words)}</td></tr>'
