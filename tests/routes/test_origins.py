"""Which origins may use the server, by its configuration."""

from __future__ import annotations

import asyncio

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from chat_ui.server.middleware.identity import OwnOriginOnly


def allows(origin: str | None, host: str, origins: tuple[str, ...] = (), *, loopback_only: bool) -> bool:
    async def post(_: Request) -> PlainTextResponse:
        return PlainTextResponse("posted")

    app = OwnOriginOnly(Starlette(routes=[Route("/", post, methods=["POST"])]), origins, loopback_only=loopback_only)
    headers = {"Host": host, **({"Origin": origin} if origin is not None else {})}

    async def ask() -> int:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://app") as client:
            return (await client.post("/", headers=headers)).status_code

    return asyncio.run(ask()) == 200


def test_the_address_of_this_machine_is_our_own():
    for host in ("localhost:3000", "127.0.0.1:3000"):
        assert allows(f"http://{host}", host, loopback_only=True)
    assert allows(None, "x.example", loopback_only=True)


def test_on_a_network_the_address_that_was_asked_is_our_own():
    assert allows("http://chat.lan:3000", "chat.lan:3000", loopback_only=False)
    assert not allows("http://other.lan:3000", "chat.lan:3000", loopback_only=False)


def test_a_named_origin_is_our_own_behind_any_proxy():
    named = ("https://chat.example.com",)
    assert allows("https://chat.example.com", "10.0.0.5:3000", named, loopback_only=False)
    assert allows("https://chat.example.com:443", "10.0.0.5:3000", named, loopback_only=True)


def test_with_named_origins_a_name_that_was_made_to_resolve_here_is_foreign():
    named = ("https://chat.example.com",)
    assert not allows("http://rebound.example:3000", "rebound.example:3000", named, loopback_only=False)
    assert not allows("http://chat.example.com", "chat.example.com", named, loopback_only=False)
    assert allows("http://localhost:3000", "localhost:3000", named, loopback_only=False)
