"""Where a link in foreign text may lead."""

from __future__ import annotations

import re
from urllib.parse import quote, urldefrag

_LINK = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]+", re.IGNORECASE)
_SPACED_LINK = re.compile(
    r"https?://[^\s/]+/(?:(?!://)[^\x00-\x1f<>\"])*\.[a-z0-9]{2,5}(?:[?#][^\x00-\x1f]*)?", re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\S+")
_FRAGMENT_WORDS = 6


def link_href(url: str) -> str | None:
    """The URL when a link may lead there (http, https, mailto), else None. Spaces in the address of a file, as
    SharePoint writes them, are encoded.
    """
    url = url.strip()
    if " " in url and _SPACED_LINK.fullmatch(url):
        url = url.replace(" ", "%20")
    return url if _LINK.fullmatch(url) else None


def with_text_fragment(url: str, passage: str) -> str:
    """The URL of a web page, going to where `passage` begins on it; the URL itself where the passage has few words.

    Written as the URL Fragment Text Directives of the Web Incubator Community Group: a hyphen and a comma in the words
    have a meaning there, so they are escaped as well.
    """
    words = _WORD.findall(_TAG.sub(" ", passage[:2_000]).split("\n\n", 1)[0])[:_FRAGMENT_WORDS]
    if len(words) < 3:
        return url
    page, fragment = urldefrag(url)
    return f"{page}#{fragment}:~:text={quote(' '.join(words), safe='').replace('-', '%2D')}"
