"""What is told of the end of an answer, and to whom: what happens is an alert, what happened is there to be read."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.hearing import heard, heard_to, listen
from tests.browser.opening import address_of, leaving_its_address, open_page
from tests.browser.stand_in import SOURCES, StandIn, delta, deltas
from tests.browser.talking import answers, ask, expect_settled

ASLEEP = "The model is asleep."
BROKEN = {"error": {"message": ASLEEP}}
WEB_PAGE = "<!doctype html><title>Sign in</title><script>alert(1)</script>"


@pytest.mark.wcag("4.1.3")
def test_a_failure_is_an_alert_in_its_answer_when_it_happens_and_a_note_from_then_on_and_can_be_asked_again(
    context: BrowserContext, stand_in: StandIn
):
    text = delta("Buoys are red [Made_Up.pdf].")
    backend = stand_in.one_after_the_other([SOURCES, text, BROKEN], deltas("Well."), WEB_PAGE)
    page = open_page(context, backend=backend)
    listen(page)
    ask(page, "What about buoys?")
    answer = answers(page).first
    expect(answer.get_by_role("alert")).to_contain_text(ASLEEP)
    expect(answer.locator(".answer-text")).to_contain_text("Buoys are red")
    found = heard_to(page, "^It cites")
    assert found.said[-2:] == ["It cites one source.", "It was not found."]
    assert len(found.alerts) == 1
    failed_at = address_of(page)

    def expect_silence() -> None:
        expect(answer.get_by_role("note").filter(has_text=ASLEEP)).to_be_visible()
        expect_settled(page)
        assert heard(page).alerts == []
        assert heard(page).said == []

    page.reload()
    expect_silence()
    with leaving_its_address(page):
        page.get_by_role("button", name="New chat").click()
    page.goto(failed_at)
    expect_silence()
    answer.get_by_role("button", name="Retry").click()
    expect(answer.locator(".answer-text")).to_have_text("Well.")
    expect(answer.get_by_text(ASLEEP)).to_have_count(0)
    assert heard_to(page, "^Finished").alerts == []
    ask(page, "And now?")
    alert = expect_settled(page, turns=2).get_by_role("alert")
    expect(alert).to_contain_text("HTML page")
    expect(alert).not_to_contain_text("<script>")
