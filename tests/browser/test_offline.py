from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.answering import answers, expect_settled, get_answer, start_answer
from tests.browser.asking import LEAVE, ask_at_once, message, questions
from tests.browser.axe import expect_no_violations
from tests.browser.hearing import heard_to, listen
from tests.browser.opening import NewContext, expect_alive, open_page
from tests.browser.stand_in import StandIn, delta
from tests.stand_ins.balancer import Balancer, balancing

SAID = delta("Said.", followup_questions=["And then?"])
LISTEN = """() => {
    window.told = [];
    const region = document.querySelector(".notices");
    new MutationObserver(() => {
        const words = region.innerText.trim();
        if (words && words !== told.at(-1)) told.push(words);
    }).observe(region, { childList: true, subtree: true, characterData: true });
}"""


@pytest.fixture
def line(app_url: str) -> Iterator[Balancer]:
    """The connection between the page and its server."""
    port = urlsplit(app_url).port
    assert port
    with balancing([port]) as between:
        yield between


@pytest.fixture
def context(new_context: NewContext, line: Balancer) -> BrowserContext:
    return new_context(base_url=line.url, viewport={"width": 1200, "height": 800})


def status(page: Page) -> Locator:
    return page.get_by_role("status").get_by_text("server cannot be reached")


def waiting(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation").get_by_role("article", name="Waiting to be sent")


def test_a_lost_connection_is_told_and_waiting_questions_go_once(
    context: BrowserContext, line: Balancer, stand_in: StandIn
):
    backend = stand_in.held(delta("One. "), SAID)
    page = open_page(context, backend=backend)
    page.set_viewport_size({"width": 390, "height": 640})
    start_answer(page, "First?")
    page.evaluate(LISTEN)
    listen(page)
    line.cut()
    expect(status(page)).to_be_visible()
    for question in ("Second?", "Third?"):
        ask_at_once(page, question)
    expect(waiting(page)).to_contain_text(["Second?", "Third?"])
    expect(page.get_by_text("Waiting to be sent").first).to_be_visible()
    expect(message(page)).to_have_value("")
    page.get_by_role("button", name="Cancel").last.click(trial=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect_no_violations(page)
    message(page).fill("And this.")
    waiting(page).filter(has_text="Second?").get_by_role("button", name="Cancel").click()
    expect(message(page)).to_have_value("Second?\nAnd this.")
    expect(message(page)).to_be_focused()
    expect(waiting(page)).to_have_count(1)
    line.mend()
    expect(status(page)).to_have_count(0)
    expect(questions(page)).to_have_count(1)
    expect(waiting(page)).to_contain_text(["Third?"])
    stand_in.go_on()
    expect(questions(page).locator(".question-text")).to_have_text(["First?", "Third?"])
    expect_settled(page, turns=2)
    expect(waiting(page)).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(message(page)).to_have_value("Second?\nAnd this.")
    heard_to(page, "^Finished")
    assert len(page.evaluate("told")) == 1
    assert len(stand_in.asked(backend)) == 2


@pytest.mark.thorough
def test_a_browser_without_cookies_is_told_until_it_keeps_them(context: BrowserContext, line: Balancer):
    page = context.new_page()
    line.cookies = False
    page.goto("/")
    told = page.get_by_role("status").get_by_text("Allow cookies")
    with page.expect_event("load"):
        page.get_by_role("button", name="Reload").click()
    expect(told).to_be_visible()
    line.cookies = True
    expect_alive(page)
    expect(told).to_have_count(0)
    get_answer(page, LEAVE)
    expect(answers(page)).to_have_count(1)
