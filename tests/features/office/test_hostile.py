"""Files made to cost time or memory, to run something, to fetch something, or to put markup into the page."""

import socket
import struct
import zipfile
from typing import NoReturn

import pytest

from chat_ui.features.office.shown import shown_blocks
from chat_ui.features.office.word import read_word
from chat_ui.rendering.panels.read_document import Wanted
from tests.features.office.packages import MAIN, NAMESPACE, docx, paragraph, parts, relations, table, zipped
from tests.rendering.harmless import judged

HELLO = paragraph("Hello")
OPENED = f'<w:document xmlns:w="{NAMESPACE}"><w:body>'


def main(xml: str | bytes) -> bytes:
    """A package whose main part is this XML."""
    return zipped({**parts(""), MAIN: xml})


def flagged(data: bytes) -> bytes:
    """The package with all entries marked as encrypted."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(signature)
        while at >= 0:
            changed[at + offset] |= 1
            at = changed.find(signature, at + 1)
    return bytes(changed)


def lying(data: bytes) -> bytes:
    """The package whose directory gives the main part one byte."""
    changed = bytearray(data)
    at = changed.rfind(b"PK\x01\x02")
    changed[at + 24 : at + 28] = struct.pack("<I", 1)
    return bytes(changed)


def doctype(inside: str, entity: str = "&e;") -> bytes:
    return main(f"<!DOCTYPE d [{inside}]>{OPENED}{paragraph('x').replace('x', entity)}</w:body></w:document>")


GOOD = docx(HELLO)
LAUGHS = "".join(f'<!ENTITY l{n} "{10 * ("&l" + str(n - 1) + ";")}">' for n in range(1, 9))
MANY = " ".join(f'a{n}="1"' for n in range(20_000))
REFUSED = {
    "empty": b"", "text": b"Hello", "html": b"<html><script>alert(1)</script>", "pdf": b"%PDF-1.7\n",
    "encrypted by Office": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4000), "encrypted entries": flagged(GOOD),
    "cut in half": GOOD[: len(GOOD) // 2], "without its end": GOOD[:-30], "without parts": zipped({}),
    "main part missing": zipped({"_rels/.rels": relations(("officeDocument", "elsewhere.xml", ""))}),
    "flipped bytes": GOOD[:60] + bytes(byte ^ 0x55 for byte in GOOD[60:90]) + GOOD[90:],
    "bzip2": zipped(parts(HELLO), zipfile.ZIP_BZIP2), "lzma": zipped(parts(HELLO), zipfile.ZIP_LZMA),
    "a lie about a size": lying(docx(HELLO * 3000)),
    "entities": doctype(f'<!ENTITY l0 "ha">{LAUGHS}', "&l8;"), "one entity": doctype('<!ENTITY e "x">'),
    "an entity of a file": doctype('<!ENTITY e SYSTEM "file:///etc/passwd">'),
    "an entity of the web": doctype('<!ENTITY e SYSTEM "http://127.0.0.1:9/">'),
    "a parameter entity": doctype('<!ENTITY % e SYSTEM "http://127.0.0.1:9/"> %e;', "x"),
    "a document type": doctype("", "x"), "an external document type": main('<!DOCTYPE d SYSTEM "http://127.0.0.1:9/"><d/>'),
    "not XML": main("Hello"), "unclosed": main(f"{OPENED}{HELLO}"), "broken UTF-8": main(b"<d>\xff\xfe\xfd</d>"),
    "UTF-7": main('<?xml version="1.0" encoding="UTF-7"?><d/>'), "nothing": main(""),
    "an encoding of bytes": main('<?xml version="1.0" encoding="hex"?><d/>'),
    "ends without beginnings": docx(HELLO + "<w:tc/>"),
    "a level that is not a number": docx(paragraph("x", "<w:ilvl/>")),
}  # fmt: skip
SHOWN = {
    "a macro": zipped(parts(HELLO, **{"word/vbaProject.bin": bytes(500)})),
    "an OLE object": docx(HELLO + '<w:p><w:object><o:OLEObject xmlns:o="o" ProgID="Package"/></w:object></w:p>'),
    "a DDE field": docx(HELLO + '<w:p><w:r><w:instrText>DDEAUTO cmd "/k calc"</w:instrText></w:r></w:p>'),
    "a part of another file": docx(HELLO + "<w:p><w:r><w:instrText>INCLUDETEXT file:///etc/passwd</w:instrText></w:r></w:p>"),
    "paths out of the package": zipped(parts(HELLO, **{"../../tmp/evil.txt": "x", "/tmp/evil.txt": "x"})),
    "relations out of the package": zipped(
        parts(HELLO, **{"word/_rels/document.xml.rels": relations(
            ("footnotes", "http://127.0.0.1:9/", ' TargetMode="External"'), ("styles", "../../../etc/passwd", ""),
            ("endnotes", "document.xml", ""),
        )})
    ),
    "styles in a loop": docx(HELLO, styles="<s><style styleId='A'><basedOn val='A'/></style></s>"),
    "a grid span of 2^31": docx(HELLO + table(("x",)).replace("<w:tc>", '<w:tc><w:gridSpan w:val="2147483647"/>')),
    "tables in tables": docx(HELLO + "<w:tbl><w:tr><w:tc>" * 100 + "</w:tc></w:tr></w:tbl>" * 100),
    "many attributes": docx(f"{HELLO}<w:p {MANY}/>"),
    "deep": docx(HELLO + "<w:sdt>" * 2000 + "</w:sdt>" * 2000),
    "properties without a paragraph": docx(HELLO + "<w:tr/><w:pStyle/><w:ilvl w:val='x'/><w:docPr/><w:tab/>"),
    "two parts of one name": GOOD + b"",
    "markup": docx(HELLO + paragraph('<script>alert(1)</script><img src=x onerror="alert(1)">')),
    "markup in cells": docx(HELLO + table(('"><script>alert(1)</script>', "</td></table><iframe>"))),
    "reordered letters": docx(HELLO + paragraph("a\u202egnp.exe\u2066")),
}  # fmt: skip


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a document connects")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_a_file_that_is_not_a_document_is_refused(data: bytes):
    read = shown_blocks(read_word, data, False, Wanted("Hello"))
    assert (read.html, read.kept, bool(read.problem)) == ("", b"", True)


@pytest.mark.parametrize("data", SHOWN.values(), ids=SHOWN)
def test_a_document_has_no_effect_but_its_text(data: bytes):
    read = shown_blocks(read_word, data, False, Wanted("Hello"))
    assert "Hello" in read.html
    assert judged(read.html).faults == []
    assert [part for part in ("<script", "<iframe", "<img", "\u202e", "calc", "root:") if part in read.html] == []


def test_parts_beyond_the_bound_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("chat_ui.features.office.package.MOST_EXPANDED", 400)
    assert shown_blocks(read_word, docx(HELLO * 9), False, Wanted("Hello")).problem
