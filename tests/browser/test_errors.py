"""What goes wrong is said in words, inside the answer it belongs to."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.stand_in import StandIn
from tests.browser.talking import ask, expect_settled, open_page, questions

FAILURES = {
    "Show me a rate limit": r"Try again in 7 seconds",
    "Show me a content filter": r"filter",
    "Show me an error in mid-stream": r"\w",
    "Show me a cut stream": r"cut off",
}
WEB_PAGE = "<!doctype html><title>Sign in</title><script>alert(1)</script>"


@pytest.mark.wcag("4.1.3")
def test_a_failure_of_the_backend_is_an_alert_in_its_answer_and_the_text_before_it_is_kept(page: Page):
    for turn, (question, words) in enumerate(FAILURES.items(), start=1):
        ask(page, question)
        answer = expect_settled(page, turns=turn)
        expect(answer.get_by_role("alert")).to_contain_text(re.compile(words))
        expect(answer.get_by_role("button", name="Retry")).to_be_visible()
        if "stream" in question:
            expect(answer.locator(".answer-text")).not_to_be_empty()


def test_retry_asks_again_and_what_is_no_answer_is_told_apart(context: BrowserContext, stand_in: StandIn):
    asleep, awake = {"error": "The model is asleep."}, {"delta": {"content": "Awake now."}}
    page = open_page(context, backend=stand_in.one_after_the_other([asleep], [awake], WEB_PAGE))
    ask(page, "Are you there?")
    answer = expect_settled(page)
    expect(answer.get_by_role("alert")).to_contain_text("The model is asleep.")
    answer.get_by_role("button", name="Retry").click()
    expect(answer.locator(".answer-text")).to_have_text("Awake now.")
    expect(answer.get_by_role("alert")).to_have_count(0)
    expect(questions(page)).to_have_count(1)
    ask(page, "Hello?")
    alert = expect_settled(page, turns=2).get_by_role("alert")
    expect(alert).to_contain_text("HTML page")
    expect(alert).not_to_contain_text("<script>")
