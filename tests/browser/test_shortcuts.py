"""Keys that call commands, the list of all keys of the page, and switches for those that could be in the way."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.axe import expect_no_violations
from tests.browser.places import open_settings, opened_palette, sources
from tests.browser.questions import LEAVE
from tests.browser.talking import NewContext, ask, expect_alive, expect_settled, message, open_page


def shortcuts(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Keyboard shortcuts")


def palette(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Search and commands")


def from_menu(page: Page) -> Locator:
    expect(page.get_by_role("menu")).to_have_count(0)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Keyboard shortcuts").click()
    expect(shortcuts(page).locator(":focus")).to_be_attached()
    return shortcuts(page)


def switch(page: Page, name: str, *, on: bool) -> None:
    """Switch a shortcut in the list, and close that."""
    listed = from_menu(page)
    wanted = listed.get_by_role("switch", name=name)
    expect(wanted).to_be_checked(checked=not on)
    wanted.click()
    expect(wanted).to_be_checked(checked=on)
    listed.get_by_role("button", name="Close").click()
    expect(listed).to_have_count(0)


def press_without_effect(page: Page, keys: str) -> None:
    """Press keys that nobody takes: they go on to the browser."""
    page.evaluate(
        """() => document.addEventListener("keydown", (event) => {
            if (!["Control", "Shift", "Alt"].includes(event.key)) window.taken = event.defaultPrevented;
        })"""
    )
    page.evaluate("() => { window.taken = null; }")
    page.keyboard.press(keys)
    page.wait_for_function("() => window.taken !== null")
    assert page.evaluate("window.taken") is False


def test_a_question_mark_opens_the_list_where_no_field_has_the_focus(page: Page):
    message(page).press("?")
    expect(message(page)).to_have_value("?")
    log = page.get_by_role("log", name="Conversation")
    log.focus()
    page.keyboard.press("?")
    expect(shortcuts(page).get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    expect(shortcuts(page).locator(":focus")).to_be_attached()
    page.keyboard.press("Escape")
    expect(shortcuts(page)).to_have_count(0)
    expect(log).to_be_focused()


@pytest.mark.wcag("2.1.1")
def test_the_list_names_all_keys(page: Page):
    listed = from_menu(page)
    for group in ("Everywhere", "Questions", "Answers", "Sources and Thoughts", "Menus and lists"):
        expect(listed.get_by_role("region", name=group)).to_be_visible()
    row = listed.get_by_role("listitem").filter(has_text="Search and commands")
    expect(row.locator("kbd")).to_have_text(["Ctrl", "K"])
    expect(listed.get_by_role("listitem").filter(has_text="Next citation").locator("kbd")).to_have_text(
        ["Alt", "↓", "Alt", "↑"]
    )
    expect_no_violations(page)


def test_on_apples_systems_the_keys_are_those_of_their_keyboards(context: BrowserContext):
    context.add_init_script("Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' })")
    page = open_page(context)
    row = from_menu(page).get_by_role("listitem").filter(has_text="Search and commands")
    expect(row.locator("kbd")).to_have_text(["⌘", "K"])
    page.keyboard.press("Escape")
    press_without_effect(page, "Control+k")
    page.keyboard.press("Meta+k")
    expect(palette(page)).to_be_visible()


@pytest.mark.wcag("2.1.4")
def test_a_shortcut_that_is_off_leaves_its_keys_to_the_browser(page: Page):
    switch(page, "Search and commands", on=False)
    message(page).focus()
    press_without_effect(page, "Control+k")
    page.reload()
    expect_alive(page)
    press_without_effect(page, "Control+k")
    expect(palette(page)).to_have_count(0)
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("menuitem", name="Search and commands…")).not_to_contain_text("Ctrl")
    page.keyboard.press("Escape")
    switch(page, "Search and commands", on=True)
    opened_palette(page)


@pytest.mark.wcag("2.1.4")
def test_all_are_off_at_once(page: Page):
    ask(page, LEAVE)
    expect_settled(page)
    switch(page, "All shortcuts that have a switch", on=False)
    page.get_by_role("log", name="Conversation").focus()
    for keys in ("Control+k", "?", "Alt+ArrowDown"):
        press_without_effect(page, keys)
    switch(page, "All shortcuts that have a switch", on=True)
    page.get_by_role("log", name="Conversation").focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("[data-use]:focus")).to_be_visible()


@pytest.mark.wcag("2.1.4")
def test_keys_of_browsers_are_the_pages_once_they_are_wanted(page: Page):
    ask(page, LEAVE)
    expect_settled(page)
    press_without_effect(page, "Control+Shift+O")
    switch(page, "New chat", on=True)
    switch(page, "Go to the message box", on=True)
    page.get_by_role("log", name="Conversation").focus()
    page.keyboard.press("Shift+Escape")
    expect(message(page)).to_be_focused()
    page.keyboard.press("Control+Shift+O")
    expect(page.get_by_role("article")).to_have_count(0)


def test_nothing_is_called_beside_a_dialog_or_a_menu(page: Page):
    dialog = open_settings(page)
    press_without_effect(page, "Control+k")
    dialog.get_by_role("button", name="Cancel").focus()
    press_without_effect(page, "?")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="More", exact=True).click()
    press_without_effect(page, "Control+k")
    expect(page.get_by_role("menu")).to_be_visible()


def test_beside_thoughts_and_sources_keys_go_on(page: Page):
    ask(page, LEAVE)
    answer = expect_settled(page)
    answer.get_by_role("button", name="Thoughts").click()
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_focused()
    opened_palette(page).press("Escape")
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_focused()
    page.get_by_role("tab", name="Sources").click()
    expect(sources(page)).to_be_visible()
    page.keyboard.press("?")
    expect(shortcuts(page)).to_be_visible()


def test_on_a_narrow_screen_the_list_fits(new_context: NewContext):
    page = open_page(new_context(viewport={"width": 320, "height": 640}))
    listed = from_menu(page)
    overflow = listed.locator(".framed-body").evaluate("body => body.scrollWidth - body.clientWidth")
    assert overflow == 0
    expect(listed.get_by_role("switch", name=re.compile("All"))).to_be_in_viewport()
