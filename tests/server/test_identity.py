"""People identified by a cookie, a proxy or a token, and requests from frames and other origins."""

import hashlib
import socket
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from chat_ui.backends.credential import Tokens
from chat_ui.conversations.people.person import is_operator, person_of
from chat_ui.server.middleware.identity import Cookies, OwnOriginOnly, People, proxy_at

OVER_TLS = {"X-Forwarded-Proto": "https"}


def handshake_status(app_url: str, **headers: str) -> int:
    """The status code of a WebSocket handshake with the app's socket."""
    address = urlsplit(app_url)
    lines = [
        "GET /_event/?EIO=4&transport=websocket&token=00000000-0000-4000-8000-000000000000 HTTP/1.1",
        *(f"{name}: {value}" for name, value in {"Host": address.netloc, **headers}.items()),
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "\r\n",
    ]
    with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
        connection.sendall("\r\n".join(lines).encode())
        return int(connection.recv(64).split()[1])


def test_each_browser_gets_a_unique_identity_and_a_secure_cookie_over_tls(app_url: str):
    first, second = (httpx2.get(app_url) for _ in range(2))
    assert first.cookies["chat_ui_person"] != second.cookies["chat_ui_person"]
    assert len(first.cookies["chat_ui_person"]) >= 43
    cookie = first.headers["set-cookie"]
    assert cookie.startswith("chat_ui_person=")
    assert {"HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))
    assert "set-cookie" not in httpx2.get(app_url, cookies=first.cookies).headers
    assert "Secure" not in httpx2.get(app_url).headers["set-cookie"]
    for told in ("https", "HTTPS", "https, http"):
        cookie = httpx2.get(app_url, headers={"X-Forwarded-Proto": told}).headers["set-cookie"]
        assert cookie.startswith("__Host-chat_ui_person=")
        assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))
        assert "Domain" not in cookie


def test_a_browser_is_recognised_among_cookies_of_other_apps(app_url: str):
    cookie = cookie_of_a_page(app_url)
    others = 'settings={"x":1,"y":"z"}', "flag", "naïve=1", 'open="', "expires=never", "a@b=1", "=x", "chat_ui_person="
    for beside in others:
        for header in (f"{beside}; {cookie}", f"{cookie}; {beside}"):
            answer = httpx2.get(f"{app_url}/api/conversations/", headers={"Cookie": header.encode("latin-1")})
            assert answer.status_code == 200, header
        headers = [("Cookie", beside.encode("latin-1")), ("Cookie", cookie.encode())]
        assert httpx2.get(f"{app_url}/api/conversations/", headers=headers).status_code == 200


def test_a_neighbouring_domain_cannot_set_a_person_over_tls(app_url: str):
    neighbours, own = cookie_of_a_page(app_url), cookie_of_a_page(app_url, **OVER_TLS)
    for cookies in (neighbours, f"{neighbours}; {own}"):
        renewed = httpx2.get(app_url, headers={"Cookie": cookies, **OVER_TLS}).headers.get("set-cookie", own)
        assert neighbours.partition("=")[2] not in renewed
    alone = httpx2.get(f"{app_url}/api/conversations/", headers={"Cookie": neighbours, **OVER_TLS})
    assert alone.status_code == 403


def cookie_of_a_page(app_url: str, **headers: str) -> str:
    return httpx2.get(app_url, headers=headers).headers["set-cookie"].partition(";")[0]


def test_the_own_page_may_open_the_socket_and_a_foreign_one_not(app_url: str):
    cookie = cookie_of_a_page(app_url)
    assert handshake_status(app_url) == 403
    # A script has no origin, and a proxy may hide that a page came over TLS.
    assert handshake_status(app_url, Cookie=cookie) == 101
    assert handshake_status(app_url, Origin=app_url, Cookie=cookie_of_a_page(app_url, **OVER_TLS)) == 101
    assert handshake_status(app_url, Origin=app_url, Cookie=cookie) == 101
    foreign = ("https://elsewhere.example", "http://localhost:1", "null", "http://localhost@elsewhere.example")
    for origin in (*foreign, "http://[::1", "file://", "http://", ""):
        assert handshake_status(app_url, Origin=origin, Cookie=cookie) == 403, origin
    # The name resolves to this machine.
    name = f"rebound.example:{urlsplit(app_url).port}"
    assert handshake_status(app_url, Host=name, Origin=f"http://{name}", Cookie=cookie) == 403


def test_a_foreign_page_is_refused_in_its_readers_language(app_url: str):
    headers = {"Origin": "https://elsewhere.example", "Accept-Language": "de"}
    answer = httpx2.post(f"{app_url}/demo/chat", json={}, headers=headers)
    assert answer.status_code == 403
    assert answer.text == "Diese Adresse nimmt nur Anfragen ihrer eigenen Seiten an."
    # CORS headers are missing.
    assert "access-control-allow-origin" not in httpx2.get(app_url, headers=headers).headers


class Kept:
    """Tells which people of a former version have stored data."""

    def __init__(self, *values: str) -> None:
        self._people = [hashlib.sha256(value.encode()).hexdigest() for value in values]

    async def has(self, person: str) -> bool:
        return person in self._people


async def test_an_unsigned_cookie_is_signed_if_its_person_has_stored_data():
    bits = "f" * 43
    cookies = Cookies("a secret", Kept(bits).has)
    for signature in ("", ".of-another-secret"):
        former, invented = bits + signature, "i" * 43 + signature
        assert cookies.person(former) is None
        renewed = await cookies.renewed(former)
        assert renewed is not None
        assert cookies.person(renewed) == hashlib.sha256(bits.encode()).hexdigest()
        assert await cookies.renewed(invented) is None
        assert await cookies.renewed(renewed) == renewed
        assert await Cookies("a secret").renewed(former) is None
    assert Cookies("another secret").person(cookies.new()) is None


NAMED = ("https://chat.example.com",)


@pytest.mark.parametrize(
    ("origin", "host", "origins", "loopback_only", "is_allowed"),
    [
        ("http://localhost:3000", "localhost:3000", (), True, True),
        ("http://127.0.0.1:3000", "127.0.0.1:3000", (), True, True),
        (None, "x.example", (), True, True),
        ("http://chat.lan:3000", "chat.lan:3000", (), False, True),
        ("http://other.lan:3000", "chat.lan:3000", (), False, False),
        ("https://chat.example.com", "10.0.0.5:3000", NAMED, False, True),
        ("https://chat.example.com:443", "10.0.0.5:3000", NAMED, True, True),
        ("http://rebound.example:3000", "rebound.example:3000", NAMED, False, False),
        ("http://chat.example.com", "chat.example.com", NAMED, False, False),
        ("http://localhost:3000", "localhost:3000", NAMED, False, True),
    ],
)
async def test_the_own_origin_is_this_machine_the_asked_address_or_its_name(
    origin: str | None, host: str, origins: tuple[str, ...], *, loopback_only: bool, is_allowed: bool
):
    async def post(_: Request) -> PlainTextResponse:
        return PlainTextResponse("posted")

    app = OwnOriginOnly(Starlette(routes=[Route("/", post, methods=["POST"])]), origins, loopback_only=loopback_only)
    headers = {"Host": host, **({"Origin": origin} if origin is not None else {})}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://app") as client:
        assert ((await client.post("/", headers=headers)).status_code == 200) is is_allowed


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


async def test_only_the_proxy_names_a_person():
    for client in ("10.1.2.3", "fd00::5", "::ffff:10.1.2.3"):
        ann = (await seen(client, {IDENTITY: "ann"}))[PERSON]
        assert len(ann) == 64
        assert ann == (await seen(client, {IDENTITY: "ann", "cookie": f"chat_ui_person={COOKIES.new()}"}))[PERSON]
        assert ann != (await seen(client, {IDENTITY: "bob"}))[PERSON]
    for client in ("10.2.0.1", "127.0.0.1", "fd00::6", "::ffff:10.2.0.1", "not an address"):
        assert not (await seen(client, {IDENTITY: "ann"}))[PERSON], client


def test_names_that_end_like_white_space_are_different_people():
    proxy = proxy_at(["10.1.0.1"], IDENTITY, None)
    assert proxy is not None

    def person(name: bytes) -> str | None:
        return proxy.person(Headers(raw=[(IDENTITY.lower().encode(), name)]))

    # In UTF-8 these end with the bytes of a non-breaking space and of a next line.
    people = {person(name.encode()) for name in ("jorà", "jorÅ", "Černych", "Черных")} | {person(b"jor\xc3")}
    assert len(people - {None}) == 5
    assert person("jorà".encode()) == person(" jorà\t".encode())
    # Two names in a request are refused.
    raw = [(IDENTITY.lower().encode(), b"ann"), (IDENTITY.lower().encode(), b"bob")]
    assert proxy.person(Headers(raw=raw)) is None


async def test_a_token_of_the_proxy_is_kept_for_its_person_and_not_forwarded():
    told = {IDENTITY: "ann", TOKEN: "anns-token", "Authorization": "Bearer x"}
    for client, is_kept in (("10.1.2.3", True), ("10.2.0.1", False)):
        tokens = Tokens()
        headers = await seen(client, told, tokens)
        assert (await tokens.of(headers[PERSON] or "ann") == "anns-token") is is_kept
        assert "anns-token" not in str(headers)
        assert not {IDENTITY.lower(), "authorization"} & headers.keys()


def test_a_proxy_needs_addresses_and_a_header():
    assert proxy_at([], IDENTITY, TOKEN) is None
    assert proxy_at(["10.1.0.1"], None, TOKEN) is None
    with pytest.raises(ValueError, match="proxy"):
        proxy_at(["proxy.internal"], IDENTITY, TOKEN)


IN_A_FRAME = {"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"}


async def page(_: Request) -> Response:
    return HTMLResponse("a page")


async def other(_: Request) -> Response:
    return PlainTextResponse("no page")


def client_of(*, framed: bool = True) -> TestClient:
    routes = Starlette(routes=[Route("/", page), Route("/other", other)])
    return TestClient(People(routes, COOKIES, framed=framed), base_url="https://chat.test")


def attributes(client: TestClient, **headers: str) -> tuple[str, set[str]]:
    """The name and the attributes of the cookie."""
    client.cookies.clear()
    value, *told = client.get("/", headers=headers).headers["set-cookie"].split("; ")
    return value.partition("=")[0], set(told) - {"Path=/", "Max-Age=31536000", "HttpOnly"}


def test_a_cookie_in_a_foreign_frame_is_partitioned():
    partitioned = {"SameSite=None", "Secure", "Partitioned"}
    frames = [("cross-site", dest) for dest in ("iframe", "frame", "embed", "object")]
    for asking, dest in (*frames, ("same-origin", "iframe")):
        framed = {"Sec-Fetch-Site": asking, "Sec-Fetch-Dest": dest}
        assert attributes(client_of(), **framed, **OVER_TLS) == ("__Host-chat_ui_person", partitioned)
        assert attributes(client_of(), **framed) == ("chat_ui_person", partitioned)


def test_a_cookie_elsewhere_is_not_partitioned():
    places = ("document", "cross-site"), ("iframe", "same-site"), ("document", "same-origin")
    elsewhere = [{"Sec-Fetch-Dest": dest, "Sec-Fetch-Site": asking} for dest, asking in places]
    cases = [(client_of(), headers) for headers in ({}, {"Sec-Fetch-Dest": "iframe"}, *elsewhere)]
    for client, headers in (*cases, *((client_of(framed=False), headers) for headers in ({}, IN_A_FRAME))):
        assert attributes(client, **headers, **OVER_TLS) == ("__Host-chat_ui_person", {"SameSite=Lax", "Secure"})
        assert attributes(client, **headers) == ("chat_ui_person", {"SameSite=Lax"})


def test_a_person_with_a_cookie_keeps_it_and_only_pages_set_one():
    client = client_of()
    framed = {**IN_A_FRAME, **OVER_TLS}
    value = client.get("/", headers=framed).headers["set-cookie"].partition(";")[0]
    client.cookies.clear()
    assert "set-cookie" not in client.get("/", headers={**framed, "Cookie": value}).headers
    assert "set-cookie" not in client.get("/other", headers=framed).headers


SECRET = "a-token-of-the-operators"


async def known(request: Request) -> Response:
    return PlainTextResponse(f"{is_operator(request)} {request.headers.get('authorization')}")


def test_the_operator_is_recognised_by_a_token_that_is_not_forwarded():
    others = f"Bearer {SECRET}x", f"Bearer {SECRET[:-1]}", f"Basic {SECRET}", SECRET, "Bearer ä", ""
    cases = [(SECRET, given, True) for given in (f"Bearer {SECRET}", f"bearer  {SECRET} ")]
    cases += [(SECRET, given, False) for given in others] + [("", given, False) for given in ("Bearer ", "Bearer", "")]
    routes = Starlette(routes=[Route("/", known)])
    for token, given, is_theirs in cases:
        client = TestClient(People(routes, COOKIES, operator_token=token), base_url="https://chat.test")
        headers = {"Authorization": given.encode("latin-1")}
        assert client.get("/", headers=headers).text == f"{is_theirs} None", given
