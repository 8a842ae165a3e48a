"""Code blocks: coloured by Pygments with classes, under a header with the language and a copy button.

The lines are in chunks, an element each. A complete chunk does not change while its block grows, and a browser lays out
only the chunks in sight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from io import StringIO
from itertools import accumulate
from time import thread_time
from typing import Any, Final, TypeGuard

from pygments.formatters import HtmlFormatter
from pygments.lexer import ExtendedRegexLexer, Lexer, RegexLexer
from pygments.lexers import find_lexer_class_by_name
from pygments.token import STANDARD_TYPES, Error, Token, Whitespace, _TokenType
from pygments.util import ClassNotFound

from chat_ui.rendering.html.parts import CodeHeader

CHUNK_LINES = 8

MAX_COLOURED = 50_000
"""Characters of code after which the chunks of a block are shown without colours."""

MAX_COLOURED_LINE = 1_500
"""Characters of one line from which on a block is shown without colours: lexers are not linear in a line."""

MAX_BLANK_LINES = 64
"""Consecutive blank lines from which on a block is shown without colours: many lexers search all that follow each."""

SECONDS_OF_COLOURING = 0.003
SECONDS_FOR_EACH = 0.000_01
"""Processor time that the colours of one block may cost, and the addition of each character. Most lexers are many times
as fast, and most have an input, often blank lines, with quadratic cost. After that time, lines get no colours.
"""
BESIDE: Final = 5
"""The factor of that time in a process beside the server, which may have just begun and be slow."""
allowance = 1
"""The factor of that time in this process."""
_TOKENS_UNTIMED = 8

PLAIN_AFTER = 64
"""Lines after which a growing block gets its colours only at its end, if its lexer cannot resume."""

_COLOURED_CLASSES = frozenset(
    str.split(
        "c c1 ch cm cp cpf cs k kc kd kn kp kr ow nt s s1 s2 sa sb sc dl sd se sh si sx sr ss m mb mf mh mi il mo "
        "no na bp nb nv vi vc vg nf fm nd ne nl nc nn kt ni gd gi gh gu gs ge"
    )
)
_UNCOLOURED = frozenset(
    str.split(
        "ansys antlr-actionscript antlr-cpp antlr-csharp antlr-java antlr-objc antlr-perl antlr-python antlr-ruby "
        "autohotkey autoit c-objdump cpp-objdump css+genshitext d-objdump devicetree easytrieve evoque fstar "
        "html+evoque html+handlebars html+ng2 igor janet jlcon js+genshitext k lilypond macaulay2 maple modelica mql "
        "ncl ng2 openedge phix scilab stata wikitext xml+evoque xml+lasso xpp"
    )
)
"""Languages whose lexers may hang on one expression, without an interrupt, or take 100 ms to load."""
SLOW_TO_LOAD: Final = (
    "css", "scala", "julia", "mysql", "matlab", "kotlin", "less", "csharp", "ruby", "php", "racket", "octave", "xquery",
    "googlesql",
)  # fmt: skip
"""Common languages whose lexers take 25 to 140 ms to load, once in a process."""
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_FORMATTER = HtmlFormatter(nowrap=True)
Stack = list[str]


@dataclass(frozen=True, slots=True)
class CodeState:
    """The state at the beginning of a chunk: the lexer's stack, empty for code without colours, and the `characters` of
    code before it. In Markdown, `fences` are the marks of the open blocks of code.
    """

    stack: tuple[str, ...] = ("root",)
    characters: int = 0
    fences: tuple[str, ...] = ()


def language_of(info: str) -> str:
    """The language in a fence's info string, else empty."""
    words = info.strip().split(maxsplit=1)
    language = words[0].strip("{}.") if words else ""
    return language if _LANGUAGE.fullmatch(language) else ""


def code_block(
    code: str, info: str = "", start: CodeState | None = None, states: dict[int, CodeState] | None = None
) -> tuple[str | CodeHeader, ...]:
    """The safe parts of a block of code; `info` is the fence's info string.

    With `states`, the code may go on. It begins with a line in the state `start`, and `states` gains the state at each
    chunk's beginning, by line counted from that one.
    """
    language = language_of(info)
    lexer = lexer_for(language.casefold()) if language else None
    lines = code.removesuffix("\n").split("\n") if code else []
    html = _lines_html(lexer, lines, start or CodeState(), states)
    chunks = ("\n".join(html[start : start + CHUNK_LINES]) for start in range(0, len(html), CHUNK_LINES))
    content = "".join(f'<span class="code-lines">{chunk}\n</span>' for chunk in chunks)
    return (
        '<div class="code-block" dir="ltr"><div class="code-header">',
        CodeHeader(lexer.name if lexer else language or "text"),
        f'</div><pre tabindex="0"><code>{content}</code></pre></div>',
    )


def _lines_html(
    lexer: Lexer | None, lines: list[str], start: CodeState, states: dict[int, CodeState] | None
) -> list[str]:
    offsets = list(accumulate((len(line) + 1 for line in lines), initial=start.characters))
    coloured = _coloured_count(lines, offsets) if lexer and start.stack else 0
    resumable = lexer if lexer and can_resume(lexer) else None
    if states is not None and not resumable:
        coloured = min(coloured, PLAIN_AFTER)
    text = "".join(line + "\n" for line in lines[:coloured])
    if states is not None:
        plain = (line for line in range(0, len(lines), CHUNK_LINES) if line >= coloured)
        states.update((line, CodeState((), offsets[line])) for line in plain)
    tokens: Iterator[tuple[_TokenType, str]] = iter(())
    if states is not None and resumable:
        tokens = _resumed(resumable, text, start, states)
    elif lexer and text:
        tokens = lexer.get_tokens(text)
    # A lexer may drop the beginning of its text.
    html = _html(_in_time(tokens, len(text)))[:coloured] if text else []
    return html + [escape(line) for line in lines[len(html) :]]


def _coloured_count(lines: list[str], offsets: list[int]) -> int:
    blank = 0
    for start in range(0, len(lines), CHUNK_LINES):
        chunk = lines[start : start + CHUNK_LINES]
        blank = blank + CHUNK_LINES if not any(map(str.strip, chunk)) else 0
        if offsets[start] >= MAX_COLOURED or max(map(len, chunk)) > MAX_COLOURED_LINE or blank > MAX_BLANK_LINES:
            return start
    return len(lines)


def _html(tokens: Iterator[tuple[_TokenType, str]]) -> list[str]:
    html = StringIO()
    _FORMATTER.format(((_styled(kind), value) for kind, value in tokens), html)
    return html.getvalue().removesuffix("\n").split("\n")


def _in_time(tokens: Iterator[tuple[_TokenType, str]], characters: int) -> Iterator[tuple[_TokenType, str]]:
    """The tokens of so many characters that come in time, up to the last whole line of them.

    The longest wait for some tokens is not counted: it may be garbage collection, or time of the machine's host. Slow
    lexers are slow more than once.
    """
    allowed = allowance * (SECONDS_OF_COLOURING + SECONDS_FOR_EACH * characters)
    began = before = thread_time()
    longest = 0.0
    line: list[tuple[_TokenType, str]] = []
    for count, (kind, value) in enumerate(tokens, 1):
        line.append((kind, value))
        if "\n" in value:
            if not value.endswith("\n"):
                complete, newline, rest = value.rpartition("\n")
                line[-1] = kind, complete + newline
                yield from line
                line = [(kind, rest)]
            else:
                yield from line
                line = []
        if count % _TOKENS_UNTIMED == 0:
            now = thread_time()
            longest, before = max(longest, now - before), now
            if now - began - longest > allowed:
                return
    yield from line


def _resumed(
    lexer: RegexLexer, text: str, start: CodeState, states: dict[int, CodeState]
) -> Iterator[tuple[_TokenType, str]]:
    stack = list(start.stack)
    line = 0
    for position, kind, value in resumed_tokens(lexer, text, stack):
        if line % CHUNK_LINES == 0 and position >= 0 and line not in states and text[position - 1 : position] in "\n":
            states[line] = CodeState(tuple(stack), start.characters + position)
        line += value.count("\n")
        yield kind, value


@lru_cache(maxsize=1024)
def _styled(kind: _TokenType) -> _TokenType:
    """The kind, or its nearest ancestor, that the stylesheet colours; else plain text."""
    return next((one for one in reversed(kind.split()) if STANDARD_TYPES.get(one) in _COLOURED_CLASSES), Token.Text)


@lru_cache(maxsize=64)
def lexer_for(language: str) -> Lexer | None:
    """The lexer of a language, loaded on first use; else None."""
    try:
        kind = find_lexer_class_by_name(language)
    except ClassNotFound:
        return None
    return None if kind.aliases[0] in _UNCOLOURED else kind(stripnl=False, ensurenl=False)


def can_resume(lexer: Lexer) -> TypeGuard[RegexLexer]:
    """Whether `resumed_tokens` follows this lexer."""
    is_known = isinstance(lexer, RegexLexer) and not isinstance(lexer, ExtendedRegexLexer)
    return is_known and hasattr(lexer, "_tokens")


def resumed_tokens(lexer: RegexLexer, text: str, stack: Stack) -> Iterator[tuple[int, _TokenType, str]]:
    """The tokens of `text`, from the state in `stack`, which follows the earlier text.

    Each comes with its position if the lexer could stop there and go on from `stack`, else with -1. This is the loop of
    Pygments, on its own tables, with the caller's stack, which Pygments does not return. The last step of lexers that
    rework their tokens (C and its relatives) is left out. A token without a line end so far (a long comment) may be
    read differently later: the caller shows code once more at its end.
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
