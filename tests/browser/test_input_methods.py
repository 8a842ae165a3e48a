"""Keys that an input method needs to compose a word are its own, in every field in which a key does something."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.stand_in import StandIn
from tests.browser.talking import ask, expect_settled, message, open_page, questions

OF_SAFARI = {"keyCode": 229}
OF_OTHERS = {"isComposing": True}


@pytest.fixture
def page(context: BrowserContext, stand_in: StandIn) -> Page:
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": "Buoys are red."}}))
    ask(page, "What about buoys?")
    expect_settled(page)
    return page


def press_while_composing(field: Locator, key: str, as_told: dict[str, object]) -> None:
    field.dispatch_event("keydown", {"key": key, "bubbles": True, "cancelable": True, **as_told})


composing = pytest.mark.parametrize("as_told", [OF_SAFARI, OF_OTHERS], ids=["as Safari tells", "as others tell"])


@composing
def test_enter_that_ends_a_composition_sends_no_question(page: Page, as_told: dict[str, object]):
    message(page).fill("浮標")
    press_while_composing(message(page), "Enter", as_told)
    expect(message(page)).to_have_value("浮標")
    message(page).press("Enter")
    expect(questions(page)).to_have_count(2)


@composing
def test_enter_that_ends_a_composition_sends_no_edited_question(page: Page, as_told: dict[str, object]):
    page.get_by_role("button", name="Edit question").click()
    box = page.get_by_role("textbox", name="Edited question")
    box.fill("浮標")
    press_while_composing(box, "Enter", as_told)
    press_while_composing(box, "Escape", as_told)
    expect(box).to_have_value("浮標")
    box.press("Enter")
    expect(questions(page).locator(".question-text")).to_have_text(["浮標"])


@composing
def test_enter_that_ends_a_composition_ends_no_renaming(page: Page, as_told: dict[str, object]):
    page.get_by_role("button", name="Conversations").click()
    page.get_by_role("button", name="Rename What about buoys?").click()
    title = page.get_by_role("textbox", name="Title")
    title.fill("浮標")
    press_while_composing(title, "Enter", as_told)
    press_while_composing(title, "Escape", as_told)
    expect(title).to_be_focused()
    title.press("Enter")
    expect(page.get_by_role("navigation").get_by_role("link", name="浮標")).to_be_visible()


@composing
def test_escape_that_gives_a_composition_up_leaves_the_search(page: Page, as_told: dict[str, object]):
    page.get_by_role("button", name="Conversations").click()
    search = page.get_by_role("searchbox", name="Search conversations")
    search.fill("浮標")
    press_while_composing(search, "Escape", as_told)
    press_while_composing(search, "Enter", as_told)
    expect(page.get_by_text("Nothing was found.")).to_be_visible()
    search.press("Escape")
    expect(search).to_have_count(0)


@composing
def test_escape_that_gives_a_composition_up_leaves_the_dialog_open(page: Page, as_told: dict[str, object]):
    page.get_by_role("button", name="Backend settings").click()
    field = page.get_by_role("dialog").get_by_role("textbox", name="Model")
    field.fill("浮標")
    press_while_composing(field, "Escape", as_told)
    expect(field).to_have_value("浮標")
    field.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
