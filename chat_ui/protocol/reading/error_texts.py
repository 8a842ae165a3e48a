"""Errors that stand in a body as plain text or as a page: of a web server, a proxy, or the framework of a backend."""

from __future__ import annotations

import re
from typing import Final

PAGE: Final = re.compile(
    rb"<(?:!doctype\b|!--|\?xml\b"
    rb"|(?:html|head|body|title|meta|link|style|script|noscript|center|form|div|h[1-6]|p|table)\b)",
    re.IGNORECASE,
)
"""The beginning of a page or of a part of one; not br and b, which begin PHP's notices before an answer."""
WHOLE_PAGE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
"""The beginning of a whole page, after white space."""
_ERROR: Final = re.compile(
    rb"""
    \s*(?:
        internal\ server\ error | bad\ gateway | service\ (?:temporarily\ )?unavailable | gateway\ time-?out
        | too\ many\ requests | no\ healthy\ upstream | error\ code:\ \d | HTTP/\d(?:\.\d)?\ [45]\d\d\b
        | upstream\ (?:connect\ error|request\ time-?out|timed\ out|prematurely\ closed|error)
        | (?:stream|request|response|connection)\ (?:time-?out|timed\ out)
        | an?\ (?:\w{1,30}\ )?error\ (?:has\ )?occurred | \[(?:error|fatal)\] | fatal:
        | [\w.]{0,100}(?:error|exception):\s
        | \{\s{0,9}'(?:error|detail)'\s{0,9}:
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def is_error(text: bytes) -> bool:
    """Whether text that is no JSON begins as an error does: with its status in words, or the name of an exception."""
    return _ERROR.match(text) is not None
