"""The focus is never left on the page's body by what the page does, nor goes behind a sheet or under what stays."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.attaching import PICTURE, attach, attached
from tests.browser.axe import expect_no_violations
from tests.browser.places import opened_list
from tests.browser.questions import LEAVE, LONG
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    ask,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    questions,
)

SAID = {"delta": {"content": "Said."}, "context": {"followup_questions": ["And then?"]}}
BODY = "document.activeElement === document.body"
PHONE = {"viewport": {"width": 390, "height": 640}, "has_touch": True, "is_mobile": True}


def press(control: Locator) -> None:
    """With the keyboard, as whoever has no other way."""
    control.focus()
    control.press("Enter")


def button(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("button", name=name).first


def conversation(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation")


def test_what_is_pressed_to_ask_leaves_the_focus_where_the_next_question_is_written(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context)
    press(page.get_by_role("group", name="Starter questions").get_by_role("button").first)
    expect_settled(page)
    expect(message(page)).to_be_focused()
    press(page.get_by_role("group", name="Follow-up questions").get_by_role("button").first)
    expect_settled(page, turns=2)
    expect(message(page)).to_be_focused()
    press(button(page, "Regenerate"))
    expect(page.get_by_text("2 / 2")).to_be_visible()
    expect_settled(page, turns=2)
    expect(message(page)).to_be_focused()
    press(button(page, "Edit question"))
    edited = page.get_by_role("textbox", name="Edited question")
    expect(edited).to_be_focused()
    edited.fill("How much is it, really?")
    press(button(page, "Ask again"))
    expect(questions(page)).to_have_count(1)
    expect(message(page)).to_be_focused()


def test_stop_and_retry_leave_the_focus_where_the_next_question_is_written(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": "A. "}}, stand_in.WAIT_FOR_EVER))
    ask(page, "Tell me.")
    for again in (False, True):
        expect_streaming(page)
        press(button(page, "Stop"))
        expect_settled(page)
        expect(message(page)).to_be_focused()
        if not again:
            press(button(page, "Retry"))
            expect_streaming(page)
            expect(message(page)).to_be_focused()


@pytest.mark.parametrize("way", ["Escape", "Cancel"])
def test_an_edit_that_is_given_up_gives_the_focus_back(context: BrowserContext, stand_in: StandIn, way: str):
    page = open_page(context, backend=stand_in.streaming(SAID))
    ask(page, "First?")
    expect_settled(page)
    press(button(page, "Edit question"))
    page.get_by_role("textbox", name="Edited question").press("Escape") if way == "Escape" else press(button(page, way))
    expect(button(page, "Edit question")).to_be_focused()


def test_the_way_through_versions_keeps_the_focus_also_at_its_ends(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    ask(page, "First?")
    expect_settled(page)
    press(button(page, "Regenerate"))
    expect(page.get_by_text("2 / 2")).to_be_visible()
    expect_settled(page)
    press(button(page, "Previous answer"))
    expect(button(page, "Next answer")).to_be_focused()
    press(button(page, "Next answer"))
    expect(button(page, "Previous answer")).to_be_focused()
    press(button(page, "Edit question"))
    page.get_by_role("textbox", name="Edited question").fill("Second?")
    page.get_by_role("textbox", name="Edited question").press("Enter")
    expect(questions(page)).to_contain_text(["Second?"])
    expect_settled(page)
    press(button(page, "Previous question"))
    expect(questions(page)).to_contain_text(["First?"])
    expect(button(page, "Next question")).to_be_focused()


def test_escape_from_thoughts_gives_the_focus_back_however_it_was_opened(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held(SAID, {"delta": {"content": "More."}}))
    ask(page, "First?")
    expect_streaming(page)
    thoughts = button(page, "Thoughts")
    dialog = page.get_by_role("dialog", name="Thoughts")
    press(thoughts)
    expect(dialog).to_be_visible()
    # The end of the answer shows its buttons anew, behind the dialog.
    stand_in.go_on()
    expect(page.locator("article.answer[aria-busy=false]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(thoughts).to_be_focused()
    for opening in (thoughts.click, lambda: press(thoughts), thoughts.click):
        opening()
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(thoughts).to_be_focused()


def test_deleting_the_open_conversation_gives_the_focus_to_undo(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    ask(page, "First?")
    expect_settled(page)
    listed = opened_list(page)
    press(listed.get_by_role("button", name="Delete First?"))
    expect(questions(page)).to_have_count(0)
    expect(button(page, "Undo")).to_be_focused()
    press(button(page, "Undo"))
    expect(listed.get_by_role("link")).to_have_text(["First?"])
    assert not page.evaluate(BODY)


def test_deleting_a_conversation_that_the_address_names_gives_the_focus_to_undo(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.streaming(SAID))
    ask(page, "First?")
    expect_settled(page)
    path = opened_list(page).get_by_role("link").get_attribute("href")
    page = open_page(context, path=path)
    press(opened_list(page).get_by_role("button", name="Delete First?"))
    expect(questions(page)).to_have_count(0)
    expect(button(page, "Undo")).to_be_focused()
    press(button(page, "Undo"))
    expect(page.get_by_role("navigation", name="Conversations").get_by_role("link")).to_have_text(["First?"])


def test_the_list_keeps_the_focus_whatever_is_pressed_in_it(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    ask(page, "First?")
    expect_settled(page)
    listed = opened_list(page)
    press(listed.get_by_role("button", name="Pin First?"))
    expect(listed.get_by_role("button", name="Unpin First?")).to_be_focused()
    for key, title in (("Enter", "Second"), ("Escape", "Second")):
        press(listed.get_by_role("button", name=re.compile("^Rename")))
        expect(listed.get_by_role("textbox", name="Title")).to_be_focused()
        page.keyboard.type("Second")
        page.keyboard.press(key)
        expect(listed.get_by_role("button", name=f"Rename {title}")).to_be_focused()
    listed.get_by_text("Export, import, delete").click()
    press(listed.get_by_role("button", name="Delete everything of mine"))
    expect(listed.get_by_role("button", name="Keep it")).to_be_focused()
    press(listed.get_by_role("button", name="Keep it"))
    expect(listed.get_by_role("button", name="Delete everything of mine")).to_be_focused()
    press(listed.get_by_role("button", name="Close conversations"))
    expect(page.get_by_role("button", name="Conversations", exact=True)).to_be_focused()


def test_an_image_that_is_removed_leaves_the_focus_where_the_question_is_written(page: Page):
    attach(page, PICTURE)
    expect(attached(page)).to_have_attribute("aria-busy", "false")
    press(button(page, re.compile("^Remove")))
    expect(message(page)).to_be_focused()


def test_a_question_that_is_shown_whole_keeps_the_focus_beside_it(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    ask(page, "word " * 1000)
    expect_settled(page)
    press(button(page, "Show the whole question"))
    expect(button(page, "Edit question")).to_be_focused()


def test_a_conversation_that_is_missing_leaves_the_focus_where_a_question_is_written(context: BrowserContext):
    page = open_page(context, path="/c/nothing")
    press(button(page, "Start a new chat"))
    expect(page.get_by_role("group", name="Starter questions")).to_be_visible()
    expect(message(page)).to_be_focused()


def test_the_focus_that_somebody_gave_up_is_not_taken_elsewhere(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held({"delta": {"content": "A. "}}, SAID))
    ask(page, "Tell me.")
    expect_streaming(page)
    button(page, "Stop").focus()
    page.get_by_role("heading", name="Chat").click()
    assert page.evaluate(BODY)
    stand_in.go_on()
    expect_settled(page)
    assert page.evaluate(BODY)


def test_a_finger_that_asks_raises_no_keyboard_over_the_answer(new_context: NewContext):
    page = open_page(new_context(**PHONE))
    page.get_by_role("group", name="Starter questions").get_by_role("button").first.tap()
    expect_settled(page)
    expect(conversation(page)).to_be_focused()
    message(page).fill(LEAVE)
    button(page, "Send").tap()
    expect_settled(page, turns=2)
    expect(conversation(page)).to_be_focused()


IN_SHEET = """sheet => {
    const focused = document.activeElement;
    if (focused === document.body) return "left";
    if (!sheet.contains(focused)) return `behind: ${focused.outerHTML.slice(0, 200)}`;
    const head = sheet.querySelector(".panel-head").getBoundingClientRect();
    const at = focused.getBoundingClientRect();
    const isInHead = focused === sheet || focused.closest(".panel-head") !== null;
    // What is taller than the room below the head is seen in part.
    const seenFrom = at.height < 80 ? at.top : at.bottom - 24;
    const isUnder = !isInHead && at.height > 0 && seenFrom < head.bottom - 1;
    return isUnder ? `under the head: ${focused.outerHTML.slice(0, 200)}` : "seen";
}"""


@pytest.mark.parametrize("size", [(320, 640), (320, 256), (900, 700)], ids=["a phone", "400 % zoom", "a tablet"])
@pytest.mark.parametrize("which", ["Sources", "Conversations"])
def test_behind_a_sheet_nothing_has_the_focus(new_context: NewContext, size: tuple[int, int], which: str):
    page = open_page(new_context(viewport={"width": size[0], "height": size[1]}))
    ask(page, LONG)
    expect_settled(page)
    if which == "Sources":
        button(page, re.compile("Citation 1")).click()
        sheet = page.get_by_role("region", name="Sources")
        expect(sheet.locator("[data-active]")).to_be_visible()
    else:
        sheet = opened_list(page)
        expect(sheet.get_by_role("link").first).to_be_visible()
    expect_no_violations(page)
    element = sheet.element_handle()
    for key in ("Tab", "Shift+Tab"):
        places = []
        for _ in range(40):
            page.keyboard.press(key)
            places.append(page.evaluate(IN_SHEET, element))
        assert set(places) <= {"seen", "left"}
        assert "seen" in places
    page.keyboard.press("Escape") if page.evaluate(BODY) is False else sheet.press("Escape")
    expect(sheet).to_have_count(0)
    message(page).focus()
    expect(message(page)).to_be_focused()


def test_a_sheet_is_closed_beside_it_and_is_none_where_there_is_room(new_context: NewContext):
    page = open_page(new_context(viewport={"width": 900, "height": 700}))
    ask(page, LEAVE)
    expect_settled(page)
    sheet = opened_list(page)
    page.mouse.click(800, 350)
    expect(sheet).to_have_count(0)
    opened_list(page)
    page.set_viewport_size({"width": 1200, "height": 700})
    expect(page.locator("[inert]")).to_have_count(0)
    message(page).focus()
    expect(message(page)).to_be_focused()
    page.set_viewport_size({"width": 900, "height": 700})
    expect(sheet).to_be_focused()


def test_keys_go_to_citations_from_where_the_focus_is_after_asking_and_show_a_ring(page: Page):
    ask(page, LEAVE)
    answer = expect_settled(page)
    expect(message(page)).to_be_focused()
    citations = answer.get_by_role("button", name=re.compile("^Citation"))
    page.keyboard.press("Alt+ArrowDown")
    expect(citations.first).to_be_focused()
    answer.locator(".answer-text p").first.click(position={"x": 2, "y": 2})
    page.keyboard.press("Alt+ArrowDown")
    expect(answer.locator(".citation:focus")).to_have_css("outline-style", "solid")
    message(page).click()
    page.keyboard.press("Alt+ArrowUp")
    expect(citations.last).to_be_focused()
    expect(citations.last).to_have_css("outline-style", "solid")
