"""markdown-it's block rules of our own: formulas, raw HTML that is known to be markup, fences, tables, and ends of
blocks.

A block of Markdown may contain blocks of code with fences of one length. CommonMark ends the outer block at the first
bare fence, the end of an inner block, and then swaps text and code. Here a fence with an info string in a block of
Markdown opens an inner block, if every fence has its end. Else CommonMark's rule applies, once the text has ended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock, fence, html_block, table
from markdown_it.rules_block.table import escapedSplit
from mdit_py_plugins.dollarmath.index import math_block_dollar

from chat_ui.protocol.answers.markup import CONTAINERS, PARTS, TAGS, VOID
from chat_ui.rendering.markdown.code_blocks import language_of
from chat_ui.rendering.markdown.token_html import PARSING, Parsing

MAX_MERGED_LINES: Final = 2_000
"""Lines over which a raw element with blocks, such as `<table>`, may stay open across blank lines."""

_PLUGIN_FORMULA = math_block_dollar(allow_labels=False, allow_blank_lines=False)
_START = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)(?=[\s/>]|$)(?P<prose>[^<>]*>[ \t]+[^\s<])?", re.MULTILINE)
_CLOSING = re.compile(r"</([a-zA-Z][a-zA-Z0-9]*)")
_HOLDING = re.compile(rf"<(/?)({'|'.join(sorted(CONTAINERS))})\b", re.IGNORECASE)
_NEVER_CLOSED: Final = "chat_ui.never_closed"
_OPEN: Final = "chat_ui.open"
_LAST_CLOSING: Final = "chat_ui.last_closing"
_ENDED: Final = ("paragraph", "reference", "blockquote", "list")
_FIRST: Final = frozenset("`~>*-_+#<[0123456789")
"""First characters of a fence, quote, rule, list, heading, raw HTML or footnote; formulas do not end blocks."""
_UNDER_TABLE_HEAD: Final = frozenset("|-:")

_MARKDOWN: Final = frozenset({"markdown", "md", "mdx"})
_FENCE: Final = re.compile(
    r"^[ \t>]*(?P<item>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<marks>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$",
    re.MULTILINE,
)
_ENDLESS: Final = -1
_LONGEST_IN_ITEM: Final = 200
"""Lines of such a block in an item of a list, each of which has to be in the item."""
MAX_PADDED: Final = 2_000
"""Missing cells in the rows of one table: the table would fill them, so a short text could become very long."""
_NO_TABLE_BEFORE: Final = "chat_ui.no_table_before"


def formula_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The plugin's block rule, for one formula: it takes `$$x$$ and $$y$$` for one."""
    if not _PLUGIN_FORMULA(state, start_line, end_line, silent):
        return False
    if silent or "$$" not in state.tokens[-1].content:
        return True
    state.tokens.pop()
    state.line = start_line
    return False


def raw_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The block rule for raw HTML whose first tag is markup, or may yet be.

    An element, or a part of it such as a row, has to end before the next blank line. An element with blocks may end
    later, unless it is in a list or quote, or words follow its tag on the line, as in prose about it. Parts of an open
    one may too.
    """
    begins = state.bMarks[start_line] + state.tShift[start_line]
    start = _START.match(state.src, begins, state.eMarks[start_line])
    name = start.group(2).lower() if start else ""
    never_closed = state.env.setdefault(_NEVER_CLOSED, {})
    if start is None or name not in TAGS or start_line < never_closed.get(name, 0):
        return False
    line = state.line
    if (silent and not html_block(state, start_line, end_line, True)) or not html_block(
        state, start_line, end_line, False
    ):
        return False
    is_markup = _is_markup(state, start, state.tokens[-1].content)
    if not is_markup:
        never_closed[name] = state.line
    if silent or not is_markup:
        state.tokens.pop()
        state.line = line
    elif not state.level:
        _note_open(state.env.setdefault(_OPEN, set()), state.tokens[-1].content)
    return is_markup


def _note_open(still_open: set[str], content: str) -> None:
    """Note the open elements with blocks after raw HTML."""
    for tag in _HOLDING.finditer(content):
        (still_open.discard if tag.group(1) else still_open.add)(tag.group(2).lower())


def _is_markup(state: StateBlock, start: re.Match[str], content: str) -> bool:
    """Whether the block with this content, which ends before the state's line, begins with markup."""
    name, is_prose = start.group(2).lower(), start["prose"] is not None
    if start.group(1):
        return name in CONTAINERS or name in PARTS
    if name in VOID:
        return not is_prose
    closings = {found.group(1).lower() for found in _CLOSING.finditer(content)}
    if closings & {name, *PARTS.get(name, ())} or any(name in PARTS.get(closing, ()) for closing in closings):
        return True
    parsing: Parsing = state.env[PARSING]
    if parsing.open_ended and not state.src[state.eMarks[state.line - 1] :].strip():
        return True
    may_go_on = name in CONTAINERS or not state.env.get(_OPEN, frozenset()).isdisjoint(PARTS.get(name, ()))
    if not may_go_on or is_prose or state.level:
        return False
    is_too_far = len(state.bMarks) - state.line >= MAX_MERGED_LINES
    return parsing.open_ended or is_too_far or _last_closing(state, name) > start.start()


def _last_closing(state: StateBlock, name: str) -> int:
    """The index of the last end tag of this name in the text, else -1."""
    if _LAST_CLOSING not in state.env:
        state.env[_LAST_CLOSING] = {found.group(1).lower(): found.start() for found in _CLOSING.finditer(state.src)}
    return int(state.env[_LAST_CLOSING].get(name, -1))


def ask_by_first_character(ruler: Ruler[RuleFuncBlockType]) -> None:
    """Make a ruler ask its block-ending rules only about lines with a fitting first character. markdown-it asks each
    rule about every line of a paragraph, a list item and a table.
    """
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


@lru_cache(maxsize=8)
def _ends(text: str, inside: tuple[str, ...]) -> tuple[Mapping[int, int], tuple[str, ...]]:
    """The line at which each fence with an info string ends, by its own line, `_ENDLESS` for those without an end; and
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
            ends[line] = _ENDLESS
            still_open += [(_ENDLESS, each) for each in inside] if len(ends) == 1 else []
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
    """The block rule for fences. The token's meta has the marks that were open `inside` before its first line."""
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
    if end == _ENDLESS and parsing.open_ended and state.eMarks[end_line - 1] >= len(state.src) - 1:
        end = end_line
    if state.line <= end <= end_line and _is_inside(state, start_line, min(end, end_line - 1)):
        token.content = state.getLines(start_line + 1, end, state.sCount[start_line], True)
        state.line = min(end + 1, end_line)
        token.map = [start_line, state.line]
    return True


def _is_inside(state: StateBlock, first: int, last: int) -> bool:
    """Whether the lines are all in the list item of the first, if any."""
    if not state.blkIndent:
        return True
    lines = range(first, last + 1)
    return len(lines) <= _LONGEST_IN_ITEM and all(
        state.isEmpty(line) or state.sCount[line] >= state.blkIndent for line in lines
    )


def bounded_table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The block rule for tables without too many missing cells; the lines of other tables are text."""
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
    """Put cells beyond the columns of a table into the last cell of the row; the library drops them."""
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
