"""Keys that call commands, the list of all keys of the page, and switches for those that could be in the way."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.opening import expect_alive
from tests.browser.places import open_settings, opened_palette, sources
from tests.browser.talking import LEAVE, ask, expect_settled, message


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


def switch(page: Page, **switches: bool) -> None:
    """Switch shortcuts in the list, each by its label with underscores, and close that."""
    listed = from_menu(page)
    for label, on in switches.items():
        wanted = listed.get_by_role("switch", name=label.replace("_", " "))
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


@pytest.mark.wcag("2.1.1", "2.1.4")
def test_all_keys_are_listed_and_those_that_could_be_in_the_way_have_switches_that_this_browser_keeps(page: Page):
    ask(page, LEAVE)
    answer = expect_settled(page)
    log = page.get_by_role("log", name="Conversation")
    message(page).press("?")
    expect(message(page)).to_have_value("?")
    log.focus()
    page.keyboard.press("?")
    expect(shortcuts(page).locator(":focus")).to_be_attached()
    for group in ("Everywhere", "Questions", "Answers", "Sources and Thoughts", "Menus and lists"):
        expect(shortcuts(page).get_by_role("region", name=group)).to_be_visible()
    page.keyboard.press("Escape")
    expect(shortcuts(page)).to_have_count(0)
    expect(log).to_be_focused()

    press_without_effect(page, "Control+Shift+O")
    switch(page, New_chat=True, Search_and_commands=False)
    log.focus()
    press_without_effect(page, "Control+k")
    page.reload()
    expect_alive(page)
    press_without_effect(page, "Control+k")
    expect(palette(page)).to_have_count(0)
    switch(page, Search_and_commands=True, All_shortcuts_that_have_a_switch=False)
    log.focus()
    for keys in ("?", "Alt+ArrowDown", "Control+k"):
        press_without_effect(page, keys)
    switch(page, All_shortcuts_that_have_a_switch=True)

    # Beside Thoughts and Sources keys go on, and beside a dialog they do not.
    answer.get_by_role("button", name="Thoughts").click()
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_focused()
    opened_palette(page).press("Escape")
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_focused()
    page.get_by_role("tab", name="Sources").click()
    expect(sources(page)).to_be_visible()
    page.keyboard.press("?")
    expect(shortcuts(page)).to_be_visible()
    page.keyboard.press("Escape")
    dialog = open_settings(page)
    press_without_effect(page, "Control+k")
    dialog.get_by_role("button", name="Cancel").focus()
    press_without_effect(page, "?")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    log.focus()
    page.keyboard.press("Control+Shift+O")
    expect(page.get_by_role("article")).to_have_count(0)
