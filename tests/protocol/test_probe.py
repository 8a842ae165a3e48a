import gzip
from dataclasses import replace

import pytest

from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.probe import Probe
from tests.protocol.asking import PATIENT, error_of
from tests.stand_ins.stand_in import Received, Reply, StandIn

KEY = {"api-key": "k-123456"}


async def probed(
    reply: Reply, body: bytes = b"", most: int = 1000, bounds: Bounds = PATIENT, query: str = ""
) -> tuple[Probe, Received]:
    async with StandIn(reply).running() as stand_in, AsyncClient(bounds) as client:
        probe = await client.probe("POST", f"{stand_in.url}/chat{query}", KEY, body, most)
        return probe, stand_in.requests[0]


async def test_a_response_has_status_headers_and_body_without_redirects() -> None:
    probe, _ = await probed(Reply(status=307, headers={"Location": "/there"}))
    assert (probe.status, probe.headers["location"]) == (307, "/there")
    probe, request = await probed(Reply([b"Slow ", b"down"], 429, {"Retry-After": "7"}), b"{}")
    assert (probe.method, probe.status, probe.headers["retry-after"], probe.body) == ("POST", 429, "7", b"Slow down")
    assert probe.error is None
    assert probe.seconds > 0
    assert (request.method, request.path, request.body) == ("POST", "/chat", b"{}")
    assert request.headers["api-key"] == "k-123456"


async def test_a_body_is_decompressed_or_empty_and_an_error_if_damaged() -> None:
    packed = gzip.compress(b"A", mtime=0)
    for coding, sent, read in (
        ("gzip", packed, b"A"),
        ("identity", b"A", b"A"),
        ("br", b"A", b""),
        ("gzip, gzip, gzip", packed, b""),
    ):
        probe, _ = await probed(Reply([sent], headers={"Content-Encoding": coding}))
        assert (probe.status, probe.body, probe.error) == (200, read, None), coding
    damaged = gzip.compress(b"A" * 100)[:12] + b"no gzip at all"
    probe, _ = await probed(Reply([damaged], headers={"Content-Encoding": "gzip"}))
    assert (probe.status, "damaged" in error_of(probe).message) == (None, True)


@pytest.mark.parametrize("writes", [[b"x" * 10, float("inf")], [b"x" * 6, b"x" * 6, float("inf")]])
async def test_a_body_is_read_and_kept_up_to_the_limit(writes: list[bytes | float]) -> None:
    probe, _ = await probed(Reply(writes), most=10)
    assert (probe.body, probe.error) == (b"x" * 10, None)


async def test_returned_credentials_are_not_kept() -> None:
    probe, _ = await probed(Reply([b"k-123456 and s3cr3t-c0de"]), query="?code=s3cr3t-c0de")
    assert probe.body.decode() == "… and …"


async def test_a_missing_response_is_an_error_after_the_timeout() -> None:
    probe, _ = await probed(Reply([float("inf")]), bounds=replace(PATIENT, first_byte_timeout=0.2))
    assert (probe.status, probe.error and probe.error.code) == (None, "timeout")
    assert "within 0.2 s" in error_of(probe).message
    assert probe.seconds >= 0.2


def test_a_resource_allows_post_if_it_says_so() -> None:
    allows = {"GET, post": True, "POST": True, "GET": False, "POSTAL": False}
    assert {allow: Probe("OPTIONS", "", 200, {"allow": allow}).allows_post for allow in allows} == allows
    assert not Probe("OPTIONS", "", 200, {}).allows_post


def test_a_body_is_a_page_if_it_begins_like_one() -> None:
    pages = {b"\n<!doctype html>": True, b"<html>": True, b"A<html>": False, b"": False}
    assert {body: Probe("GET", "", body=body).is_page for body in pages} == pages
