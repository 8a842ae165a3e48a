"""A server whose certificate nobody vouches for: what it is, and trust in exactly that one."""

from __future__ import annotations

import hashlib
import ssl
from pathlib import Path
from typing import Any

import pytest

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.transport.certificates import parse_fingerprint, with_colons
from chat_ui.protocol.transport.client import Client
from chat_ui.protocol.transport.guard import Guard
from tests.backends.stand_in import Reply, StandIn, lines
from tests.certificates import self_signed
from tests.commands import run
from tests.protocol.asking import PATIENT, QUESTION, error_of

HELLO = Reply([lines({"delta": {"content": "Hello"}})])


class Server:
    """A certificate of its own."""

    def __init__(self, folder: Path, name: str = "IP:127.0.0.1") -> None:
        self.certificate, key = self_signed(folder, name)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self.fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.certificate.read_text())).hexdigest()


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Server:
    return Server(tmp_path_factory.mktemp("one"))


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A certificate for another host."""
    return Server(tmp_path_factory.mktemp("other"), "DNS:other.example")


async def asked_over(tls: Server, fingerprint: str | None = None, **client: Any) -> tuple[ErrorInfo, StandIn]:
    """The error of a question to a server with this certificate, where the client believes the one of `fingerprint`."""
    async with StandIn(HELLO).running(ssl=tls.context) as stand_in, Client(PATIENT, **client) as asking:
        believing = asking.pinning(stand_in.url, fingerprint) if fingerprint else asking
        return error_of(await believing.ask(Backend(stand_in.url), QUESTION)), stand_in


async def test_a_self_signed_certificate_is_described_with_its_fingerprint_and_nothing_is_sent(one: Server) -> None:
    error, stand_in = await asked_over(one)
    assert (error.code, error.fingerprint, stand_in.requests) == ("tls", one.fingerprint, [])
    for words in ("self-signed", "127.0.0.1", "ends on 20", with_colons(one.fingerprint)):
        assert words in error.message
    assert "_ssl" not in error.message


async def test_the_one_certificate_that_is_believed_lets_a_question_through(one: Server) -> None:
    async with StandIn(HELLO).running(ssl=one.context) as stand_in, Client(PATIENT) as client:
        believing = client.pinning(stand_in.url, one.fingerprint)
        answers = [await believing.ask(Backend(stand_in.url), QUESTION) for _ in range(2)]
        without = await client.ask(Backend(stand_in.url), QUESTION)
    assert [answer.text for answer in answers] == ["Hello", "Hello"]
    assert error_of(without).code == "tls", "trust is nobody else's"


async def test_another_certificate_at_that_place_is_refused_before_anything_is_sent(one: Server, other: Server) -> None:
    error, stand_in = await asked_over(other, one.fingerprint)
    assert "not the one that you trust" in error.message
    assert (error.fingerprint, stand_in.requests) == (other.fingerprint, [])


async def test_a_certificate_is_believed_at_its_own_origin_alone(one: Server) -> None:
    async with (
        StandIn(HELLO).running(ssl=one.context) as believed,
        StandIn(HELLO).running(ssl=one.context) as elsewhere,
        Client(PATIENT) as client,
    ):
        believing = client.pinning(believed.url, one.fingerprint)
        by_port = await believing.ask(Backend(elsewhere.url), QUESTION)
        by_name = await believing.ask(Backend(believed.url.replace("127.0.0.1", "localhost")), QUESTION)
    for answer in (by_port, by_name):
        assert error_of(answer).code == "tls"
    assert elsewhere.requests == believed.requests == []


async def test_a_believed_certificate_opens_no_address_that_the_guard_refuses(one: Server) -> None:
    error, _ = await asked_over(one, one.fingerprint, guard=Guard("public"))
    assert error.code == "address_refused"


async def test_a_certificate_for_another_host_says_for_which(other: Server) -> None:
    error, _ = await asked_over(other, verify=ssl.create_default_context(cafile=str(other.certificate)))
    assert "it is not for 127.0.0.1" in error.message
    assert "It names other.example" in error.message


def test_a_fingerprint_is_read_as_programs_write_it_and_anything_else_is_refused_in_words() -> None:
    for typed in ("ab" * 32, ("AB:" * 32).rstrip(":"), "SHA256:" + "AB" * 32, " sha-256=" + "ab " * 32):
        assert parse_fingerprint(typed) == "ab" * 32
    for typed in ("", "ab" * 20, "xy" * 32, "ab" * 33):
        with pytest.raises(ValueError, match="64 hexadecimal digits"):
            parse_fingerprint(typed)


async def test_the_command_line_says_how_to_go_on_and_goes_on_so(one: Server) -> None:
    async with StandIn(HELLO).running(ssl=one.context) as stand_in:
        refused = await run("ask", stand_in.url, "Who?")
        option = refused.err.splitlines()[-1].partition("--certificate ")[2]
        answered = await run("ask", stand_in.url, "Who?", "--certificate", option)
    assert (refused.status, option) == (3, with_colons(one.fingerprint))
    assert (answered.status, answered.out.strip()) == (0, "Hello")
