"""The claim of a citation: the sentence of the text around it that it stands for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from chat_ui.rendering.citations.sentences import is_term, sentence_starts

REACH: Final = 1_000
"""Characters before a citation in which its claim is looked for."""

_AHEAD: Final = 400
"""Characters after a citation in which the end of its sentence is looked for."""

_CONTENT: Final = 2
"""Words that carry meaning which words before a citation need to be a claim of their own."""

_MANY: Final = 12
"""Words that say enough together, whatever they mean."""

_UNSPACED: Final = "\u3040"
"""From here on scripts have no spaces; a character of them counts as a word."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_ENDED = re.compile(r"[.!?…。！？][\"'”’“»)\]”』」）]*\s*$")
_LEAD_IN = re.compile(
    r"\W*(?:according to|as \w+ (?:in|by|on)|laut|gemäß|selon|d['’]après|según|secondo|volgens|enligt)\b[^,]*",
    re.IGNORECASE,
)
_LEFT_OPEN = "([{（【「『„« \t\n"
_STRAY = ",;:.!?)]}–—-，。、；：） \t\n"
_SPACE_BEFORE_STOP = re.compile(r" (?=[.,;])")


def has_words(text: str) -> bool:
    """Whether there is a word in `text`, so that it can be a claim."""
    return _WORD.search(text) is not None


def claim_at(text: str, at: int, citations: Sequence[int] = (), starts: Sequence[int] | None = None) -> str:
    """The claim of the citation at position `at` of a paragraph, an item or a cell, on one line.

    `starts` are the `sentence_starts` of `text`, so that several claims of one text are found from them.

    It is the sentence that the citation closes. Where what stands before it in the sentence says too little, or only
    whom the sentence follows (`According to`), the sentence goes on to its end, or to the first of the `citations`
    (their positions, in order) before which it says something. Empty where no sentence is near.
    """
    first = max(0, at - REACH)
    before = text[first:at].rstrip(_LEFT_OPEN)
    window = text[first : at + _AHEAD]
    starts = tuple(sentence_starts(text)) if starts is None else starts
    near = starts[bisect_right(starts, first) : bisect_left(starts, first + len(before))]
    start = next((start - first for start in reversed(near) if has_words(before[start - first :])), 0)
    words = before[start:]
    if not _is_claim(words):
        following = bisect_right(starts, at)
        end = min(starts[following] - first, len(window)) if following < len(starts) else len(window)
        enough = first + (_said(window[:end], at - first) or end)
        following = bisect_left(citations, enough)
        if following < len(citations):
            end = min(end, citations[following] - first)
        if has_words(window[at - first : end]):
            words = window[start:end].rstrip(_LEFT_OPEN)
    return _SPACE_BEFORE_STOP.sub("", " ".join(words.split())).lstrip(_STRAY).rstrip()


def _is_claim(words: str) -> bool:
    if _ENDED.search(words):
        return True
    return _said(words, 0) is not None and _LEAD_IN.fullmatch(words) is None


def _said(text: str, start: int) -> int | None:
    """Where the words from `start` on have said enough for a claim; None where they do not."""
    content = 0
    for count, word in enumerate(_WORD.finditer(text, start), 1):
        content += word.group() >= _UNSPACED or is_term(word.group())
        if content == _CONTENT or count == _MANY:
            return word.end()
    return None
