"""HTML as plain text."""

from __future__ import annotations

import html
import re

from chat_ui.protocol.answers.markup import foreign, known_markup

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_ENDS_LINE = re.compile(r"(?:</(?:p|div|li|tr|h[1-6])[ \t]*>[ \t]*)+\n?", re.IGNORECASE)
_BETWEEN_CELLS = re.compile(r"</t[dh]\s*>\s*(?=<t[dh]\b)", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)


def has_line_break(text: str) -> bool:
    """Whether `text` breaks its lines as HTML does."""
    return _BREAK.search(text) is not None


def words_of_html(text: str) -> str:
    """`text` without the tags that are markup and with its entities read: a line for each line, block and row, and a
    bar between the cells of a row.
    """
    plain = known_markup(foreign(text), "passage")
    lines = _ENDS_LINE.sub("\n", _BREAK.sub("\n", _BETWEEN_CELLS.sub(" | ", plain)))
    return html.unescape(_TAG.sub("", lines))
