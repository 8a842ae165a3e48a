from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from chat_ui.languages.language import ENGLISH, Language
from chat_ui.languages.translation import current_language
from chat_ui.server.middleware.request_language import COOKIE, LANGUAGE, Languages

KNOWN = {tag: Language(tag, None) for tag in ("en", "de", "nl", "pt", "zh-Hans")}


async def spoken(request: Request) -> Response:
    assert request.scope[LANGUAGE] == current_language().tag
    return HTMLResponse(current_language().tag, headers={"Vary": "Accept-Encoding"})


async def as_json(_request: Request) -> Response:
    return JSONResponse(current_language().tag)


async def as_before(_request: Request) -> Response:
    return Response(status_code=304)


async def spoken_over_socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text(f"{current_language().tag} {socket.scope[LANGUAGE]}")
    await socket.close()


def client_of(usual: str | None = None) -> TestClient:
    routes = [Route("/", spoken), Route("/json", as_json), Route("/same", as_before)]
    routes.append(WebSocketRoute("/socket", spoken_over_socket))
    return TestClient(Languages(Starlette(routes=routes), KNOWN, usual))


def answered_in(cookie: str | None, usual: str | None, browser: str | None) -> str:
    sent = {"Cookie": cookie, "Accept-Language": browser}
    headers = {name: value.encode("latin-1") for name, value in sent.items() if value is not None}
    return client_of(usual).get("/", headers=headers).text


def test_the_language_is_the_persons_else_the_operators_else_the_browsers():
    wanted = {
        (f"{COOKIE}=nl", "pt", "de"): "nl",
        (None, "pt", "de"): "pt",
        (None, None, "fr, de;q=0.5"): "de",
        (None, None, "zh-CN"): "zh-Hans",
        (None, None, "fr"): "en",
        (None, None, None): "en",
        # An unsupported language counts as not chosen.
        (f"{COOKIE}=fr", None, "de"): "de",
        (f"{COOKIE}=../de", "pt", "de"): "pt",
        (f"{COOKIE}=" + "x" * 4000, None, "de"): "de",
        (f"{COOKIE}=", None, "de"): "de",
        (f"other_{COOKIE}=nl", None, "de"): "de",
        # Another app on the same host may have set one of the same name.
        (f"a=b; {COOKIE}=fr; {COOKIE}=nl", None, "de"): "nl",
        (f"{COOKIE}=nl; {COOKIE}=pt", None, "de"): "nl",
        (None, None, ",".join(["fr"] * 1000) + ",de"): "en",
        (None, None, "de;q=x;q=1,,;,\xe9"): "en",
    }
    assert {asked: answered_in(*asked) for asked in wanted} == wanted
    headers = [("Accept-Language", "fr"), ("Accept-Language", "nl;q=0.5"), ("Accept-Language", "de;q=0.6")]
    assert client_of().get("/", headers=headers).text == "de", "a browser may say its languages in several headers"


def test_a_document_tells_caches_the_inputs_of_its_language():
    client = client_of()
    assert client.get("/").headers["vary"] == "Accept-Encoding, Accept-Language, Cookie"
    assert "vary" not in client.get("/json").headers
    assert client.get("/same").headers["vary"] == "Accept-Language, Cookie"


def test_each_request_has_its_own_language():
    client = client_of()
    told = [client.get("/", headers={"Cookie": f"{COOKIE}={tag}"}).text for tag in ("nl", "de", "nl")]
    assert [*told, client.get("/").text] == ["nl", "de", "nl", "en"]
    assert current_language() is ENGLISH


def test_a_socket_has_the_language_of_its_opening_request():
    with client_of().websocket_connect("/socket", headers={"Cookie": f"{COOKIE}=nl"}) as socket:
        assert socket.receive_text() == "nl nl"
