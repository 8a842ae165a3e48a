"""An answer is followed from its question on. For how long its backend says nothing more is told as it is, and seldom
aloud.
"""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.clocks import standing_clock
from tests.browser.hearing import heard, listen
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


def test_a_stall_is_counted_before_the_first_words_and_from_the_last_ones_on_also_after_a_reload(
    context: BrowserContext, stand_in: StandIn
):
    held = [FIRST, stand_in.WAIT_UNTIL_TOLD, REST]
    page = open_page(context, backend=stand_in.one_after_the_other([stand_in.WAIT_FOR_EVER], held))
    ask(page, "Tell me.")
    assert seconds(page) >= 5
    page.get_by_role("button", name="Stop").click()
    expect_settled(page)
    expect(silence(page)).to_have_count(0)
    ask(page, "Tell me all of it.")
    expect_streaming(page)
    first = seconds(page)
    assert first >= 5
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.reload()
    assert seconds(page) > first
    stand_in.go_on()
    expect_settled(page, turns=2)
    expect(silence(page)).to_have_count(0)


def test_an_answer_comes_by_the_stream_that_was_opened_with_its_question_and_a_stall_is_said_aloud_seldom(
    context: BrowserContext, stand_in: StandIn
):
    counted = iter([6, 9, 11, 12, 13, 31])
    silent = 32.0

    def count(route: Route) -> None:
        route.fulfill(json={"seconds": next(counted, silent)})

    context.route(re.compile("/silence$"), count)
    page = open_page(context, backend=stand_in.held(FIRST, REST))
    listen(page)
    streams: list[str] = []
    page.on("request", lambda request: streams.append(request.url) if "/stream" in request.url else None)
    page.clock.install()
    with standing_clock(page):
        ask(page, "Tell me all of it.")
        address = expect_streaming(page).locator(".answer-text").get_attribute("data-address")
    expect(silence(page)).to_contain_text("Nothing for 32 s")
    silent = 0.4
    expect(silence(page)).to_have_count(0)
    said = [words for words in heard(page).said if "Nothing" in words]
    assert said == ["Nothing has come for 11 seconds.", "Nothing has come for 31 seconds."]

    # Without the server the page knows nothing of the backend.
    silent = 12
    expect(silence(page)).to_contain_text("Nothing for 12 s")
    context.route(re.compile("/silence$"), lambda route: route.abort())
    expect(silence(page)).to_have_count(0)
    stand_in.go_on()
    expect(expect_settled(page)).to_contain_text("The first half. The second half.")
    # The answer that the page shows is the one that it named, and its stream the only one.
    assert [f"{address}/stream" in one for one in streams] == [True]
