"""Without a network the page speaks the language that it spoke before, whichever of its languages that is."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from chat_ui.languages.catalogues import Language, offered
from chat_ui.languages.translation import gettext, speaking
from chat_ui.server.middleware.request_language import COOKIE
from tests.benchmarks.servers import wait_until
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, address_of, expect_alive, open_page

LANGUAGES = offered()
OF_LIST = "You are offline. These are the conversations this browser has seen last."
OF_COPY = "You are offline. This is the conversation as this browser saw it last."
KEPT = """async (wanted) => {
    const found = [];
    for (const name of (await caches.keys()).filter((one) => one.startsWith(wanted))) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) found.push(await (await cache.match(request)).text());
    }
    return found.map((page) => /lang="([^"]*)"/.exec(page)[1]);
}"""


def expect_kept(page: Page, languages_of_shells: list[str], languages_of_copies: list[str]) -> None:
    """What the browser has kept for when there is no network, by the languages of its pages."""
    wait_until(lambda: page.evaluate(KEPT, "chat-ui-shell-") == languages_of_shells or None, 60)
    wait_until(lambda: page.evaluate(KEPT, "chat-ui-kept-") == languages_of_copies or None, 60)


def expect_offline(page: Page, path: str, language: Language, words: str) -> None:
    page.goto(path)
    expect(page.get_by_role("status")).to_contain_text(language.said(words, {}))
    expect(page.locator("html")).to_have_attribute("lang", language.tag)
    expect(page.locator("html")).to_have_attribute("dir", language.direction)


def ask(page: Page, language: Language, question: str) -> str:
    """Ask, and wait for the answer; the path of the conversation."""
    page.locator("#message").fill(question)
    page.locator("#message").press("Enter")
    expect(page.get_by_role("button", name=language.said("Copy answer", {}), exact=True)).to_be_visible()
    return urlsplit(address_of(page)).path


def choose_language(page: Page, language: Language, wanted: Language) -> None:
    """In Preferences, on a page in a language."""
    page.get_by_role("button", name=language.said("More", {}), exact=True).click()
    page.get_by_role("menuitem", name=language.said("Language…", {})).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox").select_option(wanted.tag)
    dialog.get_by_role("button", name=language.said("Use this language", {})).click()
    expect(page.locator("html")).to_have_attribute("lang", wanted.tag)
    expect_alive(page)


def manifest_of(page: Page) -> dict[str, object]:
    manifest: dict[str, object] = json.loads(page.context.new_cdp_session(page).send("Page.getAppManifest")["data"])
    return manifest


@pytest.mark.wcag("3.1.1")
@pytest.mark.parametrize("by", ["the browser", "the person"])
@pytest.mark.parametrize("tag", LANGUAGES)
def test_a_page_opened_without_a_network_is_in_the_language_that_it_was_in(
    new_context: NewContext, app_url: str, tag: str, by: str
):
    language = LANGUAGES[tag]
    context = new_context(locale=tag if by == "the browser" else "tlh")
    if by == "the person":
        context.add_cookies([{"name": COOKIE, "value": tag, "url": app_url}])
    page = open_page(context)
    expect_kept(page, [tag], [])
    manifest = manifest_of(page)
    assert (manifest["lang"], manifest["dir"]) == (tag, language.direction)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    context.set_offline(True)
    expect_offline(page, "/", language, OF_LIST)
    with speaking(language):
        expect(page).to_have_title(gettext("Offline – {title}", title="Chat"))
    context.set_offline(False)


@pytest.mark.wcag("3.1.1")
def test_after_another_language_is_chosen_all_that_is_kept_is_in_it_and_as_old_as_before(
    new_context: NewContext, stand_in: StandIn
):
    german, arabic = LANGUAGES["de"], LANGUAGES["ar"]
    context = new_context(locale="de-DE")
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": "Red."}}))
    paths = []
    for count, question in enumerate(("What colour are buoys?", "And lights?"), 1):
        paths.append(ask(page, german, question))
        expect_kept(page, ["de"], ["de"] * count)
        page.get_by_role("button", name=german.said("New chat", {})).click()
        expect(page).not_to_have_url(re.compile(paths[-1]))
        expect_alive(page)
    choose_language(page, german, arabic)
    expect_kept(page, ["ar"], ["ar", "ar"])
    context.set_offline(True)
    expect_offline(page, "/", arabic, OF_LIST)
    expect(page.get_by_role("listitem")).to_contain_text(["And lights?", "What colour are buoys?"])
    for path in paths:
        expect_offline(page, path, arabic, OF_COPY)
        expect(page.get_by_text("Red.")).to_be_visible()
