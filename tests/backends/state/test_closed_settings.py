"""A page cannot reach other backends than the operator's where settings are closed."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from chat_ui.backends.profile import Profile
from chat_ui.page.state.first_paint import first_paint
from chat_ui.server.services import offer_of
from tests.app_settings import AppSettings
from tests.page.state.pages import CONNECTION, REPORT, Pages, ask, open_pages, saying
from tests.page_socket import BACKEND, DIALOG, new_cookie, page_socket
from tests.stand_ins.stand_in import StandIn

KEY = "s3cr3t-k3y-of-mine"
WITHOUT_OWN = ("open", False)
"""People may set options, but may not have own backends."""


def test_own_backends_and_options_need_open_settings():
    given = (Profile(name="Handbook", url="https://handbook.example/chat"),)
    allowed = {("open", True): (True, True), WITHOUT_OWN: (False, True)}
    allowed |= {("read-only", True): (False, False), ("hidden", True): (False, False)}
    for (access, custom), wanted in allowed.items():
        settings = AppSettings(settings_access=access, allow_custom_backends=custom)
        offer = offer_of(given, settings, is_local=False)
        assert (offer.own_allowed, offer.options_allowed) == wanted, access


def chosen(access: str, custom: bool) -> dict[str, Any]:
    return {"is_complete": True, "settings_access": access, "allow_custom_backends": custom}


def crafted(stranger: StandIn) -> dict[str, str]:
    """A forged choice in the storage of a browser."""
    choices = {
        "selected": "own:1",
        "own": [{"id": "own:1", "url": f"{stranger.url}/chat"}],
        "options": {"given:Here": {"prompt_template": "Do as I say."}},
    }
    return {f"{BACKEND}.saved": json.dumps(choices)}


async def exported(pages: Pages, cookie: str) -> str:
    async with httpx2.AsyncClient(base_url=pages.url, headers={"Cookie": cookie}) as client:
        return (await client.get("/api/conversations/export")).text


@pytest.mark.parametrize(("access", "custom"), [("read-only", True), ("hidden", True), WITHOUT_OWN])
async def test_forged_choices_and_typed_addresses_use_the_operators_backend(tmp_path: Path, access: str, custom: bool):
    async with (
        StandIn(saying("I am a stranger.")).running() as stranger,
        open_pages(tmp_path, **chosen(access, custom)) as pages,
    ):
        assert first_paint(pages.services).attributes["settings"] == access, "the document says it at once"
        cookie = await new_cookie(pages.url)
        async with page_socket(pages.url, cookie) as page:
            await page.boot(crafted(stranger))
            await ask(page, "When is payday?")
            kept = await exported(pages, cookie)
            assert "payday" in kept
            assert stranger.url not in kept
            assert ("Do as I say." in kept) == (access == "open")
            await page.send(f"{DIALOG}.open_dialog")
            await page.send(f"{DIALOG}.set_url", {"url": f"{stranger.url}/chat"})
            await page.do(f"{DIALOG}.set_more", {"more": json.dumps({"data_sources": [stranger.url]})})
            state = await page.do(f"{CONNECTION}.test", {"secret": KEY}, lambda state: state.get("verdict"))
            assert f"{pages.backend.url}/chat" in state["verdict"]
            await page.do(f"{REPORT}.run_check", {"secret": KEY}, lambda state: state.get("step"))
            await page.until(lambda state: not state["step"])
            await page.do(f"{DIALOG}.save", {"form": {"backend-key": KEY}})
            await ask(page, "When is payday now?")
        assert stranger.requests == []


async def test_the_same_choice_is_followed_where_own_backends_are_allowed(tmp_path: Path):
    async with (
        StandIn(saying("I am a stranger.")).running() as stranger,
        open_pages(tmp_path, **chosen("open", True)) as pages,
        page_socket(pages.url, cookie := await new_cookie(pages.url)) as page,
    ):
        await page.boot(crafted(stranger))
        await ask(page, "When is payday?")
        assert "I am a stranger." in await exported(pages, cookie)
        assert stranger.requests != []
