"""The text of documents as safe HTML: Markdown, HTML, tables, plain text."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from html import escape
from io import StringIO
from itertools import islice
from typing import Final

from chat_ui.languages.foreign_text import attributes_of, lang_attribute
from chat_ui.languages.translation import gettext
from chat_ui.protocol.documents.document_urls import Kind
from chat_ui.rendering.citations.citations import Match, SourceIndex
from chat_ui.rendering.html.parts import Part, html_without_buttons
from chat_ui.rendering.html.placeholders import strip_reserved
from chat_ui.rendering.html.safe_html import foreign_parts, safe_parts
from chat_ui.rendering.markdown.markdown import Definitions, parse, unsafe_html
from chat_ui.rendering.markdown.token_html import Parsing
from chat_ui.rendering.panels.document_encoding import decoded

SHOWN_AS_TEXT: Final = frozenset[Kind]({"markdown", "html", "text", "csv"})
"""The kinds of documents that are shown by their text."""

MAX_TEXT: Final = 1_000_000
"""Characters of a document's text that are shown; Markdown that is longer is shown as it is written."""

MAX_ROWS: Final = 2_000
MAX_COLUMNS: Final = 100
MAX_CELL: Final = 2_000
"""Rows and columns of a table, and characters of one cell, that are shown."""

_MAX_MARKDOWN: Final = 300_000
_UNSHOWN: Final = re.compile(r"<!--|<!doctype\b|<\?|<(script|style|title)\b", re.IGNORECASE)
_ENDS: Final = {
    "<!--": re.compile("-->"),
    **dict.fromkeys(("<!doctype", "<?"), re.compile(">")),
    **{f"<{name}": re.compile(f"</{name}[^>]*>", re.IGNORECASE) for name in ("script", "style", "title")},
}
"""What ends each of what a page of HTML holds that is not for its reader."""
_SNIFFED: Final = 8_192
_FRONT_MATTER: Final = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
"""YAML or TOML between fences, as generators of static sites read it."""
_ENTRY: Final = re.compile(r"(?:#.*\n)*(?:[^\s#][^\n:=]*[:=]|\[)")


class _NoSources(SourceIndex):
    """A document cites nothing of an answer's sources: brackets in it are text."""

    def resolve(self, _text: str, _before: str = "") -> tuple[Match, ...]:
        return ()


def shown_document(data: bytes, kind: Kind, charset: str = "", known: str = "", *, is_cut: bool = False) -> str:
    """Safe HTML for a document as it came, with a note where its encoding is a guess (see `decoded`)."""
    read = decoded(data, kind, charset, known, is_cut=is_cut)
    html = document_html(read.text, kind, is_cut=is_cut)
    if not read.guess:
        return html
    words = gettext("This document is read as {encoding}, which is a guess.", encoding=read.guess)
    return f'<p class="cut">{escape(words)}</p>{html}'


def document_html(text: str, kind: Kind, *, is_cut: bool = False) -> str:
    """Safe HTML for the text of a document of this kind; `is_cut` says that more of it is not there."""
    is_cut = is_cut or len(text) > MAX_TEXT
    text = text[:MAX_TEXT]
    match kind:
        case "markdown" if len(text) <= _MAX_MARKDOWN:
            front, text = _front_matter(text.replace("\r\n", "\n").replace("\r", "\n"))
            body = f'<div class="answer-text"{lang_attribute(text)}>{_markdown(text)}</div>'
            body = f"{_plain(front) if front else ''}{body}"
        case "html":
            html = html_without_buttons(foreign_parts(_for_readers(text), "page"))
            body = f'<div class="answer-text"{attributes_of(html)}>{html}</div>'
        case "csv":
            body, is_whole = _table(text)
            is_cut = is_cut or not is_whole
        case _:
            body = _plain(text)
    words = gettext("The rest of this document is not shown here; download it to see all of it.")
    note = f'<p class="cut">{escape(words)}</p>'
    return body + (note if is_cut else "")


def _plain(text: str) -> str:
    return f'<div class="document-plain"{attributes_of(text)}>{escape(text)}</div>'


def _front_matter(text: str) -> tuple[str, str]:
    """The front matter of a Markdown document without its fences, and the rest."""
    found = _FRONT_MATTER.match(text)
    return (found[2], text[found.end() :]) if found and _ENTRY.match(found[2]) else ("", text)


def _markdown(text: str) -> str:
    parsing = Parsing(_NoSources(()), wrapped=True)
    text = strip_reserved(text.replace("\0", ""))
    parts: list[Part] = []
    for block in parse(text, Definitions(), parsing):
        safe = safe_parts(unsafe_html(block, parsing), parsing.controls, parsing.sources, parsing.outline)
        parsing.outline = safe.outline
        parts += safe.parts
    return html_without_buttons(parts)


def _for_readers(html: str) -> str:
    """HTML without comments, scripts, styles and its title; one that has no end stays."""
    pieces: list[str] = []
    position = start = 0
    endless: set[str] = set()
    while found := _UNSHOWN.search(html, start):
        kind, start = found.group().lower(), found.end()
        end = None if kind in endless else _ENDS[kind].search(html, start)
        if end is None:
            endless.add(kind)
            continue
        pieces.append(html[position : found.start()])
        position = start = end.end()
    return "".join(pieces) + html[position:]


def _table(text: str) -> tuple[str, bool]:
    """The table, and whether it is all of it."""
    try:
        dialect = csv.Sniffer().sniff(text[:_SNIFFED], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    try:
        rows = list(islice(csv.reader(StringIO(text, newline=""), dialect), MAX_ROWS + 2))
    except csv.Error:
        return _plain(text), True
    rows = [row for row in rows if row]
    is_whole = len(rows) <= MAX_ROWS + 1 and all(len(row) <= MAX_COLUMNS for row in rows)
    head, body = (_row(rows[0], "th"), rows[1 : MAX_ROWS + 1]) if rows else ("", [])
    return (
        f'<div class="table-scroll" role="region" tabindex="0" aria-label="{escape(gettext("Table"))}"><table>'
        f"<thead>{head}</thead><tbody>{''.join(_row(row, 'td') for row in body)}</tbody></table></div>",
        is_whole,
    )


def _row(cells: Sequence[str], tag: str) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    shown = "".join(f'<{tag}{scope} dir="auto">{escape(cell[:MAX_CELL])}</{tag}>' for cell in cells[:MAX_COLUMNS])
    return f"<tr>{shown}</tr>"
