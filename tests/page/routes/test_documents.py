"""Documents of a backend over HTTP, through the app's routes."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any, TypeAlias

import httpx2
import pytest
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from chat_ui.backends.offer import Offer
from chat_ui.backends.profile import Profile
from chat_ui.backends.vault import Vault
from tests.features.demo.serving import serving
from tests.page.routes.reading import MAX_BYTES, Reader, reading
from tests.stand_ins.shelf import MB, Shelf, pdf
from tests.timeouts import TIMEOUT

MOST_ROOMS = 60


@pytest.fixture(scope="module")
def shelf_in_use() -> Shelf:
    return Shelf()


@pytest.fixture(scope="module")
def url(shelf_in_use: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app's routes over a backend with a shelf, which has many rooms."""
    with serving(shelf_in_use.app) as backend:
        rooms = tuple(Profile(name=str(room), url=f"{backend}/{room}/chat") for room in range(MOST_ROOMS))
        with reading(Offer(rooms), Vault(tmp_path_factory.mktemp("vault"))) as address:
            yield address


Readers: TypeAlias = Callable[[], Reader]


@pytest.fixture
def shelf(shelf_in_use: Shelf) -> Shelf:
    shelf_in_use.documents.clear()
    shelf_in_use.requests.clear()
    shelf_in_use.sent = 0
    return shelf_in_use


@pytest.fixture(scope="module")
def readers(url: str) -> Iterator[Readers]:
    """Makes a person with a question in an unused room."""
    rooms = count()
    with ExitStack() as stack:

        def another() -> Reader:
            reader = Reader(url, f"given:{next(rooms)}")
            stack.callback(reader.http.close)
            return reader

        yield another


@pytest.fixture
def reader(readers: Readers) -> Reader:
    return readers()


def cite(shelf: Shelf, reader: Reader, *sources: str) -> None:
    shelf.sources = [source if ": " in source else f"{source}: Buoys are painted red." for source in sources]
    reader.ask()


def shelved(shelf: Shelf, reader: Reader, name: str, document: bytes | Response) -> httpx2.Response:
    shelf.documents[name] = document
    cite(shelf, reader, name)
    return reader.document(0)


def test_a_document_has_its_type_name_ranges_and_etag_for_its_person(shelf: Shelf, reader: Reader):
    data = pdf("One", "Two")
    first = shelved(shelf, reader, "reports/ .Buoys.pdf", data)
    assert first.content == data
    assert first.headers["content-type"] == "application/pdf"
    assert first.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" not in first.headers["content-security-policy"]
    assert first.headers["content-disposition"].startswith('inline; filename="Buoys.pdf"')
    download = reader.document(0, "?download")
    assert download.headers["content-disposition"].startswith('attachment; filename="Buoys.pdf"')
    part = reader.document(0, range="bytes=10-29")
    assert (part.status_code, part.content) == (206, data[10:30])
    assert part.headers["content-range"] == f"bytes 10-29/{len(data)}"
    assert reader.document(0, range=f"bytes={len(data) + 5}-").status_code == 416
    again = reader.document(0, if_none_match=first.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    stranger = Reader(reader.url)
    stranger.answer = reader.answer
    assert stranger.document(0).status_code == 404


def test_executable_content_is_sandboxed_or_downloaded(shelf: Shelf, readers: Readers):
    served = {
        "Map.png": "image/png",
        "Drawing.svg": "image/svg+xml",
        **dict.fromkeys(("Notes.md", "Page.html", "Page.xhtml", "Feed.xml"), "text/plain; charset=utf-8"),
        **dict.fromkeys(("Sheet.xlsx", "Prüfplan 2026.docx", "invoice\u202efdp.docx"), "application/octet-stream"),
    }
    # An SVG is an image in the page, and a download by itself. Direction marks are removed from names.
    downloads = {
        "Drawing.svg": "filename=\"Drawing.svg\"; filename*=UTF-8''Drawing.svg",
        "Sheet.xlsx": "filename=\"Sheet.xlsx\"; filename*=UTF-8''Sheet.xlsx",
        "Prüfplan 2026.docx": "filename=\"Pr_fplan 2026.docx\"; filename*=UTF-8''Pr%C3%BCfplan%202026.docx",
        "invoice\u202efdp.docx": "filename=\"invoicefdp.docx\"; filename*=UTF-8''invoicefdp.docx",
    }
    for name, content_type in served.items():
        response = shelved(shelf, readers(), name, b"<script>parent.ran = 1</script>")
        assert response.headers["content-type"] == content_type
        kind, _, told = response.headers["content-disposition"].partition("; ")
        assert (kind, told) == ("attachment", downloads[name]) if name in downloads else kind == "inline"
        policy = response.headers["content-security-policy"]
        assert policy.endswith("sandbox")
        assert "script-src" not in policy
        assert policy.startswith("default-src 'none'")


def test_a_refused_document_has_a_message(shelf: Shelf, readers: Readers):
    refusals = {401: "sign-in or a key", 403: "not have permission", 404: "not have a document", 500: "failed"}
    for status, words in refusals.items():
        refused = shelved(shelf, readers(), "Buoys.pdf", PlainTextResponse("<b>stack trace</b>", status_code=status))
        assert refused.status_code == (502 if status == 500 else status)
        assert words in refused.text
        assert "stack trace" not in refused.text
    response = shelved(shelf, readers(), "Buoys.pdf", b"GIF89a" + b"\0" * 2000)
    assert (response.status_code, response.text) == (
        415,
        "The file that the backend sent under this name is not a PDF.",
    )


def test_a_text_is_decoded_as_told_or_by_its_passage(shelf: Shelf, readers: Readers):
    encodings = {
        "text/plain; charset=ISO-8859-1": "ISO-8859-1",
        "text/html; charset='koi8-r'": "koi8-r",
        "text/x": "utf-8",
    }
    for told, encoding in encodings.items():
        document = Response("Bjørn".encode("latin-1"), headers={"Content-Type": told})
        response = shelved(shelf, readers(), "Buoys.txt", document)
        assert response.headers["content-type"] == f"text/plain; charset={encoding}"
        assert response.content == b"Bj\xf8rn"
    for told in ("text/plain", "text/plain; charset=shift_jis", "text/plain; charset=utf-8"):
        shelf.documents["Prices.txt"] = Response("品名,価格\r\n休暇,20日\r\n".encode("shift_jis"), media_type=told)
        cite(shelf, reader := readers(), "Prices.txt: 休暇 20日")
        shown = reader.document(0, "/shown").text
        assert "休暇,20日" in shown
        assert ("Text encoding guessed: Shift_JIS" in shown) == ("shift_jis" not in told)


def test_an_invalid_or_missing_text_is_not_shown_as_text(shelf: Shelf, reader: Reader):
    shelf.documents["Buoys.pdf"] = pdf("One")
    cite(shelf, reader, "Buoys.pdf", "just words")
    refused = reader.document(0, "/shown")
    assert (refused.status_code, refused.text) == (415, "This kind of document cannot be shown as text.")
    assert reader.document(1, "/shown").status_code == 404
    assert reader.document(7).status_code == 404
    assert shelf.requests == []
    cite(shelf, reader, "Notes.txt")
    for path in ("", "/shown"):
        refused = reader.document(0, path)
        assert (refused.status_code, refused.headers["cache-control"]) == (404, "no-store")
        assert "not have a document" in refused.text


def broken(beginning: bytes, **head: Any) -> Response:
    """A text whose connection breaks after the beginning."""

    async def pieces() -> AsyncIterator[bytes]:
        yield beginning
        raise ConnectionAbortedError

    return StreamingResponse(pieces(), **head)


async def endless() -> AsyncIterator[bytes]:
    while True:
        yield b"Buoys are red. " * 1000
        await asyncio.sleep(0)


@pytest.mark.parametrize("document", [broken(b"Buoys are red. " * 100), endless()], ids=["breaks off", "never ends"])
def test_a_broken_text_is_shown_up_to_the_break(shelf: Shelf, reader: Reader, document: Response):
    shelf.documents["Notes.txt"] = document
    cite(shelf, reader, "Notes.txt")
    shown = reader.document(0, "/shown")
    assert shown.status_code == 200
    assert shown.text.startswith('<div class="document-plain" dir="auto">Buoys are red.')
    assert shown.text.count("Buoys are red.") >= 100
    assert "The rest of this document is not shown" in shown.text


def test_an_empty_broken_text_is_refused_in_words(shelf: Shelf, reader: Reader):
    shelf.documents["Notes.txt"] = broken(b"", status_code=206, headers={"Content-Range": "bytes 5-9/10"})
    cite(shelf, reader, "Notes.txt")
    shown = reader.document(0, "/shown")
    assert (shown.status_code, shown.text) == (502, "The connection to the backend broke. Try again.")


def test_an_endless_document_is_cut_and_refused_afterwards(shelf: Shelf, reader: Reader):
    shelf.documents["Endless.pdf"] = shelf.endless()
    cite(shelf, reader, "Endless.pdf")
    with pytest.raises(httpx2.TransportError):
        reader.document(0)
    assert shelf.sent < 3 * MAX_BYTES
    refused = reader.document(0)
    assert refused.status_code == 413
    assert "larger than the limit of 20 MB" in refused.text


def test_a_text_is_shown_by_the_type_of_its_name(shelf: Shelf, readers: Readers):
    shelved(shelf, reader := readers(), "Notes.md", b"# Paint\n\nSee [other.pdf] and <script>alert(1)</script>**red**.")
    shown = reader.document(0, "/shown").text
    assert "<strong>red</strong>" in shown
    assert "[other.pdf]" in shown
    assert "<script" not in shown
    assert "<button" not in shown
    shelved(shelf, reader := readers(), "Page.html", b"<title>Buoys</title><p>It is <b>red</b>.</p><script>1</script>")
    assert "<b>red</b>" in (shown := reader.document(0, "/shown").text)
    assert "<script" not in shown


def test_a_name_is_passed_on_unchanged_and_escaped_in_the_address(shelf: Shelf, readers: Readers):
    paths = {
        "C# for sailors.pdf#page=2": "C%23%20for%20sailors.pdf",
        "What now?.pdf": "What%20now%3F.pdf",
        "nul\0.pdf": "nul.pdf",
        "50%2foff.pdf": "50%252foff.pdf",
        "\"quoted\" 'name'.pdf": "%22quoted%22%20%27name%27.pdf",
        "reports/2026/Q1.pdf#page=1": "reports/2026/Q1.pdf",
        "福利手册.pdf": "%E7%A6%8F%E5%88%A9%E6%89%8B%E5%86%8C.pdf",
    }

    def asked(source: str) -> str:
        cite(shelf, reader := readers(), source)
        assert reader.document(0).status_code == 404
        return shelf.requests[-1][0].partition("/content/")[2]

    assert {source: asked(source) for source in paths} == paths


def test_a_name_that_leads_elsewhere_is_not_a_document(shelf: Shelf, readers: Readers):
    sources = (
        "../chat.pdf",
        "a/../../secret.pdf",
        "..%2fsecret.pdf",
        "%2e%2e/secret.pdf",
        "%252e%252e%252fsecret.pdf",
        "..\\secret.pdf",
        "/etc/passwd.txt",
        "http://169.254.169.254/latest.txt",
        "//elsewhere.example/a.pdf",
        "no extension",
        "nul%00.pdf",
        "program.exe",
    )
    cite(shelf, reader := readers(), *sources)
    assert [reader.document(point).status_code for point in range(len(sources))] == [404] * len(sources)
    assert shelf.requests == []
    assert "data-document" not in reader.sources()


def opened(html: str) -> list[str]:
    return html.split("data-document=")[1:]


def test_sources_link_to_documents_where_the_backend_has_them(shelf: Shelf, reader: Reader):
    shelf.documents["Buoys.pdf"] = pdf("One", "Two")
    cite(shelf, reader, "just words")
    assert opened(reader.sources()) == []
    assert shelf.requests == []
    cite(shelf, reader, "Buoys.pdf#page=1", "Buoys.pdf#page=2", "just words")
    first, second = opened(reader.sources())
    assert first.startswith('"0" data-kind="pdf" data-page="1" data-name="Buoys.pdf"')
    assert second.startswith('"0" data-kind="pdf" data-page="2"'), "the same document is the same address"
    asked = len(shelf.requests)
    for _ in range(2):
        cite(shelf, reader, "Buoys.pdf")
        assert "open-document" in reader.sources()
    assert len(shelf.requests) == asked


def test_available_or_refused_documents_are_linked_and_others_are_passages(shelf: Shelf, readers: Readers):
    def led_to(document: Response | None) -> bool:
        if document is not None:
            shelf.documents["Buoys.pdf"] = document
        cite(shelf, reader := readers(), "Buoys.pdf")
        html = reader.sources()
        assert "Buoys are painted red." in html
        return bool(opened(html))

    assert not led_to(None)
    assert not led_to(Shelf.sign_in_page())
    led = {401: True, 403: True, 429: True, 404: False, 500: False}
    assert {status: led_to(PlainTextResponse("no", status_code=status)) for status in led} == led
    assert led_to(Shelf.claims_to_be(300 * MB))


def test_a_few_documents_are_tried_until_one_exists(shelf: Shelf, readers: Readers):
    cite(shelf, reader := readers(), "a.pdf#page=1", "a.pdf#page=1", "just words", "b.pdf", "c.pdf", "d.pdf")
    assert opened(reader.sources()) == []
    assert [path.rpartition("/")[2] for path, _ in shelf.requests] == ["a.pdf", "b.pdf", "c.pdf"]
    assert {headers["range"] for _, headers in shelf.requests} == {"bytes=0-1023"}
    shelf.requests.clear()
    shelf.documents["b.pdf"] = pdf("One")
    cite(shelf, reader := readers(), "a.pdf", "b.pdf", "c.pdf")
    assert len(opened(reader.sources())) == 3
    assert [path.rpartition("/")[2] for path, _ in shelf.requests] == ["a.pdf", "b.pdf"]


def test_a_leaving_reader_ends_the_fetch(shelf: Shelf, reader: Reader):
    left = threading.Event()

    class Watched(StreamingResponse):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            try:
                await super().__call__(scope, receive, send)
            finally:
                left.set()

    shelf.documents["Endless.pdf"] = Watched(shelf.endless(), media_type="application/pdf")
    cite(shelf, reader, "Endless.pdf")
    with reader.http.stream("GET", f"/answers/{reader.answer}/documents/0") as response:
        pieces = response.iter_raw()
        next(pieces)
        assert not left.is_set()
    assert left.wait(TIMEOUT)
