"""Raw HTML that would cost the sanitiser more than its length, known before it is sanitised.

The sanitiser's cost grows with the square of the nesting, and with the square of the attributes of one tag. Where every
tag is plainly written both are counted. Where something could hide tags from a simple reading (comments, elements that
hold raw text, unbalanced quotes), the HTML has to be small instead.
"""

from __future__ import annotations

import re

MAX_DEPTH = 100
"""Nesting beyond which raw HTML is shown as text."""

MAX_WORDS = 200
"""Words in one tag beyond which raw HTML is shown as text."""

MAX_OBSCURE_TAGS = 500
MAX_OBSCURE_LENGTH = 200_000
"""Tags and characters beyond which HTML that is not plainly written is shown as text."""

_OPENING = re.compile(r"<[a-zA-Z/!?]")
_PLAIN_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>\"']*+)(?>[^<>\"']+|\"[^\"<>]*\"|'[^'<>]*')*+>")
_HOLDS_RAW_TEXT = frozenset(
    str.split("script style textarea title xmp iframe noembed noframes noscript plaintext template svg math select")
)
_END_MAY_BE_LEFT_OUT = frozenset(
    str.split("p li td th tr tbody thead tfoot dt dd br hr img input wbr col meta link base source area")
)


def is_costly(html: str) -> bool:
    """Whether HTML nests too deep or has too long a tag to be given to the sanitiser.

    Elements whose end may be left out do not count as nested: the next one of their kind closes them.
    """
    still_open: dict[str, int] = {}
    depth = 0
    for opening in _OPENING.finditer(html):
        tag = _PLAIN_TAG.match(html, opening.start())
        name = tag.group(2).lower() if tag else ""
        if tag is None or name in _HOLDS_RAW_TEXT:
            return len(html) > MAX_OBSCURE_LENGTH or len(_OPENING.findall(html)) > MAX_OBSCURE_TAGS
        if tag.end() - tag.start() > MAX_WORDS and len(tag.group().split()) > MAX_WORDS:
            return True
        if name in _END_MAY_BE_LEFT_OUT:
            continue
        count = still_open.get(name, 0)
        if not tag.group(1):
            still_open[name] = count + 1
            depth += 1
        elif count:
            still_open[name] = count - 1
            depth -= 1
        if depth > MAX_DEPTH:
            return True
    return False
