"""Allowed addresses, judged by their numbers and again at the connection."""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chat_ui
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.backends.urls import parse_backend_url
from chat_ui.protocol.errors import AddressRefusedError
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import Guard, Policy, address_fault, guard_for, origin_of
from chat_ui.protocol.transport.outgoing import resolve
from tests.certificates import Server
from tests.protocol.asking import PATIENT, QUESTION, error_of
from tests.stand_ins.stand_in import Reply, StandIn, lines

HELLO = Reply([lines({"delta": {"content": "Hello"}})])
PUBLIC = ("93.184.215.14", "8.8.8.8", "1.1.1.1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "2a00:1450:4001::200e")
OWN = ("127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::127.0.0.1")
PRIVATE = ("10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1", "::ffff:10.0.0.1")
NEVER = (
    *("0.0.0.0", "0.1.2.3", "::", "255.255.255.255", "240.0.0.1", "224.0.0.1", "239.255.255.250", "ff02::1", "ff0e::1"),
    *("169.254.169.254", "169.254.0.1", "169.254.170.2", "fe80::1", "febf::1", "fec0::1"),
    *("168.63.129.16", "192.0.0.192", "192.0.0.1", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"),
    *("100.64.0.1", "100.127.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "192.88.99.1"),
    *("2001:db8::1", "3fff::1", "100::1", "2001:10::1", "2001:20::1", "64:ff9b:1::7f00:1", "4000::1", "5f00::1"),
    *("::ffff:169.254.169.254", "::169.254.169.254", "::ffff:168.63.129.16", "::ffff:0.0.0.0"),
    # 6to4, Teredo (server and client), NAT64, IPv4-translated and ISATAP forms of addresses that are not public.
    *("2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:a00:1::1", "2002:c0a8:101::", "2002:a83f:8110::"),
    *("2001:0:7f00:1::", "2001:0:808:808::80ff:fffe", "2001:0:a00:1:0:0:f7f7:f7f7"),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::a00:1", "64:ff9b::a83f:8110", "64:ff9b::c000:c0"),
    *("::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1", "2606:2800::5efe:7f00:1", "2606:2800::200:5efe:a9fe:a9fe"),
)


def refused(addresses: Iterable[str], policy: Policy) -> list[str]:
    """The addresses that are refused."""
    return [address for address in addresses if address_fault(ip_address(address), policy) is not None]


def test_each_policy_allows_its_addresses() -> None:
    translated = ["64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8", "::8.8.8.8"]
    assert refused([*PUBLIC, *translated], "public") == refused(PUBLIC, "local") == []
    assert refused([*OWN, *PRIVATE], "public") == [*OWN, *PRIVATE]
    assert refused([*OWN, *PRIVATE], "local") == []
    assert refused(NEVER, "public") == refused(NEVER, "local") == [*NEVER]


@given(st.ip_addresses(v=4), st.sampled_from(["public", "local"]))
def test_a_mapped_address_is_judged_by_its_target(address: object, policy: Policy) -> None:
    assert address_fault(ip_address(f"::ffff:{address}"), policy) == address_fault(ip_address(str(address)), policy)


@given(st.ip_addresses())
def test_a_publicly_allowed_address_is_global_and_locally_allowed(address: object) -> None:
    judged = ip_address(str(address))
    if address_fault(judged, "public") is None:
        assert address_fault(judged, "local") is None
        assert not (judged.is_loopback or judged.is_link_local or judged.is_multicast or judged.is_unspecified)


def test_an_ambiguous_spelling_is_not_an_address() -> None:
    for host in ("0177.0.0.1", "127.0.0.01", "256.1.1.1", "[::1", "１２７.0.0.1"):
        with pytest.raises(ValueError, match="address is not valid"):
            parse_backend_url(f"http://{host}:9/chat")


async def test_a_refused_address_is_an_error_in_words_for_any_spelling() -> None:
    own = ("127.1", "127.0.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "0x7F.0.0.0x1", "localhost")
    hosts = (
        *("[::1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]"),
        *("[2002:7f00:1::]", "[fe80::1]", "169.254.169.254", "0xa9fea9fe", "0.0.0.0", "[::]", "127。0。0。1"),
    )
    for host, words in [
        *((host, "the server itself") for host in own),
        *((host, "was not called") for host in hosts),
    ]:
        error = error_of(await asked(f"http://{host}:9/chat", "public"))
        assert (error.code, words in error.message) == ("address_refused", True), host


async def asked(url: str, policy: Policy, bounds: Bounds = PATIENT) -> Answer:
    async with AsyncClient(bounds, guard=Guard(policy)) as client:
        return await client.ask(Backend(url), QUESTION)


class Names:
    """A resolver with a test's answers, the last of which is repeated."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


async def asked_by_name(
    names: Names, stand_in: StandIn, policy: Policy = "local", *, name: str = "backend.example", **client: Any
) -> Answer:
    """The answer of the stand-in at the address of these names."""
    url = stand_in.url.replace("127.0.0.1", name) + "/chat"
    async with AsyncClient(PATIENT, guard=Guard(policy), resolver=names, **client) as asking:
        return await asking.ask(Backend(url), QUESTION)


async def test_a_name_is_resolved_once_and_called_at_its_judged_address() -> None:
    names = Names(["127.0.0.1"], ["169.254.169.254"])
    async with StandIn(HELLO).running() as stand_in:
        error = error_of(await asked_by_name(Names(["93.184.215.14", "127.0.0.1"]), stand_in, "public"))
        assert (stand_in.requests, error.code) == ([], "address_refused")
        assert "backend.example leads to 127.0.0.1" in error.message
        answer = await asked_by_name(names, stand_in)
    assert stand_in.requests[0].headers["host"].startswith("backend.example:")
    assert (answer.text, names.asked) == ("Hello", ["backend.example"])


async def test_a_changed_name_is_judged_again_for_the_next_connection() -> None:
    names = Names(["127.0.0.1"], ["169.254.169.254"])
    async with StandIn(Reply(HELLO.writes, end="abrupt")).running() as stand_in:
        backend = Backend(stand_in.url.replace("127.0.0.1", "backend.example"), streaming="server")
        async with AsyncClient(PATIENT, guard=Guard("local"), resolver=names) as client:
            first, second = [await client.ask(backend, QUESTION) for _ in range(2)]
    assert len(stand_in.requests) == 1
    assert first.text == "Hello"
    assert error_of(second).code == "address_refused"


async def test_the_next_judged_address_is_tried_after_a_failure() -> None:
    async with StandIn(HELLO).running() as stand_in:
        assert (await asked_by_name(Names(["::1", "127.0.0.1"]), stand_in)).text == "Hello"
        for addresses in (["::1"], ["::1", "::1"]):
            assert error_of(await asked_by_name(Names(addresses), stand_in)).code == "unreachable"
    assert len(stand_in.requests) == 1


async def test_a_name_resolution_has_a_timeout() -> None:
    async def never(_host: str, _port: int) -> list[str]:
        return await asyncio.Event().wait() and []

    async with AsyncClient(Bounds(connect_timeout=0.1), guard=Guard("local"), resolver=never) as client:
        answer = await client.ask(Backend("http://backend.example/chat"), QUESTION)
    assert error_of(answer).message.startswith("Could not connect to http://backend.example within 0.1 s.")


async def test_tls_uses_the_name_and_checks_its_certificate(tmp_path: Path) -> None:
    server = Server(tmp_path, "DNS:backend.example")
    asked_for: list[str | None] = []
    server.context.sni_callback = lambda _socket, name, _context: asked_for.append(name)
    names = Names(["127.0.0.1"])
    async with StandIn(HELLO).running(ssl=server.context) as stand_in:
        answer = await asked_by_name(names, stand_in, verify=server.trusting)
        other = await asked_by_name(names, stand_in, name="other.example", verify=server.trusting)
    assert answer.text == "Hello"
    assert asked_for[0] == "backend.example"
    assert error_of(other).code == "tls"


async def test_an_operators_origin_is_called_at_any_address() -> None:
    async with (
        StandIn(HELLO).running() as stand_in,
        AsyncClient(PATIENT, guard=guard_for("public", [stand_in.url])) as client,
    ):
        answer = await client.ask(Backend(stand_in.url + "/chat"), QUESTION)
        other = await client.ask(Backend(stand_in.url.replace("127.0.0.1", "127.0.0.2") + "/chat"), QUESTION)
    assert answer.text == "Hello"
    assert error_of(other).code == "address_refused"


def test_origins_differ_by_scheme_host_and_port() -> None:
    others = {
        "https://a.example/chat": ["http://a.example/chat"],
        "https://a.example": ["https://a.example:8443", "https://b.a.example", "https://a.example.evil.example",
                              "https://a.example@evil.example"],
    }  # fmt: skip
    for url, different in others.items():
        guard = guard_for("public", [url])
        assert [other for other in (url, *different) if guard.trusts(other)] == [url]
    assert origin_of("https://A.example/x?y") == origin_of("https://a.example:443") == "https://a.example:443"
    assert origin_of("http://[::1]:80/") == "http://[::1]:80"

    # An address without an origin is never trusted.
    for url in ("", "nonsense", "ftp://a.example", "http://a.example:port", "http://[::1"):
        assert origin_of(url) == ""
    assert not Guard("public", frozenset({""})).trusts("")


async def test_proxy_variables_are_ignored_and_user_information_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with StandIn(HELLO).running() as stand_in:
        assert (await asked(stand_in.url, "local")).text == "Hello"
        answer = await asked(stand_in.url.replace("//", "//name:word@"), "local")
    assert len(stand_in.requests) == 1
    assert error_of(answer).code == "address_refused"


async def test_cookies_of_an_answer_are_not_sent_with_the_next_question() -> None:
    session = Reply(HELLO.writes, headers={**HELLO.headers, "Set-Cookie": "session=of-one-person; Path=/"})
    async with StandIn(session).running() as stand_in, AsyncClient(PATIENT, guard=Guard("local")) as client:
        for _ in range(2):
            assert (await client.ask(Backend(stand_in.url), QUESTION)).text == "Hello"
    assert ["cookie" in request.headers for request in stand_in.requests] == [False, False]


async def test_a_service_without_http_is_not_quoted() -> None:
    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 secret-banner of a mail server\r\n")
        await writer.drain()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        # The connection stays open without data.
        answer = await asked(address, "local", replace(PATIENT, first_byte_timeout=0.2))
    assert "secret-banner" not in error_of(answer).message


async def test_the_operating_systems_resolver_finds_this_machine() -> None:
    assert set(await resolve("localhost", 80)) <= {"127.0.0.1", "::1"}


@pytest.mark.parametrize("addresses", [[], ["not an address"]])
def test_a_name_without_addresses_is_refused(addresses: list[str]) -> None:
    with pytest.raises(AddressRefusedError):
        Guard("local").check("backend.example", addresses)


def test_no_other_module_makes_an_http_client() -> None:
    package = Path(chat_ui.__file__).parent
    makers = {"AsyncClient", "AsyncHTTPTransport", "HTTPTransport", "urlopen", "open_connection", "create_connection"}
    calls = re.compile(rf"\.(?:{'|'.join(makers)})\(")
    assert not [module for module in package.rglob("*.py") if calls.search(module.read_text())]
