"""Asking the demo backend and seeing its answers come in."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.clocks import standing_clock
from tests.browser.questions import LEAVE, LONG
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    ask,
    ask_at_once,
    copied,
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


def test_a_question_is_answered_with_citations_to_copy_and_to_answer_again_and_so_is_a_very_long_one(page: Page):
    ask(page, LEAVE)
    answer = expect_settled(page)
    expect(questions(page)).to_have_text([LEAVE])
    expect(answer).to_contain_text("20 weeks of parental leave")
    expect(
        answer.get_by_role("button", name=re.compile(r"Citation 1: Leave_Policy\.pdf#page=\d")).first
    ).to_be_visible()
    text = copied(page, answer.get_by_role("button", name="Copy answer"))
    assert "20 weeks of parental leave" in text
    assert "[1]" in text
    assert "Leave_Policy.pdf" in text.rsplit("\n\n", 1)[-1]
    page.get_by_role("button", name="Regenerate").click()
    expect(page.get_by_role("group", name="Versions of this answer")).to_contain_text("2 / 2")
    expect(expect_settled(page)).to_contain_text("20 weeks of parental leave")
    expect(questions(page)).to_have_text([LEAVE])
    page.get_by_role("button", name="New chat").click()
    expect(questions(page)).to_have_count(0)
    expect(page.get_by_role("group", name="Starter questions")).to_be_visible()
    long = "leave " * 33_333 + "??"
    ask(page, long)
    expect(expect_settled(page)).not_to_be_empty()
    page.get_by_role("button", name="Show the whole question").click()
    expect(questions(page).locator(".question-text")).to_have_js_property("textContent", long)


def test_starter_and_follow_up_questions_are_sent_when_they_are_chosen_and_no_answer_is_told_so(page: Page):
    asked = []
    for turn, name in enumerate(("Starter questions", "Follow-up questions"), start=1):
        chip = page.get_by_role("group", name=name).get_by_role("button").first
        asked.append(chip.text_content())
        chip.click()
        expect_settled(page, turns=turn)
        expect(questions(page)).to_have_text(asked)
    ask(page, "Who won the chess world championship?")
    answer = expect_settled(page, turns=3)
    expect(answer).to_contain_text("nothing about")
    expect(answer.get_by_role("button", name=re.compile("Citation"))).to_have_count(0)


def test_what_is_typed_is_kept_over_a_reload_and_sent_with_its_lines_unless_it_is_blank(page: Page):
    message(page).fill("parental")
    page.reload()
    expect(message(page)).to_have_value("parental")
    expect_alive(page)
    message(page).press("Shift+Enter")
    message(page).press_sequentially("leave")
    expect(questions(page)).to_have_count(0)
    message(page).press("Enter")
    expect(questions(page).locator(".question-text")).to_have_js_property("innerText", "parental\nleave")
    expect_settled(page)
    ask(page, "   \n ")
    message(page).fill(LEAVE)
    page.get_by_role("button", name="Send").click()
    expect(questions(page)).to_have_text([re.compile("^parental"), LEAVE])
    expect(message(page)).to_have_value("")
    page.goto("/?q=How+many+days%3F")
    expect_alive(page)
    expect(message(page)).to_have_value("How many days?")
    expect(questions(page)).to_have_count(2)


def test_a_page_that_is_loaded_again_keeps_what_was_made_of_the_question_of_a_link(page: Page):
    page.goto("/?q=How+many+days%3F")
    expect_alive(page)
    message(page).fill("How many weeks?")
    page.reload()
    expect(message(page)).to_have_value("How many weeks?")


def test_an_answer_is_shown_as_it_comes_also_after_a_reload_and_in_another_tab_which_can_stop_it(
    context: BrowserContext, stand_in: StandIn
):
    first, second = HALVES
    backend = stand_in.one_after_the_other([first, stand_in.WAIT_UNTIL_TOLD, second], [first, stand_in.WAIT_FOR_EVER])
    page = open_page(context, backend=backend)
    other = open_page(context)
    ask(page, "Tell me all of it.")
    for tab in (page, other):
        expect(expect_streaming(tab)).to_contain_text("The first half.")
        expect(questions(tab)).to_have_text(["Tell me all of it."])
    page.reload()
    expect(expect_streaming(page)).to_contain_text("The first half.")
    ask_at_once(page, "And then?")
    words = page.get_by_role("alert")
    expect(words).to_have_text("The answer is still being written. Wait for its end or stop it, then send.")
    expect(questions(page)).to_have_count(1)
    stand_in.go_on()
    for tab in (page, other):
        expect(expect_settled(tab)).to_contain_text("The first half. The second half.")
        expect(tab.get_by_role("button", name="Stop")).to_have_count(0)
    expect(words).to_have_count(0)
    expect(message(page)).to_have_value("And then?")
    message(page).press("Enter")
    for tab in (page, other):
        expect(questions(tab)).to_have_count(2)
        expect(expect_streaming(tab)).to_contain_text("The first half.")
    other.get_by_role("button", name="Stop").click()
    for tab in (page, other):
        expect(expect_settled(tab, turns=2).get_by_role("alert")).to_contain_text("You stopped this answer")
    page.reload()
    expect(expect_settled(page, turns=2).locator(".answer-text")).to_have_text("The first half.")


def refuse_the_stream_and_hold_the_document(page: Page) -> list[Route]:
    """Ask, and have nothing but the first answer to where its text is wait; what comes of that is up to the test."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(r"/api/answers/[^/]+/stream$"), lambda route: route.fulfill(status=503), times=1)
    page.route(re.compile(r"/api/answers/[^/]+$"), hold)
    # A stream that nothing follows for some seconds is closed, and another one is opened later.
    with standing_clock(page), page.expect_request(re.compile(r"/api/answers/[^/]+$")):
        ask(page, "Tell me all of it.")
    return held


def give(page: Page, held: list[Route], answer: dict[str, Any]) -> None:
    """Give this answer to what is held, and see that time goes by."""
    [route] = held
    route.fulfill(**answer)
    page.evaluate("fetch('/ping').then((response) => response.text())")
    page.clock.fast_forward("00:10")
    page.evaluate("fetch('/ping').then((response) => response.text())")


def test_an_answer_is_followed_by_one_stream_whatever_happens_at_once_and_by_none_where_it_is_not_shown(
    context: BrowserContext, stand_in: StandIn
):
    context.add_init_script(KEEP_STREAMS)
    page = open_page(context, backend=stand_in.held(*HALVES))
    page.clock.install()
    for asked, answer in enumerate((STILL_RUNNING, {"status": 404, "body": ""}), start=1):
        held = refuse_the_stream_and_hold_the_document(page)
        page.get_by_role("button", name="New chat").click()
        expect(questions(page)).to_have_count(0)
        give(page, held, answer)
        assert page.evaluate("streams.length") == asked
        assert len(held) == 1
    held = refuse_the_stream_and_hold_the_document(page)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(expect_streaming(page)).to_contain_text("The first half.")
    give(page, held, STILL_RUNNING)
    assert page.evaluate(OPEN_STREAMS) == 1
    stand_in.go_on()
    expect(expect_settled(page).locator(".answer-text")).to_have_text("The first half. The second half.")
    assert page.evaluate(OPEN_STREAMS) == 0


def test_code_of_an_answer_is_copied_and_the_answer_is_the_same_after_a_reload(page: Page):
    ask(page, LONG)
    answer = expect_settled(page)
    before = text_of(answer)
    code = copied(page, answer.get_by_role("button", name="Copy code"), "Code copied.")
    assert code.startswith("def significant_wave_height")
    page.reload()
    assert text_of(expect_settled(page)) == before


def test_what_is_typed_before_the_page_has_come_alive_is_kept_and_sent_after_enter(context: BrowserContext):
    page = context.new_page()
    scripts = re.compile(r"/assets/.*\.js$")

    def load_without_scripts() -> None:
        page.route(scripts, lambda _held: None)
        page.goto("/", wait_until="commit")

    load_without_scripts()
    message(page).fill(LEAVE)
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.unroute(scripts)
    expect_alive(page)
    expect(message(page)).to_have_value(LEAVE)
    load_without_scripts()
    message(page).fill("Who pays for glasses?")
    message(page).press("Enter")
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.unroute(scripts)
    expect(questions(page)).to_have_text([re.compile("Who pays for glasses")])
    expect_settled(page)
    expect(message(page)).to_have_value("")
