"""A conversation, or one answer, as an HTML file without a network, and the common parts of such documents."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Final

_TOKENS: Final = Path(__file__).parents[1] / "tokens.css"
_MARKUP: Final = Path(__file__).parents[2] / "page" / "markup"
CONTROLS: Final = (_MARKUP / "base.css", _MARKUP / "media.css")
"""The sheets of controls and focus, and of media such as paper."""
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPACE: Final = re.compile(r"\s+")


def style_of(*sheets: Path, rules: str = "") -> str:
    """The variables, these sheets and then these rules as one style, without comments and needless spaces."""
    complete = "".join(sheet.read_text("utf-8") for sheet in (_TOKENS, *sheets)) + rules
    return _SPACE.sub(" ", _COMMENT.sub("", complete))


def source_of(text: str) -> str:
    """An inline script or style as a source of a Content Security Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
