"""What a person typed stays theirs: an edit, a question that never arrived, what was half typed."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.attaching import PICTURE, attach, attached
from tests.browser.listening import listening
from tests.browser.stand_in import StandIn
from tests.browser.talking import ask, expect_alive, expect_settled, message, open_page, questions

SAID = {"delta": {"content": "Said."}}
LOST = "This question did not arrive. Send it again."


def edit(page: Page, words: str) -> Locator:
    """The box of the first question, with other words in it."""
    questions(page).first.get_by_role("button", name="Edit question").click()
    box = page.get_by_role("textbox", name="Edited question")
    box.fill(words)
    return box


def words_of(page: Page) -> Locator:
    return questions(page).locator(".question-text")


@pytest.mark.wcag("3.3.7")
def test_a_half_typed_edit_and_a_question_that_never_arrived_outlast_the_connection_and_the_page(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.streaming(SAID))
    socket = listening(page)
    ask(page, "First?")
    expect_settled(page)
    box = edit(page, "First, re")
    box.evaluate("box => box.setAttribute('data-shown', 'before')")
    socket.break_off()
    expect(box).not_to_have_attribute("data-shown", "before")
    expect(box).to_have_value("First, re")
    expect(box).to_be_focused()
    page.reload()
    expect_alive(page)
    expect(box).to_have_value("First, re")
    box.fill("First, really?")
    socket.hold_told()
    box.press("Enter")
    box.press("Enter")
    socket.let_go()
    expect(words_of(page)).to_have_text(["First, really?"])
    expect_settled(page)
    expect(page.get_by_role("group", name="Versions of this question")).to_contain_text("2 / 2")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(message(page)).to_have_value("")

    socket.lose_said()
    ask(page, "Second?")
    expect(message(page)).to_have_value("")
    message(page).press_sequentially("And this.")
    socket.let_go()
    socket.break_off()
    expect(message(page)).to_have_value("Second?\nAnd this.")
    expect(page.get_by_role("alert")).to_have_text(LOST)
    message(page).press("Enter")
    expect_settled(page, turns=2)
    expect(page.get_by_role("alert")).to_have_count(0)
    page.reload()
    expect_settled(page, turns=2)
    expect(message(page)).to_have_value("")


@pytest.mark.thorough
def test_what_was_asked_unheard_replaced_elsewhere_or_lost_with_its_images_is_where_it_belongs(context: BrowserContext):
    page = open_page(context)
    socket = listening(page)
    ask(page, "Again?")
    expect_settled(page)
    elsewhere = open_page(context)
    socket.hold_told()
    ask(page, "Again?")
    expect(words_of(elsewhere)).to_have_text(["Again?", "Again?"])
    expect(questions(page)).to_have_count(1)
    expect_settled(elsewhere, turns=2)
    socket.forget()
    page.reload()
    expect_alive(page)
    expect(words_of(page)).to_have_text(["Again?", "Again?"])
    expect(message(page)).to_have_value("")
    expect(page.get_by_role("alert")).to_have_count(0)

    box = edit(page, "Again, really?")
    socket.hold_told()
    edit(elsewhere, "Another?").press("Enter")
    expect(words_of(elsewhere)).to_have_text(["Another?"])
    expect_settled(elsewhere)
    box.press("Enter")
    socket.let_go()
    expect(page.get_by_role("alert")).to_contain_text("is not shown any more")
    expect(words_of(page)).to_have_text(["Another?"])
    expect(message(page)).to_have_value("Again, really?")

    attach(page, PICTURE)
    expect(attached(page)).to_have_attribute("aria-busy", "false")
    socket.lose_said()
    message(page).press("Enter")
    expect(message(page)).to_have_value("")
    socket.let_go()
    page.reload()
    expect_alive(page)
    expect(message(page)).to_have_value("Again, really?")
    expect(page.get_by_role("alert")).to_have_text(LOST)
    expect(attached(page).get_by_role("img", name="buoy 1.png")).to_have_js_property("naturalWidth", 1)
    message(page).press("Enter")
    expect_settled(page, turns=2)
    expect(questions(page).last.get_by_role("img", name="buoy 1.png")).to_be_visible()
