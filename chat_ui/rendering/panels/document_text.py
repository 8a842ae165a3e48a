"""The text of documents as safe HTML: Markdown, HTML, tables, plain text.

Its encoding is that of a mark, its server or the document, else UTF-8, else a guess. A byte-order mark comes before the
server's charset, as in the Encoding Standard of WHATWG. A charset in which the bytes are not valid is passed over: many
servers name UTF-8 for every file.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Final

from chat_ui.languages.foreign_text import attributes_of, lang_attribute
from chat_ui.languages.translation import gettext
from chat_ui.protocol.documents.document_urls import Kind
from chat_ui.rendering.citations.citations import Match, SourceIndex
from chat_ui.rendering.html.parts import Part, html_without_buttons
from chat_ui.rendering.html.placeholders import strip_reserved
from chat_ui.rendering.html.safe_html import foreign_parts, safe_parts
from chat_ui.rendering.markdown.markdown import Definitions, parse, unsafe_html
from chat_ui.rendering.markdown.token_html import Parsing

SHOWN_AS_TEXT: Final = frozenset[Kind]({"markdown", "html", "text"})

MAX_TEXT: Final = 1_000_000
"""Characters of a document's text that are shown; longer Markdown is shown as written."""

_MAX_MARKDOWN: Final = 300_000
_UNSHOWN: Final = re.compile(r"<!--|<!|<\?|<(script|style|title)\b", re.IGNORECASE)
_ENDS: Final = {
    "<!--": re.compile("-->"),
    **dict.fromkeys(("<!", "<?"), re.compile(">")),
    **{f"<{name}": re.compile(f"</{name}[^>]*>", re.IGNORECASE) for name in ("script", "style", "title")},
}
"""The ends of the parts of an HTML page that are not for its reader."""
_FRONT_MATTER: Final = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
"""YAML or TOML between fences, as generators of static sites read it."""
_ENTRY: Final = re.compile(r"(?:#.*\n)*(?:[^\s#][^\n:=]*[:=]|\[)")

_ENCODINGS: Final = {
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
"""Codecs of Python that are guessed, with their names in the Encoding Standard. The first of equal fits is taken:
codecs with fewer valid bytes come first, then the more frequent ones.
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
    "cp950": "big5hkscs",
    "euc_kr": "cp949",
    "iso2022_jp": "iso2022_jp",
}
"""Codecs for charsets that the Encoding Standard reads by another codec than Python does."""
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NAMED_ENCODING: Final = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})|<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{1,40})""",
    re.IGNORECASE,
)
_SEARCHED: Final = 1024
_SAMPLE: Final = 65_536
_PAIRS: Final = 500
"""Bytes of a document, and pairs of letters of known text, that a guess looks at."""


class _NoSources(SourceIndex):
    """A document does not cite an answer's sources: brackets in it are text."""

    def resolve(self, _text: str, _before: str = "") -> tuple[Match, ...]:
        return ()


def shown_document(data: bytes, kind: Kind, charset: str = "", known: str = "", *, is_cut: bool = False) -> str:
    """Safe HTML for a document as it came, with a note on a guessed encoding (see `decoded`)."""
    read = decoded(data, kind, charset, known, is_cut=is_cut)
    html = document_html(read.text, kind, is_cut=is_cut)
    if not read.guess:
        return html
    return guess_note(read.guess) + html


def guess_note(encoding: str) -> str:
    """A note on a guessed encoding, as HTML."""
    words = gettext("Text encoding guessed: {encoding}.", encoding=encoding)
    return f'<p class="cut">{escape(words)}</p>'


def document_html(text: str, kind: Kind, *, is_cut: bool = False) -> str:
    """Safe HTML for the text of a document of this kind; `is_cut` says that its rest is missing."""
    is_cut = is_cut or len(text) > MAX_TEXT
    text = text[:MAX_TEXT]
    match kind:
        case "markdown" if len(text) <= _MAX_MARKDOWN:
            front, text = _front_matter(text.replace("\r\n", "\n").replace("\r", "\n"))
            body = f'<div class="answer-text"{lang_attribute(text)}>{_markdown(text)}</div>'
            body = f"{_plain(front) if front else ''}{body}"
        case "html":
            html = html_without_buttons(foreign_parts(for_readers(text), "page"))
            body = f'<div class="answer-text"{attributes_of(html)}>{html}</div>'
        case _:
            body = _plain(text)
    words = gettext("The rest of this document is not shown here. Download it to see all of it.")
    note = f'<p class="cut">{escape(words)}</p>'
    return body + (note if is_cut else "")


def _plain(text: str) -> str:
    return f'<div class="document-plain"{attributes_of(text)}>{escape(text)}</div>'


def _front_matter(text: str) -> tuple[str, str]:
    """The front matter of a Markdown document without its fences, and the rest."""
    found = _FRONT_MATTER.match(text)
    return (found[2], text[found.end() :]) if found and _ENTRY.match(found[2]) else ("", text)


def _markdown(text: str) -> str:
    parsing = Parsing(_NoSources(()), wrapped=True)
    text = strip_reserved(text.replace("\0", ""))
    parts: list[Part] = []
    for block in parse(text, Definitions(), parsing):
        safe = safe_parts(unsafe_html(block, parsing), parsing.controls, parsing.sources, parsing.outline)
        parsing.outline = safe.outline
        parts += safe.parts
    return html_without_buttons(parts)


def for_readers(html: str) -> str:
    """HTML without comments, scripts, styles and its title; unclosed ones stay."""
    pieces: list[str] = []
    position = start = 0
    endless: set[str] = set()
    while found := _UNSHOWN.search(html, start):
        kind, start = found.group().lower(), found.end()
        end = None if kind in endless else _ENDS[kind].search(html, start)
        if end is None:
            endless.add(kind)
            continue
        pieces.append(html[position : found.start()])
        position = start = end.end()
    return "".join(pieces) + html[position:]


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a document; `guess` is the name of its encoding if guessed."""

    text: str
    guess: str = ""


def decoded(data: bytes, kind: Kind, charset: str = "", known: str = "", *, is_cut: bool = False) -> Decoded:
    """The text of `data`, named `charset`, perhaps cut; `known` is text likely to share words with it."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return Decoded(data.decode(encoding, "replace"))
    said = _NAMED_ENCODING.search(data, 0, _SEARCHED) if kind in {"html", "text"} else None
    for label in (charset, (said[1] or said[2]).decode("ascii") if said else ""):
        encoding = _codec(label)
        if encoding and _is_valid(data, encoding, is_cut):
            return Decoded(data.decode(encoding, "replace"))
    if _is_utf8(data, is_cut):
        return Decoded(data.decode("utf-8", "replace"))
    encoding = _guess(data, known, is_cut)
    return Decoded(data.decode(encoding, "replace"), _ENCODINGS[encoding])


def _codec(label: str) -> str:
    """The codec of a charset for text; else empty."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    codec = _STANDARD.get(name, name.replace("-", "_"))
    return codec if codec in _ENCODINGS or codec in _STANDARD.values() else ""


def _is_valid(data: bytes, encoding: str, is_cut: bool) -> bool:
    """Whether all of it can be decoded, except a cut character at the end."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(data, final=not is_cut)
    except UnicodeDecodeError:
        return False
    return True


def _is_utf8(data: bytes, is_cut: bool) -> bool:
    """Whether it is UTF-8, with a few damaged characters at most, and not UTF-16 of mostly ASCII letters."""
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
    texts = {name: sample.decode(name, "replace") for name in _ENCODINGS if _is_valid(sample, name, is_cut)}
    matches = from_bytes(sample, cp_isolation=list(texts)) if texts else ()
    found = {match.encoding: (match.chaos, -match.coherence) for match in matches}
    pairs = _pairs(known)

    def order(name: str) -> tuple[int, bool, tuple[float, float]]:
        shared = sum(pair in texts[name] for pair in pairs)
        return -shared, name.startswith("utf_16"), found.get(name, (1.0, 0.0))

    best = min(texts, key=order, default="cp1252")
    return "cp1252" if texts.get("cp1252") == texts.get(best) else best


def _sample(data: bytes) -> bytes:
    """The lines beyond ASCII, up to a bound that does not cut characters of East Asian encodings."""
    lines = b"\n".join(line for line in data.split(b"\n") if not line.isascii())
    if len(lines) <= _SAMPLE:
        return lines
    end = max(lines.rfind(mark, 0, _SAMPLE) for mark in (b"\n", b" ", b","))
    return lines[: end + 1 if end > 0 else _SAMPLE]


def _pairs(known: str) -> set[str]:
    """Pairs of neighbouring letters, without pairs of ASCII."""
    pairs: set[str] = set()
    for first, second in pairwise(known):
        if not (first + second).isascii() and not (first + second).isspace():
            pairs.add(first + second)
            if len(pairs) == _PAIRS:
                break
    return pairs
