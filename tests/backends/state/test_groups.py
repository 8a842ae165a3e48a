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


SIGN_IN, NOT_ALLOWED = "Sign in to ask.", "Your account may not use a backend here. Ask the operator for access."


@pytest.mark.parametrize(
    ("offered", "accounts", "words"),
    [
        (OPEN, Accounts(is_required=True), SIGN_IN),
        (LEGAL, Accounts(), SIGN_IN),
        (LEGAL, Accounts(bob="staff"), NOT_ALLOWED),
    ],
)
async def test_questions_tests_and_documents_are_refused_in_words(
    tmp_path: Path, offered: dict[str, Any], accounts: Accounts, words: str
):
    async with open_pages(tmp_path, None, [offered], **ISSUER) as pages, pages.booted("bob") as page:
        backends = pages.services.backends
        backends.tokens.accounts = accounts
        assert first_paint(pages.services).label == ("Open" if offered is OPEN else "No backend")
        await page.do(f"{CHAT}.ask", {"question": "May I?"}, lambda state: state["refusal"] == words)
        await page.send(f"{DIALOG}.add_backend")
        await page.do(f"{DIALOG}.set_url", {"url": (url := pages.backend.url + offered["url"])})
        for secret in ("", "typed-key"):
            page.state["verdict"] = ""
            await page.do(f"{CONNECTION}.test", {"secret": secret}, lambda state: state.get("verdict"))
            assert page.state["verdict"] == words
        for remembered in ({"url": url}, {"url": url, "profile": f"given:{offered['name']}"}):
            if offered is OPEN:
                with pytest.raises(SignInNeededError):
                    await backends.remembered(remembered, "bob")
            else:
                assert await backends.remembered(remembered, "bob") is None
        assert pages.backend.requests == []


async def test_groups_need_a_sign_in(tmp_path: Path):
    with pytest.raises(UnusableSettingsError, match="groups of a backend need CHAT_UI_OIDC_ISSUER"):
        async with open_pages(tmp_path, None, [LEGAL]):
            pass
