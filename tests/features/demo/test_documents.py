import re
from html import unescape

import httpx2
from pypdf import PdfReader

from chat_ui.features.demo.library import DOCUMENTS, MANUSCRIPTS, Bullets, Passage, Prose, Table, slug
from chat_ui.features.demo.retrieval import Index

PDFS = sorted(path.name for path in DOCUMENTS.glob("*.pdf"))


def _letters(text: str) -> str:
    """Text without white space and list signs, since line breaks vary."""
    return re.sub(r"[\s•\x95]+", "", text)


def _parts(passage: Passage) -> list[str]:
    parts = list(passage.headings)
    for section in passage.sections:
        for block in section.blocks:
            match block:
                case Prose(texts) | Bullets(texts):
                    parts.extend(texts)
                case Table(header, rows):
                    parts.extend(cell for row in (header, *rows) for cell in row)
    return parts


def test_there_is_a_shelf_of_documents_of_many_kinds(index: Index) -> None:
    assert len({passage.document for passage in index.passages}) >= 14
    assert {path.suffix for path in DOCUMENTS.iterdir()} == {".pdf", ".md", ".txt", ".html", ".csv", ".png"}
    assert len(PDFS) >= 5


def test_every_pdf_image_and_web_page_has_a_manuscript() -> None:
    made = {path.name for path in DOCUMENTS.iterdir() if path.suffix in {".pdf", ".png", ".html"}}
    assert {path.name.removesuffix(".md") for path in MANUSCRIPTS.iterdir()} == made


def _passages(index: Index, document: str) -> list[Passage]:
    return [passage for passage in index.passages if passage.document == document]


def test_each_page_of_a_pdf_has_the_indexed_text(index: Index) -> None:
    for name in PDFS:
        pages, passages = PdfReader(DOCUMENTS / name).pages, _passages(index, name)
        assert len(pages) == len(passages) >= 3
        for number, (page, passage) in enumerate(zip(pages, passages, strict=True), start=1):
            assert passage.id == f"{name}#page={number}"
            printed = _letters(page.extract_text())
            assert [part for part in _parts(passage) if _letters(part) not in printed] == []


def test_the_web_page_has_the_indexed_text_at_the_cited_anchors(index: Index) -> None:
    page, passages = (DOCUMENTS / "FAQ.html").read_text("utf-8"), _passages(index, "FAQ.html")
    shown = _letters(unescape(re.sub(r"<[^>]*>", "", page)))
    assert [part for passage in passages for part in _parts(passage) if _letters(part) not in shown] == []
    assert {passage.id.partition("#")[2] for passage in passages} == set(re.findall(r'id="([^"]+)"', page))


def test_a_citation_names_one_passage_and_every_passage_can_be_quoted(index: Index) -> None:
    ids = [passage.id for passage in index.passages]
    assert len(set(ids)) == len(ids)
    assert [name for name in ids if re.search(r"[\[\]\s]|: ", name)] == []
    assert [passage.id for passage in index.passages if not any(_parts(passage))] == []
    assert all("\n" not in passage.text for passage in index.passages)


def test_tables_in_passages_are_html_and_names_in_other_scripts_survive(index: Index) -> None:
    texts = {passage.id: passage.text for passage in index.passages}
    funds = texts["Pension_Plan.txt#choosing-a-pension-fund"]
    assert "<table><tr><th>Fund</th>" in funds
    assert unescape(funds) == funds
    assert "Agnieszka Łuczak" in texts["FAQ.html#works-council"]
    assert "udźwigu 3,2 tony" in texts["Instrukcja_warsztatu.md#praca-z-suwnicą"]
    assert slug("Praca z suwnicą") == "praca-z-suwnicą"


KINDS = {
    "Leave_Policy.pdf": "application/pdf",
    "IT_Support.md": "text/markdown; charset=utf-8",
    "Pension_Plan.txt": "text/plain; charset=utf-8",
    "FAQ.html": "text/html; charset=utf-8",
    "Price_List.csv": "text/csv; charset=utf-8",
    "Office_Map.png": "image/png",
}


def test_a_document_has_its_media_type_and_head_and_range_work(demo: str) -> None:
    served = {name: httpx2.get(f"{demo}/content/{name}", trust_env=False) for name in KINDS}
    assert {name: one.headers["content-type"] for name, one in served.items()} == KINDS
    for name, one in served.items():
        assert one.content == (DOCUMENTS / name).read_bytes()
        assert one.headers["content-disposition"] == f'inline; filename="{name}"'
    url = f"{demo}/content/Leave_Policy.pdf"
    size = (DOCUMENTS / "Leave_Policy.pdf").stat().st_size
    head = httpx2.head(url, trust_env=False)
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(size), b"")
    part = httpx2.get(url, headers={"range": "bytes=0-4"}, trust_env=False)
    assert (part.status_code, part.content) == (206, b"%PDF-")


def test_an_unknown_document_is_not_found(demo: str) -> None:
    outside = ("..%2fapp.py", "%2e%2e/app.py", "../manuscripts/Leave_Policy.pdf.md", "%2fetc%2fpasswd", "..%5capp.py")
    for name in ("", *outside, "a%00b"):
        assert httpx2.get(f"{demo}/content/{name}", trust_env=False).status_code == 404, name
    missing = httpx2.get(f"{demo}/content/Nothing.pdf", trust_env=False)
    assert (missing.status_code, missing.text) == (404, "The document “Nothing.pdf” does not exist.")


def test_the_front_page_lists_documents_and_questions(demo: str) -> None:
    about = httpx2.get(f"{demo}/", trust_env=False).json()
    assert "Leave_Policy.pdf" in about["documents"]
    assert "Show me a stall" in about["demo_questions"]
    assert len(about["starter_questions"]) == 4
