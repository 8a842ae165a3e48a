"""Formulas: LaTeX to native MathML, or to its own source if unreadable."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from typing import Final, NamedTuple

import nh3
from latex2mathml import converter, exceptions

MAX_FORMULA = 2_000
"""Characters beyond which a formula is shown as its source, since the cost of conversion is not linear."""


_OF_FORMULAS = re.compile(r"\\[A-Za-z]|[=^<>+×·≤≥≠≈∈→]|_\{|\b[A-Za-z]_\w")
_SHORT = re.compile(r"\s*(?:[A-Za-z]\d?'?|-?\d{1,3}|\[-?\w{1,3} ?[,;-] ?-?\w{1,3}\])\s*")
ENDS: Final = {"\\(": r"\)", "\\[": r"\]"}
"""The end of a formula, by its beginning other than a dollar."""

_UNKNOWN_TABLES = re.compile(r"\\(begin|end)\{(aligned|gathered)\}")
_KNOWN_TABLES = {"aligned": "split", "gathered": "matrix"}
"""Environments of the same look that the converter knows."""

_TAGS = set(
    str.split(
        "math mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle merror mpadded mphantom msub "
        "msup msubsup munder "
        "mover munderover mmultiscripts mprescripts none mtable mtr mtd menclose"
    )
)
_ATTRIBUTES = {
    "*": set(
        str.split(
            "accent accentunder columnalign columnlines columnspacing depth display displaystyle "
            "fence form frame height "
            "largeop linethickness lspace mathvariant maxsize minsize movablelimits notation "
            "rowlines rowspacing rspace "
            "scriptlevel separator stretchy symmetric voffset width"
        )
    )
}
_LENGTH_LIKE = re.compile(r"[\w\s.%+-]{0,40}")
_CONVERSION_ERRORS: tuple[type[Exception], ...] = (
    *(error for error in vars(exceptions).values() if isinstance(error, type)),
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    StopIteration,
    RuntimeError,
    TypeError,
    ValueError,
)


class BracketedFormula(NamedTuple):
    """A formula in LaTeX's own brackets: its source, its end with them, and whether it is a block."""

    source: str
    end: int
    display: bool


def bracketed_formula(text: str, start: int) -> BracketedFormula | None:
    r"""The formula in `\(…\)` or `\[…\]` at `start`; None for brackets that Markdown escapes."""
    closer = ENDS.get(text[start : start + 2])
    end = text.find(closer, start + 3, start + 4 + MAX_FORMULA) if closer else -1
    if end < 0:
        return None
    source, display = text[start + 2 : end], closer == r"\]"
    is_formula = _OF_FORMULAS.search(source) or (not display and _SHORT.fullmatch(source))
    return BracketedFormula(source, end + 2, display) if is_formula else None


@lru_cache(maxsize=512)
def formula_html(latex: str, *, display: bool) -> str:
    """Safe HTML for one formula: a `math` element, or a `code` element with a broken source."""
    source = latex.strip()
    if not source or len(source) > MAX_FORMULA or source.count("{") > 200:
        return _source_html(source)
    try:
        mathml = converter.convert(_known_tables(source), display="block" if display else "inline")
    except _CONVERSION_ERRORS:
        return _source_html(source)
    # The converter unescapes its output, which is as hostile as its input.
    safe = nh3.clean(mathml, tags=_TAGS, attributes=_ATTRIBUTES, attribute_filter=_attribute, link_rel=None)
    return safe if safe.startswith("<math") and safe.endswith("</math>") else _source_html(source)


def _known_tables(source: str) -> str:
    return _UNKNOWN_TABLES.sub(lambda found: f"\\{found[1]}{{{_KNOWN_TABLES[found[2]]}}}", source)


def _attribute(_tag: str, _name: str, value: str) -> str | None:
    return value if _LENGTH_LIKE.fullmatch(value) else None


def _source_html(source: str) -> str:
    return f'<code class="formula-source" dir="ltr">{escape(source)}</code>'
