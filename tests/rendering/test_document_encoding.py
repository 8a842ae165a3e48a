"""The encoding in which a document is read."""

from __future__ import annotations

from chat_ui.languages.translation import gettext
from chat_ui.rendering.panels.document_text import Decoded, decoded, shown_document

# What a short document says, what its source is known to say, its encoding, and the name of that.
GUESSED = [
    ("Überstunden für Ältere: zwölf €", "Überstunden", "cp1252", "Windows-1252"),
    ("Menü im Café", "Café", "cp1252", "Windows-1252"), ("Año nuevo, señor", "Año nuevo", "cp1252", "Windows-1252"),
    ("Zażółć gęślą jaźń", "Zażółć", "cp1250", "Windows-1250"),
    ("Отпуск длится двадцать дней", "Отпуск", "cp1251", "Windows-1251"),
    ("Отпуск длится двадцать дней", "Отпуск", "koi8-r", "KOI8-R"),
    ("Yıllık izin yirmi gündür", "Yıllık izin", "cp1254", "Windows-1254"),
    ("החופשה נמשכת עשרים יום", "החופשה", "cp1255", "Windows-1255"),
    ("品名,休暇\r\n価格,20日\r\n", "休暇", "shift_jis", "Shift_JIS"),
    ("休暇は二十日です", "休暇は", "euc-jp", "EUC-JP"), ("名称,休假\n价格,20天\n", "休假", "gbk", "GBK"),
    ("員工每年有二十天年假", "年假", "big5", "Big5"), ("휴가는 이십 일입니다", "휴가는", "euc-kr", "EUC-KR"),
    ("Annual leave\nlasts long", "", "utf-16-le", "UTF-16LE"), ("Urlaub für Ältere", "", "utf-16-be", "UTF-16BE"),
    ("员工每年有二十天年假", "二十天", "utf-16-le", "UTF-16LE"),
]  # fmt: skip


def test_what_nothing_names_is_guessed_by_what_its_source_says():
    found = [decoded(text.encode(encoding), "text", known=known) for text, known, encoding, _ in GUESSED]
    assert found == [Decoded(text, name) for text, _, _, name in GUESSED]


def test_what_the_server_names_is_no_guess_and_where_it_cannot_be_is_passed_over():
    for text, _, encoding, _ in GUESSED:
        data = text.encode(encoding)
        assert decoded(data, "csv", encoding) == Decoded(text)
        assert decoded(data, "csv", "utf-8", text).text == text
        assert decoded(data, "csv", "hex", text).text == text


def test_a_mark_comes_before_what_the_server_names():
    cases = ["utf-8-sig", "utf-16"]
    assert {encoding: decoded("Menü".encode(encoding), "text", "windows-1252") for encoding in cases} == dict.fromkeys(
        cases, Decoded("Menü")
    )


def test_utf_8_is_no_guess():
    for text in ("", "leave", "Menü", "年假"):
        found = [decoded(text.encode(), "text", charset) for charset in ("", "us-ascii", "utf-8")]
        assert found == [Decoded(text)] * 3


def test_utf_8_with_damage_stays_utf_8():
    text = "Bäche, Flüsse, Öl, Täler, Seen."
    assert decoded(text.encode() + b"\xff", "text") == Decoded(f"{text}\ufffd")


def test_a_text_that_is_cut_within_a_character_stays_what_it_is():
    data = "Menü".encode()[:-1]
    assert decoded(data, "text", is_cut=True) == Decoded("Men\ufffd")
    assert decoded(data, "text").guess != ""


def test_what_a_document_says_of_itself_counts_after_what_the_server_names():
    cases = [
        ('<meta charset="windows-1251">', "html"),
        ('<META http-equiv=Content-Type content="text/html; charset=windows-1251">', "html"),
        ('<?xml version="1.0" encoding="windows-1251"?>', "text"),
    ]
    for head, kind in cases:
        text = f"{head}<p>Отпуск"
        assert decoded(text.encode("cp1251"), kind) == Decoded(text), head
        assert decoded(text.encode("koi8-r"), kind, "koi8-r") == Decoded(text), head


def test_a_page_that_says_utf_16_of_itself_in_ascii_is_not():
    assert decoded(b"<meta charset=utf-16><p>Leave", "html").text.endswith("Leave")


def test_a_guess_is_said_and_what_is_named_is_not():
    said = gettext("This document is read as {encoding}, which is a guess.", encoding="Windows-1252")
    data = "Größe;5 €".encode("cp1252")
    assert said in shown_document(data, "csv")
    assert "<th" in shown_document(data, "csv")
    assert said not in shown_document(data, "csv", "iso-8859-1")
