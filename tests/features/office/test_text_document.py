"""OpenDocument texts, Rich Text and books."""

import zipfile

import pytest

from chat_ui.features.office.shown import shown_blocks
from chat_ui.features.office.text_blocks import Block
from chat_ui.features.office.text_document import read_text_document
from chat_ui.rendering.panels.read_document import Wanted
from tests.features.office.packages import docx, paragraph, zipped


def odt(body: str) -> bytes:
    return zipped({"content.xml": f'<o:document-content xmlns:o="o" xmlns:t="t">{body}</o:document-content>'})


def book(*chapters: str, spine: str = "", **more: str) -> bytes:
    """A book whose chapters are listed backwards, and read in order."""
    numbers = range(len(chapters))
    items = "".join(f'<item id="c{one}" href="chapter%20{one}.xhtml"/>' for one in reversed(numbers))
    refs = spine or "".join(f'<itemref idref="c{one}"/>' for one in numbers)
    return zipped({
        "META-INF/container.xml": '<container><rootfile full-path="text/book.opf"/></container>',
        "text/book.opf": f"<package>{items}{refs}</package>",
        **{f"text/chapter {one}.xhtml": f"<html>{chapter}</html>" for one, chapter in enumerate(chapters)},
        **{f"META-INF/{name}.xml": part for name, part in more.items()},
    })  # fmt: skip


def test_the_text_of_an_open_document_is_read_as_it_is_shown():
    cases = {
        "<t:p>One<t:s/>two<t:line-break/><t:span>three</t:span></t:p> between <t:p/>": [Block("One two three")],
        '<t:h t:outline-level="2">Head</t:h><t:h>Top</t:h>': [Block("Head", "heading", 2), Block("Top", "heading", 1)],
        "<t:list><t:p>a</t:p><t:list><t:p>b</t:p></t:list></t:list><t:p>c</t:p>": [
            Block("a", "item", 0), Block("b", "item", 1), Block("c"),
        ],
        "<t:tracked-changes><t:p>gone</t:p></t:tracked-changes><t:p>a<t:annotation><t:creator>Ann</t:creator>"
        "<t:p>no</t:p></t:annotation>b<t:ruby-text>no</t:ruby-text></t:p>": [Block("ab")],
        "<t:p>x<t:note><t:note-citation>1</t:note-citation><t:note-body><t:p>note</t:p></t:note-body></t:note></t:p>"
        "<t:p>y</t:p>": [Block("x"), Block("y"), Block("note")],
        "<t:p>around<t:frame><t:title>no</t:title><t:desc>A map</t:desc><t:text-box><t:p>box</t:p></t:text-box>"
        "</t:frame></t:p><t:desc>no</t:desc>": [Block("box"), Block("around"), Block("A map", "picture")],
    }  # fmt: skip
    assert {body: read_text_document(odt(body)) for body in cases} == cases


def test_rows_of_an_open_document_have_their_merged_cells():
    def cell(text: str, properties: str = "") -> str:
        return f"<t:table-cell {properties}><t:p>{text}</t:p></t:table-cell>"

    covered, note = "<t:covered-table-cell/>", "<t:note-body><t:p>note</t:p></t:note-body>"
    rows = (
        cell("Wide", 't:number-columns-spanned="2"') + covered + cell("North"),
        cell("a") + cell(f"b{note}") + covered,
    )
    table = f"<t:table>{''.join(f'<t:table-row>{row}</t:table-row>' for row in rows)}</t:table>"
    assert read_text_document(odt(table)) == [
        Block("Wide North", "row", 1, ("Wide", "North"), (2, 1)),
        Block("a b North", "row", 1, ("a", "b", "North"), (1, 1, 1)),
        Block("note"),
    ]


def test_a_book_is_read_in_the_order_of_its_spine():
    chapters = (
        '<head><title>no</title></head><h1>One</h1><p class="a">a<br/>b</p>',
        "<!DOCTYPE html><h2>T&eacute;</h2>c",
    )
    read = [Block("One", "heading", 1), Block("a\nb"), Block("Té", "heading", 2), Block("c")]
    assert read_text_document(book(*chapters)) == read
    assert read_text_document(book("<p>x</p>", spine='<itemref idref="c0"/>' * 3 + '<itemref idref="c9"/>')) == [
        Block("x")
    ]


def test_paragraphs_and_rows_of_rich_text_are_read():
    text = (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}}{\info{\title no}}One \b two\b0\par caf\'e9 \u-10179?\u-8704?"
        rb"\par{\pict\pngblip " + b"89504e47" * 100 + rb"}"
        rb"\trowd North\cell{\pard 12|3 m\par}\cell\trowd\row\trowd\cell a\cell\row C:\\row}"
    )  # fmt: skip
    assert read_text_document(text) == [
        Block("One two"), Block("café 😀"), Block("North 12|3 m", "row", 1, ("North", "12|3 m"), (1, 1)),
        Block("a", "row", 1, ("", "a"), (1, 1)), Block("C:\\row"),
    ]  # fmt: skip


def test_the_kind_is_told_by_the_content():
    assert read_text_document(docx(paragraph("Word"))) == [Block("Word")]
    assert read_text_document(b"\n" + rb"{\rtf1 Rich}") == [Block("Rich")]


ENCRYPTION = '<encryption><CipherReference URI="text/chapter 0.xhtml"/></encryption>'
DAMAGED = {
    "no archive": b"Hello", "no part": zipped({"a": "b"}), "not XML": zipped({"content.xml": "<"}),
    "a document type": zipped({"content.xml": '<!DOCTYPE d SYSTEM "http://127.0.0.1:9/"><d/>'}),
    "bzip2": zipped({"content.xml": "<d/>"}, zipfile.ZIP_BZIP2), "a level": odt('<t:h t:outline-level="x">a</t:h>'),
    "a cell without a row": odt("<t:table-cell/>"), "no main part": zipped({"META-INF/container.xml": "<container/>"}),
    "a protected book": book("<p>x</p>", encryption=ENCRYPTION), "a character of Rich Text": rb"{\rtf1\u9999999999 }",
    "a count without a number": rb"{\rtf1\uc }",
}  # fmt: skip


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_document_is_refused(data: bytes):
    read = shown_blocks(read_text_document, data, False, Wanted("Hello"))
    assert (read.html, bool(read.problem)) == ("", True)
