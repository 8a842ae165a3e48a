"""Documents are painted once, and sent in the browser's encoding."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from chat_ui.server.middleware.painted_pages import PaintedPages

painted: list[str] = []


def paint(document: str) -> str:
    painted.append(document)
    return document.replace("built", "painted")


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    (tmp_path / "index.html").write_text("<p>built</p>")
    (tmp_path / "script.js").write_text("built")
    (tmp_path / "404.html").write_text("<p>built: nothing here</p>")
    painted.clear()
    files = Starlette(routes=[Mount("/", StaticFiles(directory=tmp_path, html=True))])
    app = PaintedPages(files, paint)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://test") as opened:
        yield opened


async def test_a_document_is_painted_once_and_a_script_is_not(client: httpx2.AsyncClient):
    first, again, script = [await client.get(path) for path in ("/", "/", "/script.js")]
    assert (first.text, again.text, script.text) == ("<p>painted</p>", "<p>painted</p>", "built")
    assert painted == ["<p>built</p>"]
    assert first.headers["content-length"] == str(len(gzip.compress(b"<p>painted</p>", mtime=0)))


async def test_a_document_is_compressed_for_a_browser_that_supports_it(client: httpx2.AsyncClient):
    packed = await client.get("/", headers={"Accept-Encoding": "gzip, br"})
    plain = await client.get("/", headers={"Accept-Encoding": "gzip;q=0, identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert plain.content == packed.content == b"<p>painted</p>"
    assert "Accept-Encoding" in plain.headers["vary"]


async def test_a_cached_document_is_not_sent_again(client: httpx2.AsyncClient):
    first = await client.get("/")
    known = await client.get("/", headers={"If-None-Match": first.headers["etag"]})
    other = await client.get("/", headers={"If-None-Match": '"another"'})
    assert (known.status_code, known.content) == (304, b"")
    assert (other.status_code, other.text) == (200, "<p>painted</p>")
    assert "last-modified" not in first.headers


async def test_a_head_request_has_the_length_and_a_missing_page_is_painted(client: httpx2.AsyncClient):
    head = await client.head("/", headers={"Accept-Encoding": "identity"})
    assert (head.headers["content-length"], head.content) == (str(len("<p>painted</p>")), b"")
    for path in ("/nothing", "/nothing.png"):
        missing = await client.get(path)
        assert (missing.status_code, missing.text) == (404, "<p>painted: nothing here</p>")


async def test_a_document_is_painted_by_its_file_name_and_a_script_has_ranges(client: httpx2.AsyncClient):
    assert (await client.get("/index.html", headers={"Range": "bytes=0-3"})).text == "<p>painted</p>"
    part = await client.get("/script.js", headers={"Range": "bytes=0-1"})
    assert (part.status_code, part.text) == (206, "bu")
