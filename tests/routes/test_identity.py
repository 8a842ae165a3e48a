"""Who may talk to the app, and as whom."""

from __future__ import annotations

import hashlib
import socket
from urllib.parse import urlsplit

import httpx2
import pytest

from chat_ui.server.middleware.identity import Cookies

OVER_TLS = {"X-Forwarded-Proto": "https"}


def handshake_status(app_url: str, **headers: str) -> int:
    """The status line's number that a WebSocket handshake with the app's socket gets."""
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


def test_a_page_loaded_without_a_cookie_gets_one_that_scripts_cannot_read(app_url: str):
    cookie = httpx2.get(app_url).headers["set-cookie"]
    assert cookie.startswith("chat_ui_person=")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_two_browsers_get_different_identities(app_url: str):
    first, second = (httpx2.get(app_url).cookies["chat_ui_person"] for _ in range(2))
    assert first != second
    assert len(first) >= 43


def test_a_browser_keeps_its_identity(app_url: str):
    with httpx2.Client() as client:
        client.get(app_url)
        assert "set-cookie" not in client.get(app_url).headers


BESIDE = ('settings={"x":1,"y":"z"}', "flag", "naïve=1", 'open="', "expires=never", "a@b=1", "=x", "chat_ui_person=")


@pytest.mark.parametrize("beside", BESIDE)
def test_a_browser_is_known_whatever_cookies_other_apps_of_its_host_have(app_url: str, beside: str):
    cookie = cookie_of_a_page(app_url)
    for header in (f"{beside}; {cookie}", f"{cookie}; {beside}"):
        answer = httpx2.get(f"{app_url}/api/conversations/", headers={"Cookie": header.encode("latin-1")})
        assert answer.status_code == 200
    headers = [("Cookie", beside.encode("latin-1")), ("Cookie", cookie.encode())]
    assert httpx2.get(f"{app_url}/api/conversations/", headers=headers).status_code == 200


@pytest.mark.parametrize("told", ["https", "HTTPS", "https, http"])
def test_a_cookie_that_came_over_tls_goes_over_tls_alone(app_url: str, told: str):
    assert "Secure" not in httpx2.get(app_url).headers["set-cookie"]
    cookie = httpx2.get(app_url, headers={"X-Forwarded-Proto": told}).headers["set-cookie"]
    assert cookie.startswith("__Host-chat_ui_person=")
    assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


def test_over_tls_nobody_is_whoever_a_neighbour_of_the_same_domain_says_they_are(app_url: str):
    neighbours, own = cookie_of_a_page(app_url), cookie_of_a_page(app_url, **OVER_TLS)
    for cookies in (neighbours, f"{neighbours}; {own}"):
        renewed = httpx2.get(app_url, headers={"Cookie": cookies, **OVER_TLS}).headers.get("set-cookie", own)
        assert neighbours.partition("=")[2] not in renewed
    alone = httpx2.get(f"{app_url}/api/conversations/", headers={"Cookie": neighbours, **OVER_TLS})
    assert alone.status_code == 403


def test_a_socket_of_which_the_proxy_does_not_tell_that_it_came_over_tls_is_the_same_persons(app_url: str):
    assert handshake_status(app_url, Origin=app_url, Cookie=cookie_of_a_page(app_url, **OVER_TLS)) == 101


def cookie_of_a_page(app_url: str, **headers: str) -> str:
    return httpx2.get(app_url, headers=headers).headers["set-cookie"].partition(";")[0]


def test_our_own_page_may_open_the_socket(app_url: str):
    assert handshake_status(app_url, Origin=app_url, Cookie=cookie_of_a_page(app_url)) == 101


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "http://localhost:1", "null"])
def test_a_foreign_page_may_not_open_the_socket(app_url: str, origin: str):
    assert handshake_status(app_url, Origin=origin, Cookie=cookie_of_a_page(app_url)) == 403


def test_a_foreign_name_that_resolves_to_this_machine_may_not_open_the_socket(app_url: str):
    port = urlsplit(app_url).port
    name = f"rebound.example:{port}"
    assert handshake_status(app_url, Host=name, Origin=f"http://{name}", Cookie=cookie_of_a_page(app_url)) == 403


def test_a_script_may_open_the_socket_with_a_cookie_of_its_own_and_not_without(app_url: str):
    assert handshake_status(app_url, Cookie=cookie_of_a_page(app_url)) == 101
    assert handshake_status(app_url) == 403


@pytest.mark.parametrize("origin", ["http://localhost@elsewhere.example", "http://[::1", "file://", "http://", ""])
def test_an_origin_that_is_none_is_foreign(app_url: str, origin: str):
    assert handshake_status(app_url, Origin=origin, Cookie=cookie_of_a_page(app_url)) == 403


def test_a_foreign_page_is_refused_in_the_language_of_its_reader(app_url: str):
    headers = {"Origin": "https://elsewhere.example", "Accept-Language": "de"}
    answer = httpx2.post(f"{app_url}/demo/chat", json={}, headers=headers)
    assert answer.status_code == 403
    assert answer.text == "Diese Adresse darf nur von ihren eigenen Seiten benutzt werden."


def test_no_web_origin_is_told_that_it_may_read(app_url: str):
    answer = httpx2.get(app_url, headers={"Origin": "https://elsewhere.example"})
    assert "access-control-allow-origin" not in answer.headers


class Kept:
    """Tells which people of a former version have something kept."""

    def __init__(self, *values: str) -> None:
        self._people = [hashlib.sha256(value.encode()).hexdigest() for value in values]

    async def has(self, person: str) -> bool:
        return person in self._people


@pytest.mark.parametrize("signature", ["", ".of-another-secret"])
async def test_a_cookie_without_a_signature_of_ours_gets_one_where_something_is_kept_for_its_person(signature: str):
    bits, invented = "f" * 43, "i" * 43 + signature
    former = bits + signature
    cookies = Cookies("a secret", Kept(bits).has)
    assert cookies.person(former) is None
    renewed = await cookies.renewed(former)
    assert renewed is not None
    assert cookies.person(renewed) == hashlib.sha256(bits.encode()).hexdigest()
    assert await cookies.renewed(invented) is None
    assert await cookies.renewed(renewed) == renewed
    assert await Cookies("a secret").renewed(former) is None


async def test_cookies_of_another_server_are_nobodys():
    value = Cookies("a secret").new()
    assert Cookies("a secret").person(value) is not None
    assert Cookies("another secret").person(value) is None
