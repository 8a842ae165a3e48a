"""A backend that says nothing more: for how long is told in words, as it is, and seldom aloud."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.stand_in import StandIn
from tests.browser.talking import answers, ask, expect_settled, expect_streaming, open_page

FIRST = {"delta": {"content": "The first half. "}}
REST = {"delta": {"content": "The second half."}}


def silence(page: Page) -> Locator:
    return answers(page).get_by_text(re.compile(r"Nothing for \d+ s"))


def seconds(page: Page) -> int:
    expect(silence(page)).to_be_visible()
    found = re.search(r"Nothing for (\d+) s", silence(page).inner_text())
    assert found
    return int(found[1])


def test_a_stall_is_counted_from_the_last_words_also_after_a_reload(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held(FIRST, REST))
    ask(page, "Tell me all of it.")
    expect_streaming(page)
    first = seconds(page)
    assert first >= 5
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.reload()
    assert seconds(page) > first
    stand_in.go_on()
    expect_settled(page)
    expect(silence(page)).to_have_count(0)


def test_a_backend_that_has_said_nothing_yet_is_counted_too_and_stopped(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(stand_in.WAIT_FOR_EVER))
    ask(page, "Tell me.")
    assert seconds(page) >= 5
    page.get_by_role("button", name="Stop").click()
    expect_settled(page)
    expect(silence(page)).to_have_count(0)


def test_a_stall_is_said_aloud_seldom(context: BrowserContext, stand_in: StandIn):
    counted = iter([6, 9, 11, 12, 13, 31, 32, 0.4])

    def tell(route: Route) -> None:
        route.fulfill(json={"seconds": next(counted, 0.1)})

    context.route(re.compile("/silence$"), tell)
    page = open_page(context, backend=stand_in.held(FIRST, REST))
    page.evaluate("""() => {
        window.heard = [];
        new MutationObserver((records) => {
            for (const record of records) for (const node of record.addedNodes) heard.push(node.textContent);
        }).observe(document.getElementById("announcements"), { childList: true, subtree: true });
    }""")
    ask(page, "Tell me all of it.")
    expect_streaming(page)
    expect(silence(page)).to_be_visible()
    expect(silence(page)).to_have_count(0)
    said = [words for words in page.evaluate("heard") if "Nothing" in words]
    assert said == ["Nothing has come for 11 seconds.", "Nothing has come for 31 seconds."]
    stand_in.go_on()
    expect_settled(page)


def test_a_server_that_cannot_be_asked_has_nothing_claimed_of_the_backend(context: BrowserContext, stand_in: StandIn):
    asked: list[str] = []

    def lose(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(json={"seconds": 12}) if len(asked) == 1 else route.abort()

    context.route(re.compile("/silence$"), lose)
    page = open_page(context, backend=stand_in.held(FIRST, REST))
    ask(page, "Tell me all of it.")
    expect_streaming(page)
    expect(silence(page)).to_have_text(re.compile("Nothing for 12 s"))
    expect(silence(page)).to_have_count(0)
    stand_in.go_on()
    expect_settled(page)
