import pytest

from chat_ui.protocol.answers.data_points import MAX_DATA_POINTS, DataPoint, read_data_points
from chat_ui.protocol.answers.markup import has_line_break, words_of_html
from chat_ui.protocol.answers.place import Place
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.documents.document_urls import (
    Document,
    document_of,
    document_template,
    document_url,
    named_document,
    parse_document_template,
)

IMAGE = "data:image/png;base64,AAAA"
P = DataPoint


def test_data_points_are_read_in_every_shape() -> None:
    cases = [
        (None, []),
        (7, []),
        ("a.txt: b", [P("a.txt", "a.txt", "b")]),
        (["a.txt: b: c", " d.pdf:", "e.pdf#page=2", "words alone", " ", "f: ", "g\nh: i", ": j"], [
            P("a.txt", "a.txt", "b: c"), P("d.pdf", "d.pdf"), P("e.pdf#page=2", "e.pdf#page=2"),
            P("4", "Source 4", "words alone"), P("f", "f"), P("7", "Source 7", "g\nh: i"), P("8", "Source 8", ": j"),
        ]),
        ([IMAGE], [P("image1", "Image 1", image=IMAGE)]),
        ([None, {"id": 7, "title": " T ", "content": " "}], [P("7", "T", "title:  T \ncontent:  ")]),
        ([{"sourcepage": "a.pdf#page=1", "sourcefile": "a.pdf", "content": "b"}],
         [P("a.pdf#page=1", "a.pdf#page=1", "b")]),
        ([{"filepath": "null", "name": "n", "snippet": "s", "url": "null", "href": "https://a.example"}],
         [P("n", "n", "s", "https://a.example")]),
        ([{"price": 3, "tags": ["ü"], "none": None, "ok": True}], [P("1", "1", 'price: 3\ntags: ["ü"]\nok: true')]),
        ([{"name": True, "text": "t"}], [P("1", "1", "t")]),
        ([{"url": {"a": 1, "b": "https://a.example"}, "text": "t"}], [P("1", "1", "t", "https://a.example")]),
        ([{"url": IMAGE}], [P(IMAGE, f"Image {IMAGE}", image=IMAGE)]),
        ([{"url": "https://a.example"}],
         [P("https://a.example", "https://a.example", "url: https://a.example", "https://a.example")]),
        ([{"url": "https://a.example/b.png", "detail": "low"}],
         [P("https://a.example/b.png", "Image https://a.example/b.png", image="https://a.example/b.png")]),
        ([{"type": "image_url", "image_url": {"url": IMAGE}}], [P("1", "Image 1", image=IMAGE)]),
        ({"3": {"id": 3, "name": "Jacket", "price": 30}}, [P("3", "Jacket", "name: Jacket\nprice: 30")]),
        ({"k": "v", "l": ["a: b"], "m": 7, "citation_activity_details": {"a": 1}},
         [P("k", "k", "v"), P("a", "a", "b")]),
        ({"text": "a: b", "citations": ["c.pdf", " "]}, [P("a", "a", "b"), P("c.pdf", "c.pdf")]),
        ({"citations": [{"title": "T", "content": "c"}, "d.pdf"]}, [P("d.pdf", "d.pdf"), P("doc1", "T", "c")]),
        ({"text": {"a": 1}, "images": "no"}, []),
        ({"external_results_metadata": [{"id": "w", "title": "W", "snippet": "s", "url": "https://w.example"}, 7,
                                        {"url": "https://v.example"}, {"title": "V"}, {"snippet": "s"}]},
         [P("w", "W", "s", "https://w.example"),
          P("https://v.example", "https://v.example", "", "https://v.example"),
          P("V", "V"), P("web", "web", "s")]),
        # azure-search-openai-demo cites pages of the web by their address, and documents of SharePoint by their file.
        ({"text": ["a.pdf: b"], "citations": ["a.pdf", "https://w.example/c?d=1"],
          "external_results_metadata": [{"id": "3", "title": "W", "url": "https://w.example/c?d=1", "activity": {}}]},
         [P("a.pdf", "a.pdf", "b"), P("3", "W", "", "https://w.example/c?d=1")]),
        ({"text": ["https://w.example/c: b"], "citations": ["https://w.example/c"],
          "external_results_metadata": [{"id": "3", "title": "W", "url": "https://w.example/c"}]},
         [P("3", "W", "b", "https://w.example/c")]),
        ({"text": ["A%20b.docx: c"], "citations": ["A%20b.docx"],
          "external_results_metadata": [{"id": "4", "title": "A", "url": "https://s.example/A%20b.docx",
                                         "snippet": "c"}]},
         [P("4", "A", "c", "https://s.example/A%20b.docx", names=("A%20b.docx",))]),
        ({"citations": ["a.docx"], "external_results_metadata": [{"id": 4, "title": "", "url": "https://s.example/a.docx"}]},
         [P("4", "https://s.example/a.docx", "", "https://s.example/a.docx", names=("a.docx",))]),
        ({"text": ["a.docx: b"], "citations": ["a.docx"],
          "external_results_metadata": [{"id": "4", "title": "A", "url": "https://s.example/a.docx", "snippet": "c"}]},
         [P("a.docx", "a.docx", "b"), P("4", "A", "c", "https://s.example/a.docx", names=("a.docx",))]),
        ({"images": [IMAGE, {"url": IMAGE, "title": "T"}, "https://a.example/b%20c.png?d", None, {"a": 1}]},
         [P("image1", "Image 1", image=IMAGE), P("T", "T", image=IMAGE),
          P("b c.png", "b c.png", image="https://a.example/b%20c.png?d")]),
        ({"images": [IMAGE], "citations": ["a.pdf#page=1(f.png)", "b.pdf"]},
         [P("a.pdf#page=1(f.png)", "a.pdf#page=1(f.png)", image=IMAGE), P("b.pdf", "b.pdf")]),
        ({"text": ["a.png: b"], "images": [IMAGE], "citations": ["a.png"]}, [P("a.png", "a.png", "b", image=IMAGE)]),
        ({"images": [IMAGE, IMAGE], "citations": ["a.png"]},
         [P("image1", "Image 1", image=IMAGE), P("image2", "Image 2", image=IMAGE), P("a.png", "a.png")]),
        ({"images": ["http://[no-address", "no/address.png"]},
         [P("image1", "Image 1", image="http://[no-address"), P("address.png", "address.png", image="no/address.png")]),
        ({"images": [{"image_url": {"url": IMAGE}}, {"data": IMAGE}, {"src": ""}]},
         [P("image1", "Image 1", image=IMAGE), P("image2", "Image 2", image=IMAGE)]),
        (["a: b", "a: b", "a: c", "a: d", "a: c"],
         [P("a", "a", "b"), P("a (2)", "a", "c"), P("a (3)", "a", "d")]),
        (["a: ", "a: b"], [P("a", "a", "b")]),
        # Documents of LangChain, LlamaIndex and Haystack.
        ([{"page_content": "b", "metadata": {"source": "d/a.pdf", "page": 2, "title": "Untitled"}, "type": "Document"},
          {"page_content": "c", "metadata": {"source": "d/a.pdf", "page": 0, "page_label": "iii"}}],
         [P("d/a.pdf", "d/a.pdf", "b", names=("d/a.pdf#page=3", "d/a.pdf#page=2")),
          P("d/a.pdf (2)", "d/a.pdf", "c", names=("d/a.pdf#page=1",))]),
        ([{"id": "u", "pageContent": "b", "metadata": {"source": "a.pdf", "loc": {"pageNumber": 2, "lines": {}}}}],
         [P("u", "a.pdf", "b", names=("a.pdf#page=2",))]),
        ([{"page_content": "b", "metadata": {"source": "https://a.example/b", "title": "T"}}],
         [P("T", "T", "b", "https://a.example/b", names=("https://a.example/b",))]),
        ([{"node": {"id_": "u", "text": "b", "metadata": {"file_name": "a.pdf", "page_label": "2"}}, "score": 0.8}],
         [P("a.pdf", "a.pdf", "b", names=("a.pdf#page=2",))]),
        ([{"id": "u", "text": "b", "metadata": {"file_name": "a.pdf", "url": "https://a.example/a"}, "url": None},
          {"id": "v", "text": "c", "metadata": {"title": "T", "URL": "https://a.example/c"}, "url": None},
          {"id": "w", "text": "d", "metadata": {"URL": "https://a.example/d"}, "url": "/files/d"}],
         [P("u", "a.pdf", "b", "https://a.example/a"),
          P("v", "T", "c", "https://a.example/c", names=("https://a.example/c",)),
          P("w", "https://a.example/d", "d", "/files/d")]),
        ([{"id": "u", "content": "b", "meta": {"file_path": "d/a.pdf", "page_number": 2}, "score": 0.8}],
         [P("u", "d/a.pdf", "b", names=("d/a.pdf#page=2",))]),
        ([[{"page_content": "b", "metadata": {"source": "a.pdf"}}, 0.8], ["a", "b"], []],
         [P("a.pdf", "a.pdf", "b")]),
        ([{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "document", "Document"],
           "kwargs": {"page_content": "b", "metadata": {"source": "a.pdf", "page": 1}, "type": "Document"}}],
         [P("a.pdf", "a.pdf", "b", names=("a.pdf#page=2", "a.pdf#page=1"))]),
        ([{"title": "T", "content": "b", "metadata": {"source": "a.pdf"}}], [P("T", "T", "b", names=("a.pdf",))]),
        ([{"text": "t", "metadata": {"page": 2}}], [P("1", "1", "t")]),
        ([{"metadata": {"name": True}, "node": 7}], [P("1", "1", 'metadata: {"name": true}\nnode: 7')]),
        (["a: b", "a (2): c", "a: c", "a: d"], [P("a", "a", "b"), P("a (2)", "a (2)", "c"), P("a (3)", "a", "d")]),
        (["a: b", "a (2): c", "a: d"], [P("a", "a", "b"), P("a (2)", "a (2)", "c"), P("a (3)", "a", "d")]),
    ]  # fmt: skip
    assert [(data_points, list(read_data_points({"data_points": data_points}))) for data_points, _ in cases] == cases


def test_citations_and_annotations_are_data_points_up_to_a_limit() -> None:
    cases = [
        ({"citations": [{"title": "T", "content": "c", "url": "https://a.example"}, "b.pdf", " ", 7, {"title": "U"}]},
         [P("doc1", "T", "c", "https://a.example"), P("b.pdf", "b.pdf"), P("doc5", "U", "title: U")]),
        ({"citations": "no"}, []),
        ({"annotations": [{"url_citation": {"url": "https://a.example", "title": "A", "content": "c"}},
                          {"filename": "b.pdf", "content": 7}, {"type": "x"}, None]},
         [P("https://a.example", "A", "c", "https://a.example"), P("b.pdf", "b.pdf")]),
        ({"data_points": ["a: "], "citations": [], "annotations": [{"name": "a", "url": "https://a.example"}]},
         [P("a", "a"), P("https://a.example", "a", url="https://a.example")]),
    ]  # fmt: skip
    assert [(context, list(read_data_points(context))) for context, _ in cases] == cases
    points = read_data_points({"data_points": [f"a{number}: b" for number in range(MAX_DATA_POINTS + 1)]})
    assert points[-1].id == f"a{MAX_DATA_POINTS - 1}"


def test_a_name_is_a_document_unless_it_leads_elsewhere() -> None:
    cases = [
        ("a.pdf", Document("a.pdf", "pdf")),
        (" b/a.PDF#page=3 ", Document("b/a.PDF", "pdf", Place(3))),
        ("a.pdf#page=0", Document("a.pdf", "pdf")),
        ("a.pdf#page=12345678", Document("a.pdf", "pdf")),
        ("a.pdf#page=8(f.png)", Document("a.pdf", "pdf", Place(8))),
        ("a.pdf(f.png)", Document("a.pdf", "pdf")), ("a.jpeg", Document("a.jpeg", "image")),
        ("a.md", Document("a.md", "markdown")), ("a.yaml", Document("a.yaml", "text")),
        ("a.htm", Document("a.htm", "html")), ("a.tsv", Document("a.tsv", "sheet")),
        ("a.docx", Document("a.docx", "word")), ("a.pptx#slide=4", Document("a.pptx", "slides", Place(slide=4))),
        ("a.xlsx#'It''s'!$B$2:c9", Document("a.xlsx", "sheet", Place(sheet="It's", cells="B2:C9"))),
        ("a.exe", None), ("pdf", None), (".pdf", None), ("a.pdf b", None),
        ("../a.pdf", None), ("b/../a.pdf", None), ("%2e%2e/a.pdf", None), ("%252e%252e/a.pdf", None), ("/a.pdf", None),
        ("b//a.pdf", None), ("./a.pdf", None), ("b\\a.pdf", None), ("https://b.example/a.pdf", None),
        ("a\x00.pdf", None),
        ("%2525252e./a.pdf", Document("%2525252e./a.pdf", "pdf")),
    ]  # fmt: skip
    assert [(name, named_document(name)) for name, _ in cases] == cases


def test_a_source_has_a_document_if_nothing_else_came_for_it() -> None:
    cases = [
        (P("a.pdf", "b.pdf"), "a.pdf"),
        (P("4f", "b.pdf"), "b.pdf"),
        (P("4f", "b"), None),
        (P("a.pdf", "", url="https://a.example/a.pdf"), None),
        (P("a.pdf", "", url="blob/a.pdf"), "a.pdf"),
        (P("a.png", ""), "a.png"),
        (P("a.png", "", image=IMAGE), None),
        (P("a.pdf", "", image=IMAGE), "a.pdf"),
    ]
    for point, name in cases:
        document = document_of(point)
        assert (document and document.name) == name


def test_documents_are_beside_the_chat_unless_a_template_is_set() -> None:
    cases = [
        ("http://a.example/api/chat", None, "http://a.example/api/content/{source}"),
        ("http://a.example/ask/stream/?k=1", None, "http://a.example/content/{source}"),
        ("http://a.example/agents/ag-ui", None, "http://a.example/agents/content/{source}"),
        ("http://a.example/agui/", None, "http://a.example/content/{source}"),
        ("http://a.example/v1/responses", None, None),
        ("http://a.example:8000/x", "{origin}/d/{source}", "http://a.example:8000/d/{source}"),
        ("http://a.example/chat", "", None),
    ]
    for url, documents, template in cases:
        assert document_template(Backend(url, documents=documents)) == template
    assert document_url("http://a/{source}", Document("b/c d?#.pdf", "pdf")) == "http://a/b/c%20d%3F%23.pdf"


def test_a_template_needs_a_place_for_the_name() -> None:
    templates = {
        " ": "",
        " {origin}/d/{source} ": "{origin}/d/{source}",
        "a.example/d?name={source}": "https://a.example/d?name={source}",
    }
    assert {text: parse_document_template(text) for text in templates} == templates
    for text in ("https://a.example/d", "https://{source}.example/{source}", "https://a.example/d#{source}",
                 "ftp://a.example/{source}"):  # fmt: skip
        with pytest.raises(ValueError, match=r"\w"):
            parse_document_template(text)


def test_html_has_words_in_lines() -> None:
    cases = [
        ("a<br>b<BR />c", "a\nb\nc"), ("<p>a</p> <p>b</p>\nc", "a\nb\nc"),
        ("<tr><td>a</td>\n<th>b</th></tr>c", "a | b\nc"), ("1 < 2 &amp; <i>3</i>", "1 < 2 & 3"),
        ("<li>a</li></div>b", "a\nb"),
    ]  # fmt: skip
    for html, words in cases:
        assert words_of_html(html) == words
        assert has_line_break(html) is ("<br" in html)
