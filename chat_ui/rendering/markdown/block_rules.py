"""markdown-it's block rules of our own: formulas, and raw HTML that is known to be markup."""

from __future__ import annotations

import re
from typing import Final

from markdown_it.rules_block import StateBlock, html_block
from mdit_py_plugins.dollarmath.index import math_block_dollar

from chat_ui.protocol.answers.markup import CONTAINERS, PARTS, TAGS, VOID
from chat_ui.rendering.markdown.token_html import PARSING, Parsing

MAX_MERGED_LINES: Final = 2_000
"""Lines over which a raw element that holds blocks, such as `<table>`, may stay open across blank lines."""

_PLUGIN_FORMULA = math_block_dollar(allow_labels=False, allow_blank_lines=False)
_START = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)(?=[\s/>]|$)(?P<prose>[^<>]*>[ \t]+[^\s<])?", re.MULTILINE)
_CLOSING = re.compile(r"</([a-zA-Z][a-zA-Z0-9]*)")
_HOLDING = re.compile(rf"<(/?)({'|'.join(sorted(CONTAINERS))})\b", re.IGNORECASE)
_NEVER_CLOSED: Final = "chat_ui.never_closed"
_OPEN: Final = "chat_ui.open"
_LAST_CLOSING: Final = "chat_ui.last_closing"


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
    """The block rule for raw HTML, where the tag that begins it is markup, or may yet be.

    An element, or a part of it such as a row, has to end before the next blank line. An element that holds blocks may
    end later, unless it stands in a list or quote, or words follow its tag on the line, as where prose speaks of it;
    and so may the parts of one that is open.
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
    """Note which elements that hold blocks are open after raw HTML."""
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
    """Where the last end tag of this name stands in the text; -1 where there is none."""
    if _LAST_CLOSING not in state.env:
        state.env[_LAST_CLOSING] = {found.group(1).lower(): found.start() for found in _CLOSING.finditer(state.src)}
    return int(state.env[_LAST_CLOSING].get(name, -1))
