"""The focus is never left on the page's body by what the page does, nor goes behind a sheet or under what stays."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.attaching import PICTURE, attach, attached
from tests.browser.clocks import late_timers
from tests.browser.opening import open_page, use
from tests.browser.places import choose, opened_list, options_of
from tests.browser.stand_in import StandIn, delta
from tests.browser.talking import LEAVE, ask, expect_settled, expect_streaming, message, questions
from tests.browser.walks import CITATION

SAID = delta("Said.", followup_questions=["And then?"])
BODY = "document.activeElement === document.body"


def press(control: Locator) -> None:
    """With the keyboard, as whoever has no other way."""
    control.focus()
    control.press("Enter")


def button(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("button", name=name).first


@pytest.mark.wcag("2.4.3")
def test_what_is_pressed_to_ask_stop_or_ask_again_leaves_the_focus_where_the_next_question_is_written(
    page: Page, stand_in: StandIn
):
    begun = delta("A. ")
    attach(page, PICTURE)
    expect(attached(page)).to_have_attribute("aria-busy", "false")
    press(button(page, re.compile("^Remove")))
    expect(message(page)).to_be_focused()
    press(page.get_by_role("group", name="Starter questions").get_by_role("button").first)
    expect_settled(page)
    expect(message(page)).to_be_focused()
    page.goto("/c/nothing")
    press(button(page, "Start a new chat"))
    expect(page.get_by_role("group", name="Starter questions")).to_be_visible()
    expect(message(page)).to_be_focused()

    endless = [begun, stand_in.WAIT_FOR_EVER]
    use(page, stand_in.one_after_the_other(endless, [begun, SAID], [SAID], [begun, stand_in.WAIT_UNTIL_TOLD, SAID]))
    ask(page, "Tell me.")
    expect_streaming(page)
    press(button(page, "Stop"))
    expect_settled(page)
    expect(message(page)).to_be_focused()
    press(button(page, "Retry"))
    expect(page.get_by_text("2 / 2")).to_be_visible()
    expect_settled(page)
    expect(message(page)).to_be_focused()
    press(page.get_by_role("group", name="Follow-up questions").get_by_role("button").first)
    expect_settled(page, turns=2)
    expect(message(page)).to_be_focused()
    # It is taken from nowhere else.
    ask(page, "Tell me more.")
    expect(questions(page)).to_have_count(3)
    expect_streaming(page)
    button(page, "Stop").focus()
    page.get_by_role("heading", name="Chat").click()
    assert page.evaluate(BODY)
    stand_in.go_on()
    expect_settled(page, turns=3)
    assert page.evaluate(BODY)


@pytest.mark.wcag("2.4.3")
def test_what_is_pressed_at_a_question_an_answer_and_their_versions_keeps_the_focus(page: Page, stand_in: StandIn):
    use(page, stand_in.one_after_the_other([SAID], [SAID], [SAID, stand_in.WAIT_UNTIL_TOLD, SAID]))
    ask(page, "word " * 1000)
    expect_settled(page)
    press(button(page, "Show the whole question"))
    expect(button(page, "Edit question")).to_be_focused()
    press(button(page, "Edit question"))
    press(button(page, "Cancel"))
    expect(button(page, "Edit question")).to_be_focused()
    press(button(page, "Regenerate"))
    expect(page.get_by_text("2 / 2")).to_be_visible()
    expect_settled(page)
    press(button(page, "Previous answer"))
    expect(button(page, "Next answer")).to_be_focused()
    press(button(page, "Next answer"))
    expect(button(page, "Previous answer")).to_be_focused()
    press(button(page, "Edit question"))
    edited = page.get_by_role("textbox", name="Edited question")
    expect(edited).to_be_focused()
    edited.fill("Second?")
    press(button(page, "Ask again"))
    expect(questions(page)).to_contain_text(["Second?"])
    expect_streaming(page)
    expect(message(page)).to_be_focused()

    thoughts, dialog = button(page, "Thoughts"), page.get_by_role("dialog", name="Thoughts")
    press(thoughts)
    expect(dialog).to_be_visible()
    # The end of the answer shows its buttons anew, behind the dialog.
    stand_in.go_on()
    expect(page.locator("article.answer[aria-busy=false]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(thoughts).to_be_focused()
    thoughts.click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(thoughts).to_be_focused()
    press(button(page, "Previous question"))
    expect(questions(page)).to_contain_text(["word word"])
    expect(button(page, "Next question")).to_be_focused()


def expect_undo_with_late_timers(page: Page, title: str) -> None:
    """In a busy browser, the menu's last word on the focus comes after the server's answer, and before the new list."""
    lists: list[Route] = []

    def hold(route: Route) -> None:
        lists.append(route)

    options = options_of(page.get_by_role("navigation"), title)
    options.click()
    page.route(re.compile(r"/api/conversations/$"), hold)
    with late_timers(page):
        page.get_by_role("menuitem", name="Delete").click()
        expect(button(page, "Undo")).to_be_focused()
    for one in lists:
        one.continue_()
    page.unroute_all()
    expect(options).to_have_count(0)
    expect(button(page, "Undo")).to_be_focused()


@pytest.mark.wcag("2.4.3")
def test_the_list_keeps_the_focus_whatever_is_pressed_in_it(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    ask(page, "First?")
    expect_settled(page)
    listed = opened_list(page)
    press(options_of(listed, "First?"))
    press(page.get_by_role("menuitem", name="Pin"))
    expect(options_of(listed, "First?")).to_be_focused()
    expect(listed.get_by_role("img", name="Pinned")).to_be_visible()
    for key in ("Enter", "Escape"):
        press(listed.get_by_role("button", name=re.compile("^Options of")))
        press(page.get_by_role("menuitem", name="Rename"))
        expect(listed.get_by_role("textbox", name="Title")).to_be_focused()
        page.keyboard.type("Second")
        page.keyboard.press(key)
        expect(options_of(listed, "Second")).to_be_focused()
    listed.get_by_text("Export, import, delete").click()
    press(listed.get_by_role("button", name="Delete everything of mine"))
    expect(listed.get_by_role("button", name="Keep it")).to_be_focused()
    press(listed.get_by_role("button", name="Keep it"))
    expect(listed.get_by_role("button", name="Delete everything of mine")).to_be_focused()
    choose(options_of(listed, "Second"), "Delete")
    expect(questions(page)).to_have_count(0)
    expect(button(page, "Undo")).to_be_focused()
    # The list may still be the one of before the deletion.
    with page.expect_response(re.compile("/restore$")):
        press(button(page, "Undo"))
    expect(button(page, "Options of Second")).to_be_visible()
    assert not page.evaluate(BODY)
    expect_undo_with_late_timers(page, "Second")
    press(listed.get_by_role("button", name="Close conversations"))
    expect(page.get_by_role("button", name="Conversations", exact=True)).to_be_focused()


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


def expect_focus_to_stay_in(page: Page, sheet: Locator) -> None:
    """Whichever way one goes, until the sheet is closed with a key."""
    element = sheet.element_handle()
    for key in ("Tab", "Shift+Tab"):
        places = []
        for _ in range(12):
            page.keyboard.press(key)
            places.append(page.evaluate(IN_SHEET, element))
        assert set(places) <= {"seen", "left"}
        assert "seen" in places
    page.keyboard.press("Escape") if page.evaluate(BODY) is False else sheet.press("Escape")
    expect(sheet).to_have_count(0)
    message(page).focus()
    expect(message(page)).to_be_focused()


@pytest.mark.wcag("2.4.3", "2.4.11")
def test_behind_a_sheet_nothing_has_the_focus_on_a_phone_at_400_percent_and_on_a_tablet(page: Page):
    ask(page, LEAVE)
    answer = expect_settled(page)
    for width, height in ((320, 256), (900, 700)):
        page.set_viewport_size({"width": width, "height": height})
        answer.get_by_role("button", name=CITATION).first.click()
        sheet = page.get_by_role("region", name="Sources")
        expect(sheet.locator("[data-active]")).to_be_visible()
        expect_focus_to_stay_in(page, sheet)
        sheet = opened_list(page)
        expect(sheet.get_by_role("link").first).to_be_visible()
        expect_focus_to_stay_in(page, sheet)
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
