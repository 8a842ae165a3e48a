"""Blocks of Markdown that hold blocks of code, under fences of one length.

CommonMark ends such a block at the first bare fence, which ends a block in it, and all that follows changes places:
text is code, and code text. Here a fence with an info string in a block of Markdown opens a block of its own, if every
fence has its end. Else CommonMark's rule holds, once the text has ended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from markdown_it.rules_block import StateBlock, fence

from chat_ui.rendering.markdown.code_blocks import language_of
from chat_ui.rendering.markdown.token_html import PARSING, Parsing

_MARKDOWN: Final = frozenset({"markdown", "md", "mdx"})
_FENCE: Final = re.compile(
    r"^[ \t>]*(?P<item>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<marks>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$",
    re.MULTILINE,
)
_OPEN: Final = -1
_LONGEST_IN_ITEM: Final = 200
"""Lines of such a block in an item of a list, each of which has to be in the item."""


@lru_cache(maxsize=8)
def _ends(text: str, inside: tuple[str, ...]) -> tuple[Mapping[int, int], tuple[str, ...]]:
    """The line at which each fence ends that has an info string, by its own line, `_OPEN` for those without an end; and
    the marks of these. After the first fence, blocks with the marks `inside` are open already.
    """
    ends: dict[int, int] = {}
    still_open: list[tuple[int, str]] = []
    line = position = 0
    for found in _FENCE.finditer(text):
        line += text.count("\n", position, found.start())
        position = found.start()
        marks = found["marks"]
        if found["item"] or found["info"].strip():
            still_open.append((line, marks))
            ends[line] = _OPEN
            still_open += [(_OPEN, each) for each in inside] if len(ends) == 1 else []
        elif still_open and marks.startswith(still_open[-1][1]):
            ends[still_open.pop()[0]] = line
    return ends, tuple(marks for _, marks in still_open)


def open_fences(opening: str, code: str, inside: tuple[str, ...]) -> tuple[str, ...]:
    """The marks of the blocks that are open after `code`, in a block that the line `opening` opens."""
    return _ends(f"{opening}\n{code}", inside)[1][1:]


def holds_markdown(info: str) -> bool:
    """Whether a block with that info string is Markdown."""
    return language_of(info).casefold() in _MARKDOWN


def nested_fence(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The block rule for fences. The token's meta has what was open `inside` before its first line."""
    if not fence(state, start_line, end_line, silent):
        return False
    if silent:
        return True
    token = state.tokens[-1]
    if not holds_markdown(token.info):
        return True
    parsing: Parsing = state.env[PARSING]
    inside = parsing.code_start.fences if parsing.code_start else ()
    token.meta["inside"] = inside
    end = _ends(state.src, inside)[0].get(start_line, start_line)
    if end == _OPEN and parsing.open_ended and state.eMarks[end_line - 1] >= len(state.src) - 1:
        end = end_line
    if state.line <= end <= end_line and _is_inside(state, start_line, min(end, end_line - 1)):
        token.content = state.getLines(start_line + 1, end, state.sCount[start_line], True)
        state.line = min(end + 1, end_line)
        token.map = [start_line, state.line]
    return True


def _is_inside(state: StateBlock, first: int, last: int) -> bool:
    """Whether the lines are all in the item of a list in which the first is, if that is in one."""
    if not state.blkIndent:
        return True
    lines = range(first, last + 1)
    return len(lines) <= _LONGEST_IN_ITEM and all(
        state.isEmpty(line) or state.sCount[line] >= state.blkIndent for line in lines
    )
