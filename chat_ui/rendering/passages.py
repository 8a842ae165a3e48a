"""Passages of sources as safe HTML, with the sentences that carry a claim marked."""

from __future__ import annotations

import re
from html import escape

from chat_ui.rendering.safe_html import safe_html

MIN_OVERLAP = 0.35
"""Share of a claim's terms that a sentence has to hold to be marked."""

MIN_COMMON_TERMS = 2
"""Terms that a sentence and a claim have to share, unless the claim has fewer."""

MAX_PASSAGE = 200_000
"""Characters of a passage that are shown; what is beyond is counted in a note."""

_HTML = re.compile(r"</?(?:table|tr|td|th|p|div|ul|ol|li|br|b|i|em|strong|h[1-6]|img|a)\b[^<>]*>", re.IGNORECASE)
_TERM = re.compile(r"\w+")
_SENTENCE = re.compile(r".+?(?:[.!?][\"'”’)\]]*(?=\s|$)|[。！？]|\n|$)\s*", re.DOTALL)
_BLOCK = re.compile(r"(<[^>]*>)")
_STOP_WORDS = frozenset(
    str.split(
        "a an and are as at be been but by can do does for from had has have if in into is it its may more not "
        "of on or our shall should so than that the their them then there these they this to was we were what when "
        "which who will with would you your"
    )
)


def passage_html(text: str, claim: str = "") -> str:
    """Safe HTML for a passage: HTML sanitised, plain text with its line breaks, what carries `claim` marked.

    Where no sentence shares enough terms with the claim nothing is marked.
    """
    cut = len(text) - MAX_PASSAGE
    shown = text[:MAX_PASSAGE]
    terms = terms_of(claim)
    if _HTML.search(shown):
        html = _marked_html(safe_html(shown), terms)
        body = f'<div class="passage passage-html">{html}</div>'
    else:
        body = f'<div class="passage passage-text" dir="auto">{_marked_text(shown, terms)}</div>'
    if cut > 0:
        body += f'<p class="passage-cut">{cut:,} more characters are not shown.</p>'
    return body


def terms_of(text: str) -> frozenset[str]:
    """The words of `text` that carry meaning, in lower case and without common endings."""
    words = (word.casefold() for word in _TERM.findall(text))
    return frozenset(_stem(word) for word in words if word not in _STOP_WORDS and (len(word) > 1 or word.isdigit()))


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _carries(sentence: str, claim: frozenset[str]) -> bool:
    common = len(terms_of(sentence) & claim)
    return common >= min(MIN_COMMON_TERMS, len(claim)) and common >= MIN_OVERLAP * len(claim)


def _marked_text(text: str, claim: frozenset[str]) -> str:
    if not claim:
        return escape(text)
    pieces: list[str] = []
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        if sentence.strip() and _carries(sentence, claim):
            stripped = sentence.rstrip()
            pieces.append(f"<mark>{escape(stripped)}</mark>{escape(sentence[len(stripped) :])}")
        else:
            pieces.append(escape(sentence))
    return "".join(pieces)


def _marked_html(html: str, claim: frozenset[str]) -> str:
    if not claim:
        return html
    pieces = _BLOCK.split(html)
    for index, piece in enumerate(pieces):
        if index % 2 == 0 and piece.strip() and _carries(piece, claim):
            pieces[index] = f"<mark>{piece}</mark>"
    return "".join(pieces)
