import gzip
from collections.abc import Callable, Mapping

import pytest

from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.documents.document_fetch import Fetched, fetch_document, megabytes
from chat_ui.protocol.documents.document_urls import Document, named_document
from chat_ui.protocol.errors import DocumentError
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import guard_for
from tests.protocol.asking import PATIENT
from tests.stand_ins.literal import literal
from tests.stand_ins.stand_in import Received, Reply, StandIn
from tests.timeouts import TIMEOUT

PDF = b"%PDF-1.7 " + b"x" * 3000
BUOYS, MAP = Document("Buoys.pdf", "pdf"), Document("Map.png", "image")
KEY = {"authorization": "Bearer of-the-backend"}


async def fetched(
    reply: Reply | Callable[[Received], Reply], name: str = "Buoys.pdf", *, asked: Mapping[str, str] | None = None,
    most: int = 10_000, bounds: Bounds = PATIENT, documents: str | None = None,
) -> tuple[Fetched, bytes, list[Received]]:  # fmt: skip
    """The result of a fetch: the document's head, all of it, and the requests."""
    document = named_document(name)
    assert document is not None
    async with StandIn(reply).running() as stand_in, AsyncClient(bounds) as client:
        backend = Backend(f"{stand_in.url}/chat", headers=KEY, documents=documents)
        found = await fetch_document(client, backend, document, asked or {}, max_bytes=most, bounds=bounds)
        try:
            return found, b"".join([chunk async for chunk in found.body]), stand_in.requests
        finally:
            await found.aclose()


async def test_a_document_has_its_headers_and_the_key_goes_only_to_its_origin():
    headers = {"ETag": '"1"', "Set-Cookie": "a=b", "Content-Type": "text/html"}
    found, body, [request] = await fetched(Reply([PDF], headers=headers, length=True))
    assert (found.status, body) == (200, PDF)
    assert found.headers == {"content-length": str(len(PDF)), "etag": '"1"'}
    assert (request.method, request.path) == ("GET", "/content/Buoys.pdf")
    assert request.headers["authorization"] == KEY["authorization"]
    async with StandIn(Reply([PDF])).running() as elsewhere:
        await fetched(Reply(status=500), documents=f"{elsewhere.url}/files/{{source}}")
    [request] = elsewhere.requests
    assert (request.path, "authorization" in request.headers) == ("/files/Buoys.pdf", False)


async def test_only_a_range_and_validators_are_passed_on():
    part = {"Content-Range": f"bytes 0-1023/{len(PDF)}", "Accept-Ranges": "bytes"}
    asked = {"range": "bytes=0-1023", "if-none-match": '"1"', "cookie": "a=b"}
    found, body, [request] = await fetched(Reply([PDF[:1024]], status=206, headers=part, length=True), asked=asked)
    assert (found.status, body) == (206, PDF[:1024])
    assert found.headers["content-range"] == f"bytes 0-1023/{len(PDF)}"
    assert (request.headers["range"], request.headers["if-none-match"]) == ("bytes=0-1023", '"1"')
    assert "cookie" not in request.headers


async def test_a_missing_document_has_a_reason():
    moved = {"Location": "https://a.test:9/x"}
    for reply, name, status, words in (
        (Reply(status=401), "Buoys.pdf", 401, "requires a sign-in or a key"),
        (Reply(status=403), "Buoys.pdf", 403, "do not have permission"),
        (Reply(status=404), "Buoys.pdf", 404, "not have a document called “Buoys.pdf”"),
        (Reply(status=410), "Buoys.pdf", 410, "“Buoys.pdf” was removed"),
        (Reply(status=429), "Buoys.pdf", 429, "limits requests for documents"),
        (Reply(status=500), "Buoys.pdf", 502, "failed to return this document (status 500)"),
        (Reply(status=499), "Buoys.pdf", 502, "did not return this document (status 499)"),
        (Reply(status=302, headers=moved), "Buoys.pdf", 502, "to https://a.test:9, often"),
        (Reply(status=302, headers={"Location": "/Buoys.pdf"}), "Buoys.pdf", 502, "to another address"),
        (Reply(status=302, headers={"Location": "http://a:b/"}), "Buoys.pdf", 502, "this document (status 302)"),
        (Reply(status=300), "Buoys.pdf", 502, "did not return this document (status 300)"),
        (Reply([b"<html>Sign in"]), "Buoys.pdf", 415, "sent a web page"),
        (Reply([b" <!DOCTYPE HTML><p>"]), "Map.png", 415, "sent a web page"),
        (Reply([b"no such thing"]), "Buoys.pdf", 415, "is not a PDF"),
        (Reply([b"x" * 10_001], length=True), "Map.png", 413, "10 kB; documents over 10 kB"),
        (Reply([PDF], headers={"Content-Encoding": "br"}), "Buoys.pdf", 502, "compressed as br"),
        (Reply(end="rst", before_headers=True), "Buoys.pdf", 502, "The connection to http://127.0.0.1"),
        (Reply([PDF[:5]], end="abrupt"), "Buoys.pdf", 502, "The connection to http://127.0.0.1"),
    ):
        with pytest.raises(DocumentError) as refused:
            await fetched(reply, name)
        assert refused.value.status == status
        assert words in refused.value.message
    with pytest.raises(DocumentError, match="does not provide documents"):
        await fetched(Reply([PDF]), documents="")


async def test_a_document_of_the_maximal_size_comes_and_a_larger_one_stops():
    for has_length in (True, False):
        _, body, _ = await fetched(Reply([b"x" * 10_000], length=has_length), "Map.png")
        assert len(body) == 10_000
    for writes, most in (([b"x" * 50_000] * 20, 100_000), ([b"x" * 10_001], 10_000)):
        with pytest.raises(DocumentError, match=f"larger than the limit of {megabytes(most)}") as refused:
            await fetched(Reply(writes), "Map.png", most=most)
        assert refused.value.status == 413
    for size, words in ((1_500, "1.5 kB"), (99_999, "100 kB"), (100_000, "0.1 MB"), (1_500_000, "1.5 MB")):
        assert megabytes(size) == words


async def test_a_web_page_is_allowed_and_a_middle_part_is_not_judged():
    _, body, _ = await fetched(Reply([b"<html>Buoys"]), "Buoys.html")
    assert body == b"<html>Buoys"
    for of in ("bytes 100-1999/3000", "bytes 0-9/3000", "bytes 0-1022/3000"):
        part = Reply([b"no beginning"], status=206, headers={"Content-Range": of})
        assert (await fetched(part))[1] == b"no beginning"
    with pytest.raises(DocumentError, match="is not a PDF"):
        await fetched(Reply([b"no beginning"], status=206, headers={"Content-Range": "bytes 0-1023/3000"}))


async def test_a_compressed_or_unsent_document_has_no_sizes():
    for status in (304, 416):
        headers = {"ETag": '"1"', "Content-Range": "bytes */3000"}
        found, body, _ = await fetched(Reply(status=status, headers=headers, length=True))
        assert (found.status, body) == (status, b"")
        assert "content-length" not in found.headers
    sizes = {"content-length": str(len(PDF)), "accept-ranges": "bytes"}
    for coding, sent, passed_on in (("gzip", gzip.compress(PDF), {}), ("identity", PDF, sizes)):
        headers = {"Content-Encoding": coding, "Accept-Ranges": "bytes", "ETag": '"1"'}
        found, body, _ = await fetched(Reply([sent], headers=headers, length=True))
        assert (body, found.headers) == (PDF, {"etag": '"1"', **passed_on})


async def test_a_stalled_document_is_given_up():
    soon = Bounds(connect_timeout=10, first_byte_timeout=TIMEOUT, idle_timeout=0.2)
    with pytest.raises(DocumentError, match=r"stopped arriving: no data for 0.2 s") as refused:
        await fetched(Reply([PDF, float("inf")]), bounds=soon)
    assert refused.value.status == 504
    never_begun = await refused_by(b"", Bounds(connect_timeout=10, first_byte_timeout=0.1), keep_open=True)
    assert never_begun.status == 504
    assert "did not arrive within 0.1 s" in never_begun.message


async def test_the_total_size_counts_and_an_invalid_one_is_ignored():
    for headers, size in (
        ({"Content-Range": "bytes 0-9/20000"}, "20 kB"),
        ({"Content-Range": "bytes 0-9/*", "Content-Length": "30000"}, "30 kB"),
        ({"Content-Length": "40000"}, "40 kB"),
    ):
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        refused = await refused_by(f"HTTP/1.1 206 Part\r\n{head}\r\n0123456789".encode())
        assert refused.status == 413
        assert f"The document is {size};" in refused.message
    for none in ("9" * 5000, "-1", "many"):
        part = {"Content-Range": f"bytes 0-9/{none}"}
        found, body, _ = await fetched(Reply([PDF], status=206, headers=part), asked={"range": "bytes=0-"})
        assert (found.status, body) == (206, PDF)


async def refused_by(said: bytes, bounds: Bounds = PATIENT, *, keep_open: bool = False) -> DocumentError:
    """The refusal of a document for this response."""
    async with literal(said, keep_open=keep_open) as (url, _), AsyncClient(bounds) as client:
        with pytest.raises(DocumentError) as refused:
            await fetch_document(client, Backend(f"{url}/chat"), MAP, {}, max_bytes=10_000, bounds=bounds)
    return refused.value


async def test_a_redirect_is_followed_within_the_origin():
    moved = Reply(status=302, headers={"Location": "/there.pdf"})
    _, body, requests = await fetched(lambda one: moved if one.path == "/content/Buoys.pdf" else Reply([PDF]))
    assert (body, [request.path for request in requests]) == (PDF, ["/content/Buoys.pdf", "/there.pdf"])


@pytest.mark.parametrize("is_named", [True, False])
async def test_a_redirect_to_an_operators_origin_is_followed_without_the_key(is_named: bool):
    places: dict[str, str] = {}

    def moved(request: Received) -> Reply:
        place = places.get(request.path)
        return Reply(status=302, headers={"Location": place}) if place else Reply([PDF])

    async with StandIn(moved).running() as store, StandIn(moved).running() as stand_in:
        places |= {"/content/Buoys.pdf": f"{store.url}/signed.pdf", "/signed.pdf": f"{stand_in.url}/back.pdf"}
        backend = Backend(f"{stand_in.url}/chat", headers=KEY)
        guard = guard_for("local", [stand_in.url, *([store.url] if is_named else [])])
        async with AsyncClient(PATIENT, guard=guard) as client:
            fetching = fetch_document(client, backend, BUOYS, {}, max_bytes=10_000, bounds=PATIENT)
            if is_named:
                assert b"".join([chunk async for chunk in (await fetching).body]) == PDF
            else:
                with pytest.raises(DocumentError, match="CHAT_UI_BACKEND_ORIGINS"):
                    await fetching
    requests = [*stand_in.requests[:1], *store.requests, *stand_in.requests[1:]]
    on_the_way = [("/content/Buoys.pdf", True), ("/signed.pdf", False), ("/back.pdf", False)]
    asked = [(request.path, "authorization" in request.headers) for request in requests]
    assert asked == on_the_way[: 3 if is_named else 1]
