"""The page in other languages: each state is there in its language, and nothing is left in English or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from chat_ui.languages.catalogues import language_of, offered
from chat_ui.languages.language import Language
from tests.app import running_app
from tests.browser.opening import NewContext, open_page
from tests.browser.reflow import cut_text, sideways
from tests.browser.stand_in import StandIn
from tests.browser.talking import LEAVE, expect_settled
from tests.browser.walks import WALKS
from tests.languages.pseudo import FILLING, NAME, write_pseudo

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


def faults(page: Page, state: str, in_english: Iterable[str]) -> list[str]:
    """What is wrong with a state of the page, in which these words are not in its language."""
    found = [f"cut off: {words}" for words in cut_text(page)] + [f"in English: {words}" for words in in_english]
    found += [f"{sideways(page)} pixels sideways"] if sideways(page) > 0 else []
    return [f"{state}: {fault}" for fault in found]


@pytest.mark.thorough
@pytest.mark.parametrize(("tag", "size"), [*zip(TAGS, (NARROW, BROAD, NARROW), strict=True)])
def test_each_state_is_whole_and_in_its_language(new_context: NewContext, tag: str, size: tuple[int, int]):
    language = offered()[tag]
    otherwise = {message for message, forms in language.sayings.messages.items() if message not in forms}
    page = open_page(new_context(locale=tag, viewport={"width": size[0], "height": size[1]}))
    found = []
    for state in states(page, language):
        found += faults(page, state, otherwise & set(page.evaluate(_SHOWN)))
    assert not found, "\n".join(found)


_UNFILLED = """filling => {
    // Words of backends and people, names of keys, products and units, code, and what builders of backends read in
    // English.
    const foreign = `[dir=auto], [lang=en], bdi, strong, code, kbd, pre, textarea, time, option, dt, .answer-text,
        #announcements, .branding-part h1, .pdf-text, .results th, .entry-time, .export-size,
        .rt-DropdownMenuShortcut, .verdict`;
    const isOwn = (words) => /\\p{L}{2}/u.test(words) && !/^(?:https?:|\\{origin\\}|X-Api-Key)/.test(words);
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const found = new Set();
    const note = (words, element) => {
        const isSaid = words.includes(filling) || element.textContent.includes(filling);
        if (isOwn(words) && !isSaid && isSeen(element) && !element.closest(foreign))
            found.add(`${element.closest("[class]").className}: ${words.trim().slice(0, 80)}`);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) note(text.data, text.parentElement);
    for (const name of ["aria-label", "placeholder", "aria-valuetext", "aria-roledescription"])
        for (const element of document.body.querySelectorAll(`[${name}]`)) note(element.getAttribute(name), element);
    return [...found];
}"""


@pytest.fixture(scope="module")
def longer_url(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = write_pseudo(tmp_path_factory.mktemp("catalogues"))
    language = language_of(folder / f"{NAME}.po").tag
    spoken = {"CHAT_UI_TRANSLATIONS": str(folder), "CHAT_UI_LANGUAGE": language}
    with running_app(tmp_path_factory.mktemp("app"), spoken, built=built_app) as url:
        yield url


@pytest.fixture
def _exact_names_with_their_filling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a walk looks for exactly a name, the name has its filling behind it."""
    for owner in (Page, Locator):
        by_role = owner.get_by_role

        def by_longer_name(self: Any, role: Any, *, _by_role: Any = by_role, **options: Any) -> Locator:
            name = options.get("name")
            if options.pop("exact", False) and isinstance(name, str):
                options["name"] = re.compile(rf"^{re.escape(name)}[{FILLING} ]*$")
            return _by_role(self, role, **options)

        monkeypatch.setattr(owner, "get_by_role", by_longer_name)


@pytest.mark.thorough
@pytest.mark.usefixtures("_exact_names_with_their_filling")
@pytest.mark.parametrize("walk", WALKS)
def test_longer_words_are_all_there_and_none_is_cut_off(
    new_context: NewContext, longer_url: str, stand_in: StandIn, walk: str
):
    page = open_page(new_context(base_url=longer_url, viewport={"width": 320, "height": 640}))
    found = []
    for state in WALKS[walk](page, stand_in):
        found += faults(page, state, page.evaluate(_UNFILLED, FILLING))
    assert not found, "\n".join(dict.fromkeys(found))
