"""The cookie of a page in a frame of another site."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from chat_ui.conversations.people.person import is_operator
from chat_ui.server.middleware.identity import Cookies, People

IN_A_FRAME = {"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"}
OVER_TLS = {"X-Forwarded-Proto": "https"}


async def page(_: Request) -> Response:
    return HTMLResponse("a page")


async def other(_: Request) -> Response:
    return PlainTextResponse("no page")


def client_of(*, framed: bool = True) -> TestClient:
    routes = Starlette(routes=[Route("/", page), Route("/other", other)])
    return TestClient(People(routes, Cookies("a secret"), framed=framed), base_url="https://chat.test")


def attributes(client: TestClient, **headers: str) -> tuple[str, set[str]]:
    """The name of the cookie, and what the browser is told of it."""
    client.cookies.clear()
    value, *told = client.get("/", headers=headers).headers["set-cookie"].split("; ")
    return value.partition("=")[0], set(told) - {"Path=/", "Max-Age=31536000", "HttpOnly"}


def test_in_a_frame_of_another_site_it_is_for_that_site_alone():
    partitioned = {"SameSite=None", "Secure", "Partitioned"}
    frames = [("cross-site", dest) for dest in ("iframe", "frame", "embed", "object")]
    for asking, dest in (*frames, ("same-origin", "iframe")):
        framed = {"Sec-Fetch-Site": asking, "Sec-Fetch-Dest": dest}
        assert attributes(client_of(), **framed, **OVER_TLS) == ("__Host-chat_ui_person", partitioned)
        assert attributes(client_of(), **framed) == ("chat_ui_person", partitioned)


def test_everywhere_else_it_is_as_ever():
    places = ("document", "cross-site"), ("iframe", "same-site"), ("document", "same-origin")
    elsewhere = [{"Sec-Fetch-Dest": dest, "Sec-Fetch-Site": asking} for dest, asking in places]
    cases = [(client_of(), headers) for headers in ({}, {"Sec-Fetch-Dest": "iframe"}, *elsewhere)]
    for client, headers in (*cases, *((client_of(framed=False), headers) for headers in ({}, IN_A_FRAME))):
        assert attributes(client, **headers, **OVER_TLS) == ("__Host-chat_ui_person", {"SameSite=Lax", "Secure"})
        assert attributes(client, **headers) == ("chat_ui_person", {"SameSite=Lax"})


def test_a_person_who_has_it_keeps_it_and_what_is_no_page_gives_none():
    client = client_of()
    framed = {**IN_A_FRAME, **OVER_TLS}
    value = client.get("/", headers=framed).headers["set-cookie"].partition(";")[0]
    client.cookies.clear()
    assert "set-cookie" not in client.get("/", headers={**framed, "Cookie": value}).headers
    assert "set-cookie" not in client.get("/other", headers=framed).headers


TOKEN = "a-token-of-the-operators"


async def known(request: Request) -> Response:
    return PlainTextResponse(f"{is_operator(request)} {request.headers.get('authorization')}")


def test_the_operator_is_known_by_the_token_which_goes_no_further():
    others = f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer ä", ""
    cases = [(TOKEN, given, True) for given in (f"Bearer {TOKEN}", f"bearer  {TOKEN} ")]
    cases += [(TOKEN, given, False) for given in others] + [("", given, False) for given in ("Bearer ", "Bearer", "")]
    routes = Starlette(routes=[Route("/", known)])
    for token, given, is_theirs in cases:
        client = TestClient(People(routes, Cookies("a secret"), operator_token=token), base_url="https://chat.test")
        headers = {"Authorization": given.encode("latin-1")}
        assert client.get("/", headers=headers).text == f"{is_theirs} None", given
