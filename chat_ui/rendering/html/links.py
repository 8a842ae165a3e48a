"""The allowed targets of links in foreign text, and labels that pass for another address or reorder text.

A label is foreign text that a reader takes for the link's target. If it looks like an address other than the link's,
the true one is shown beside it, in ASCII, so that other letters cannot imitate it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from html import escape
from typing import Final
from urllib.parse import quote, unquote, urldefrag

import httpx2

from chat_ui.rendering.citations.source_names import DOCUMENT_EXTENSIONS

DIRECTION_MARKS: Final = dict.fromkeys(
    map(ord, "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
)
"""A translation without the characters that change the order of others."""
OVERRIDES: Final = dict.fromkeys(map(ord, "\u202d\u202e"))
"""Characters that show letters in another order than they have; languages do not need them."""

_MAIL: Final = re.compile(r"mailto:([^?]*)", re.IGNORECASE)
# As browsers read it: a backslash is a slash, and there may be more of them (WHATWG URL, 4.4).
_WEB: Final = re.compile(r"https?:[/\\]*([^/\\?#]*)", re.IGNORECASE)
_AUTHORITY: Final = re.compile(r"[a-z][a-z0-9+.-]{0,20}:[/\\]+([^/\\?#]*)")
_PATH: Final = re.compile(r"[/\\?#]")
_NAMES: Final = re.compile(r"[\w.@+%-]+")
_TOP_LEVEL: Final = re.compile(r"[^\W\d_]{2,}|xn--[a-z0-9-]+")
_NUMBERS: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_PORT: Final = re.compile(r":\d*$")
_PUNCTUATION: Final = "()[]{}<>.,;:!?'\"“”‘’«»*_"
_DOTS: Final = str.maketrans("。ꓸ", "..")
_FILE_NAMES: Final = (DOCUMENT_EXTENSIONS | {"js", "ts"}) - set(str.split("zip mov md py"))
"""Endings of file names that hosts do not have."""
_UNSEEN: Final = frozenset({"Cf", "Me", "Mn"})
"""Categories of joining or invisible characters."""
_LONGEST: Final = 200
_LINK = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]+", re.IGNORECASE)
_SPACED_LINK = re.compile(
    r"https?://[^\s/]+/(?:(?!://)[^\x00-\x1f<>\"])*\.[a-z0-9]{2,5}(?:[?#][^\x00-\x1f]*)?", re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\S+")
_FRAGMENT_WORDS = 6


def beside_label(label: str, url: str) -> str:
    """Safe HTML after a link's `label` that could be taken for another address: the true one; else empty."""
    address, accepted = _address(url)
    if all(named in accepted for named in _named(label)):
        return ""
    shown = address if len(address) <= _LONGEST else f"…{address[-_LONGEST:]}"
    return f' <bdi class="link-address">({escape(shown)})</bdi>'


def host_of(url: str) -> str:
    """The host of a web address for a browser, in ASCII."""
    match = _WEB.match(url)
    return _in_ascii(_PORT.sub("", match[1].rpartition("@")[2])) if match else ""


def _address(url: str) -> tuple[str, frozenset[str]]:
    """The shown target of a link, and its allowed labels."""
    if mail := _MAIL.match(url):
        address = "".join(filter(str.isprintable, unquote(mail[1])))
        return address, frozenset({address.lower()})
    host = host_of(url)
    match = _WEB.match(url)
    port = found[0] if match and (found := _PORT.search(match[1])) else ""
    return host, frozenset({host, f"{host}{port}", f"www.{host}", host.removeprefix("www.")})


def _in_ascii(host: str) -> str:
    host = unicodedata.normalize("NFKC", unquote(host)).lower()
    try:
        return httpx2.URL(scheme="http", host=host.translate(_DOTS)).raw_host.decode() if ":" not in host else host
    except (httpx2.InvalidURL, UnicodeError, ValueError):
        return quote(host, safe="[]:", errors="replace")


def _named(label: str) -> Iterator[str]:
    """Parts of a label that look like an address: hosts, with or without a scheme, and addresses of mail."""
    for word in _plain(label).lower().split():
        words = word
        if scheme := _AUTHORITY.search(word):
            yield scheme[1].strip(_PUNCTUATION)
            words = word[: scheme.start()]
        elif word.lstrip(_PUNCTUATION).startswith("mailto:"):
            words = word.partition("mailto:")[2]
        for name in _NAMES.findall(_PATH.split(words.lstrip("/\\"), maxsplit=1)[0]):
            named = name.strip(".@+%-_")
            if _looks_like_a_host(named.rpartition("@")[2]):
                yield named


def _plain(label: str) -> str:
    if label.isascii():
        return label
    seen = (one for one in unicodedata.normalize("NFKC", label) if unicodedata.category(one) not in _UNSEEN)
    return "".join(seen).translate(_DOTS)


def _looks_like_a_host(name: str) -> bool:
    beginning, dot, ending = name.rpartition(".")
    if not dot or not beginning:
        return name == "localhost"
    if ending in _FILE_NAMES:
        return False
    return _TOP_LEVEL.fullmatch(ending) is not None or _NUMBERS.fullmatch(name) is not None


def link_href(url: str) -> str | None:
    """The URL if links to it are allowed (http, https, mailto), with spaces encoded; else None."""
    url = url.strip()
    if " " in url and _SPACED_LINK.fullmatch(url):
        url = url.replace(" ", "%20")
    return url if _LINK.fullmatch(url) else None


def with_text_fragment(url: str, passage: str) -> str:
    """The URL of a web page at the beginning of `passage`; the URL itself for a passage of few words.

    A hyphen and a comma have a meaning in URL Fragment Text Directives (Web Incubator Community Group), and are escaped
    as well.
    """
    words = _WORD.findall(_TAG.sub(" ", passage[:2_000]).split("\n\n", 1)[0])[:_FRAGMENT_WORDS]
    if len(words) < 3:
        return url
    page, fragment = urldefrag(url)
    return f"{page}#{fragment}:~:text={quote(' '.join(words), safe='').replace('-', '%2D')}"
