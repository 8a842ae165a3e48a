"""The sentences of plain text, their meaningful words, and the claim of a citation.

A claim is a sentence, or a list: a lead-in that ends with a colon, if any, and a line for each item or row.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from chat_ui.rendering.citations.brackets import SOURCE_WORDS

_STOP = re.compile(r"(?P<stop>[.!?…])[\"'”’“»)\]]*\s+(?=(?P<next>\S?))|[。！？][”』」）]*\s*")
_BEFORE_STOP: Final = 16

_BEFORE_ANYTHING = (
    r"mr|mrs|ms|dr|prof|st|hr|fr|sr|sra|mme|mlle|e\.\s?g|i\.\s?e|z|z\.\s?b|d\.\s?h|p\.\s?ex|p\.\s?ej|vs|cf|vgl|bzw|"
    r"approx|ca|incl|inkl|ggf|evtl|sog"
)
_BEFORE_NUMBERS = r"nos?|nr|núm|n|figs?|abb|tab|eq|art|abs|vol|bd|ch|cap|chap|kap|sect?|pp?|pág|s|v|ver|min|max|c"
_ABBREVIATION = re.compile(rf"(?<!\w)(?:{_BEFORE_ANYTHING})$", re.IGNORECASE)
_NUMBERED = re.compile(rf"(?<!\w)(?:{_BEFORE_NUMBERS})$", re.IGNORECASE)
_DAY = re.compile(r"(?<!\w)\d{1,2}$")
_MONTH = re.compile(r"(?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")
_DENSE: Final = r"\u3040-\u30ff\u3400-\u9fff"
"""Characters of Chinese and Japanese, which are written without spaces."""
_TERM = re.compile(rf"(?P<dense>[{_DENSE}]+)|[^\W{_DENSE}]+")
_GRAMMAR = re.compile(r"[\u3040-\u309f]+")
"""Hiragana, as in the endings of Japanese words."""
_STOP_WORDS = frozenset(
    str.split(
        "a an and are as at be been but by can do does for from had has have if in into is it its may more not "
        "of on or our shall should so than that the their them then there these they this to was we were what when "
        "which who will with would you your"
    )
)

CLAIM_REACH: Final = 1_000
LISTED_REACH: Final = 4_000
"""Characters of the items and rows of a claim, about."""
_AHEAD: Final = 400
_CONTENT: Final = 2
"""Meaningful words before a citation that make a claim without further words."""
_MANY: Final = 12
"""Words that are enough for a claim, with any meaning."""
_UNSPACED: Final = "\u3040"
"""Later characters are of scripts without spaces, and count as words."""
_WORD = re.compile(rf"[{_DENSE}]|[^\W_{_DENSE}]+")
COUNTED_WORD: Final = re.compile(rf"[{_DENSE}]{{1,2}}|[^\W_{_DENSE}]+")
"""A word for the length of a sentence: without spaces, two characters."""
_ENDED = re.compile(r"[.!?…。！？][\"'”’“»)\]”』」）]*\s*$")
_LEAD_IN = re.compile(
    r"\W*(?:according to|as \w+ (?:in|by|on)|laut|gemäß|selon|d['’]après|según|secondo|volgens|enligt)\b[^,]*",
    re.IGNORECASE,
)
_SEE_ALSO = re.compile(
    r"\W*(?:(?:see|siehe|voir|véase|ver|veja|vedi|zie|se|zobacz|bkz|انظر|参照|参见|另见)"
    r"(?:\s+(?:also|auch|aussi|también|também|anche|ook|også|też|także|أيضا|أيضًا))?"
    rf"|{'|'.join(SOURCE_WORDS)})(?:\W|\b(?:and|und|et|y|e|en|og|i|ve)\b)*",
    re.IGNORECASE,
)
"""Words before citations that belong to the text before: `See also`, `Sources:`."""
_LEFT_OPEN = "([{（【「『„« \t\n"
_STRAY = ",;:.!?)]}–—-，。、；：） \t\n"
_SPACE_BEFORE_STOP = re.compile(r" (?=[.,;])")
_COLONS: Final = ":：﹕︓፥፦᠄"
_AFTER_COLON: Final = "()[]{}（）【】 \t\n"


def sentence_starts(text: str) -> Iterator[int]:
    """The beginnings of the sentences of `text`, after the white space between them.

    A sentence ends with a stop, but not before a lower-case letter. An abbreviation before its object does not end it
    either: a name after `Dr.`, a number after `No.`, a month after the day in a German date.
    """
    for match in _STOP.finditer(text):
        if match["stop"] is None or not _goes_on(text, match.start(), match.end(), match["stop"], match["next"]):
            yield match.end()


def sentences(text: str) -> list[str]:
    """The sentences of one line of plain text."""
    found = (text[start:end].strip() for start, end in pairwise([0, *sentence_starts(text), len(text)]))
    return [sentence for sentence in found if sentence]


def _goes_on(text: str, stop: int, following: int, mark: str, first: str) -> bool:
    if first.islower():
        return True
    if mark != "." or not first:
        return False
    before = text[max(0, stop - _BEFORE_STOP) : stop]
    if _ABBREVIATION.search(before) or (first.isdigit() and _NUMBERED.search(before)):
        return True
    return _DAY.search(before) is not None and _MONTH.match(text, following) is not None


def is_term(word: str) -> bool:
    """Whether a word is meaningful: a single letter and a stop word are not."""
    return word.casefold() not in _STOP_WORDS and (len(word) > 1 or word.isdigit())


def terms_of(text: str) -> frozenset[str]:
    """The meaningful words of `text`, in lower case and without common endings; without spaces, its character pairs."""
    return frozenset(term for found in _TERM.finditer(text) for term in _terms(found))


def _terms(found: re.Match[str]) -> Iterator[str]:
    word = found.group()
    if found["dense"]:
        pairs = (word[at : at + 2] for at in range(max(1, len(word) - 1)))
        yield from (pair for pair in pairs if not _GRAMMAR.fullmatch(pair))
    elif is_term(word):
        yield _stem(word.casefold())


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def has_words(text: str) -> bool:
    """Whether `text`, without its citations, can be a claim: it has a word, and not only `See also` or `Sources`."""
    return _WORD.search(text) is not None and _SEE_ALSO.fullmatch(text) is None


def claim_at(text: str, at: int, citations: Sequence[int] = (), starts: Sequence[int] | None = None) -> str:
    """The claim of the citation at position `at` of a paragraph, an item or a cell, on one line; may be empty.

    `starts` are the `sentence_starts` of `text`, for several claims of one text. The claim is the sentence that the
    citation closes. Its words before the citation may be too few, or only name the source (`According to`). Then the
    claim goes on to the sentence's end, or to the first sufficient one of the `citations` (their positions, in order).
    """
    first = max(0, at - CLAIM_REACH)
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
    return one_line(words).lstrip(_STRAY)


def one_line(text: str) -> str:
    """The words of `text` on one line, for a claim."""
    return _SPACE_BEFORE_STOP.sub("", " ".join(text.split()))


def leads_in(text: str) -> bool:
    """Whether a line without its citations ends with a colon, before a list or a table."""
    return text.rstrip(_AFTER_COLON)[-1:] in tuple(_COLONS)


def list_claim(lead: str, lines: Iterable[str]) -> str:
    """The claim of a list or table with these `lines` after a `lead`, which may be empty; cut at `LISTED_REACH`."""
    found: list[str] = []
    room = LISTED_REACH
    for line in lines:
        if room <= 0:
            break
        found.append(line)
        room -= len(line) + 1
    return "\n".join([f"{lead.rstrip(_COLONS + ' ')}:", *found] if lead and found else found or [lead])


def claim_lines(claim: str) -> tuple[str, list[str]]:
    """The sentence or lead-in of a claim, which may be empty, and its items and rows, if any."""
    first, *others = claim.split("\n")
    if not others or leads_in(first):
        return first, others
    return "", [first, *others]


def _is_claim(words: str) -> bool:
    if _ENDED.search(words):
        return True
    return _said(words, 0) is not None and _LEAD_IN.fullmatch(words) is None


def _said(text: str, start: int) -> int | None:
    """The index at which the words from `start` on are enough for a claim, else None."""
    content = 0
    for count, word in enumerate(_WORD.finditer(text, start), 1):
        content += word.group() >= _UNSPACED or is_term(word.group())
        if content == _CONTENT or count == _MANY:
            return word.end()
    return None
