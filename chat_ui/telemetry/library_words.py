"""The words of a library's log record as its source has them, without the values that it puts between them.

A value may be anything that people send. So the words come from the file of the library, and never from the record.
"""

from __future__ import annotations

import ast
import linecache
import re
from contextlib import suppress
from functools import lru_cache
from typing import Final

_CALL: Final = re.compile(r"(?i)[\w.]*log\w*(?:\([^()]*\))?\.(?:debug|info|warning|error|exception|critical)\(")
_MOST_LINES: Final = 20
_VALUE: Final = "…"
_PLACEHOLDER: Final = re.compile(r"%(?:\(\w+\))?[-#0 +]*[\d*]*(?:\.\d+)?[a-zA-Z]|{[^{}]*}")


@lru_cache(maxsize=512)
def words_at(path: str, line: int) -> str:
    """The words of the call that logs at this line of a file; empty where they stand elsewhere."""
    source = "".join(linecache.getlines(path)[line - 1 : line - 1 + _MOST_LINES])
    if (begin := _CALL.search(source.partition("\n")[0])) is None:
        return ""
    for end in re.compile(r"\)").finditer(source, begin.end()):
        with suppress(SyntaxError):
            match ast.parse(source[begin.start() : end.end()], mode="eval").body:
                case ast.Call(args=[message, *_]):
                    return " ".join(_words(message).split())
    return ""


def _words(message: ast.expr) -> str:
    match message:
        case ast.Constant(value=str(words)):
            return _PLACEHOLDER.sub(_VALUE, words)
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else _VALUE for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _words(left) + _words(right)
        case ast.BinOp(left=left, op=ast.Mod()):
            return _words(left)
        case ast.Call(func=ast.Attribute(value=ast.Constant() as words, attr="format")):
            return _words(words)
    return ""
