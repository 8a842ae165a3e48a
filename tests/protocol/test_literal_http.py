"""Real forms of HTTP: delimiters, encodings, redirects and breaks of an answer."""

import gzip
import re
import zlib
from collections.abc import Mapping

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT, QUESTION, error_of
from tests.stand_ins.literal import literal

A, B = b'{"delta":{"content":"A"}}\n', b'{"delta":{"content":"B"}}\n'


def head(status: str = "200 OK", *headers: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode()


def chunked(*parts: bytes, trailer: bytes = b"") -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n" + trailer + b"\r\n"


def flushed(data: bytes, wbits: int) -> bytes:
    compressor = zlib.compressobj(wbits=wbits)
    return compressor.compress(data) + compressor.flush(zlib.Z_SYNC_FLUSH)


def coded(name: str, body: bytes) -> bytes:
    return head("200 OK", f"Content-Encoding: {name}") + body


CHUNKED = head("200 OK", "Transfer-Encoding: chunked")


async def answer_to(reply: bytes, second: bytes | None = None) -> tuple[Answer, list[bytes]]:
    async with literal(reply, second) as (url, heads), AsyncClient(PATIENT) as client:
        return await client.ask(Backend(url + "/chat"), QUESTION), heads


async def answers_to(replies: Mapping[str, tuple[bytes, *tuple[object, ...]]]) -> dict[str, Answer]:
    return {case: (await answer_to(reply))[0] for case, (reply, *_) in replies.items()}


WHOLE: dict[str, tuple[bytes, str]] = {
    "until the connection closes": (head() + A + B, "AB"),
    "HTTP/1.0": (b"HTTP/1.0 200 OK\r\n\r\n" + A + B, "AB"),
    "line feeds alone in the head": (b"HTTP/1.1 200 OK\nContent-Type: x\n\n" + A, "A"),
    "a length that ends at a value": (head("200 OK", f"Content-Length: {len(A)}") + A + B, "A"),
    "chunks with trailers": (CHUNKED + chunked(A, B, trailer=b"X-Sum: 1\r\n"), "AB"),
    "chunks that split a line end": (
        CHUNKED + chunked(A.strip() + b"\r", b"\n" + B.strip() + b"\r", b"\n\r", b"\n"), "AB",
    ),
    "chunks and a length": (head("200 OK", "Transfer-Encoding: chunked", "Content-Length: 3") + chunked(A, B), "AB"),
    "100 first": (b"HTTP/1.1 100 Continue\r\n\r\n" + head() + A, "A"),
    "103 first": (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head() + A, "A"),
    "status 201": (head("201 Created") + A, "A"),
    "status 206": (head("206 Partial Content", "Content-Range: bytes 0-5/10") + A, "A"),
    "gzip": (coded("gzip", gzip.compress(A + B)), "AB"),
    "gzip in capitals": (coded("GZIP", gzip.compress(A)), "A"),
    "deflate": (coded("deflate", zlib.compress(A)), "A"),
    "deflate without its frame": (coded("deflate", zlib.compress(A, wbits=-15)), "A"),
    "gzip of several members": (coded("gzip", gzip.compress(A) + gzip.compress(B) + bytes(8)), "AB"),
    "gzip in gzip": (coded("gzip, x-gzip", gzip.compress(gzip.compress(A + B))), "AB"),
    "gzip that was undone on the way": (coded("gzip", A + B), "AB"),
    "deflate that was undone on the way": (coded("deflate", A + B), "AB"),
    "deflate of little text": (coded("deflate", zlib.compress(A, 2)), "A"),
    "a coding that is none": (coded("aws-chunked", A), "A"),
    "thousands of headers": (head("200 OK", *(f"X-{number}: a" for number in range(2000))) + A, "A"),
    "a header that is no ASCII": (b"HTTP/1.1 200 OK\r\nX-N: caf\xe9\r\n\r\n" + A, "A"),
}  # fmt: skip


async def test_an_answer_is_read_whole_for_every_delimiter_and_coding() -> None:
    for case, answer in (await answers_to(WHOLE)).items():
        assert (answer.text, answer.error, answer.complete) == (WHOLE[case][1], None, True), case


CUT: dict[str, tuple[bytes, str]] = {
    "a length that promises more": (head("200 OK", "Content-Length: 500") + A, "A"),
    "a length within a value": (head("200 OK", f"Content-Length: {len(A) + 10}") + A + B, "A"),
    "a chunk without a size": (CHUNKED + chunked(A)[:-5] + b"zz\r\n", "A"),
    "chunks without an end": (CHUNKED + chunked(A)[:-5], "A"),
    "gzip without its end": (coded("gzip", gzip.compress(A + B)[:-9]), "AB"),
    "gzip that was flushed and never ended": (
        head("200 OK", "Content-Encoding: gzip", "Transfer-Encoding: chunked") + chunked(flushed(A, 31)), "A",
    ),
    "deflate without its end": (coded("deflate", flushed(A + B, 15)), "AB"),
    "deflate without its frame and its end": (coded("deflate", flushed(A, -15)), "A"),
    "gzip with a wrong sum": (coded("gzip", gzip.compress(A * 200)[:-8] + bytes(8)), 200 * "A"),
    "deflate with a wrong sum": (coded("deflate", zlib.compress(A * 200)[:-4] + bytes(4)), 200 * "A"),
    "gzip that is damaged after its first part": (coded("gzip", flushed(A * 200, 31) + b"\xff" * 200), 200 * "A"),
    "gzip in gzip with a wrong sum": (coded("gzip, gzip", gzip.compress(gzip.compress(A)[:-8] + bytes(8))), "A"),
    "an array without an end": (head() + b"[" + A.strip() + b"," + B.strip(), "AB"),
}  # fmt: skip


async def test_a_broken_answer_keeps_its_text_and_is_reported() -> None:
    for case, answer in (await answers_to(CUT)).items():
        assert (answer.text, answer.error, answer.complete) == (CUT[case][1], None, False), case
        (told,) = (warning.detail for warning in answer.warnings if warning.code == "cut_off")
        assert not re.search(r"bytearray|chunk|Error|incomplete", told), case


FAILED: dict[str, tuple[bytes, str | None, str]] = {
    "no HTTP": (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "not_http", "not send a valid HTTP answer"),
    "a value without a head": (A + b"\r\n\r\n", "not_http", "not send a valid HTTP answer"),
    "a length that is no number": (head("200 OK", "Content-Length: ten") + A, "not_http", "not send a valid HTTP"),
    "two lengths": (head("200 OK", "Content-Length: 5", "Content-Length: 6") + A, "not_http", "not send a valid"),
    "a header that is none": (b"HTTP/1.1 200 OK\r\nBad Header\r\n\r\n" + A, "not_http", "not send a valid HTTP answer"),
    "a head without an end": (head("200 OK", "X-A: " + "a" * 300_000) + A, "not_http", "not send a valid HTTP answer"),
    "nothing": (b"", "connection_closed", "closed before"),
    "100 and nothing": (b"HTTP/1.1 100 Continue\r\n\r\n", "connection_closed", "closed before"),
    "brotli that was not asked for": (coded("br", b"\x0b\x0c"), "compression", "as br"),
    "zstd within gzip": (coded("zstd, gzip", b"\x28"), "compression", "as zstd"),
    "gzip thousands of times over": (
        coded(", ".join(["gzip"] * 5000), gzip.compress(A)), "compression", "gzip and 4,999 others",
    ),
    "an error in brotli": (head("500 x", "Content-Encoding: br") + b"\x0b\x0c{}", None, "500 (internal error)"),
    "gzip that is damaged": (coded("gzip", gzip.compress(A)[:12] + A), "connection_closed", "decompressed"),
    "plain text": (head() + b"Hello, I am plain text.", "empty_answer", "Hello, I am plain text."),
    "a page": (head() + b"<?xml version='1.0'?><answer>x</answer>", "html_page", "HTML page"),
    "status 205": (head("205 Reset Content"), "empty_answer", "empty"),
    "status 304": (head("304 Not Modified"), None, "304 (it says “not modified”"),
    "a redirect to nowhere": (head("308 Permanent Redirect"), None, "308 (the redirect has no address"),
    "a redirect to another scheme": (head("307 x", "Location: ftp://127.0.0.1/x"), "redirect", "ftp://127.0.0.1/x"),
    "a redirect to a file": (head("307 x", "Location: file:///etc/passwd"), "redirect", "redirects"),
    "a compressed error": (
        head("500 x", "Content-Encoding: gzip") + gzip.compress(b'{"error":"zipped"}'), None, "500: zipped",
    ),
    "an error with status 200 in a list": (head() + b'[{"error":{"message":"boom"}}]', None, "boom"),
    "a status that is none": (head("999 Odd"), None, "999"),
}  # fmt: skip


async def test_an_invalid_answer_is_an_error_that_names_the_response() -> None:
    for case, answer in (await answers_to(FAILED)).items():
        _, code, words = FAILED[case]
        assert (answer.text, error_of(answer).code) == ("", code), case
        assert words in error_of(answer).message, case
        assert not re.search("<|bytearray", error_of(answer).message), case


async def test_a_relative_redirect_is_followed_but_not_to_another_origin() -> None:
    for location, path in (("/there", b"/there"), ("there", b"/chat/there")):
        answer, heads = await answer_to(head("308 x", f"Location: {location}"), head() + A)
        assert (answer.text, heads[1].partition(b" HTTP/1.1")[0]) == ("A", b"POST %s" % path)
    for location in ("//127.0.0.1:1/there", "https://127.0.0.1/there", "http://localhost:1/"):
        answer, heads = await answer_to(head("308 x", f"Location: {location}"), head() + A)
        assert (error_of(answer).code, len(heads)) == ("redirect", 1)


STALE = b'{"delta":{"content":"STALE"}}\n'
STALE_ANSWER = head("200 OK", f"Content-Length: {len(STALE)}") + STALE
IN_CHARACTERS = '{"delta":{"content":"Żółć"}}\n'

FOLLOWED: dict[str, bytes] = {
    "a length": head("200 OK", f"Content-Length: {len(A)}") + A + STALE_ANSWER,
    "chunks": head("200 OK", "Transfer-Encoding: chunked") + chunked(A) + STALE_ANSWER,
    "a length in characters": head("200 OK", f"Content-Length: {len(IN_CHARACTERS)}") + IN_CHARACTERS.encode(),
    "no content": head("204 No Content") + STALE_ANSWER,
    "an error": head("500 Error", "Content-Length: 4") + b"boom" + STALE_ANSWER,
}


async def test_bytes_after_an_answer_are_not_in_the_next() -> None:
    fine = head("200 OK", f"Content-Length: {len(B)}") + B
    for case, first in FOLLOWED.items():
        async with literal(first, fine, keep_open=True) as (url, _), AsyncClient(PATIENT) as client:
            backend = Backend(url + "/responses")
            await client.ask(backend, QUESTION)
            following = await client.ask(backend, QUESTION)
        assert (following.text, following.error) == ("B", None), case
