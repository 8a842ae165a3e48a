"""Connections: their failures in words, their reuse, and trusted self-signed certificates."""

import errno
import socket
import ssl
import zlib
from collections.abc import Iterator
from typing import Any

import httpcore2
import httpx2
import pytest

from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.errors import AddressRefusedError, CertificateRefusedError
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.transport.certificates import (
    Certificate,
    certificate_of,
    parse_fingerprint,
    why_refused,
    with_colons,
)
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.connection_errors import causes, connection_error
from chat_ui.protocol.transport.guard import Guard
from chat_ui.protocol.transport.network_stream import NetworkStream, was_left
from tests.certificates import Server
from tests.commands import run
from tests.protocol.asking import PATIENT, QUESTION, error_of
from tests.stand_ins.stand_in import Reply, StandIn, lines

URL = "https://ann:h1dd3n@a.example:8443/chat?key=1#x"
PLACE = "https://a.example:8443"
CERTIFICATE = Certificate(
    "ab" * 32, "a.example", "An authority", ("a.example", "b.example"), "2026-01-01", "2026-12-31"
)


def caused_by(cause: BaseException) -> Exception:
    error = httpx2.ConnectError("All attempts failed")
    error.__cause__ = OSError("no")
    error.__cause__.__context__ = cause
    return error


def verification(code: int) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = code, "some other reason"
    return error


def test_a_failed_request_is_explained_with_advice() -> None:
    unreachable = f"Could not connect to {PLACE}"
    closed = (f"The connection to {PLACE} was closed before the backend sent an answer. "
              "Try again, or look at the backend's log.")  # fmt: skip
    unsent = f"The request to {PLACE} could not be sent: "
    cases = [
        (caused_by(AddressRefusedError("it is private")), "address_refused", f"{PLACE} was not called: it is private"),
        (caused_by(socket.gaierror(1, "no")), "unreachable",
         f"{unreachable}: the name a.example does not resolve. Check the spelling of the address."),
        (caused_by(ssl.SSLError(1, "no")), "tls", f"{unreachable}: TLS failed (no reason given). "
         "The backend may speak plain http: try the address with http://."),
        (caused_by(ConnectionRefusedError(1, "no")), "unreachable",
         f"{unreachable}: the connection was refused. Check that the backend is running there."),
        (caused_by(OSError(errno.EHOSTUNREACH, "no")), "unreachable",
         f"{unreachable}: the network cannot reach it from here. Check the address and the network."),
        (caused_by(OSError(errno.EPERM, "no")), "unreachable",
         f"{unreachable}: All attempts failed. Check that the backend is running."),
        (httpx2.ConnectTimeout("no"), "unreachable",
         f"{unreachable} within 7.5 s. Check that the backend is running and that the address is right."),
        (httpx2.RemoteProtocolError("illegal status line"), "not_http",
         f"{PLACE} did not send a valid HTTP answer. Check that a web server listens at that address."),
        (httpx2.RemoteProtocolError("Server disconnected"), "connection_closed", closed),
        (httpx2.WriteError("no"), "connection_closed", closed),
        (zlib.error("no"), "connection_closed",
         f"The answer from {PLACE} is damaged and could not be decompressed. Try again, or check the backend's log."),
        (ValueError("Odd.\nmore"), "bad_request", f"{unsent}Odd. Check the address and the headers."),
        (ValueError(" "), "bad_request", f"{unsent}ValueError. Check the address and the headers."),
    ]  # fmt: skip
    for error, code, words in cases:
        told = connection_error(error, URL, Bounds(connect_timeout=7.5))
        assert (told.code, told.message, told.fingerprint, told.status) == (code, words, None, None)


def test_a_refused_certificate_is_described() -> None:
    words = f"{PLACE} was not called, because its certificate is not trusted: it is old."
    for shown, described in ((("ab" * 32, "It names a."), " It names a."), ((), "")):
        told = connection_error(CertificateRefusedError("it is old", *shown), URL, Bounds())
        assert (told.message, told.code, told.fingerprint) == (words + described, "tls", shown[0] if shown else None)
    told = connection_error(httpx2.ConnectTimeout("no"), "http://a:port", Bounds(connect_timeout=1))
    assert told.message.startswith("Could not connect to the address within 1 s.")


def test_a_certificate_is_described_by_names_issuer_or_fingerprint() -> None:
    cases = [
        (("a.example", "An authority", ("a.example", "b.example")),
         "It names a.example, b.example, was issued by “An authority”, and ends on 2026-12-31."),
        (("a.example", "a.example", ()), "It names a.example, and ends on 2026-12-31."),
        (("", "", ()), "It names nothing, and ends on 2026-12-31."),
    ]  # fmt: skip
    for fields, words in cases:
        described = Certificate("ab" * 32, *fields, "2026-01-01", "2026-12-31").in_words
        assert described == f"{words} Its SHA-256 fingerprint is {':'.join(['AB'] * 32)}."
    found = certificate_of(b"no certificate")
    assert (found.subject, found.names, found.ends, len(found.fingerprint)) == ("", (), "an unknown date", 64)


def test_the_reason_of_a_refused_certificate_is_told() -> None:
    cases = [
        (18, "it is self-signed, so nobody but the server itself vouches for it"),
        *((code, "no authority that is known here vouches for it") for code in (2, 19, 20, 21, 27)),
        (10, "it ended on 2026-12-31"),
        (9, "it begins on 2026-01-01, by the clock of this machine that is still to come"),
        (62, "it is not for a.example"),
        (64, "it is not for a.example"),
        (23, "some other reason"),
    ]
    assert [(code, why_refused(verification(code), "a.example", CERTIFICATE)) for code, _ in cases] == cases
    for code in (9, 10):
        assert why_refused(verification(code), "a.example", None) == "some other reason"


def test_every_cause_is_found_once_also_in_groups_and_circles() -> None:
    inner, outer, other = ValueError("inner"), ValueError("outer"), ValueError("other")
    group = ExceptionGroup("group", [inner, other])
    outer.__cause__, inner.__context__, other.__cause__ = group, outer, inner
    assert list(causes(outer)) == [outer, group, inner, other]


class Socket(httpcore2.AsyncNetworkStream):
    """A connection with these `readings` in turn."""

    def __init__(self, *readings: bytes | Exception) -> None:
        self._readings: Iterator[bytes | Exception] = iter(readings)
        self.timeouts: list[float | None] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        self.timeouts.append(timeout)
        reading = next(self._readings)
        if isinstance(reading, Exception):
            raise reading
        return reading

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        pass

    async def aclose(self) -> None:
        pass

    def get_extra_info(self, info: str) -> Any:
        return info if info == "server_addr" else None


async def test_an_idle_connection_is_recognised_by_its_end_after_an_answer() -> None:
    for end in [b"", httpcore2.ReadError()]:
        stream = NetworkStream(Socket(b"answer", end))
        await stream.write(b"question")
        assert await stream.read(100) == b"answer"
        await stream.write(b"question")
        with pytest.raises(httpcore2.ReadError) as left:
            await stream.read(100)
        assert was_left(left.value)
    stream = NetworkStream(Socket(httpcore2.ReadError()))
    await stream.write(b"question")
    with pytest.raises(httpcore2.ReadError) as broken:
        await stream.read(100)
    assert not was_left(broken.value)
    for readings in ((b"",), (b"answer", b"", b"")):
        stream = NetworkStream(Socket(*readings))
        await stream.write(b"question")
        assert [await stream.read(100) for _ in readings[:2]] == [*readings[:2]]
    await stream.write(b"question")
    await stream.aclose()
    assert await stream.read(100) == b""


async def test_a_reading_waits_as_long_as_the_exchange_says() -> None:
    socket = Socket(b"a", b"b")
    stream = NetworkStream(socket)
    await stream.read(1, 7)
    stream.read_timeout = 3
    await stream.read(1, 7)
    assert socket.timeouts == [7, 3]
    assert stream.get_extra_info("server_addr") == "server_addr"


HELLO = Reply([lines({"delta": {"content": "Hello"}})])


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Server:
    return Server(tmp_path_factory.mktemp("one"))


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A certificate for another host."""
    return Server(tmp_path_factory.mktemp("other"), "DNS:other.example")


async def asked_over(tls: Server, fingerprint: str | None = None, **client: Any) -> tuple[ErrorInfo, StandIn]:
    """The error of a question to a server with this certificate, with `fingerprint` trusted."""
    async with StandIn(HELLO).running(ssl=tls.context) as stand_in, AsyncClient(PATIENT, **client) as asking:
        believing = asking.pinning(stand_in.url, fingerprint) if fingerprint else asking
        return error_of(await believing.ask(Backend(stand_in.url), QUESTION)), stand_in


async def test_a_self_signed_certificate_is_described_and_nothing_is_sent(one: Server) -> None:
    error, stand_in = await asked_over(one)
    assert (error.code, error.fingerprint, stand_in.requests) == ("tls", one.fingerprint, [])
    for words in ("self-signed", "127.0.0.1", "ends on 20", with_colons(one.fingerprint)):
        assert words in error.message
    assert "_ssl" not in error.message


async def test_the_trusted_certificate_lets_a_question_through(one: Server) -> None:
    async with StandIn(HELLO).running(ssl=one.context) as stand_in, AsyncClient(PATIENT) as client:
        believing = client.pinning(stand_in.url, one.fingerprint)
        answers = [await believing.ask(Backend(stand_in.url), QUESTION) for _ in range(2)]
        without = await client.ask(Backend(stand_in.url), QUESTION)
    assert [answer.text for answer in answers] == ["Hello", "Hello"]
    assert error_of(without).code == "tls", "trust is nobody else's"


async def test_a_certificate_for_another_host_and_a_refused_address_stay_refused(one: Server, other: Server) -> None:
    error, stand_in = await asked_over(other, one.fingerprint)
    assert "not the one that you trust" in error.message
    assert (error.fingerprint, stand_in.requests) == (other.fingerprint, [])
    error, _ = await asked_over(one, one.fingerprint, guard=Guard("public"))
    assert error.code == "address_refused"
    error, _ = await asked_over(other, verify=other.trusting)
    assert "it is not for 127.0.0.1" in error.message
    assert "It names other.example" in error.message


async def test_a_certificate_is_trusted_only_at_its_origin(one: Server) -> None:
    async with (
        StandIn(HELLO).running(ssl=one.context) as believed,
        StandIn(HELLO).running(ssl=one.context) as elsewhere,
        AsyncClient(PATIENT) as client,
    ):
        believing = client.pinning(believed.url, one.fingerprint)
        by_port = await believing.ask(Backend(elsewhere.url), QUESTION)
        by_name = await believing.ask(Backend(believed.url.replace("127.0.0.1", "localhost")), QUESTION)
    for answer in (by_port, by_name):
        assert error_of(answer).code == "tls"
    assert elsewhere.requests == believed.requests == []


def test_a_fingerprint_is_read_in_programs_notations_or_refused() -> None:
    for typed in ("ab" * 32, ("AB:" * 32).rstrip(":"), "SHA256:" + "AB" * 32, " sha-256=" + "ab " * 32):
        assert parse_fingerprint(typed) == "ab" * 32
    for typed in ("", "ab" * 20, "xy" * 32, "ab" * 33):
        with pytest.raises(ValueError, match="64 hexadecimal digits"):
            parse_fingerprint(typed)


async def test_the_command_line_tells_how_to_trust_and_does(one: Server) -> None:
    async with StandIn(HELLO).running(ssl=one.context) as stand_in:
        refused = await run("ask", stand_in.url, "Who?")
        option = refused.err.splitlines()[-1].partition("--certificate ")[2]
        answered = await run("ask", stand_in.url, "Who?", "--certificate", option)
    assert (refused.status, option) == (3, with_colons(one.fingerprint))
    assert (answered.status, answered.out.strip()) == (0, "Hello")
