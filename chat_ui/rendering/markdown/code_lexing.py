"""Pygments' lexers, able to go on where they stopped.

A lexer made of regular expressions is a stack of states, but Pygments does not hand the stack out. This is its loop, on
its own tables, with a stack that the caller keeps. Lexers that rework their tokens afterwards (C and its relatives) are
followed without that last step, and a token that no line end has bounded yet (a long comment) may be read differently
once more of it is there: who shows code while it grows shows it once more when it has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard

from pygments.lexer import ExtendedRegexLexer, Lexer, RegexLexer
from pygments.token import Error, Whitespace, _TokenType

Stack = list[str]


def can_resume(lexer: Lexer) -> TypeGuard[RegexLexer]:
    """Whether `resumed_tokens` follows this lexer."""
    is_known = isinstance(lexer, RegexLexer) and not isinstance(lexer, ExtendedRegexLexer)
    return is_known and hasattr(lexer, "_tokens")


def resumed_tokens(lexer: RegexLexer, text: str, stack: Stack) -> Iterator[tuple[int, _TokenType, str]]:
    """The tokens of `text`, from the state in `stack`, which follows what was read.

    Each comes with its position where the lexer could stop there and go on from `stack`, else with -1.
    """
    tables: dict[str, Any] = lexer._tokens  # type: ignore[attr-defined]  # the compiled form of `tokens`
    position = 0
    while position < len(text):
        for match_at, action, change in tables[stack[-1]]:
            match = match_at(text, position)
            if not match:
                continue
            if isinstance(action, _TokenType):
                yield position, action, match.group()
            elif action is not None:
                for start, kind, value in action(lexer, match):
                    yield start if start == position else -1, kind, value
            position = match.end()
            _change(stack, change)
            break
        else:
            if text[position] == "\n":
                stack[:] = ["root"]
                yield position, Whitespace, "\n"
            else:
                yield position, Error, text[position]
            position += 1


def _change(stack: Stack, change: tuple[str, ...] | int | str | None) -> None:
    if isinstance(change, int):
        del stack[max(1, len(stack) + change) if change < 0 else change :]
    elif change is not None:
        for state in (change,) if isinstance(change, str) else change:
            if state == "#pop":
                del stack[max(1, len(stack) - 1) :]
            else:
                stack.append(stack[-1] if state == "#push" else state)
