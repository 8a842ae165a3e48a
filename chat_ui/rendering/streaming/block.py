"""A rendered top-level block of an answer.

A paragraph that goes on with plain words is the same HTML with more words, without parsing. Most of an answer comes
this way, and parsing open paragraphs was most of its cost. The paragraph has to end in text outside of every construct,
and later characters must not matter to Markdown. Later words could then change only three things: the last word, the
only word on the last line, and a definition of a link.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it.common.utils import normalizeReference

from chat_ui.protocol.answers.markup import Kind
from chat_ui.rendering.html.claims import BlockText
from chat_ui.rendering.html.placeholders import strip_reserved
from chat_ui.rendering.html.safe_html import Outline, safe_parts
from chat_ui.rendering.markdown.markdown import TopBlock, unsafe_html
from chat_ui.rendering.markdown.token_html import Parsing
from chat_ui.rendering.streaming.numbering import UnnumberedHtml

_ENDED_BY_EMPTY_LINE = ("paragraph_open", "heading_open")
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_BRACKETED = re.compile(r"\[([^\[\]]{1,999})\]")

_PARAGRAPH_END = "</p>\n"
_PLAIN_WORDS = re.compile(r"(?:[^\W_]|[ ,.;?'%“”„‘’–—-])+")
"""Without brackets: the address or the title of a link may end with one, and `(Source: plan.pdf)` begins with one."""
_PLAIN_WORD = re.compile(r"(?:[^\W_]|[,.;?'()%“”„‘’–—-])+")
_LETTER = re.compile(r"[^\W\d_]")


def source_of(text: str) -> str:
    """An answer's text with line feeds for line ends, and U+FFFD for unshown and reserved characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return strip_reserved(_UNSHOWABLE.sub("\ufffd", text), "\ufffd")


@dataclass(slots=True)
class Block:
    """A top-level block: source, HTML, text for claims, labels it may refer to, and headings above it."""

    source: str
    html: UnnumberedHtml
    text: BlockText
    labels: frozenset[str]
    outline: Outline


def rendered(source: str, block: TopBlock, parsing: Parsing) -> Block:
    """The block that was parsed from `source`, as safe HTML.

    `parsing` has the headings above it, and afterwards those above the next block.
    """
    html = unsafe_html(block, parsing)
    labels = frozenset(normalizeReference(match.group(1)) for match in _BRACKETED.finditer(source))
    outline = parsing.outline
    kind: Kind = "streaming" if parsing.streaming else "text"
    safe = safe_parts(html, parsing.controls, parsing.sources, outline, kind=kind)
    parsing.outline = safe.outline
    return Block(source, UnnumberedHtml.of(safe.parts), safe.text, labels, outline)


def rendered_blocks(text: str, tops: Sequence[TopBlock], finished: int, parsing: Parsing) -> list[Block]:
    """The blocks that were parsed from `text`, of which so many are finished; each has the source up to the next."""
    lines = text.split("\n")
    blocks: list[Block] = []
    start = 0
    for index, top in enumerate(tops):
        end = tops[index + 1].start if index + 1 < len(tops) else len(lines)
        source = "\n".join(lines[start:end]) + ("\n" if end < len(lines) else "")
        parsing.streaming = index >= finished
        blocks.append(rendered(source, top, parsing))
        start = end
    return blocks


def finished_count(blocks: Sequence[TopBlock], text: str) -> int:
    """The number of finished blocks. A paragraph is finished by any block after an empty line, others by a block that
    began on two complete lines (a table needs both). Raw HTML at the end of the text may yet be words of the paragraph
    before it.
    """
    lines = text.split("\n")
    for count, (block, following) in enumerate(pairwise(blocks)):
        follows_empty_line = not lines[following.start - 1].strip()
        is_closed = block.tokens[0].type in _ENDED_BY_EMPTY_LINE and follows_empty_line
        if following.is_raw_html and following is blocks[-1] and not follows_empty_line:
            return count
        if not is_closed and following.start + 2 > len(lines) - 1:
            return count
    return max(len(blocks) - 1, 0)


@dataclass(frozen=True, slots=True)
class PlainParagraph:
    """A paragraph's HTML up to its end tag, and the spaces after its last word, which show before another word."""

    html: str
    spaces: str

    def followed_by(self, text: str) -> PlainParagraph | None:
        """The paragraph with `text` after it; None if that has to be parsed."""
        if _PLAIN_WORDS.fullmatch(text) is None:
            return None
        words = self.spaces + text
        shown = words.rstrip(" ")
        return PlainParagraph(self.html + shown, words[len(shown) :])

    @property
    def closed(self) -> str:
        """The HTML of the paragraph."""
        return self.html + _PARAGRAPH_END


def plain_paragraph(source: str, top: TopBlock, html: str) -> PlainParagraph | None:
    """The plain paragraph of a block with this `source` and `html`; None if only parsing can continue it."""
    if len(top.tokens) != 3 or top.tokens[1].type != "inline" or not html.endswith(_PARAGRAPH_END):
        return None
    inline = top.tokens[1]
    shown = source.rstrip(" ")
    if top.tokens[0].type != "paragraph_open" or inline.content != shown or not inline.children:
        return None
    last_line = shown[shown.rfind("\n") + 1 :].lstrip(" ")
    last_word = last_line[last_line.rfind(" ") + 1 :]
    if inline.children[-1].type != "text" or _PLAIN_WORD.fullmatch(last_word) is None:
        return None
    if (_LETTER.match(last_line) is None and " " not in last_line) or not html.endswith(last_word + _PARAGRAPH_END):
        return None
    if shown.startswith("[") and "]:" in shown:
        return None
    return PlainParagraph(html[: -len(_PARAGRAPH_END)], source[len(shown) :])
