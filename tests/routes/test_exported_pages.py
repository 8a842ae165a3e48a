"""A conversation exported as a page, over HTTP: what is listed first, and what comes along when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.backends.shelf import Shelf, pdf
from tests.demo.serving import serving
from tests.routes.listing import API, person
from tests.routes.whole import whole

KEY = "sk-proj-q7Zt2LmX9vKc4RbN8sWd1YhF6pGj3TaE"


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    shelf = Shelf()
    shelf.documents = {
        "Buoys.pdf": pdf("The first page.", "Buoys on the second page."),
        "Ropes.md": "Ropes are **long**, as the whole document says. Tåg är långa.".encode("cp1252"),
        "Never.md": b"Nobody cites this.",
        "Torn.pdf": b"%PDF-1.7\n1 0 obj <<",
        "Paint.txt": f"Red. {KEY}".encode(),
    }
    shelf.sources = [
        "Buoys.pdf#page=2: Buoys float.",
        "Ropes.md: Ropes are long.",
        "Never.md: Nothing.",
        "Gone.md: Not there.",
        "Paint.txt: Red.",
        "Torn.pdf: Old.",
    ]
    shelf.thoughts = [{"title": "Searched the shelf", "description": "for buoys"}]
    shelf.text = "Buoys float [Buoys.pdf#page=2], ropes are long [Ropes.md][Gone.md]. Red [Paint.txt]. Old [Torn.pdf]."
    return shelf


@pytest.fixture(scope="module")
def backend(shelf: Shelf) -> Iterator[str]:
    with serving(shelf.app) as url:
        yield url


@pytest.fixture(scope="module")
def me(backend: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """Somebody with a conversation with a backend that is on offer here."""
    with (
        whole(tmp_path_factory.mktemp("on offer"), backend_url=f"{backend}/1/chat/stream") as address,
        person(address) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def export(me: httpx2.Client, backend: str) -> str:
    return exported(me, f"{backend}/1/chat/stream")


def exported(client: httpx2.Client, backend: str) -> str:
    """The address of the export of a new conversation."""
    answer = client.post("/ask", params={"backend": backend}, content="What floats?").text
    return f"{API}{answer.partition('.')[0]}/export"


def page_of(client: httpx2.Client, export: str, **chosen: str) -> str:
    answer = client.get(export, params={"as": "html", **chosen})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["content-disposition"].startswith("attachment")
    return answer.text


def test_thoughts_and_cited_documents_go_out_only_when_they_are_asked_for(me: httpx2.Client, export: str):
    bare, whole_page = page_of(me, export), page_of(me, export, thoughts="yes", documents="yes")
    for words in ("Searched the shelf", "Buoys on the second page.", "Ropes are <strong>long</strong>", KEY):
        assert (words in bare, words in whole_page) == (False, True), words
    assert "Tåg är långa." in whole_page
    for words in ("The first page.", "Nobody cites this."):
        assert words not in whole_page


def test_the_name_of_the_backend_and_what_an_error_says_of_it_are_left_out_when_that_is_asked_for(
    me: httpx2.Client, export: str, backend: str
):
    host = backend.removeprefix("http://")
    assert "Answered by" in page_of(me, export)
    assert host in page_of(me, export)
    assert "Answered by" not in page_of(me, export, backend="no")
    assert host not in page_of(me, export, backend="no")


def test_what_goes_out_is_listed_with_what_looks_like_a_secret_in_the_documents_too(me: httpx2.Client, export: str):
    contents = me.get(f"{export}/contents").json()
    assert contents["questions"] == {"count": 1, "bytes": 12}
    assert (contents["sources"]["count"], contents["thoughts"]["count"], contents["pages"]["count"]) == (6, 1, 0)
    assert (contents["found"], len(contents["backends"])) == (0, 1)
    assert (contents["cited"], contents["recorded"]) == (5, 0)
    with_documents = me.get(f"{export}/contents", params={"documents": "yes"})
    assert (with_documents.json()["pages"]["count"], with_documents.json()["missing"]) == (3, 2)
    assert [(one["kind"], one["where"]) for one in with_documents.json()["suspects"]] == [
        ("API key", "Document “Paint” of answer 1")
    ]
    assert KEY[10:] not in with_documents.text


def test_no_document_comes_of_a_backend_that_is_not_on_offer(shelf: Shelf, backend: str, tmp_path: Path):
    with whole(tmp_path) as address, person(address) as stranger:
        theirs = exported(stranger, f"{backend}/2/chat/stream")
        shelf.requests.clear()
        assert "Buoys float" in page_of(stranger, theirs, documents="yes")
        assert shelf.requests == []


def test_what_goes_out_of_somebody_elses_conversation_is_not_told(me: httpx2.Client, export: str):
    theirs = f"{export}/contents"
    with httpx2.Client(base_url=me.base_url) as other:
        other.get("/")
        assert other.get(theirs).status_code == 404
        assert other.get(export, params={"as": "html"}).status_code == 404
