"""Where settings are not open, nothing that a page says leads beyond the operator's backends: over the real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from chat_ui.profiles.profile import Profile
from chat_ui.server.services import offer_of
from chat_ui.settings import Settings
from tests.app import App
from tests.demo.serving import serving
from tests.page_socket import BACKEND, CHAT, DIALOG, PageSocket, new_cookie, page_socket
from tests.state.pages import CONNECTION, REPORT

KEY = "s3cr3t-k3y-of-mine"


@pytest.mark.parametrize(
    ("access", "custom", "own_allowed", "options_allowed"),
    [
        ("open", True, True, True),
        ("open", False, False, True),
        ("read-only", True, False, False),
        ("hidden", True, False, False),
    ],
)
def test_own_backends_and_options_are_for_open_settings(
    access: str, custom: bool, own_allowed: bool, options_allowed: bool
):
    given = (Profile(name="Handbook", url="https://handbook.example/chat"),)
    offer = offer_of(given, Settings(settings_access=access, allow_custom_backends=custom), is_local=False)
    assert (offer.own_allowed, offer.options_allowed) == (own_allowed, options_allowed)


class Stranger:
    """A chat backend of nobody here, which notes what it is sent."""

    def __init__(self) -> None:
        self.url = ""
        self.got: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        self.got.append(str(dict(Request(scope).headers)))
        answer: Response = JSONResponse({"message": {"content": "I am a stranger."}})
        await answer(scope, receive, send)


@pytest.fixture(scope="module")
def stranger() -> Iterator[Stranger]:
    somebody = Stranger()
    with serving(somebody) as url:
        somebody.url = f"{url}/chat"
        yield somebody


@pytest.fixture(scope="module", params=["read-only", "hidden", "open"])
def access(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def app(access: str, built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app where people may have no backends of their own, though some may set options."""
    settings = {"CHAT_UI_SETTINGS_ACCESS": access}
    if access == "open":
        settings["CHAT_UI_ALLOW_CUSTOM_BACKENDS"] = "false"
    app = App(tmp_path_factory.mktemp("closed"), settings, built_app)
    app.start()
    yield app
    app.end()


def crafted(stranger: Stranger) -> dict[str, str]:
    """What somebody wrote into the storage of a browser."""
    choices = {
        "selected": "own:1",
        "own": [{"id": "own:1", "url": stranger.url}],
        "options": {"given:Demo backend": {"prompt_template": "Do as I say."}},
    }
    return {f"{BACKEND}.saved": json.dumps(choices)}


async def typed(page: PageSocket, stranger: Stranger) -> None:
    """Say what a dialog that is not there would have said."""
    await page.send(f"{DIALOG}.open_dialog")
    await page.send(f"{DIALOG}.set_url", {"url": stranger.url})
    await page.do(f"{DIALOG}.set_more", {"more": json.dumps({"data_sources": [stranger.url]})})


async def asked_once(url: str, stranger: Stranger) -> str:
    """What is kept of a question that a page with the crafted choice asks."""
    cookie = await new_cookie(url)
    async with page_socket(url, cookie) as page:
        await page.boot(crafted(stranger))
        await page.send(f"{CHAT}.ask", {"question": "When is payday?"})
        await page.until(lambda state: state.get("turns") and not state["latest"]["live"])
    async with httpx2.AsyncClient(base_url=url, headers={"Cookie": cookie}) as client:
        return (await client.get("/api/conversations/export")).text


def test_the_document_says_what_people_may_do_before_the_page_speaks_with_the_server(app: App, access: str):
    assert f'<html data-settings="{access}" ' in httpx2.get(app.url).text


async def test_a_crafted_choice_asks_the_operators_backend_as_the_operator_says(
    app: App, access: str, stranger: Stranger
):
    kept = await asked_once(app.url, stranger)
    assert "payday" in kept
    assert stranger.url not in kept
    assert ("Do as I say." in kept) == (access == "open")
    assert stranger.got == []


async def test_where_own_backends_are_allowed_the_same_choice_is_followed(app_url: str):
    somebody = Stranger()
    with serving(somebody) as url:
        somebody.url = f"{url}/chat"
        assert "I am a stranger." in await asked_once(app_url, somebody)
    assert somebody.got != []


async def test_a_test_of_the_connection_goes_to_the_operators_backend(app: App, stranger: Stranger):
    async with page_socket(app.url, await new_cookie(app.url)) as page:
        await page.boot(crafted(stranger))
        await typed(page, stranger)
        state = await page.do(f"{CONNECTION}.test", {"secret": KEY}, lambda state: state.get("verdict"))
    assert "/demo/chat" in state["verdict"]
    assert stranger.got == []


async def test_a_report_is_about_the_operators_backend(app: App, stranger: Stranger):
    async with page_socket(app.url, await new_cookie(app.url)) as page:
        await page.boot(crafted(stranger))
        await typed(page, stranger)
        await page.send(f"{REPORT}.run_check", {"secret": KEY})
        await page.until(lambda state: state.get("verdict") and not state.get("step"))
    assert stranger.got == []


async def test_nothing_that_was_typed_is_saved_for_use(app: App, stranger: Stranger):
    cookie = await new_cookie(app.url)
    async with page_socket(app.url, cookie) as page:
        await page.boot(crafted(stranger))
        await typed(page, stranger)
        await page.do(f"{DIALOG}.save", {"form": {"backend-key": KEY}})
        await page.send(f"{CHAT}.ask", {"question": "When is payday?"})
        await page.until(lambda state: state.get("turns") and not state["latest"]["live"])
    assert stranger.got == []
