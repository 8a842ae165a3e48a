"""Where sentences of plain text begin and end, and which of their words carry meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_STOP = re.compile(r"(?P<stop>[.!?…])[\"'”’“»)\]]*\s+(?=(?P<next>\S?))|[。！？][”』」）]*\s*")
_REACH: Final = 16
"""Characters before a full stop in which an abbreviation is looked for."""

_BEFORE_ANYTHING = (
    r"mr|mrs|ms|dr|prof|st|hr|fr|sr|sra|mme|mlle|e\.\s?g|i\.\s?e|z|z\.\s?b|d\.\s?h|p\.\s?ex|p\.\s?ej|vs|cf|vgl|bzw|"
    r"approx|ca|incl|inkl|ggf|evtl|sog"
)
_BEFORE_NUMBERS = r"nos?|nr|núm|n|figs?|abb|tab|eq|art|abs|vol|bd|ch|cap|chap|kap|sect?|pp?|pág|s|v|ver|min|max|c"
_ABBREVIATION = re.compile(rf"(?<!\w)(?:{_BEFORE_ANYTHING})$", re.IGNORECASE)
_NUMBERED = re.compile(rf"(?<!\w)(?:{_BEFORE_NUMBERS})$", re.IGNORECASE)
_DAY = re.compile(r"(?<!\w)\d{1,2}$")
_MONTH = re.compile(r"(?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")
_TERM = re.compile(r"\w+")
_STOP_WORDS = frozenset(
    str.split(
        "a an and are as at be been but by can do does for from had has have if in into is it its may more not "
        "of on or our shall should so than that the their them then there these they this to was we were what when "
        "which who will with would you your"
    )
)


def sentence_starts(text: str) -> Iterator[int]:
    """Where a sentence of `text` ends and the next begins, after the white space between them.

    A sentence ends with a stop, but not before a lower-case letter, and not with an abbreviation that something
    follows: a name after `Dr.`, a number after `No.`, a month after the day in a German date.
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
    before = text[max(0, stop - _REACH) : stop]
    if _ABBREVIATION.search(before) or (first.isdigit() and _NUMBERED.search(before)):
        return True
    return _DAY.search(before) is not None and _MONTH.match(text, following) is not None


def is_term(word: str) -> bool:
    """Whether a word carries meaning: a letter alone does not, and neither does a stop word."""
    return word.casefold() not in _STOP_WORDS and (len(word) > 1 or word.isdigit())


def terms_of(text: str) -> frozenset[str]:
    """The words of `text` that carry meaning, in lower case and without common endings."""
    return frozenset(_stem(word.casefold()) for word in _TERM.findall(text) if is_term(word))


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
