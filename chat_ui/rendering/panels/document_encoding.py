"""The encoding of a document: what a mark, its server or the document says, else UTF-8, else a guess.

A byte-order mark comes before the charset that the server named, as in the Encoding Standard of WHATWG. A charset in
which the bytes are not valid is passed over: many servers name UTF-8 for every file.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from chat_ui.protocol.documents.document_urls import Kind

_NAMES: Final = {
    "gb18030": "GBK",
    "cp932": "Shift_JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
    "big5hkscs": "Big5",
    "cp1252": "Windows-1252",
    **{f"cp125{number}": f"Windows-125{number}" for number in (0, 1, 3, 4, 5, 6, 7, 8)},
    "koi8_r": "KOI8-R",
    "koi8_u": "KOI8-U",
    "cp874": "Windows-874",
    "iso8859_2": "ISO-8859-2",
    "iso8859_5": "ISO-8859-5",
    "iso8859_7": "ISO-8859-7",
    "iso8859_8": "ISO-8859-8",
    "iso8859_15": "ISO-8859-15",
    "utf_16_le": "UTF-16LE",
    "utf_16_be": "UTF-16BE",
}
"""Codecs of Python that are guessed, with the names that the Encoding Standard has. Of two that fit alike the first is
taken: those in which fewer bytes are valid come first, then the more frequent ones.
"""
_STANDARD: Final = {
    "utf-16": "utf_16_le",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "iso2022_jp": "iso2022_jp",
}
"""Codecs by the names that Python gives to a charset, where the Encoding Standard reads it by another one."""
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_SAID: Final = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})|<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{1,40})""",
    re.IGNORECASE,
)
_HEAD: Final = 1024
_SAMPLE: Final = 65_536
_PAIRS: Final = 500
"""Bytes of a document, and pairs of letters of what is known of it, that a guess looks at."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a document; `guess` is the name of its encoding where it was guessed."""

    text: str
    guess: str = ""


def decoded(data: bytes, kind: Kind, charset: str = "", known: str = "", *, is_cut: bool = False) -> Decoded:
    """The text of `data`, whose server named `charset`; `is_cut` says that there is more of it. `known` is text that is
    likely to share words with it.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return Decoded(data.decode(encoding, "replace"))
    said = _SAID.search(data, 0, _HEAD) if kind in {"html", "text"} else None
    for label in (charset, (said[1] or said[2]).decode("ascii") if said else ""):
        encoding = _codec(label)
        if encoding and _is_valid(data, encoding, is_cut):
            return Decoded(data.decode(encoding, "replace"))
    if _is_utf8(data, is_cut):
        return Decoded(data.decode("utf-8", "replace"))
    encoding = _guess(data, known, is_cut)
    return Decoded(data.decode(encoding, "replace"), _NAMES[encoding])


def _codec(label: str) -> str:
    """The codec of a charset that texts have; empty where there is none."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    codec = _STANDARD.get(name, name.replace("-", "_"))
    return codec if codec in _NAMES or codec in _STANDARD.values() else ""


def _is_valid(data: bytes, encoding: str, is_cut: bool) -> bool:
    """Whether all of it can be decoded, but for a character that is cut at the end."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(data, final=not is_cut)
    except UnicodeDecodeError:
        return False
    return True


def _is_utf8(data: bytes, is_cut: bool) -> bool:
    """Whether it is UTF-8, with a few damaged characters at most, and no UTF-16 of letters that are mostly ASCII."""
    if data.count(0) * 50 > len(data):
        return False
    if _is_valid(data, "utf-8", is_cut):
        return True
    text = _sample(data).decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    return 3 * damaged < len(text) - len(text.encode("ascii", "ignore"))


def _guess(data: bytes, known: str, is_cut: bool) -> str:
    # It takes a while to load, and few documents need it.
    from charset_normalizer import from_bytes  # noqa: PLC0415

    nulls = [data[first::2].count(0) for first in (0, 1)]
    if sum(nulls) * 50 > len(data) and max(nulls) > 8 * min(nulls):
        return "utf_16_be" if nulls[0] > nulls[1] else "utf_16_le"
    sample = _sample(data)
    is_cut = is_cut or len(data) > _SAMPLE
    texts = {name: sample.decode(name, "replace") for name in _NAMES if _is_valid(sample, name, is_cut)}
    matches = from_bytes(sample, cp_isolation=list(texts)) if texts else ()
    found = {match.encoding: (match.chaos, -match.coherence) for match in matches}
    pairs = _pairs(known)

    def order(name: str) -> tuple[int, bool, tuple[float, float]]:
        shared = sum(pair in texts[name] for pair in pairs)
        return -shared, name.startswith("utf_16"), found.get(name, (1.0, 0.0))

    best = min(texts, key=order, default="cp1252")
    return "cp1252" if texts.get("cp1252") == texts.get(best) else best


def _sample(data: bytes) -> bytes:
    """The lines that are not ASCII, up to a bound that cuts no character of an East Asian encoding."""
    lines = b"\n".join(line for line in data.split(b"\n") if not line.isascii())
    if len(lines) <= _SAMPLE:
        return lines
    end = max(lines.rfind(mark, 0, _SAMPLE) for mark in (b"\n", b" ", b","))
    return lines[: end + 1 if end > 0 else _SAMPLE]


def _pairs(known: str) -> set[str]:
    """Pairs of neighbouring letters that are not both ASCII."""
    pairs: set[str] = set()
    for first, second in pairwise(known):
        if not (first + second).isascii() and not (first + second).isspace():
            pairs.add(first + second)
            if len(pairs) == _PAIRS:
                break
    return pairs
