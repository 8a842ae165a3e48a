"""The page in three scripts: each state is there in its language, with nothing left in English and nothing cut off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from chat_ui.languages.catalogues import offered
from chat_ui.languages.language import Language
from tests.browser.opening import NewContext, open_page
from tests.browser.reflow import cut_text, sideways
from tests.browser.talking import LEAVE, expect_settled

TAGS = ("de", "ar", "ja")
NARROW, BROAD = (390, 844), (1440, 900)
_SHOWN = """() => {
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode())
        if (isSeen(text.parentElement)) found.push(text.data);
    for (const name of ["aria-label", "placeholder", "title", "aria-valuetext", "aria-roledescription"])
        for (const element of document.body.querySelectorAll(`[${name}]`)) found.push(element.getAttribute(name));
    return found.map((words) => words.trim());
}"""


def states(page: Page, language: Language) -> Iterator[str]:
    """The names of five states of a page in this language, each once the page is in it."""

    def said(name: str) -> str:
        return language.said(name, {})

    yield "empty"
    box = page.get_by_role("textbox", name=said("Message"), exact=True)
    box.fill(LEAVE)
    box.press("Enter")
    expect_settled(page)
    yield "answer"
    page.locator("article.answer .citation").first.click()
    expect(page.get_by_role("region", name=said("Sources")).locator("[data-active]")).to_be_visible()
    yield "sources"
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name=said("Sources"))).to_have_count(0)
    # The focus is at the citation again, whose card may lie over the menu's button.
    page.keyboard.press("Escape")
    page.get_by_role("button", name=said("More"), exact=True).click()
    expect(page.get_by_role("menu")).to_be_visible()
    yield "menu"
    page.get_by_role("menuitem", name=said("Preferences"), exact=True).click()
    expect(page.get_by_role("dialog", name=said("Preferences")).locator(":focus")).to_be_attached()
    yield "preferences"


@pytest.mark.thorough
@pytest.mark.parametrize(("tag", "size"), [*zip(TAGS, (NARROW, BROAD, NARROW), strict=True)])
def test_each_state_is_whole_and_in_its_language(new_context: NewContext, tag: str, size: tuple[int, int]):
    language = offered()[tag]
    otherwise = {message for message, forms in language.sayings.messages.items() if message not in forms}
    page = open_page(new_context(locale=tag, viewport={"width": size[0], "height": size[1]}))
    found = []
    for state in states(page, language):
        found += [f"{state}: cut off: {words}" for words in cut_text(page)]
        found += [f"{state}: in English: {words}" for words in otherwise & set(page.evaluate(_SHOWN))]
        found += [f"{state}: {sideways(page)} pixels sideways"] if sideways(page) > 0 else []
    assert not found, "\n".join(found)
