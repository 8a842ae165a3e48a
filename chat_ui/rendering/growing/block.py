"""One top-level block of an answer, rendered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from markdown_it.common.utils import normalizeReference

from chat_ui.rendering.growing.numbering import UnnumberedHtml
from chat_ui.rendering.html.raw_html import is_costly
from chat_ui.rendering.html.safe_html import Outline, safe_parts
from chat_ui.rendering.markdown.markdown import TopBlock, unsafe_html
from chat_ui.rendering.markdown.token_html import Parsing

_BRACKETED = re.compile(r"\[([^\[\]]{1,999})\]")


@dataclass(slots=True)
class Block:
    """A top-level block: its source, its HTML, the last sentence of its text, the labels it may refer to, and the
    headings that it stands under.
    """

    source: str
    html: UnnumberedHtml
    closing: str
    labels: frozenset[str]
    outline: Outline


def rendered(source: str, block: TopBlock, parsing: Parsing) -> Block:
    """The block that was parsed from `source`, as safe HTML; as plain text where sanitising costs too much.

    `parsing` knows the headings above it, and then those above what follows.
    """
    html = unsafe_html(block, parsing)
    if is_costly(html):
        html = f"<p>{escape(source)}</p>"
    labels = frozenset(normalizeReference(match.group(1)) for match in _BRACKETED.finditer(source))
    outline = parsing.outline
    safe = safe_parts(html, parsing.controls, parsing.sources, outline)
    parsing.outline = safe.outline
    return Block(source, UnnumberedHtml.of(safe.parts), safe.closing, labels, outline)
