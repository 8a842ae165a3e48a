"""A person's own files in a deployment, over HTTP."""

import asyncio
import json
import socket
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from chat_ui.features.deployment import own_files
from chat_ui.features.deployment.own_files import clean_name
from tests.features.demo.serving import serving, wait_for
from tests.page.routes.running_app import running_app
from tests.stand_ins.deployment import Deployment

FILES = "/api/deployment/files"
MB = 2**20
CONFIG = json.dumps({"showUserUpload": True, "streamingEnabled": True, "showVectorOption": True}).encode()


@dataclass
class Site:
    """An app whose proxy names its users and their tokens, before a deployment at `backend`."""

    url: str
    backend: str

    def files(
        self, method: str, person: str = "ann", content: Any = None, *, name: str = "", size: int | None = None
    ) -> httpx2.Response:
        """The response to `content`, whose length is announced as `size` bytes."""
        headers = {"X-User": person, "X-Token": f"token of {person}" if person != "nobody" else ""}
        if size is not None:
            headers["Content-Length"] = str(size)
        url = f"{self.url}{FILES}?{self._query(name)}"
        return httpx2.request(method, url, headers=headers, content=content, timeout=60)

    def begun(self, lengths: str, body: bytes = b"") -> socket.socket:
        """The connection of an upload with these headers."""
        host = urlsplit(self.url)
        head = f"POST {FILES}?{self._query('a.txt')} HTTP/1.1\r\nHost: {host.netloc}\r\nX-User: ann\r\nX-Token: t\r\n"
        connection = socket.create_connection((host.hostname or "", host.port or 0), 30)
        connection.sendall(f"{head}{lengths}\r\n\r\n".encode() + body)
        return connection

    def _query(self, name: str) -> httpx2.QueryParams:
        return httpx2.QueryParams({"of": json.dumps({"url": self.backend, "profile": "given:Azure"}), "name": name})

    def listed(self, person: str = "ann") -> list[str]:
        return self.files("GET", person).json()["names"]


@contextmanager
def site_before(service: str, folder: Path, line: str = "pass_token = true", **chosen: Any) -> Iterator[Site]:
    offered = folder / "backends.toml"
    offered.write_text(f'[[backends]]\nname = "Azure"\nurl = "{service}/chat"\n{line}\n', "utf-8")
    proxy = {"trusted_proxies": ("127.0.0.1",), "identity_header": "X-User", "token_header": "X-Token"}
    with running_app(folder, backends=offered, **proxy, **chosen) as url:
        yield Site(url, f"{service}/chat")


@pytest.fixture
def deployment() -> Deployment:
    stand_in = Deployment()
    stand_in.config["showUserUpload"] = True
    stand_in.tokens = {"token of ann": "oid of ann", "token of bob": "oid of bob"}
    return stand_in


@pytest.fixture
def site(deployment: Deployment, tmp_path: Path) -> Iterator[Site]:
    with serving(deployment.app) as service, site_before(service, tmp_path, upload_bytes=17 * MB) as site:
        yield site


def test_a_file_is_stored_listed_replaced_and_deleted_for_one_person(site: Site, deployment: Deployment):
    assert site.files("GET").json() == {"names": [], "most": 17 * MB}
    for content in (b"first", b"a second, longer one"):
        assert site.files("POST", content=content, name="a.txt").status_code == 204
    site.files("POST", "bob", b"of bob", name="b.txt")
    assert deployment.files == {"oid of ann": {"a.txt": b"a second, longer one"}, "oid of bob": {"b.txt": b"of bob"}}
    assert (site.listed(), site.listed("bob")) == (["a.txt"], ["b.txt"])
    assert site.files("DELETE", "bob", name="a.txt").status_code == 422
    assert site.files("DELETE", name="a.txt").status_code == 204
    assert (site.listed(), site.listed("bob")) == ([], ["b.txt"])


def test_a_name_is_one_part_of_a_path_and_never_of_the_form(site: Site, deployment: Deployment):
    name = '../C:\\a"; name="other.txt\r\nX: y\r\n\r\n\0€🎈.txt'
    assert site.files("POST", content=b"words", name=name).status_code == 204
    assert deployment.files["oid of ann"] == {"a%22; name=%22other.txtX: y€🎈.txt": b"words"}
    assert [clean_name(name) for name in ("", "..", "a/", " \x07 ", "a/..")] == [""] * 5


def test_an_unusable_file_is_refused_before_anything_is_sent(site: Site, deployment: Deployment):
    for name, content in (("a.txt", b""), ("a/", b"words"), ("a.txt", iter([b"words"]))):
        refused = site.files("POST", content=content, name=name)
        assert (refused.status_code, "needs a name and content" in refused.text) == (400, True)
    for lengths, status in (
        (f"Content-Length: {2**31}", b"413"),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", b"400"),
    ):
        with site.begun(lengths) as connection:
            assert connection.recv(12).endswith(status)
    assert {one.path for one in deployment.requests} == {"/config", "/auth_setup"}


def test_a_refusal_is_in_the_words_of_the_service_and_never_its_page(site: Site, deployment: Deployment):
    deployment.fails = {"/upload", "/list_uploaded", "/delete_uploaded"}
    refused = site.files("POST", content=b"words", name="a.txt")
    assert refused.text == "Azure answered: Error uploading file, check server logs for details."
    for method in ("GET", "DELETE"):
        refused = site.files(method, name="a.txt")
        assert (refused.status_code, refused.text) == (422, "Azure failed with status 500. Try again later.")
    too_large = site.files("POST", content=bytes(16 * MB + 1), name="a.bin")
    assert (too_large.status_code, too_large.text) == (422, "Azure does not take files of this size.")


def test_a_token_can_be_missing_or_expire_between_two_files(site: Site, deployment: Deployment):
    words = "Azure stores files only for people who signed in. Sign in, or reload this page."
    assert site.files("GET", "nobody").text == words
    assert site.files("POST", content=b"words", name="a.txt").status_code == 204
    deployment.tokens = {"new": "oid of ann"}
    # The service closes the connection before it has the whole file.
    for refused in (site.files("POST", content=bytes(10 * MB), name="b.bin"), site.files("GET")):
        assert (refused.status_code, refused.text) == (422, words)
    assert deployment.files == {"oid of ann": {"a.txt": b"words"}}


def test_a_service_that_has_gone_is_named_in_words(tmp_path: Path):
    with ExitStack() as running, site_before(running.enter_context(serving(Counting())), tmp_path) as site:
        assert site.files("POST", content=b"words", name="a.txt").status_code == 204
        # Its answer is not a list.
        assert site.files("GET").status_code == 502
        running.close()
        refused = site.files("POST", content=b"words", name="a.txt")
    assert (refused.status_code, "connection was refused" in refused.text, "token of" in refused.text) == (
        422,
        True,
        False,
    )


@dataclass
class Counting:
    """A deployment that counts the bytes of uploads."""

    size: int = 0
    uploads: int = 0
    paths: set[str] = field(default_factory=set)
    left: int = 0
    reads: bool = True
    answers: bool = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        is_upload = scope["path"] == "/upload"
        self.uploads += is_upload
        self.paths.add(scope["path"])
        if is_upload and not self.reads:
            await asyncio.sleep(1)
            return
        has_more = True
        while has_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left += 1
                return
            self.size += len(message["body"])
            has_more = message["more_body"]
        if is_upload and not self.answers:
            assert (await receive())["type"] == "http.disconnect"
            self.left += 1
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": CONFIG})


@pytest.fixture
def counting(tmp_path: Path) -> Iterator[tuple[Site, Counting]]:
    service = Counting()
    with serving(service) as url, site_before(url, tmp_path, upload_bytes=200 * MB) as site:
        yield site, service


@pytest.mark.parametrize(
    "line", ['credential = { kind = "bearer", env = "SHARED" }', 'headers = { Authorization = "Bearer shared" }']
)
def test_a_token_of_the_operator_does_not_open_files(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHARED", "shared")
    words = "All people here use Azure with the same key, so your files there would not be private."
    service = Counting()
    with serving(service) as url, site_before(url, tmp_path, line) as site:
        assert [site.files(method, name="a.txt", content=b"a").text for method in ("GET", "POST", "DELETE")] == [
            words
        ] * 3
    assert service.paths == {"/config", "/auth_setup"}


def test_a_large_file_is_never_in_memory(counting: tuple[Site, Counting]):
    site, service = counting
    piece = bytes(MB)
    site.files("POST", content=b"words", name="small.txt")
    tracemalloc.start()
    try:
        taken = site.files("POST", content=(piece for _ in range(200)), name="large.bin", size=200 * MB)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (taken.text, service.size > 200 * MB, peak < 8 * MB) == ("", True, True)


def test_a_browser_that_leaves_closes_the_upload_also_while_it_is_indexed(counting: tuple[Site, Counting]):
    site, service = counting
    service.answers = False
    connections = [site.begun("Content-Length: 10", body) for body in (b"12345", b"1234567890")]
    wait_for(lambda: service.uploads == 2)
    with site.begun("Content-Length: 5", b"words") as third:
        for number, connection in enumerate(connections, 1):
            connection.close()
            wait_for(lambda number=number: service.left == number)
        # It has waited for its turn.
        wait_for(lambda: service.uploads == 3)
        third.close()
        wait_for(lambda: service.left == 3)


def test_a_service_that_hangs_ends_the_upload_in_words(
    counting: tuple[Site, Counting], monkeypatch: pytest.MonkeyPatch
):
    site, service = counting
    service.answers = False
    monkeypatch.setattr(own_files, "_INDEX_SECONDS", 0.5)
    refused = site.files("POST", content=b"words", name="a.txt")
    assert refused.text == "Azure is still indexing a.txt. Look at the list in a few minutes."
    monkeypatch.setattr(own_files, "_SECONDS", 0.5)
    service.reads = False
    refused = site.files("POST", content=bytes(30 * MB), name="a.txt")
    assert refused.text == "The file took too long to arrive at Azure. Try a smaller one."
