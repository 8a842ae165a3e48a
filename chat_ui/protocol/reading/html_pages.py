"""The beginnings of HTML pages."""

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
