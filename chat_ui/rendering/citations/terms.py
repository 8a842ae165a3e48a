"""The words of a text that carry meaning."""

from __future__ import annotations

import re

_TERM = re.compile(r"\w+")
_STOP_WORDS = frozenset(
    str.split(
        "a an and are as at be been but by can do does for from had has have if in into is it its may more not "
        "of on or our shall should so than that the their them then there these they this to was we were what when "
        "which who will with would you your"
    )
)


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
