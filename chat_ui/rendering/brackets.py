"""What stands between two square brackets, and before them, as text: the parts of a list, a name without its dress."""

from __future__ import annotations

import re

SEPARATOR = re.compile(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+|\s*[|&]\s*|\s+/\s+")
LEAD = re.compile(
    r"(?P<source>(?:sources?|citations?|ref(?:erence)?s?)\b\s*[:#]?\s*)|(?:see(?:\s+also)?|from)\b\s*:?\s+",
    re.IGNORECASE,
)
_QUOTES = "*\"'“”‘’<>"
_LAST_WORD = re.compile(r"""(?:^|[\s"'“‘(])(?:([A-Za-z]{4,})|[A-Za-z]+['’][a-z]{1,2}|[$€£¥]?\d[\d.,]*)\Z""")
_EARLIER_WORD = re.compile(r"[A-Za-z]{2}\S*\s")
_OPENING_WORD = re.compile(r"[A-Z][a-z]{3,}")
_INDEXED = frozenset(
    str.split(
        "args argv array arrays buffer column columns cell cells data index items keys list lists matrix node row "
        "rows string table tuple value values vector"
    )
)


def listed(text: str) -> list[tuple[int, int]]:
    """Where the parts of a list stand in it; empty parts are left out."""
    spans: list[tuple[int, int]] = []
    start = 0
    for separator in SEPARATOR.finditer(text):
        spans.append((start, separator.start()))
        start = separator.end()
    return [(first, last) for first, last in (*spans, (start, len(text))) if text[first:last].strip()]


def undressed(name: str) -> str:
    """The name without a word such as `Source:` before it and quotes or emphasis around it."""
    bare = name.strip().strip(_QUOTES)
    lead = LEAD.match(bare)
    bare = bare[lead.end() :].strip().strip(_QUOTES) if lead else bare
    return bare[1:-1] if len(bare) > 2 and bare[0] == bare[-1] == "_" else bare


def is_subscripted(before: str) -> bool:
    """Whether a bracket after `before` is an index: after an identifier or another subscript."""
    if before.endswith(")"):
        before = before[: max(before.rfind("("), 0)]
    return bool(before) and (before[-1] in "]_" or (before[-1].isascii() and before[-1].isalnum()))


def is_prose(before: str) -> bool:
    """Whether `before` ends with a word or number of a sentence, as nobody would call an array."""
    last = _LAST_WORD.search(before)
    if last is None or (last.group(1) or "").casefold() in _INDEXED:
        return False
    return bool(_EARLIER_WORD.search(before) or _OPENING_WORD.fullmatch(before.strip()))
