"""Where a URL ends that stands in a text without brackets around it.

linkify-it ends one at white space and some of ASCII's punctuation. Here it ends as well at the punctuation, symbols and
invisible characters of all other scripts, at marks of emphasis, and before a letter without case that follows one of
ASCII, such as a particle of Korean. Addresses that are copied have these encoded.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from linkify_it import LinkifyIt

MAX_URL: Final = 2_000
"""Characters of a bare URL from which on it is text."""

_MAY_END: Final = re.compile(r"\*\*|~~|[^\w\x00-\x7f]|(?<=[A-Za-z0-9])[^\W\x00-\u058f]")
_JOINS: Final = re.compile(r"(?<=\w)[·‧・･‐‑–־׳״](?=\w)|(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\W\x00-\x7f])")
"""What may stand inside a word or name: a dot, a hyphen, and between letters that are not ASCII a joiner."""


def url_end(text: str, start: int) -> int:
    """Where a bare URL that begins before `start` ends at the latest."""
    most = min(len(text), start + MAX_URL)
    for found in _MAY_END.finditer(text, start, most):
        kind = unicodedata.category(found.group()[0])
        is_in_word = kind[0] in "LMN" and kind != "Lo"
        if not is_in_word and not _JOINS.match(text, found.start()):
            return found.start()
    return most


class WholeUrls(LinkifyIt):  # type: ignore[misc]
    """Links what begins with a scheme and nothing else."""

    def pretest(self, text: str) -> bool:
        """Whether `text` may hold a link. The library's own expression looks for what is not linked here as well, and
        was a fifth of the cost of an answer, and one for the schemes alone is twenty times as slow as this.
        """
        return "//" in text or "mailto:" in text.lower()

    def test_schema_at(self, text: str, name: str, position: int) -> int:
        """The length of the link after a scheme, 0 where there is none or it is too long to be one."""
        start = max(0, position - len("://"))
        length = int(super().test_schema_at(text[start : url_end(text, position)], name, position - start))
        return length if length < MAX_URL else 0
