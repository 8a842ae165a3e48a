"""The last line of a text that is still growing, where it may yet become something else."""

from __future__ import annotations

import re

_HALF_LINE = re.compile(
    r"[ \t]{0,3}(?:[-=*_+][-=*_+ \t]*|#{1,6}[ \t]*|\d{1,9}[.)][ \t]*|>[> \t]*|`{1,2}|~{1,2}|:|\|[| \t]*)"
)
_TABLE_LINE = re.compile(r"[ \t]{0,3}\|")
_DELIMITER_START = re.compile(r"[ \t]{0,3}\|?[ \t:|-]*")


def without_half_line(text: str) -> str:
    """`text` without a last, unfinished line that may yet become a list, a heading, a rule, a fence or a
    table.
    """
    start = text.rfind("\n") + 1
    return _without_half_table(text[:start] if _HALF_LINE.fullmatch(text, start) else text, start)


def _without_half_table(text: str, start: int) -> str:
    """`text` without a table's header line while the line below it, at `start`, is not there or not finished."""
    if _is_header(text, start):
        return text[:start]
    if start and _DELIMITER_START.fullmatch(text, start):
        above = _line_above(text, start)
        if _is_header(text, above):
            return text[:above]
    return text


def _is_header(text: str, start: int) -> bool:
    """Whether the line at `start` begins with a pipe and is the first of its kind, so that it can only be a table's
    header.
    """
    is_first = not start or not _TABLE_LINE.match(text, _line_above(text, start))
    return is_first and _TABLE_LINE.match(text, start) is not None


def _line_above(text: str, start: int) -> int:
    """Where the line begins that ends before `start`."""
    return text.rfind("\n", 0, start - 1) + 1
