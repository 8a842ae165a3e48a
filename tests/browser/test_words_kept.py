"""What a person typed stays theirs: an edit, a question that never arrived, what was half typed."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.listening import listening
from tests.browser.opening import expect_alive, open_page
from tests.browser.stand_in import StandIn, delta
from tests.browser.talking import ask, expect_settled, message, questions

SAID = delta("Said.")
LOST = "This question did not arrive. Send it again."


@pytest.mark.wcag("3.3.7")
def test_a_half_typed_edit_and_a_question_that_never_arrived_outlast_the_connection_and_the_page(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.streaming(SAID))
    socket = listening(page)
    ask(page, "First?")
    expect_settled(page)
    page.get_by_role("button", name="Edit question").click()
    box = page.get_by_role("textbox", name="Edited question")
    box.fill("First, re")
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
    expect(questions(page).locator(".question-text")).to_have_text(["First, really?"])
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
