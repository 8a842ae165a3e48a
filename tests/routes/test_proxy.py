"""Who a person is behind an authenticating proxy, and what of its headers goes on."""

from __future__ import annotations

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from chat_ui.conversations.people.person import person_of
from chat_ui.profiles.credential import Tokens
from chat_ui.server.middleware.identity import Cookies, People, proxy_at

IDENTITY = "X-MS-CLIENT-PRINCIPAL-ID"
PERSON = "person"
COOKIES = Cookies("a secret")
TOKEN = "X-MS-TOKEN-AAD-ACCESS-TOKEN"


async def seen(client: str, headers: dict[str, str], tokens: Tokens | None = None) -> dict[str, str]:
    async def echo(request: Request) -> JSONResponse:
        return JSONResponse({**request.headers, PERSON: person_of(request)})

    proxy = proxy_at(["10.1.0.0/16", "fd00::5"], IDENTITY, TOKEN)
    app = People(Starlette(routes=[Route("/", echo)]), COOKIES, proxy, tokens)
    transport = httpx2.ASGITransport(app, client=(client, 1234))
    async with httpx2.AsyncClient(transport=transport, base_url="http://app") as browser:
        return (await browser.get("/", headers=headers)).json()


async def test_the_proxy_says_who_a_person_is_and_nobody_else_can():
    for client in ("10.1.2.3", "fd00::5", "::ffff:10.1.2.3"):
        ann = (await seen(client, {IDENTITY: "ann"}))[PERSON]
        assert len(ann) == 64
        assert ann == (await seen(client, {IDENTITY: "ann", "cookie": f"chat_ui_person={COOKIES.new()}"}))[PERSON]
        assert ann != (await seen(client, {IDENTITY: "bob"}))[PERSON]
    for client in ("10.2.0.1", "127.0.0.1", "fd00::6", "::ffff:10.2.0.1", "not an address"):
        assert not (await seen(client, {IDENTITY: "ann"}))[PERSON], client


def test_names_whose_last_letters_end_like_white_space_are_different_people():
    proxy = proxy_at(["10.1.0.1"], IDENTITY, None)
    assert proxy is not None

    def person(name: bytes) -> str | None:
        return proxy.person(Headers(raw=[(IDENTITY.lower().encode(), name)]))

    # In UTF-8 these end with the bytes of a non-breaking space and of a next line.
    people = {person(name.encode()) for name in ("jorà", "jorÅ", "Černych", "Черных")} | {person(b"jor\xc3")}
    assert len(people - {None}) == 5
    assert person("jorà".encode()) == person(" jorà\t".encode())
    # A caller with two names is nobody.
    raw = [(IDENTITY.lower().encode(), b"ann"), (IDENTITY.lower().encode(), b"bob")]
    assert proxy.person(Headers(raw=raw)) is None


async def test_a_token_is_kept_for_its_person_and_goes_no_further():
    tokens = Tokens()
    headers = await seen("10.1.2.3", {IDENTITY: "ann", TOKEN: "anns-token"}, tokens)
    assert tokens.of(headers[PERSON]) == "anns-token"
    assert "anns-token" not in str(headers)
    assert IDENTITY.lower() not in headers


async def test_a_token_from_anybody_else_is_not_kept():
    tokens = Tokens()
    headers = await seen("10.2.0.1", {IDENTITY: "ann", TOKEN: "anns-token", "Authorization": "Bearer x"}, tokens)
    assert "anns-token" not in str(headers)
    assert "authorization" not in headers
    assert tokens.of("ann") is None


def test_without_addresses_or_a_header_there_is_no_proxy():
    assert proxy_at([], IDENTITY, TOKEN) is None
    assert proxy_at(["10.1.0.1"], None, TOKEN) is None
    with pytest.raises(ValueError, match="proxy"):
        proxy_at(["proxy.internal"], IDENTITY, TOKEN)
