"""What goes wrong is said in words, inside the answer it belongs to."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.app import free_port
from tests.browser.talking import ask, expect_settled, open_page, questions


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Show me a rate limit", r"Try again in 7 seconds"),
        ("Show me a content filter", r"filter"),
        ("Show me an error in mid-stream", r"\w"),
        ("Show me a cut stream", r"cut off"),
    ],
)
def test_a_failure_of_the_backend_is_an_alert_in_its_answer(page: Page, question: str, words: str):
    ask(page, question)
    alert = expect_settled(page).get_by_role("alert")
    expect(alert).to_contain_text(re.compile(words))
    expect(alert.get_by_role("button", name="Retry")).to_be_visible()


@pytest.mark.parametrize("question", ["Show me an error in mid-stream", "Show me a cut stream"])
def test_the_text_that_came_before_a_failure_is_kept(page: Page, question: str):
    ask(page, question)
    expect(expect_settled(page).locator(".answer-text")).not_to_be_empty()


def test_retry_asks_again(context: BrowserContext, stand_in):
    page = open_page(
        context,
        backend=stand_in.one_after_the_other(
            [{"error": "The model is asleep."}], [{"delta": {"content": "Awake now."}}]
        ),
    )
    ask(page, "Are you there?")
    answer = expect_settled(page)
    expect(answer.get_by_role("alert")).to_contain_text("The model is asleep.")
    answer.get_by_role("button", name="Retry").click()
    expect(answer.locator(".answer-text")).to_have_text("Awake now.")
    expect(answer.get_by_role("alert")).to_have_count(0)
    expect(questions(page)).to_have_count(1)


def test_an_address_where_nothing_listens_is_named_with_the_reason(context: BrowserContext):
    port = free_port()
    page = open_page(context, backend=f"http://127.0.0.1:{port}/chat")
    ask(page, "Is anybody there?")
    alert = expect_settled(page).get_by_role("alert")
    expect(alert).to_contain_text(f"127.0.0.1:{port}")
    expect(alert).to_contain_text(re.compile("refused", re.IGNORECASE))


def test_a_web_page_instead_of_an_answer_is_told_apart(context: BrowserContext, stand_in):
    page = open_page(context, backend=stand_in.page("<!doctype html><title>Sign in</title><script>alert(1)</script>"))
    ask(page, "Hello?")
    alert = expect_settled(page).get_by_role("alert")
    expect(alert).to_contain_text("HTML page")
    expect(alert).not_to_contain_text("<script>")


def test_an_empty_answer_is_an_error(context: BrowserContext, stand_in):
    page = open_page(context, backend=stand_in.streaming())
    ask(page, "Hello?")
    expect(expect_settled(page).get_by_role("alert")).to_contain_text(re.compile("empty", re.IGNORECASE))
