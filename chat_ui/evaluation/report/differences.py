"""Two texts as one, in which the words of only one of them are marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape
from typing import Final

MOST_WORDS: Final = 2_000
"""Words of a text that are compared: the work grows with their square."""
_MOST_PAIRS: Final = 100_000
"""Pairs of equal words that are looked at."""
_SHORT: Final = 2
"""Words in common between two differences that are not worth an interruption."""
_WORD: Final = re.compile(r"(?:\w+|[^\w\s])\s*|\s+")


def differences_html(old: str, new: str) -> str:
    """Safe HTML of `new`, with the words that only it has in `ins`, and those that only `old` has in `del`."""
    before, after = _WORD.findall(old)[:MOST_WORDS], _WORD.findall(new)[:MOST_WORDS]
    is_whole = len(before) < MOST_WORDS and len(after) < MOST_WORDS
    cut = "" if is_whole else "<p><small>Only the beginnings are compared.</small></p>"
    return f'<p class="differences" dir="auto">{"".join(_pieces(before, after))}</p>{cut}'


def _pieces(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for old, new in _runs(before, after):
        gone, come = escape("".join(old)), escape("".join(new))
        if old == new:
            yield come
            continue
        if gone:
            yield f"<del>{gone}</del>"
        if come:
            yield f"<ins>{come}</ins>"


def _matcher(before: Sequence[str], after: Sequence[str]) -> SequenceMatcher[str]:
    """What compares them. Where words come so often that it would take long, the frequent ones match nothing."""
    often = Counter(after)
    return SequenceMatcher(None, before, after, sum(often[word] for word in before) > _MOST_PAIRS)


def _runs(before: Sequence[str], after: Sequence[str]) -> list[tuple[list[str], list[str]]]:
    """The words of both in runs that are the same, and runs that differ, which take in what little is between them."""
    runs: list[tuple[list[str], list[str]]] = []
    for what, old_start, old_end, new_start, new_end in _matcher(before, after).get_opcodes():
        old, new = list(before[old_start:old_end]), list(after[new_start:new_end])
        if what == "equal":
            runs.append((old, new))
            continue
        if len(runs) > 1 and len(runs[-1][0]) <= _SHORT:
            between = runs.pop()
            old, new = [*runs[-1][0], *between[0], *old], [*runs[-1][1], *between[1], *new]
            runs.pop()
        runs.append((old, new))
    return runs
