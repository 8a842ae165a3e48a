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
    """`text` without a table's header line while the line below it is not there or not finished."""
    last = text[start:]
    if not last and start:
        previous_start = text.rfind("\n", 0, start - 1) + 1
        header = text[previous_start : start - 1]
        return text[:previous_start] if _is_header(text, previous_start, header) else text
    if _is_header(text, start, last):
        return text[:start]
    if start and last and _DELIMITER_START.fullmatch(last):
        previous_start = text.rfind("\n", 0, start - 1) + 1
        if _is_header(text, previous_start, text[previous_start : start - 1]):
            return text[:previous_start]
    return text


def _is_header(text: str, start: int, line: str) -> bool:
    """Whether a line that starts with a pipe is the first of its kind, so that it can only be a table's
    header.
    """
    if not _TABLE_LINE.match(line):
        return False
    above = text[text.rfind("\n", 0, start - 1) + 1 : start - 1] if start else ""
    return not _TABLE_LINE.match(above)
