"""Asks the block rules that can end a block only about lines whose first character may be theirs.

markdown-it asks every rule that can end a paragraph about every line of it, twice, and likewise for the lines of a list
item and a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock

_ENDED: Final = ("paragraph", "reference", "blockquote", "list")
_FIRST: Final = frozenset("`~>*-_+#<[0123456789")
"""What a fence, quote, rule, list, heading, raw HTML or footnote begins with; formulas end nothing."""
_UNDER_TABLE_HEAD: Final = frozenset("|-:")


def ask_by_first_character(ruler: Ruler[RuleFuncBlockType]) -> None:
    """Have the rules of a ruler that can end a block asked where a line may be theirs, and nowhere else."""
    asked = {ended: ruler.getRules(ended) for ended in _ENDED}
    for rule in ruler.__rules__:
        rule.alt = []
    for ended, rules in asked.items():
        ruler.push(f"ends_{ended}", _one_of(rules), {"alt": [ended]})


def _one_of(rules: Sequence[RuleFuncBlockType]) -> RuleFuncBlockType:
    def begins(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        if not silent or not (_first(state, line) in _FIRST or _first(state, line + 1) in _UNDER_TABLE_HEAD):
            return False
        return any(rule(state, line, end, True) for rule in rules)

    return begins


def _first(state: StateBlock, line: int) -> str:
    start = state.bMarks[line] + state.tShift[line]
    return state.src[start : start + 1]
