"""Code blocks: coloured by Pygments with classes, under a header with the language and a copy button."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

MAX_COLOURED = 100_000
"""Characters of code beyond which a block is shown without colours."""

MAX_COLOURED_LINE = 5_000
"""Characters of one line beyond which its block is shown without colours: lexers are not linear in a line."""

_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_FORMATTER = HtmlFormatter(nowrap=True)


def language_of(info: str) -> str:
    """The language that a fence's info string names, empty where it names none."""
    words = info.strip().split(maxsplit=1)
    language = words[0].strip("{}.") if words else ""
    return language if _LANGUAGE.fullmatch(language) else ""


def code_block_html(code: str, info: str = "") -> str:
    """Safe HTML for a block of code; `info` is the fence's info string."""
    language = language_of(info)
    return (
        '<div class="code-block" dir="ltr"><div class="code-header">'
        f'<span class="code-language">{escape(language or "text")}</span>'
        '<button type="button" class="copy-code" data-copy aria-label="Copy code">Copy</button></div>'
        f'<pre tabindex="0"><code>{_coloured(code, language)}</code></pre></div>'
    )


def _coloured(code: str, language: str) -> str:
    lexer = _lexer(language.casefold()) if language else None
    if lexer is None or len(code) > MAX_COLOURED or max(map(len, code.split("\n"))) > MAX_COLOURED_LINE:
        return escape(code)
    return str(highlight(code, lexer, _FORMATTER))


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
