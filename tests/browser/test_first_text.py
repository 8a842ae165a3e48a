"""An answer is followed from the moment at which its question is sent."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, expect

from tests.browser.stand_in import StandIn
from tests.browser.talking import answers, ask, expect_settled, open_page


def test_the_stream_of_an_answer_is_opened_with_its_question(context: BrowserContext, stand_in: StandIn):
    backend = stand_in.held({"delta": {"content": "All buoys "}}, {"delta": {"content": "are red."}})
    page = open_page(context, backend=backend)
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    with page.expect_request("**/stream") as ahead:
        ask(page, "Which colour have buoys?")
    expect(answers(page).last).to_contain_text("All buoys")
    address = answers(page).last.locator(".answer-text").get_attribute("data-address")
    assert address is not None
    # The answer that the page shows is the one that it named, and its stream the only one.
    assert f"{address}/stream" in ahead.value.url
    stand_in.go_on()
    expect_settled(page)
    expect(answers(page).last).to_contain_text("All buoys are red.")
    assert [one for one in asked_for if "/stream" in one] == [ahead.value.url]
