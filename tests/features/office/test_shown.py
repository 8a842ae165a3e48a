"""A Word document at a passage, read and over HTTP."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from starlette.responses import StreamingResponse

from chat_ui.features.office import shown
from chat_ui.features.office.feature import FEATURE
from chat_ui.features.office.shown import shown_blocks
from chat_ui.features.office.text_blocks import Block
from chat_ui.features.office.word import read_word
from chat_ui.installed import FEATURES
from chat_ui.page.routes import documents
from chat_ui.protocol.documents.document_urls import READ
from chat_ui.rendering.panels.read_document import ReadDocument, Wanted
from tests.features.demo.serving import serving
from tests.features.office.packages import docx, paragraph, table
from tests.page.routes.running_app import person, running_app
from tests.stand_ins.shelf import Shelf

RED = "The buoys of the north are painted red in spring."
GREEN = "The buoys of the south are painted green in autumn."
HEADING, ITEM = '<w:outlineLvl w:val="{}"/>', '<w:numPr><w:ilvl w:val="0"/></w:numPr>'
MANUAL = docx(
    paragraph("Colours", HEADING.format(0)) + paragraph(RED) + paragraph("South <&>", HEADING.format(2))
    + paragraph(GREEN, ITEM) + table(("Buoy", "Depth"), ("North", "12 m"))
)  # fmt: skip


def read(data: bytes = MANUAL, passage: str = "", **wanted: Any) -> ReadDocument:
    return shown_blocks(read_word, data, False, Wanted(passage, **wanted))


def marks(html: str) -> list[str]:
    return re.findall(r'<mark class="passage-part">(.*?)</mark>', html)


def test_a_document_is_shown_with_its_headings_items_and_tables():
    shown = read()
    assert shown.html == (
        '<div class="answer-text" dir="auto"><h3 data-block="0" dir="auto">Colours</h3>'
        f'<p dir="auto">{RED}</p><h5 data-block="2" dir="auto">South &lt;&amp;&gt;</h5>'
        f'<ul><li data-level="0" dir="auto">{GREEN}</li></ul>'
        '<div class="table-scroll" role="group" tabindex="0" aria-label="Table"><table><tbody>'
        '<tr><td dir="auto">Buoy</td><td dir="auto">Depth</td></tr>'
        '<tr><td dir="auto">North</td><td dir="auto">12 m</td></tr></tbody></table></div></div>'
    )
    assert shown.outline == [(0, 1, "Colours"), (2, 3, "South <&>")]


def test_the_sentences_of_a_claim_are_marked_else_all_of_the_passage():
    passage = f"{RED} {GREEN}"
    assert marks(read(passage=passage, claim="In autumn, the southern buoys are painted green.").html) == [GREEN]
    assert marks(read(passage=passage).html) == [RED, GREEN]
    assert marks(read(passage="| Buoy | Depth |\n|---|---|\n| North | 12 m |", claim="North: 12 m deep").html) == [
        "North", "12 m",
    ]  # fmt: skip
    assert marks(read(passage="<table><tr><td>North</td><td>12 m</td></tr></table>").html) == ["North", "12 m"]
    assert marks(read(passage="The buoys of the west are blue.").html) == []


def test_a_document_opens_at_the_row_that_is_most_like_the_claim():
    rows = ("Northern pier", "red lamps", "12 m"), ("Northern pier", "red lamps", "7 m")
    passage = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    opened = read(docx(table(*rows)), passage, claim=passage.partition("\n")[2])
    assert (marks(opened.html), opened.at) == ([*rows[0], *rows[1]], 1)
    assert marks(read(docx(table(rows[0])), passage, claim=passage.partition("\n")[2]).html) == []


def test_numbers_are_shown_and_tell_equal_words_apart():
    blocks = [
        Block("Work", "heading", 1, number="3."), Block("Remote", "item", number="3.1"),
        Block("At sea", "heading", 1, number="4."), Block("Remote", "item", number="4.1"), Block("Rest", "item"),
    ]  # fmt: skip

    def at(passage: str) -> ReadDocument:
        return shown_blocks(lambda _: blocks, b"", False, Wanted(passage))

    marked = '<mark class="passage-part">Remote</mark>'
    for number in ("3.1", "4.1"):
        assert f'<li class="numbered" data-level="0" dir="auto">{number} {marked}</li>' in at(f"{number} Remote").html
    assert [marks(at(passage).html) for passage in ("5.1 Remote", "3. Work", "Rest")] == [[], ["Work"], ["Rest"]]
    assert at("").outline == [(0, 1, "3. Work"), (2, 1, "4. At sea")]


def test_a_sentence_in_a_cell_is_marked_and_not_its_row():
    html = read(docx(table(("Rules", f"First. {RED} Last."))), passage=RED).html
    assert (marks(html), "First." in html, "Last." in html) == ([RED], True, True)
    long = read(docx(table(("Rules", "Filling. " * 400 + RED))), passage=RED).html
    assert marks(long) == [RED]
    assert (long.count('<td class="text"'), long.count("<td dir")) == (1, 1), "a long text has several lines"


def test_a_kept_document_is_not_read_again():
    kept = read().kept
    again = shown_blocks(read_word, kept, True, Wanted(RED))
    assert (marks(again.html), again.kept) == ([RED], b"")


def test_a_part_of_a_long_document_is_shown_around_the_passage_or_a_heading(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shown, "_AROUND", 100)
    texts = [f"Paragraph number {number} of a long document." for number in range(40)]
    data = docx("".join(map(paragraph, texts)) + paragraph("End", HEADING.format(0)) + paragraph(RED))
    for wanted, seen, hidden in (({"passage": texts[20]}, 20, 2), ({}, 0, 1), ({"block": 40}, 39, 1)):
        html = read(data, **wanted).html
        assert texts[seen] in html
        assert html.count("The rest of this document is not shown here") == hidden
        assert html.count("Paragraph") < 9
    assert read(data, block=10**6 - 1).html


def test_each_kind_that_only_features_show_has_a_reader():
    assert FEATURE.serve(cast("Any", None)).readers.keys() == READ


def test_a_document_without_text_says_so():
    assert read(docx("<w:p/>")).problem == "This document has no text that can be shown here."


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture(scope="module")
def me(shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    with (
        serving(shelf.app) as backend,
        running_app(tmp_path_factory.mktemp("app"), backend_url=f"{backend}/1/chat/stream") as url,
        person(url) as client,
    ):
        client.params = {"backend": f"{backend}/1/chat/stream"}
        yield client


@pytest.fixture
def answer(shelf: Shelf, me: httpx2.Client) -> str:
    """The address of an answer with two passages of a document."""
    shelf.documents = {"Manual.docx": MANUAL}
    shelf.sources = [f"Manual.docx#page=1: {RED}", f"Manual.docx#page=2: {GREEN}"]
    shelf.text = "It is red [Manual.docx#page=1] or green [Manual.docx#page=2]."
    shelf.requests.clear()
    return f"/api/answers/{me.post('/ask', content='Which?').text}"


def test_sources_open_a_document_that_is_downloaded_without_the_feature(
    me: httpx2.Client, answer: str, shelf: Shelf, tmp_path: Path
):
    html = me.get(f"{answer}/sources").text
    assert html.count('data-document="0" data-kind="word"') == 2
    assert 'aria-label="Open Manual.docx"' in html
    file = me.get(f"{answer}/documents/0", params={"download": ""})
    assert (file.content, file.headers["content-disposition"][:10]) == (MANUAL, "attachment")
    others = [feature for feature in FEATURES if feature.name != "office"]
    with serving(shelf.app) as backend:
        ours = f"{backend}/2/chat/stream"
        with running_app(tmp_path, others, backend_url=ours) as url, person(url) as other:
            address = f"/api/answers/{other.post('/ask', params={'backend': ours}, content='Which?').text}"
            assert 'data-document="0" data-kind="file"' in other.get(f"{address}/sources").text
            assert other.get(f"{address}/documents/0/shown").status_code == 415


def test_each_source_opens_at_its_own_passage_and_an_unchanged_document_is_not_sent_again(
    me: httpx2.Client, answer: str, shelf: Shelf
):
    address = answer + "/documents/{}/shown"
    first = me.get(address.format(0), params={"place": "page=1"}).json()
    assert (marks(first["html"]), first["at"], first["problem"]) == ([RED], 1, "")
    assert first["outline"] == [[0, 1, "Colours"], [2, 3, "South <&>"]]
    asked = {"claim": "or green"}
    assert marks(me.get(address.format(1), params=asked).json()["html"]) == [GREEN]
    assert [headers.get("if-none-match") for _, headers in shelf.requests[-2:]] == [None, f'"{len(MANUAL)}"']
    me.get(address.format(1), headers={"accept-language": "de"})
    assert "if-none-match" not in shelf.requests[-1][1], "a kept mail has words in the language of its reader"
    shelf.documents["Manual.docx"] = docx(paragraph(f"Changed. {GREEN}"))
    assert "Changed." in me.get(address.format(1), params=asked).json()["html"]
    for odd in ({"block": "-1"}, {"block": "9999999"}, {"claim": "x" * 9000}, {"place": "?"}):
        assert me.get(address.format(1), params=odd).status_code == 200


def test_a_read_document_is_kept_for_its_owner_and_not_without_a_validator(
    me: httpx2.Client, answer: str, shelf: Shelf
):
    me.get(f"{answer}/documents/0/shown")
    with person(str(me.base_url)) as other:
        other.params = me.params
        own = f"/api/answers/{other.post('/ask', content='Which?').text}/documents/0/shown"
        assert other.get(f"{answer}/documents/0/shown").status_code == 404
        assert marks(other.get(own).json()["html"]) == [RED]
        assert "if-none-match" not in shelf.requests[-1][1]
        for color in ("White", "Black"):
            shelf.documents["Manual.docx"] = StreamingResponse(iter([docx(paragraph(f"{color}. {RED}"))]))
            assert f"{color}. <mark" in other.get(own).json()["html"]


def test_a_document_that_cannot_be_shown_says_why_and_can_be_downloaded(
    me: httpx2.Client, answer: str, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
):
    address = f"{answer}/documents/0/shown"

    def problem(document: Any) -> str:
        shelf.documents["Manual.docx"] = document
        return me.get(address).json()["problem"]

    assert "damaged, encrypted or too large" in problem(b"PK\x03\x04 torn")
    monkeypatch.setattr(documents, "_READER_BYTES", 10)
    assert "damaged, encrypted or too large" in problem(MANUAL + b" ")
    shelf.documents.clear()
    assert me.get(address).status_code == 404
    shelf.documents["Manual.docx"] = StreamingResponse(iter([b"<!doctype html><title>Sign in</title>"]))
    assert me.get(address).status_code == 415
    monkeypatch.undo()
    begun = MANUAL + bytes(2_000)
    shelf.documents["Manual.docx"] = StreamingResponse(iter([begun]), headers={"Content-Length": f"{len(begun) + 1}"})
    broken = me.get(address)
    assert (broken.status_code, "connection to the backend broke" in broken.text) == (502, True)
