"""Asking the demo backend and seeing its answers come in."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.questions import LEAVE, LONG
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    ask,
    ask_at_once,
    expect_alive,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    questions,
    text_of,
)

HALVES = ({"delta": {"content": "The first half. "}}, {"delta": {"content": "The second half."}})
KEEP_STREAMS = """window.streams = [];
    window.EventSource = class extends EventSource {
        constructor(address) { streams.push(super(address)); }
    };"""
OPEN_STREAMS = "streams.filter((stream) => stream.readyState !== EventSource.CLOSED).length"
STILL_RUNNING = {"status": 200, "headers": {"x-status": "running"}, "body": ""}


def test_a_question_is_answered_with_citations_and_follow_up_questions(page: Page):
    ask(page, LEAVE)
    answer = expect_settled(page)
    expect(questions(page)).to_have_text([LEAVE])
    expect(answer).to_contain_text("20 weeks of parental leave")
    expect(
        answer.get_by_role("button", name=re.compile(r"Citation 1: Leave_Policy\.pdf#page=\d")).first
    ).to_be_visible()
    expect(page.get_by_role("group", name="Follow-up questions").get_by_role("button").first).to_be_visible()


def test_text_is_on_the_screen_before_the_answer_ends(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held(*HALVES))
    ask(page, "Tell me all of it.")
    expect(expect_streaming(page)).to_contain_text("The first half.")
    stand_in.go_on()
    expect(expect_settled(page)).to_contain_text("The first half. The second half.")
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)


def test_a_blank_question_is_not_sent(page: Page):
    ask(page, "   \n ")
    ask(page, LEAVE)
    expect_settled(page)
    expect(questions(page)).to_have_count(1)


def test_shift_enter_breaks_the_line_and_the_break_is_shown(page: Page):
    message(page).press_sequentially("parental")
    message(page).press("Shift+Enter")
    message(page).press_sequentially("leave")
    expect(questions(page)).to_have_count(0)
    message(page).press("Enter")
    expect(questions(page).locator(".question-text")).to_have_js_property("innerText", "parental\nleave")


def test_enter_that_belongs_to_a_composition_does_not_send(page: Page):
    message(page).fill("ferie")
    message(page).dispatch_event("keydown", {"key": "Enter", "isComposing": True, "bubbles": True, "cancelable": True})
    expect(message(page)).to_have_value("ferie")
    message(page).press("Enter")
    expect(questions(page)).to_have_count(1)


def test_the_send_button_sends(page: Page):
    message(page).fill(LEAVE)
    page.get_by_role("button", name="Send").click()
    expect(questions(page)).to_have_text([LEAVE])
    expect(message(page)).to_have_value("")


def test_a_starter_question_is_sent_when_it_is_chosen(page: Page):
    starter = page.get_by_role("group", name="Starter questions").get_by_role("button").first
    words = starter.text_content()
    starter.click()
    expect_settled(page)
    expect(questions(page)).to_have_text([words])


def test_a_follow_up_question_is_sent_when_it_is_chosen(page: Page):
    ask(page, LEAVE)
    expect_settled(page)
    chip = page.get_by_role("group", name="Follow-up questions").get_by_role("button").first
    words = chip.text_content()
    chip.click()
    expect_settled(page, turns=2)
    expect(questions(page)).to_have_text([LEAVE, words])


def test_a_question_without_an_answer_in_the_documents_is_told_so(page: Page):
    ask(page, "Who won the chess world championship?")
    answer = expect_settled(page)
    expect(answer).to_contain_text("nothing about")
    expect(answer.get_by_role("button", name=re.compile("Citation"))).to_have_count(0)


def test_a_very_long_question_is_sent_and_the_page_stays_usable(page: Page):
    words = "leave " * 33_333 + "??"
    ask(page, words)
    answer = expect_settled(page)
    expect(answer).not_to_be_empty()
    page.get_by_role("button", name="Show the whole question").click()
    expect(questions(page).locator(".question-text")).to_have_js_property("textContent", words)
    ask(page, LEAVE)
    expect_settled(page, turns=2)


def test_stop_keeps_the_text_that_came(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held(*HALVES))
    ask(page, "Tell me all of it.")
    expect(expect_streaming(page)).to_contain_text("The first half.")
    page.get_by_role("button", name="Stop").click()
    answer = expect_settled(page)
    stand_in.go_on()
    expect(answer.get_by_role("alert")).to_contain_text("You stopped this answer")
    page.reload()
    expect(expect_settled(page).locator(".answer-text")).to_have_text("The first half.")


def test_a_question_sent_too_early_stays_in_the_box_and_is_told_why(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held(*HALVES))
    ask(page, "Tell me all of it.")
    expect_streaming(page)
    ask_at_once(page, "And then?")
    words = page.get_by_role("alert")
    expect(words).to_have_text("The answer is still being written. Wait for its end or stop it, then send.")
    stand_in.go_on()
    expect_settled(page)
    expect(words).to_have_count(0)
    expect(message(page)).to_have_value("And then?")
    message(page).press("Enter")
    expect_settled(page, turns=2)


def test_stop_works_while_the_backend_is_silent(page: Page):
    ask(page, "Show me a stall")
    expect_streaming(page)
    page.get_by_role("button", name="Stop").click()
    expect_settled(page)
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_a_reload_in_mid_answer_shows_the_answer_so_far_and_goes_on(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held(*HALVES))
    ask(page, "Tell me all of it.")
    expect_streaming(page)
    page.reload()
    expect(expect_streaming(page)).to_contain_text("The first half.")
    stand_in.go_on()
    expect(expect_settled(page)).to_contain_text("The first half. The second half.")


def refuse_the_stream_and_hold_the_document(page: Page) -> list[Route]:
    """Ask, and have nothing but the first answer to where its text is wait; what comes of that is up to the test."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(r"/api/answers/[^/]+/stream$"), lambda route: route.fulfill(status=503), times=1)
    page.route(re.compile(r"/api/answers/[^/]+$"), hold)
    with page.expect_request(re.compile(r"/api/answers/[^/]+$")):
        ask(page, "Tell me all of it.")
    return held


def give(page: Page, held: list[Route], answer: dict[str, Any]) -> None:
    """Give this answer to what is held, and see that time goes by."""
    [route] = held
    route.fulfill(**answer)
    page.evaluate("fetch('/ping').then((response) => response.text())")
    page.clock.fast_forward("00:10")
    page.evaluate("fetch('/ping').then((response) => response.text())")


def test_an_answer_is_followed_by_one_stream_whatever_happens_at_once(context: BrowserContext, stand_in: StandIn):
    context.add_init_script(KEEP_STREAMS)
    page = open_page(context, backend=stand_in.held(*HALVES))
    page.clock.install()
    held = refuse_the_stream_and_hold_the_document(page)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(expect_streaming(page)).to_contain_text("The first half.")
    give(page, held, STILL_RUNNING)
    assert page.evaluate(OPEN_STREAMS) == 1
    stand_in.go_on()
    expect(expect_settled(page).locator(".answer-text")).to_have_text("The first half. The second half.")
    assert page.evaluate(OPEN_STREAMS) == 0


@pytest.mark.parametrize("answer", [STILL_RUNNING, {"status": 404, "body": ""}])
def test_an_answer_that_is_not_shown_any_more_is_not_asked_for(
    context: BrowserContext, stand_in: StandIn, answer: dict[str, Any]
):
    context.add_init_script(KEEP_STREAMS)
    page = open_page(context, backend=stand_in.held(*HALVES))
    page.clock.install()
    held = refuse_the_stream_and_hold_the_document(page)
    page.get_by_role("button", name="New chat").click()
    expect(questions(page)).to_have_count(0)
    give(page, held, answer)
    assert page.evaluate("streams.length") == 1
    assert len(held) == 1


def test_a_second_tab_follows_and_can_stop(context: BrowserContext, page: Page):
    ask(page, "Show me a stall")
    expect_streaming(page)
    second = open_page(context)
    expect_streaming(second)
    second.get_by_role("button", name="Stop").click()
    expect_settled(page)
    expect_settled(second)


def test_a_second_tab_shows_a_question_that_the_first_one_asks(context: BrowserContext, page: Page):
    second = open_page(context)
    ask(page, LEAVE)
    expect(questions(second)).to_have_text([LEAVE])
    assert text_of(expect_settled(second)) == text_of(expect_settled(page))


def test_the_answer_is_the_same_after_a_reload(page: Page):
    ask(page, LONG)
    before = text_of(expect_settled(page))
    page.reload()
    assert text_of(expect_settled(page)) == before


def test_another_browser_sees_nothing_of_it(page: Page, new_context: NewContext):
    ask(page, LEAVE)
    address = expect_settled(page).locator(".answer-text").get_attribute("data-address")
    other = open_page(new_context())
    expect(questions(other)).to_have_count(0)
    assert page.request.get(address).status == 200
    assert other.request.get(address).status == 404


def test_new_chat_starts_empty(page: Page):
    ask(page, LEAVE)
    expect_settled(page)
    page.get_by_role("button", name="New chat").click()
    expect(questions(page)).to_have_count(0)
    expect(page.get_by_role("group", name="Starter questions")).to_be_visible()


def test_regenerate_asks_the_same_question_again(page: Page):
    ask(page, LEAVE)
    expect_settled(page)
    page.get_by_role("button", name="Regenerate").click()
    expect(page.get_by_role("group", name="Versions of this answer")).to_contain_text("2 / 2")
    expect(expect_settled(page)).to_contain_text("20 weeks of parental leave")
    expect(questions(page)).to_have_text([LEAVE])


def test_the_answer_is_copied_as_markdown_with_numbered_references(page: Page):
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name="Copy answer").click()
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_attached()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "20 weeks of parental leave" in copied
    assert "[1]" in copied
    assert "Leave_Policy.pdf" in copied.rsplit("\n\n", 1)[-1]


def test_code_is_copied_as_it_was_written(page: Page):
    ask(page, LONG)
    expect_settled(page).get_by_role("button", name="Copy code").click()
    expect(page.get_by_role("status").filter(has_text="Code copied.")).to_be_attached()
    assert page.evaluate("navigator.clipboard.readText()").startswith("def significant_wave_height")


def test_a_draft_survives_a_reload(page: Page):
    message(page).fill("half a question")
    page.reload()
    expect(message(page)).to_have_value("half a question")


def test_a_question_in_the_address_fills_the_box_and_is_not_sent(context: BrowserContext):
    page = open_page(context, path="/?q=How+many+days%3F")
    expect(message(page)).to_have_value("How many days?")
    expect(questions(page)).to_have_count(0)


@pytest.mark.parametrize("is_sent", [False, True])
def test_what_is_typed_before_the_page_has_come_alive_is_kept_and_sent_after_enter(
    context: BrowserContext, is_sent: bool
):
    page = context.new_page()
    scripts = re.compile(r"/assets/.*\.js$")
    page.route(scripts, lambda _held: None)
    page.goto("/", wait_until="commit")
    message(page).fill(LEAVE)
    if is_sent:
        message(page).press("Enter")
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.unroute(scripts)
    if is_sent:
        expect(questions(page)).to_have_text([re.compile(re.escape(LEAVE))])
        expect_settled(page)
        expect(message(page)).to_have_value("")
    else:
        expect_alive(page)
        expect(message(page)).to_have_value(LEAVE)


def test_a_question_while_an_answer_streams_stays_in_the_box(page: Page):
    ask(page, "Show me a stall")
    expect_streaming(page)
    ask_at_once(page, LEAVE)
    expect(message(page)).to_have_value(LEAVE)
    expect(questions(page)).to_have_count(1)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    message(page).press("Enter")
    expect(questions(page)).to_have_count(2)
