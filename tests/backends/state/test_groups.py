"""A backend for groups is offered only to their members."""

import json
from pathlib import Path
from typing import Any

import pytest

from chat_ui.errors import NotAllowedError, SignInNeededError, UnusableSettingsError
from chat_ui.page.state.first_paint import first_paint
from tests.accounts import Accounts
from tests.page.state.pages import CONNECTION, ask, open_pages
from tests.page_socket import BACKEND, CHAT, DIALOG

LEGAL = {"name": "Legal", "url": "/legal/chat", "groups": ["legal", "board"], "starter_questions": ["May we?"]}
OPEN = {"name": "Open", "url": "/open/chat"}
ISSUER: dict[str, Any] = {"oidc_issuer": "https://id.example", "oidc_client_id": "chat"}
CHOSEN = {f"{BACKEND}.saved": json.dumps({"selected": "given:Legal"})}


async def test_a_backend_is_offered_painted_and_asked_only_for_its_groups(tmp_path: Path):
    async with open_pages(tmp_path, None, [LEGAL, OPEN], **ISSUER) as pages:
        accounts = pages.services.backends.tokens.accounts = Accounts(anna="staff legal")
        assert first_paint(pages.services).label == "Open"
        async with pages.page("bob") as page:
            await page.boot(CHOSEN)
            assert page.state["label"] == "Open"
            assert page.state["starters"] == []
            assert page.state["offered"] == [["given:Open", "Open"]]
            await page.do(f"{BACKEND}.select", {"backend_id": "given:Legal"})
            await ask(page, "May I?")
        async with pages.page("anna") as page:
            await page.boot(CHOSEN)
            assert page.state["label"] == "Legal"
            await ask(page, "May we?")
            assert [request.path for request in pages.backend.requests] == ["/open/chat/stream", "/legal/chat/stream"]
            remembered = json.loads(page.state["memory"])
            assert await pages.services.backends.remembered(remembered, "anna")
            assert await pages.services.backends.remembered(remembered, "bob") is None
            accounts.elsewhere["anna"] = frozenset()
            words = "Your account may not use a backend here"
            await page.do(f"{CHAT}.ask", {"question": "And now?"}, lambda state: words in state["refusal"])
            with pytest.raises(NotAllowedError):
                await pages.services.backends.remembered(remembered, "anna")
            accounts.people["anna"] = "staff"
            await page.do(f"{CHAT}.ask", {"question": "And now?"}, lambda state: "not on offer" in state["refusal"])
            assert await pages.services.backends.remembered(remembered, "anna") is None
        assert len(pages.backend.requests) == 2


async def test_required_sign_in_closes_questions_tests_and_documents(tmp_path: Path):
    async with open_pages(tmp_path, None, [OPEN]) as pages, pages.booted("bob") as page:
        backends = pages.services.backends
        backends.tokens.accounts = Accounts(is_required=True)
        await page.do(f"{CHAT}.ask", {"question": "May I?"}, lambda state: state["refusal"])
        assert page.state["refusal"] == "Sign in to ask."
        await page.do(f"{DIALOG}.open_dialog")
        await page.do(f"{CONNECTION}.test", {"secret": ""}, lambda state: state.get("verdict"))
        assert page.state["verdict"] == "Sign in to ask."
        for remembered in (json.loads(page.state["memory"]), {"url": f"{pages.backend.url}/open/chat"}):
            with pytest.raises(SignInNeededError):
                await backends.remembered(remembered, "bob")
        assert pages.backend.requests == []


async def test_a_person_whom_no_backend_is_for_is_refused_in_words(tmp_path: Path):
    async with open_pages(tmp_path, None, [LEGAL], **ISSUER) as pages:
        pages.services.backends.tokens.accounts = Accounts(anna="staff")
        painted = first_paint(pages.services)
        assert painted.label == "No backend"
        assert painted.starters == []
        for person, words in (("bob", "Sign in to ask."), ("anna", "Your account may not use a backend here")):
            async with pages.booted(person) as page:
                state = await page.do(f"{CHAT}.ask", {"question": "May I?"}, lambda state: state["refusal"])
                assert words in state["refusal"]
                await page.send(f"{DIALOG}.add_backend")
                await page.do(f"{DIALOG}.set_url", {"url": f"{pages.backend.url}/legal/chat"})
                for secret in ("", "typed-key"):
                    page.state["verdict"] = ""
                    await page.do(f"{CONNECTION}.test", {"secret": secret}, lambda state: state.get("verdict"))
                    assert words in page.state["verdict"]
        assert pages.backend.requests == []


async def test_groups_need_a_sign_in(tmp_path: Path):
    with pytest.raises(UnusableSettingsError, match="groups of a backend need CHAT_UI_OIDC_ISSUER"):
        async with open_pages(tmp_path, None, [LEGAL]):
            pass
