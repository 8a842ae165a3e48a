"""markdown-it's rules whose cost or output can be out of proportion to what they read, each with a bound."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Final

from markdown_it.helpers import parseLinkTitle
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_inline import StateInline

from chat_ui.rendering.markdown.link_addresses import link_destination

MAX_PADDED: Final = 2_000
"""Cells that the rows of one table may lack: each is made up, so that a short text could become a very long table."""

_LABEL_STEPS: Final = 10
"""Steps for each character of a piece of text in which the ends of its brackets are looked for."""
_FEWEST_STEPS: Final = 1_000
_STEPS_TAKEN: Final = -1
"""Where in a state's cache, which goes by position, the steps are counted."""
_NO_TABLE_BEFORE: Final = "chat_ui.no_table_before"


def link_label(state: StateInline, start: int, disableNested: bool = False) -> int:  # noqa: N803 - markdown-it's name
    """Where the label of a link ends that begins at `start`; -1 where it does not end.

    The library looks through all that follows for each bracket that opens: here all brackets of one text together may
    take so many steps as are in proportion to its length, and brackets beyond are text.
    """
    end, level, before = -1, 1, state.pos
    steps = state.cache.get(_STEPS_TAKEN, 0)
    most = _FEWEST_STEPS + _LABEL_STEPS * len(state.src)
    state.pos = start + 1
    while state.pos < state.posMax and steps < most:
        steps += 1
        position = state.pos
        marker = state.src[position]
        if marker == "]":
            level -= 1
            if level == 0:
                end = position
                break
        state.md.inline.skipToken(state)
        if marker == "[":
            if state.pos == position + 1:
                level += 1
            elif disableNested:
                break
    state.pos = before
    state.cache[_STEPS_TAKEN] = max(steps, state.cache.get(_STEPS_TAKEN, 0))
    return end


HELPERS: Final = SimpleNamespace(
    parseLinkLabel=link_label, parseLinkDestination=link_destination, parseLinkTitle=parseLinkTitle
)
"""What markdown-it's own rules find the parts of a link with."""


def bounded_table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The block rule for tables, where the rows do not lack too many cells; the lines of such a table are text."""
    if start_line < state.env.get(_NO_TABLE_BEFORE, 0) or not table(state, start_line, end_line, True):
        return False
    columns = _cells(state, start_line)
    padded = 0
    for line in range(start_line + 2, end_line):
        if state.isEmpty(line):
            break
        padded += max(0, columns - _cells(state, line))
        if padded > MAX_PADDED:
            state.env[_NO_TABLE_BEFORE] = _end_of_lines(state, line, end_line)
            return False
    first = len(state.tokens)
    if not silent:
        table(state, start_line, end_line, False)
        _keep_further_cells(state, first)
    return True


def _keep_further_cells(state: StateBlock, first: int) -> None:
    """Have the last cell of each row hold what the row has beyond the columns of its table, which the library drops."""
    columns = sum(token.type == "th_open" for token in state.tokens[first:])
    cell, cells = 0, [""]
    for token, inner in pairwise(state.tokens[first:]):
        if token.type == "tr_open" and token.map:
            line, cell = token.map[0], 0
            text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()
            cells = escapedSplit(text.removeprefix("|")) if text.count("|") >= columns else []
        elif token.type == "td_open":
            cell += 1
            if cell == columns and len(cells) > columns:
                inner.content = "|".join(cells[columns - 1 :]).strip().removesuffix("|").strip()


def _cells(state: StateBlock, line: int) -> int:
    start, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    return state.src.count("|", start, end) + 1 - state.src.startswith("|", start, end)


def _end_of_lines(state: StateBlock, line: int, end_line: int) -> int:
    while line < end_line and not state.isEmpty(line):
        line += 1
    return line
