"""A paragraph that goes on with plain words: its HTML goes on with the same words, and nothing is parsed.

Most of an answer comes this way, and parsing open paragraphs was most of its cost. The paragraph has to end in text
outside of every construct, and no rule of Markdown may look at a character that follows. Later words could then change
the meaning of three things alone: the last word, a word alone on the last line, and a definition of a link.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chat_ui.rendering.markdown.markdown import TopBlock

_END = "</p>\n"
_PLAIN = re.compile(r"(?:[^\W_]|[ ,.;?'%“”„‘’–—-])+")
"""No bracket: the address or the title of a link may end with one, and `(Source: plan.pdf)` begins with one."""
_WORD = re.compile(r"(?:[^\W_]|[,.;?'()%“”„‘’–—-])+")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class PlainParagraph:
    """A paragraph's HTML up to its end tag, and the spaces after its last word, which show once a word follows."""

    html: str
    spaces: str

    def followed_by(self, text: str) -> PlainParagraph | None:
        """The paragraph with `text` after it; None where that has to be parsed."""
        if _PLAIN.fullmatch(text) is None:
            return None
        words = self.spaces + text
        shown = words.rstrip(" ")
        return PlainParagraph(self.html + shown, words[len(shown) :])

    @property
    def whole(self) -> str:
        """The HTML of the paragraph."""
        return self.html + _END


def plain_paragraph(source: str, top: TopBlock, html: str) -> PlainParagraph | None:
    """How a block that was parsed from `source`, and shown as `html`, may go on; None where only parsing can tell."""
    if len(top.tokens) != 3 or top.tokens[1].type != "inline" or not html.endswith(_END):
        return None
    inline = top.tokens[1]
    shown = source.rstrip(" ")
    if top.tokens[0].type != "paragraph_open" or inline.content != shown or not inline.children:
        return None
    last_line = shown[shown.rfind("\n") + 1 :].lstrip(" ")
    last_word = last_line[last_line.rfind(" ") + 1 :]
    if inline.children[-1].type != "text" or _WORD.fullmatch(last_word) is None:
        return None
    if (_LETTER.match(last_line) is None and " " not in last_line) or not html.endswith(last_word + _END):
        return None
    if shown.startswith("[") and "]:" in shown:
        return None
    return PlainParagraph(html[: -len(_END)], source[len(shown) :])
