from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from chat_ui.features.branding.branding import INTRODUCTION
from chat_ui.page.state.chat import EDITED_IS_GONE
from chat_ui.server.middleware.request_language import COOKIE
from tests.page.state.pages import Pages, ask, open_pages
from tests.page_socket import CHAT, PageSocket

pytestmark = pytest.mark.asyncio(loop_scope="module")
GONE = "De vraag die u bewerkte, is weg."
DUTCH = f"""
msgid ""
msgstr ""
"Language: nl\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "{EDITED_IS_GONE}"
msgstr "{GONE}"

msgid "Something went wrong. Reload the page, then try again."
msgstr "Dat werkte niet."

msgid "{INTRODUCTION}"
msgstr "Met bronnen."
"""
DUTCH_PERSON = f"ann; {COOKIE}=nl"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pages(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pages]:
    (folder := tmp_path_factory.mktemp("translations")).joinpath("nl.po").write_text(DUTCH, encoding="utf-8")
    offered = [{"name": "Here", "url": "/chat", "branding": {"greeting": "Hallo!"}}]
    async with open_pages(tmp_path_factory.mktemp("spoken"), offered=offered, translations=folder) as opened:
        yield opened


async def refused(page: PageSocket) -> str:
    """The page's notice after an edit of a missing question."""
    state = await page.do(f"{CHAT}.edit", {"turn": "gone", "question": "Which?"}, lambda state: state.get("refusal"))
    return str(state["refusal"])


async def test_a_problem_is_told_in_the_language_of_the_page_or_in_english(pages: Pages):
    async with pages.booted(DUTCH_PERSON) as dutch, pages.booted() as english:
        assert await refused(dutch) == GONE
        assert await refused(english) == EDITED_IS_GONE
    async with pages.booted(f"ann; {COOKIE}=xx") as page:
        assert await refused(page) == EDITED_IS_GONE
    async with pages.page() as page:
        await page.boot(router={"pathname": "/", "asPath": "/", "headers": {"x-chat-ui-language": "nl"}})
        assert await refused(page) == EDITED_IS_GONE, "no event of a page names another language"


async def test_a_page_that_returns_in_another_language_is_wholly_in_it(pages: Pages):
    async with pages.booted("ann", token="a-tab") as page:
        await ask(page, "Colour?")
        assert INTRODUCTION in page.state["own_parts"]["greeting"]
    async with pages.booted(DUTCH_PERSON, token="a-tab") as page:
        await page.hear()
        assert "Met bronnen." in page.state["own_parts"]["greeting"]
        assert await refused(page) == GONE


async def test_a_failed_event_is_logged_and_told_in_the_pages_language(
    pages: Pages, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(pages.services.conversations, "start", None)
    for person, words in ((DUTCH_PERSON, "Dat werkte niet."), ("ann", "Something went wrong. Reload the page")):
        caplog.clear()
        async with pages.booted(person) as page:
            await page.do(f"{CHAT}.new_chat")
            assert words in "".join(page.told)
        assert [record for record in caplog.records if record.getMessage() == "an event failed" and record.exc_info]
