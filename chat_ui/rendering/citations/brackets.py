"""The text between two brackets and before them: the parts of a list, a bare name, an index or a sentence.

A bracket after code is an index, and so text. Code is a non-word (`x_`, `f()`, `m[1]`, `sys.argv`, `myList`), a usual
name of a variable (`arr`, `items`, `list`), or a noun without an article: a singular or a short one (`result[1]`,
`map[1]`, but `the final result[1]`). A short other word is code unless it follows a word (`and old[1]`, not `=
old[1]`). After a space, only `array`, `argv` and similar names without an article make an index (`array [2]`). Other
text is a sentence, which may have its citation right after the last word (`Paris[1]`).
"""

from __future__ import annotations

import re
from typing import Final

SEPARATOR = re.compile(r"\s*[,;，；、،؛]\s*(?:and\s+)?|\s+and\s+|\s*\|\s*|\s+[&/+→]\s+")
SOURCE_WORDS: Final = tuple(
    str.split(
        "source sources citation citations cite ref refs reference references quelle quellen fuente fuentes fonte "
        "fontes fonti bron bronnen kilde kilder źródło źródła kaynak kaynaklar 来源 來源 出典 출처 المصدر المصادر"
    )
)
"""Words that name a source after them: `Source: plan.pdf`."""
LEAD = re.compile(
    rf"(?P<source>(?:ref_id|{'|'.join(SOURCE_WORDS)})(?!\w)\.?"
    r"\s*(?:\d{1,3}\s*[:：]\s*(?=\D)|[:：#]\s*)?)"
    r"|(?P<sign>[#^])(?=\d{1,6}\Z)"
    r"|(?:see(?:\s+also)?|from|via|cf\.)\s*:?\s+|[^\W\d_]{1,20}(?:\s+\d{1,3})?\s*[:：](?!//)\s*|\d{1,3}[.)]\s+",
    re.IGNORECASE,
)
_REACH: Final = 80
"""Characters before a bracket that tell an index from a citation."""
_QUOTES = "*\"'“”„‘’‚«»<>"
_LETTER = r"[^\W\d_]"
_NUMERAL = r"(?:[$€£¥]?\d[\d.,]*(?:[-–]\d[\d.,]*)?(?:\s?[%°]?[A-Za-z]{0,3})?|one|two|six|ten)"
_BEFORE_A_SHORT_WORD = r"(?:an?|the|this|that|each|every|no|per|one|my|your|its|our|in|of)\s+"
_LAST_WORD = re.compile(
    rf"(?:^|[\s\"'“‘’(/])\*{{0,3}}"
    rf"(?:(?:{_LETTER}+[-–])*(?P<word>{_LETTER}{{4,}})|{_LETTER}+[-–][^\W_]+|{_BEFORE_A_SHORT_WORD}"
    rf"(?P<short>{_LETTER}{{2,3}})|[A-Z]{{2,3}}|[A-Z]{{1,4}}\d{{1,2}}[A-Z]?|{_LETTER}+['’][a-z]{{1,2}}|(?P<figure>{_NUMERAL})|"
    rf"(?P<brief>{_LETTER}{{2,3}}))\Z"
)
_AFTER_A_WORD = re.compile(r"(?P<word>[^\W_]+)(?:\[[\d, ]+\])*(?:[.,;:!?)\"'”’]*\s+\*{0,3}|['’/])\Z")
_VOWEL = re.compile(r"[aeiouy]|[^\x00-\x7f]", re.IGNORECASE)
_EARLIER_WORD = re.compile(rf"{_LETTER}{{2}}\S*\s")
_OPENING_WORD = re.compile(rf"[^\W\d_a-z]{_LETTER}+")
_PLAIN_WORD = re.compile(rf"(?:^|[\s\"'“‘(*])(?P<word>{_LETTER}{{2,}})\Z")
_PLURAL = re.compile(r"\((?:s|es|n|en|e)\)\Z")
_CAMEL_CASE = re.compile(r"[a-z]{2,}[A-Z]")
_INDEXED = frozenset(
    str.split(
        "arg args argv arr array arrays buf buffer col column columns coords cell cells data dict dicts dim idx img "
        "index items keys kwargs list lists mat matrix node num nums obj params ptr res ret row rows seq "
        "stack str string table tensor tmp tuple val vals value values var vec vector"
    )
)
"""Words of sentences that are usual names of variables too."""
_SINGULAR = frozenset(str.split("char element field object offset pixel result slot token"))
"""Nouns that end a sentence only with an article: without one they name a variable."""
_BRIEF = frozenset(
    str.split(
        "abc acc adj ans bar baz bin bit dec env err foo id ids int key lst map max min mod opt pos ref row set src "
        "sub sum tab tag tok tup uri url usr"
    )
)
"""Words of two or three letters, with a vowel, that name variables likewise."""
_CODE = _INDEXED | _SINGULAR | {"code", "expression", "variable"}
_SPACED_INDEX = re.compile(r"(?:^|[\s(])(?:args|argv|arr|array|dict|idx|kwargs|params|ptr|tuple)\s\Z")
_ARTICLE = re.compile(
    r"\b(?:an?|the|this|that|these|those|each|every|any|some|no|my|your|his|her|its|our|their|such)"
    rf"(?:\s+(?P<between>{_LETTER}+))?\s+\Z",
    re.IGNORECASE,
)


def before_bracket(text: str, start: int) -> str:
    """The text before a bracket at `start` that tells an index (`arr[1]`) from a citation."""
    return text[max(0, start - _REACH) : start]


def list_parts(text: str) -> list[tuple[int, int]]:
    """The indices of the parts of a list, without empty ones."""
    spans: list[tuple[int, int]] = []
    start = 0
    for separator in SEPARATOR.finditer(text):
        spans.append((start, separator.start()))
        start = separator.end()
    return [(first, last) for first, last in (*spans, (start, len(text))) if text[first:last].strip()]


def bare_name(name: str) -> str:
    """The name without a word such as `Source:` before it and quotes or emphasis around it."""
    bare = name.strip().strip(_QUOTES)
    lead = LEAD.match(bare)
    bare = bare[lead.end() :].strip().strip(_QUOTES) if lead else bare
    return bare[1:-1] if len(bare) > 2 and bare[0] == bare[-1] == "_" else bare


def is_subscripted(before: str) -> bool:
    """Whether a bracket after `before` is an index: after an identifier or a subscript, unless in prose."""
    spaced = _SPACED_INDEX.search(before)
    if spaced:
        return not _has_article(before[: spaced.start() + 1])
    if before.endswith(")"):
        before = before[: max(before.rfind("("), 0)]
    return bool(before) and (before[-1] in "]_" or (before[-1].isascii() and before[-1].isalnum()))


def ends_in_prose(before: str) -> bool:
    """Whether `before` ends with a word or number of a sentence, which is not the name of an array."""
    before = _PLURAL.sub("", before)
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    if last["figure"] and any(map(str.isdigit, last["figure"])):
        return True
    word = last.group("word") or last.group("short") or last.group("brief") or ""
    if word.casefold() in _INDEXED or _CAMEL_CASE.match(word):
        return False
    if word in _SINGULAR and not _has_article(before[: last.start("word")]):
        return False
    is_first = _OPENING_WORD.fullmatch(before.strip("* \t\n")) is not None
    if last["brief"]:
        earlier = _AFTER_A_WORD.search(before[: last.start("brief")])
        follows = earlier is not None and earlier["word"].casefold() not in _CODE
        return (follows or is_first) and word.casefold() not in _BRIEF and _VOWEL.search(word) is not None
    return bool(_EARLIER_WORD.search(before) or is_first)


def ends_in_word(before: str) -> bool:
    """Whether `before` ends with a word of any length, except usual names of variables: a footnote may follow."""
    word = _PLAIN_WORD.search(before)
    return word is not None and word["word"].casefold() not in _CODE and not _CAMEL_CASE.match(word["word"])


def _has_article(before: str) -> bool:
    """Whether an article or its equivalent is the last word, or the one before a word that is not code."""
    article = _ARTICLE.search(before)
    return article is not None and (article["between"] or "").casefold() not in _CODE
