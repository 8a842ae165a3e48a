"""Without a connection: the page says so in words, and what is sent waits where it can be seen, and is sent once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from chat_ui.server.middleware.identity import COOKIE
from tests.app import App
from tests.backends.balancer import Balancer, balancing
from tests.browser.axe import expect_no_violations
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    answers,
    ask,
    ask_at_once,
    expect_alive,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    questions,
)

SAID = {"delta": {"content": "Said."}, "context": {"followup_questions": ["And then?"]}}
BACK = "The connection is back."
LISTEN = """() => {
    window.told = [];
    const look = (region) => new MutationObserver(() => {
        const words = region.innerText.trim();
        if (words && words !== told.at(-1)) told.push(words);
    }).observe(region, { childList: true, subtree: true, characterData: true });
    look(document.querySelector(".notices"));
}"""


@pytest.fixture
def line(app_url: str) -> Iterator[Balancer]:
    """What is between the page and its server."""
    port = urlsplit(app_url).port
    assert port
    with balancing([port]) as between:
        yield between


@pytest.fixture
def context(new_context: NewContext, line: Balancer) -> BrowserContext:
    return new_context(base_url=line.url, viewport={"width": 1200, "height": 800})


def status(page: Page) -> Locator:
    return page.get_by_role("status").get_by_text("no connection to the server")


def waiting(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation").get_by_role("article", name="Waiting to be sent")


def words_of(page: Page) -> Locator:
    return questions(page).locator(".question-text")


def take_back(page: Page, words: str) -> Locator:
    return waiting(page).filter(has_text=words).get_by_role("button", name="Take it back")


def test_a_server_that_is_gone_is_told_once_in_words_that_cover_nothing(
    built_app: Path, tmp_path: Path, new_context: NewContext, stand_in: StandIn
):
    app = App(tmp_path, {}, built_app)
    app.start()
    try:
        context = new_context(base_url=app.url, viewport={"width": 390, "height": 640})
        backend = stand_in.streaming(SAID)
        page = open_page(context, backend=backend)
        ask(page, "First?")
        expect_settled(page)
        page.evaluate(LISTEN)
        app.end()
        expect(status(page)).to_be_visible()
        ask_at_once(page, "Second?")
        expect(waiting(page)).to_contain_text(["Second?"])
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        expect(message(page)).to_have_value("")
        page.get_by_role("button", name="Send").click(trial=True)
        page.get_by_role("button", name="Take it back").click(trial=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        app.start()
        expect(words_of(page)).to_have_text(["First?", "Second?"])
        expect_settled(page, turns=2)
        expect(status(page)).to_have_count(0)
        expect(waiting(page)).to_have_count(0)
        expect(page.locator("#announcements")).to_contain_text("Said.")
        assert len(page.evaluate("told")) == 1
        assert len(stand_in.asked(backend)) == 2
    finally:
        app.end()


def test_what_waits_can_be_taken_back_into_the_box(context: BrowserContext, line: Balancer, stand_in: StandIn):
    backend = stand_in.streaming(SAID)
    page = open_page(context, backend=backend)
    ask(page, "First?")
    expect_settled(page)
    line.cut()
    expect(status(page)).to_be_visible()
    for question in ("Second?", "Third?"):
        ask_at_once(page, question)
    expect_no_violations(page)
    message(page).press_sequentially("And this.")
    take_back(page, "Second?").click()
    expect(message(page)).to_have_value("Second?\nAnd this.")
    expect(message(page)).to_be_focused()
    expect(waiting(page)).to_have_count(1)
    line.mend()
    expect(words_of(page)).to_have_text(["First?", "Third?"])
    expect_settled(page, turns=2)
    expect(message(page)).to_have_value("Second?\nAnd this.")
    assert len(stand_in.asked(backend)) == 2


def test_several_questions_wait_also_for_a_page_that_is_loaded_again_and_are_asked_in_their_order(
    context: BrowserContext, line: Balancer, stand_in: StandIn
):
    backend = stand_in.streaming(SAID)
    page = open_page(context, backend=backend)
    line.cut()
    expect(status(page)).to_be_visible()
    for question in ("First?", "Second?", "Third?"):
        ask_at_once(page, question)
    expect(waiting(page)).to_contain_text(["First?", "Second?", "Third?"])
    page.reload()
    expect(waiting(page)).to_contain_text(["First?", "Second?", "Third?"])
    line.mend()
    expect(words_of(page)).to_have_text(["First?", "Second?", "Third?"])
    expect_settled(page, turns=3)
    expect(waiting(page)).to_have_count(0)
    assert [len(asked["messages"]) for asked in stand_in.asked(backend)] == [1, 3, 5]


def test_a_question_waits_though_the_connection_was_lost_in_the_middle_of_an_answer(
    context: BrowserContext, line: Balancer, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.held({"delta": {"content": "One. "}}, SAID))
    ask(page, "First?")
    expect_streaming(page)
    line.cut()
    expect(status(page)).to_be_visible()
    ask_at_once(page, "Second?")
    expect(waiting(page)).to_contain_text(["Second?"])
    line.mend()
    expect(status(page)).to_have_count(0)
    expect(questions(page)).to_have_count(1)
    expect(waiting(page)).to_contain_text(["Second?"])
    stand_in.go_on()
    expect_settled(page, turns=2)
    expect(words_of(page)).to_have_text(["First?", "Second?"])
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("group", ["Starter questions", "Follow-up questions"])
def test_a_question_that_is_pressed_without_a_connection_waits_once_too(
    context: BrowserContext, line: Balancer, stand_in: StandIn, group: str
):
    page = open_page(context)
    turns = 0
    if group == "Follow-up questions":
        ask(page, "How much parental leave do I get?")
        expect_settled(page)
        turns = 1
    line.cut()
    expect(status(page)).to_be_visible()
    pressed = page.get_by_role("group", name=group).get_by_role("button").first
    words = pressed.text_content()
    pressed.dblclick()
    expect(waiting(page)).to_have_count(1)
    line.mend()
    expect_settled(page, turns=turns + 1)
    expect(words_of(page)).to_have_count(turns + 1)
    expect(words_of(page).last).to_have_text(words or "")


def test_what_waited_is_not_asked_in_another_conversation(context: BrowserContext, line: Balancer, stand_in: StandIn):
    backend = stand_in.streaming(SAID)
    page = open_page(context, backend=backend)
    ask(page, "First?")
    expect_settled(page)
    line.cut()
    expect(status(page)).to_be_visible()
    ask_at_once(page, "Second?")
    page.get_by_role("button", name="New chat").click()
    line.mend()
    expect(message(page)).to_have_value("Second?")
    expect(page.get_by_role("alert")).to_contain_text("another conversation")
    expect(waiting(page)).to_have_count(0)
    assert len(stand_in.asked(backend)) == 1


def test_what_waits_in_a_tab_and_in_a_copy_of_it_is_asked_once(
    context: BrowserContext, line: Balancer, stand_in: StandIn
):
    backend = stand_in.streaming(SAID)
    page = open_page(context, backend=backend)
    ask(page, "First?")
    expect_settled(page)
    line.cut()
    expect(status(page)).to_be_visible()
    ask_at_once(page, "Second?")
    expect(waiting(page)).to_have_count(1)
    copied = page.evaluate("() => JSON.stringify({ ...sessionStorage })")
    copy = context.new_page()
    copy.add_init_script(f"Object.assign(sessionStorage, {copied})")
    copy.goto("/")
    expect(waiting(copy)).to_have_count(1)
    line.mend()
    for tab in (page, copy):
        expect(words_of(tab)).to_have_text(["First?", "Second?"])
        expect_settled(tab, turns=2)
        expect(status(tab)).to_have_count(0)
        expect(waiting(tab)).to_have_count(0)
    ask(page, "Third?")
    expect_settled(page, turns=3)
    assert [len(asked["messages"]) for asked in stand_in.asked(backend)] == [1, 3, 5]


def test_a_browser_that_keeps_no_cookie_is_told_so(app_url: str, new_context: NewContext):
    page = new_context().new_page()

    def without_cookie(route: Route) -> None:
        got = httpx.get(route.request.url, headers={"Accept": "text/html"})
        assert COOKIE in got.headers["set-cookie"]
        route.fulfill(status=got.status_code, body=got.text, content_type="text/html")

    page.route(f"{app_url}/", without_cookie)
    page.goto("/")
    expect(page.get_by_role("status").get_by_text("Allow cookies")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Load it again").click()
    expect_alive(page)
    expect(page.get_by_role("status").get_by_text("Allow cookies")).to_have_count(0)
    ask(page, "How much parental leave do I get?")
    expect_settled(page)
    expect(answers(page)).to_have_count(1)
