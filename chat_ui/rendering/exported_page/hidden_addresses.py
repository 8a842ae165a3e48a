"""Removal of the addresses of backends from pages for strangers."""

from __future__ import annotations

import html
import ipaddress
import re
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, TypeAlias
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

import httpx2

from chat_ui.protocol.text_places import Places
from chat_ui.protocol.translatable import with_each_text

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_SCHEME: Final = r"(?:https?://)?"
_BEGINS: Final = r"(?<![\w-])"
_ENDS: Final = r"(?![\w-])"
_PORT: Final = r"(?::\d{1,5})"
_NUMBER: Final = r"(?:0x[\da-f]+|\d+)"
_NUMBERS: Final = re.compile(
    rf"{_SCHEME}(?:"
    rf"(?<![\w.-])(?P<dotted>{_NUMBER}(?:\.{_NUMBER}){{1,3}}){_PORT}?"
    rf"|(?<![\w.-])(?P<ported>{_NUMBER}){_PORT}"
    rf"|(?:(?<=//)|(?<=@))(?P<single>{_NUMBER})(?![.:])"
    rf"|\[(?P<bracketed>[\da-f:.]{{2,45}}(?:%[^\]\s]{{1,20}})?)\]{_PORT}?"
    rf"|(?<![\w:.])(?P<bare>[\da-f]*:[\da-f:.]{{1,44}})"
    rf"){_ENDS}",
    re.IGNORECASE,
)
_NO_WIDTH: Final = "\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_COMPATIBLE: Final = "\u00aa-\u00ba\u2070-\u209f\u2100-\u214f\u2460-\u24ff\u3002\uff00-\uffef\U0001d400-\U0001d7ff"
_WRITTEN_OTHERWISE: Final = re.compile(
    r"%(?:25)*[0-7][\da-f]|(?:%(?:25)*[89a-f][\da-f])+|&(?:amp;)*(?:#x?[\da-f]{1,7}|[a-z]{2,8});?"
    rf"|\w[\u0300-\u036f]+|[{_NO_WIDTH}{_COMPATIBLE}]",
    re.IGNORECASE,
)
_NOTHING: Final = re.compile(f"[{_NO_WIDTH}]")
_AGAIN_ESCAPED: Final = re.compile("%(?:25)+", re.IGNORECASE)
_IN_NO_TEXT: Final = re.compile(r"(?!)")
_USUAL: Final = (80, 443)


class HiddenAddresses:
    """The `origins` of backends, each with its port such as `https://example.com:443`, in any text.

    A text may name them with or without a scheme and a port, escaped for a query or as HTML, and in any letters. An IP
    address may be in any notation. A host without a dot may be an ordinary word: it counts only with its port, or after
    `//` if its port is a usual one.
    """

    def __init__(self, origins: Iterable[str]) -> None:
        forms: set[str] = set()
        self._addresses: set[_Address] = set()
        for parts in map(urlsplit, origins):
            host = parts.hostname or ""
            if (address := _address(host)) is not None:
                self._addresses.add(address)
            else:
                forms |= {_form(spelt, parts.port) for spelt in _spellings(host)}
        longest_first = sorted(forms, key=len, reverse=True)
        self._named = re.compile("|".join(longest_first), re.IGNORECASE) if forms else _IN_NO_TEXT

    def stand_in(self, text: str) -> bool:
        """Whether the text names an origin."""
        return next(self._places(text), None) is not None

    def out_of(self, text: str) -> str:
        """The text with an ellipsis for each origin."""
        return with_each_text(text, lambda one: self.note(one, Places()))

    def note(self, text: str, places: Places) -> str:
        """The same; `places` maps characters of the text to the result."""
        kept, end = [], 0
        for start, until in sorted(self._places(text)):
            if start >= end:
                kept += [text[end:start], "…"]
                places.cut(until, until - start - 1)
                end = until
        return "".join([*kept, text[end:]])

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        plain, written = _as_read(text)
        found = [match.span() for match in self._named.finditer(plain)]
        if self._addresses:
            found += [match.span() for match in _NUMBERS.finditer(plain) if self._is_one(match)]
        for start, end in found:
            yield written[start], written[end]

    def _is_one(self, match: re.Match[str]) -> bool:
        return _address(match[match.lastgroup or 0].rstrip(".")) in self._addresses


def _form(host: str, port: int | None) -> str:
    name = re.escape(host)
    if "." in host:
        return rf"{_SCHEME}{_BEGINS}{name}{_PORT}?{_ENDS}"
    with_port = rf"{_SCHEME}{_BEGINS}{name}:{port}{_ENDS}"
    after_slashes = rf"{_SCHEME}(?<=//){name}(?!:\d){_ENDS}"
    return f"{with_port}|{after_slashes}" if port in _USUAL else with_port


def _spellings(host: str) -> set[str]:
    """The spellings of a name: as it is, in its own letters, and in those of the Domain Name System (RFC 5891)."""
    spelt = {host}
    with suppress(httpx2.InvalidURL, UnicodeError):
        url = httpx2.URL(scheme="http", host=host)
        spelt |= {url.host, url.raw_host.decode("ascii")}
    return {normalize("NFKC", one).lower() for one in spelt}


def _address(host: str) -> _Address | None:
    """The IP address in `host`, in any notation of browsers and systems; None for a name."""
    try:
        if ":" not in host:
            return ipaddress.IPv4Address(socket.inet_aton(host))
        address = ipaddress.IPv6Address(host.partition("%")[0])
    except (OSError, ValueError):
        return None
    return address.ipv4_mapped or address


def _as_read(text: str) -> tuple[str, list[int] | range]:
    """The text as a reader would follow it: unescaped, in compatible letters, without letters of zero width. Beside it
    the index in `text` of each of its characters, and of its end.
    """
    pieces: list[str] = []
    places: list[int] = []
    position = 0
    for match in _WRITTEN_OTHERWISE.finditer(text):
        pieces.append(text[position : match.start()])
        places.extend(range(position, match.start()))
        read = _read(match[0])
        pieces.append(read)
        places.extend([match.start()] * len(read))
        position = match.end()
    if not pieces:
        return text, range(len(text) + 1)
    pieces.append(text[position:])
    places.extend(range(position, len(text) + 1))
    return "".join(pieces), places


def _read(written: str) -> str:
    """The letters behind an escape or a letter beyond ASCII."""
    if written.startswith("%"):
        written = unquote(_AGAIN_ESCAPED.sub("%", written))
    elif written.startswith("&"):
        written = html.unescape(written.replace("amp;", ""))
    return _NOTHING.sub("", normalize("NFKC", written)).replace("。", ".")
