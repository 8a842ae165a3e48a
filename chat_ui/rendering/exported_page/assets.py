"""The style and the script of the file, and the policy that lets nothing but these two in.

What stands in the file looks as in the product because the sheets are the product's own.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_COMPONENTS: Final = _HERE.parents[1] / "components"
_SHEETS: Final = (
    *("markup/" + name for name in ("citation", "code_block", "icon", "list", "table", "text")),
    "sources/claims",
    "sources/sources",
    "sources/thoughts",
    "thread/grounding",
    "thread/question_text",
)
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPACE: Final = re.compile(r"\s+")
_DARK: Final = re.compile(r"^\.dark \{(.*?)^\}", re.DOTALL | re.MULTILINE)
_MODULE_WORDS: Final = re.compile(r"^import .*\n|^export (?=function)", re.MULTILINE)
_SCRIPT_COMMENT: Final = re.compile(r"^ *(?://|/\*\*| \*).*\n", re.MULTILINE)
_FACE: Final = (
    '@font-face{{font-family:"Geist Variable";font-weight:100 900;font-display:block;'
    'src:url("data:font/woff2;base64,{data}") format("woff2")}}'
)


@lru_cache(maxsize=4)
def style(typeface: bytes = b"", accent: str = "", more: str = "") -> str:
    """The stylesheet. `typeface` is a WOFF2 file of Geist, without which the system's own is used; `accent` are rules
    that set the variables of another accent, `more` those of what else stands in the file.
    """
    face = _FACE.format(data=base64.b64encode(typeface).decode()) if typeface else ""
    own = "".join((_HERE / f"{name}.css").read_text("utf-8") for name in ("colours", "page"))
    return face + _small(_by_scheme(_sheets()) + own + more + accent)


@lru_cache(maxsize=2)
def script(more: Path | None = None) -> str:
    """The script: how the page of the product finds a claim in its answer, and what opens the panel; then that of the
    file `more`, if there is one.
    """
    sources = filter(None, (_COMPONENTS / "sources" / "passage_marks.js", _HERE / "page.js", more))
    body = "".join(_MODULE_WORDS.sub("", source.read_text("utf-8")) for source in sources)
    return _SCRIPT_COMMENT.sub("", f'(() => {{\n"use strict";\n{body}}})();\n')


def policy(style: str, script: str) -> str:
    """The Content Security Policy of the file with this style and script: it runs that alone, and reaches nothing."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sheets() -> str:
    return "".join((_COMPONENTS / f"{name}.css").read_text("utf-8") for name in _SHEETS)


def _by_scheme(sheets: str) -> str:
    """The sheets with what is for dark pages under the scheme of the system, which is the only choice in a file."""
    return _DARK.sub(r"@media screen and (prefers-color-scheme: dark){:root{\1}}", sheets)


def _small(sheet: str) -> str:
    return _SPACE.sub(" ", _COMMENT.sub("", sheet))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
