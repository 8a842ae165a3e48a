"""Keys that an input method needs to compose a word are its own, in every field in which a key does something."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.places import open_settings, opened_list, opened_palette, sources
from tests.browser.questions import LEAVE
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    ask,
    choose,
    expect_settled,
    message,
    open_page,
    options_of,
    questions,
)

AS_SAFARI_TELLS = {"keyCode": 229}
AS_OTHERS_TELL = {"isComposing": True}


def compose(field: Locator, *keys: str) -> None:
    """Press these keys, as browsers tell it while a word is being composed, and then write the word."""
    field.fill("浮標")
    for key in keys:
        for as_told in (AS_SAFARI_TELLS, AS_OTHERS_TELL):
            field.dispatch_event("keydown", {"key": key, "bubbles": True, "cancelable": True, **as_told})


def test_keys_that_end_a_composition_or_give_it_up_do_nothing_else(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": "Buoys are red."}}))
    ask(page, "What about buoys?")
    expect_settled(page)

    compose(message(page), "Enter")
    expect(message(page)).to_have_value("浮標")
    message(page).press("Enter")
    expect_settled(page, turns=2)

    page.get_by_role("button", name="Edit question").last.click()
    box = page.get_by_role("textbox", name="Edited question")
    compose(box, "Enter", "Escape")
    expect(box).to_have_value("浮標")
    box.fill("浮標、再び")
    box.press("Enter")
    expect(questions(page).last.locator(".question-text")).to_have_text("浮標、再び")

    listed = opened_list(page)
    choose(options_of(listed, "What about buoys?"), "Rename")
    title = page.get_by_role("textbox", name="Title")
    compose(title, "Enter", "Escape")
    expect(title).to_be_focused()
    title.press("Enter")
    expect(listed.get_by_role("link", name="浮標")).to_be_visible()

    search = page.get_by_role("searchbox", name="Search conversations")
    compose(search, "Escape", "Enter")
    search.fill("鵜")
    expect(page.get_by_text("Nothing was found.")).to_be_visible()
    search.press("Escape")
    expect(search).to_have_count(0)

    dialog = open_settings(page)
    field = dialog.get_by_role("textbox", name="Model")
    compose(field, "Escape")
    expect(field).to_have_value("浮標")
    field.press("Escape")
    expect(dialog).to_have_count(0)


def test_a_word_that_is_being_composed_finds_commands_and_its_enter_chooses_none(page: Page):
    box = opened_palette(page)
    method = page.context.new_cdp_session(page)
    method.send("Input.imeSetComposition", {"text": "だ", "selectionStart": 1, "selectionEnd": 1})
    expect(page.get_by_text("Nothing was found.")).to_be_visible()
    method.send("Input.imeSetComposition", {"text": "ｄａｒｋ", "selectionStart": 4, "selectionEnd": 4})
    expect(page.get_by_role("option", name="Dark colour theme")).to_be_visible()
    method.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": "Enter", "windowsVirtualKeyCode": 229})
    method.send("Input.insertText", {"text": "ｄａｒｋ"})
    expect(box).to_have_value("ｄａｒｋ")
    expect(box).to_be_focused()
    box.press("Enter")
    expect(page.locator("html")).to_have_class(re.compile("dark"))


def test_escape_that_gives_up_a_composition_leaves_a_document_open(page: Page):
    ask(page, LEAVE)
    answer = expect_settled(page)
    answer.get_by_role("button", name=re.compile("Citation 1")).first.click()
    sources(page).locator("[data-document]").first.click()
    field = page.get_by_role("spinbutton", name="Page")
    field.focus()
    for as_told in (AS_SAFARI_TELLS, AS_OTHERS_TELL):
        field.dispatch_event("keydown", {"key": "Escape", "bubbles": True, "cancelable": True, **as_told})
    expect(field).to_be_focused()
    field.press("Escape")
    expect(field).to_have_count(0)
    expect(sources(page)).to_be_visible()
