"""Signing in and out over HTTP, and the attacks on it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Self
from unittest.mock import ANY, AsyncMock
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from chat_ui.assembly import build_with
from chat_ui.backends.credential import Credential
from chat_ui.backends.vault import Vault
from chat_ui.conversations.conversations import Conversations
from chat_ui.errors import UnusableSettingsError, VaultUnavailableError
from chat_ui.features.sharing.settings import link_readers
from chat_ui.features.signing_in.id_token import Claims
from chat_ui.features.signing_in.provider import TokenResponse
from chat_ui.features.signing_in.sessions import ROW, Sessions
from chat_ui.installed import FEATURES
from chat_ui.server.addresses import SIGN_IN
from tests.app_settings import AppSettings
from tests.features.demo.serving import serving, wait_for
from tests.page.routes.running_app import listed, put, running_app, talk
from tests.stand_ins.provider import StandInProvider
from tests.stand_ins.stand_in import Reply, StandIn, in_thread

OVER_TLS = {"X-Forwarded-Proto": "https"}
ANNA = {"state": "in", "name": "Anna Example", "required": False, "bring": 0, "tag": ANY}
OUT = {"state": "out", "name": "", "required": False, "bring": 0, "tag": ANY}
BACKEND = """
[[backends]]
name = "A"
url = "http://127.0.0.1:9/chat"
pass_token = true
token_scope = "api://a/b"
"""


class Browser(httpx2.Client):
    """A browser before the app, whose people sign in at `at`."""

    def __init__(self, url: str, at: StandInProvider) -> None:
        super().__init__(base_url=url, timeout=60)
        self.at = at

    def __enter__(self) -> Self:
        super().__enter__().get("/")
        return self

    def begin(self, **query: str) -> dict[str, str]:
        """Begin to sign in; returns the query of the callback."""
        return self.at.answer_to(self.get(SIGN_IN, params=query).headers["location"])

    def finish(self, query: dict[str, str]) -> httpx2.Response:
        return self.get(f"{SIGN_IN}/callback", params=query)

    def sign_in(self, person: str = "anna", **query: str) -> httpx2.Response:
        self.at.person, self.at.claims = person, {"name": f"{person.title()} Example"}
        return self.finish(self.begin(**query))

    def me(self) -> dict[str, Any]:
        return self.get(f"{SIGN_IN}/me").json()

    def bring(self, value: object) -> int:
        return self.post(f"{SIGN_IN}/bring", json={"bring": value}).status_code


@contextmanager
def app(folder: Path, at: StandInProvider, **chosen: Any) -> Iterator[str]:
    chosen = {"oidc_issuer": at.issuer, "oidc_client_id": "chat", "policy": "public", **chosen}
    with running_app(folder, **chosen) as url:
        yield url


@pytest.fixture(scope="module")
def provider() -> Iterator[StandInProvider]:
    at = StandInProvider("http://127.0.0.1")
    with serving(at.app) as at.issuer:
        yield at


@pytest.fixture(scope="module")
def url(provider: StandInProvider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with app(tmp_path_factory.mktemp("signing_in"), provider, shared_links="signed-in") as url:
        yield url


@pytest.fixture
def browser(url: str, provider: StandInProvider) -> Iterator[Browser]:
    provider.raw, provider.metadata = {}, {}
    with Browser(url, provider) as browser:
        yield browser


def cookies(response: httpx2.Response) -> dict[str, set[str]]:
    """The attributes of each cookie that the response sets."""
    parts = [one.split("; ") for one in response.headers.get_list("set-cookie")]
    return {first.partition("=")[0]: set(others) for first, *others in parts}


def test_a_person_signs_in_comes_back_and_signs_out(browser: Browser, url: str, monkeypatch: pytest.MonkeyPatch):
    closed: list[str] = []
    monkeypatch.setattr(Conversations, "sign_out", lambda _self, session: closed.append(session))
    assert browser.me() == OUT
    tags = {browser.me()["tag"]}
    response = browser.sign_in(to="/c/abc?backend=given%3AA")
    assert (response.status_code, response.headers["location"]) == (303, "/c/abc?backend=given%3AA")
    assert "clear-site-data" not in response.headers
    assert browser.me() == ANNA
    tags.add(browser.me()["tag"])
    former = dict(browser.cookies)
    to = urlsplit(browser.post(f"{SIGN_IN}/out").json()["to"])
    query = parse_qs(to.query)
    assert (f"{to.scheme}://{to.netloc}{to.path}", query["client_id"]) == (f"{browser.at.issuer}/logout", ["chat"])
    assert query["post_logout_redirect_uri"] == [f"{url.rstrip('/')}/"]
    assert query["id_token_hint"][0].count(".") == 2
    assert (former.keys(), browser.cookies.keys()) == ({"chat_ui_session", "chat_ui_last"}, set())
    assert closed == [sha256(former["chat_ui_session"].partition(".")[0].encode()).hexdigest()]
    assert browser.get(f"{SIGN_IN}/me").status_code == 403
    with Browser(url, browser.at) as thief:
        thief.cookies.update(former)
        assert thief.me() == OUT
    browser.get("/")
    assert (browser.me()["state"], browser.me()["tag"] in tags, len(tags)) == ("out", False, 2)
    assert browser.post(f"{SIGN_IN}/out").json() == {"to": "/"}


@pytest.mark.parametrize(("headers", "prefix", "more"), [({}, "", set()), (OVER_TLS, "__Host-", {"Secure"})])
def test_cookies_are_for_this_host_and_not_for_scripts(
    browser: Browser, headers: dict[str, str], prefix: str, more: set[str]
):
    usual = {"Path=/", "HttpOnly", "SameSite=Lax"} | more
    browser.headers.update(headers)
    begun = browser.get(SIGN_IN)
    assert cookies(begun) == {f"{prefix}chat_ui_sign_in": usual | {"Max-Age=600"}}
    flow = {"Cookie": begun.headers["set-cookie"].partition(";")[0]}
    query = browser.at.answer_to(begun.headers["location"])
    ended = browser.get(f"{SIGN_IN}/callback", params=query, headers=flow)
    gone, kept = usual | {"Max-Age=0"}, usual | {"Max-Age=31536000"}
    assert cookies(ended) == {
        f"{prefix}chat_ui_sign_in": gone, f"{prefix}chat_ui_person": gone,
        f"{prefix}chat_ui_session": kept, f"{prefix}chat_ui_last": kept,
    }  # fmt: skip
    for response in (begun, ended):
        assert (response.headers["referrer-policy"], response.headers["cache-control"]) == ("no-referrer", "no-store")


def test_a_callback_counts_only_in_the_browser_that_began(browser: Browser, url: str):
    with Browser(url, browser.at) as victim:
        for begins in (False, True):
            if begins:
                victim.begin()
            response = victim.finish(browser.begin())
            assert response.headers["location"] == "/?sign-in=expired"
            assert victim.me() == OUT


def test_a_second_callback_changes_nothing(browser: Browser):
    browser.at.person, browser.at.claims = "anna", {}
    query = browser.begin()
    browser.finish(query)
    session = browser.cookies["chat_ui_session"]
    assert browser.finish(query).headers["location"] == "/"
    assert (browser.cookies["chat_ui_session"], browser.me()) == (session, {**ANNA, "name": "anna"})
    browser.post(f"{SIGN_IN}/out")
    assert browser.finish(query).headers["location"] == "/?sign-in=expired"


def test_a_planted_or_former_session_is_not_that_of_a_new_sign_in(browser: Browser, url: str):
    with Browser(url, browser.at) as attacker:
        attacker.sign_in("bob")
        planted = attacker.cookies["chat_ui_session"]
        for value in (planted, f"{'a' * 43}.{'b' * 43}", browser.cookies["chat_ui_person"]):
            browser.cookies.set("chat_ui_session", value, domain="127.0.0.1")
            browser.sign_in()
            assert browser.cookies["chat_ui_session"] != value
            assert browser.me() == ANNA, "nothing of the person of the planted session comes along"
        attacker.get("/")
        assert attacker.me()["state"] == "out", "a session ends where another begins"


def test_signing_out_ends_the_browsers_session_while_the_vault_is_down(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
):
    browser.sign_in()
    monkeypatch.setattr(Sessions, "end", AsyncMock(side_effect=VaultUnavailableError))
    assert browser.post(f"{SIGN_IN}/out").json() == {"to": "/"}
    assert "chat_ui_session" not in browser.cookies


def test_other_sites_can_neither_sign_out_nor_bring_along(browser: Browser):
    put(browser, talk("One", time.time()))
    browser.sign_in()
    for path, body in (("out", None), ("bring", {"bring": False})):
        for origin in ("https://evil.example", "null"):
            response = browser.post(f"{SIGN_IN}/{path}", json=body, headers={"Origin": origin})
            assert response.status_code == 403
        assert browser.get(f"{SIGN_IN}/{path}").status_code in (404, 405)
    assert browser.me() == {**ANNA, "bring": 1}


def test_the_provider_learns_the_callback_and_the_scope_of_a_backend(provider: StandInProvider, tmp_path: Path):
    (file := tmp_path / "backends.toml").write_text(BACKEND)
    usual, two = "openid profile email offline_access", ("https://a.example", "https://b.example:8443/")
    for origins, asked in (
        (two, [("B.example:8443", {}, "https://b.example:8443"), ("evil.example", {}, "https://a.example")]),
        ((), [("b.example:1", {}, "http://b.example:1"), ("b.example:1", OVER_TLS, "https://b.example:1")]),
    ):
        with app(tmp_path, provider, origins=origins, backends=file) as url, Browser(url, provider) as browser:
            for host, headers, origin in asked:
                for backend, scope in (("given:A", f"{usual} api://a/b"), ("api://evil", usual)):
                    response = browser.get(SIGN_IN, params={"backend": backend}, headers={"Host": host, **headers})
                    query = parse_qs(urlsplit(response.headers["location"]).query)
                    assert (query["redirect_uri"], query["scope"]) == ([f"{origin}{SIGN_IN}/callback"], [scope])


def test_a_provider_that_is_down_leaves_the_page_usable(tmp_path: Path):
    at = StandInProvider("http://127.0.0.1:9")
    with app(tmp_path, at) as url, Browser(url, at) as browser:
        assert browser.get(SIGN_IN, params={"to": "/c/abc"}).headers["location"] == "/c/abc?sign-in=unavailable"
        put(browser, talk("One", time.time()))


def test_a_provider_leads_only_to_named_private_addresses(provider: StandInProvider, tmp_path: Path):
    at, calls = StandInProvider("http://127.0.0.1"), provider.calls["/token"]
    at.metadata = {"token_endpoint": f"{provider.issuer}/token"}
    with serving(at.app) as at.issuer, app(tmp_path, at) as url, Browser(url, at) as browser:
        assert browser.sign_in().headers["location"] == "/?sign-in=unavailable"
    assert provider.calls["/token"] == calls


async def test_a_session_that_ended_in_another_process_opens_nothing(tmp_path: Path):
    issuer: dict[str, Any] = {"oidc_issuer": "https://id.example", "oidc_client_id": "chat"}
    services = build_with(FEATURES, AppSettings(data_dir=tmp_path, **issuer), "127.0.0.1", 8000)
    signed_in: Any = next(one.sign_ins for one in services.served if one.sign_ins)
    value = await signed_in.__self__.begin(Claims("anna"), TokenResponse("token", 60, "", ""), "", "")
    session = (await signed_in(value)).session
    await services.backends.vault.drop(session, ROW)
    services.conversations.sign_out(session)
    assert await signed_in(value) is None
    await services.backends.vault.close()


def test_conversations_from_before_are_brought_along_or_deleted_once(browser: Browser):
    for number, brings in ((3, True), (1, False)):
        put(browser, *(talk(f"Talk {number} {brings}", time.time()) for number in range(3)))
        opened, former = str(listed(browser)[0]["id"]), dict(browser.cookies)
        browser.sign_in(f"carol {brings}", to=f"/c/{opened}")
        assert [one["id"] for one in listed(browser)] == [opened], "the open one comes along at once"
        assert (browser.me()["bring"], browser.bring("yes")) == (2, 400)
        browser.sign_in("somebody else")
        assert browser.me()["bring"] == 0
        browser.post(f"{SIGN_IN}/out")
        with httpx2.Client(base_url=browser.base_url, cookies=former) as other_tab:
            assert listed(other_tab) == [], "a copied cookie shows nothing of the person"
        browser.get("/")
        browser.sign_in(f"carol {brings}")
        assert browser.me()["bring"] == 2, "offered until answered"
        assert [browser.bring(brings) for _ in range(2)] == [204, 204]
        assert (len(listed(browser)), browser.me()["bring"]) == (number, 0)
        browser.post(f"{SIGN_IN}/out")
        browser.get("/")
        assert listed(browser) == []


@pytest.mark.parametrize(("talks", "brings"), [(0, True), (1, True), (2, True), (2, False)])
async def test_keys_come_along_unasked_if_no_other_conversation_is_left(
    provider: StandInProvider, tmp_path: Path, talks: int, *, brings: bool
):
    origin, key = "https://backend.example:443", Credential("bearer", "kept-by-anna")
    with app(tmp_path, provider) as url, Browser(url, provider) as browser:
        put(browser, *(talk(f"Talk {number}", time.time()) for number in range(talks)))
        bits = browser.cookies["chat_ui_person"].partition(".")[0]
        before, anna = (sha256(of.encode()).hexdigest() for of in (bits, f"oidc:{provider.issuer} anna"))
        vault = Vault(tmp_path)
        await vault.keep(before, origin, key)
        browser.sign_in(to=f"/c/{listed(browser)[0]['id']}" if talks else "/")
        assert await vault.find(before if talks > 1 else anna, origin) == key
        assert browser.bring(brings) == 204
        assert await vault.find(anna, origin) == (key if brings else None)
        assert await vault.find(before, origin) is None
        await vault.close()


def test_conversations_wait_for_a_running_answer(provider: StandInProvider, tmp_path: Path):
    with (
        in_thread(StandIn(Reply([float("inf")]))) as backend,
        app(tmp_path, provider, policy="local") as url,
        Browser(url, provider) as browser,
    ):
        browser.post("/ask", params={"backend": f"{backend.url}/chat", "running": ""}, content="Who?")
        wait_for(lambda: bool(listed(browser)))
        conversation = str(listed(browser)[0]["id"])
        browser.sign_in("dave", to=f"/c/{conversation}")
        assert (browser.me()["bring"], browser.bring(True), browser.me()["bring"]) == (1, 409, 1)
        assert (browser.bring(False), browser.me()["bring"]) == (204, 0)


def test_two_people_in_one_browser_see_nothing_of_each_other(browser: Browser):
    put(browser, talk("From before", time.time()))
    browser.sign_in("erin")
    put(browser, talk("Of Erin", time.time()))
    for person, clears, bring in (("erin", False, 1), ("frank", True, 0), ("frank", False, 0), ("erin", True, 1)):
        response = browser.sign_in(person)
        assert (response.headers.get("clear-site-data") == '"storage"') == clears
        assert (len(listed(browser)), browser.me()["bring"]) == (1 if person == "erin" else 0, bring)


def test_links_can_be_for_people_who_signed_in(browser: Browser):
    browser.sign_in()
    put(browser, talk("One", time.time()))
    path = browser.post("/api/shared/", json={"conversation": listed(browser)[0]["id"], "days": 1}).json()["path"]
    assert browser.get(path).status_code == 200
    browser.post(f"{SIGN_IN}/out")
    assert browser.get(path).status_code == 404


def test_a_page_has_one_way_to_name_people(tmp_path: Path):
    proxy: dict[str, Any] = {"trusted_proxies": "127.0.0.1", "identity_header": "X-Ms-Client-Principal-Id"}
    issuer: dict[str, Any] = {"oidc_issuer": "https://id.example", "oidc_client_id": "chat"}
    with pytest.raises(UnusableSettingsError, match=r"OIDC_ISSUER.*IDENTITY_HEADER"):
        build_with(FEATURES, AppSettings(data_dir=tmp_path, **proxy, **issuer), "127.0.0.1", 8000)
    services = build_with(FEATURES, AppSettings(data_dir=tmp_path, **issuer), "127.0.0.1", 8000)
    assert link_readers(services.settings, is_local=services.is_local) == "off"
    # App Service signs people in itself.
    with running_app(tmp_path, **proxy) as url:
        response = httpx2.get(f"{url}{SIGN_IN}/me", headers={"X-MS-CLIENT-PRINCIPAL-ID": "anna"})
        assert response.json()["state"] == "proxy"
