"""What could not be loaded is loaded by itself, once its server is there again: every part of the page."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.stand_in import StandIn
from tests.browser.talking import ask, expect_settled, open_page, questions

CONTEXT = {
    "data_points": {"text": ["Paint.pdf#page=2: " + "Buoys are red. " * 300]},
    "thoughts": [{"title": "Everything", "description": "word " * 20_000}],
}
VALUES = ({"context": CONTEXT, "delta": {}}, {"delta": {"content": "Buoys are red [Paint.pdf#page=2]."}})
QUESTION = "What colour are buoys? " * 200


class Loss:
    """Has requests for a part of the page fail until `find` is called."""

    def __init__(self, page: Page, part: str) -> None:
        self._page = page
        self._part = re.compile(part)
        self.failed = 0
        page.route(self._part, self._fail)

    def _fail(self, route: Route) -> None:
        self.failed += 1
        # As a proxy answers whose server just died, and as a network does.
        if self.failed % 2:
            route.fulfill(status=502, content_type="text/html", body="<h1>Bad Gateway</h1>")
        else:
            route.abort()

    def wait_for_failures(self, number: int) -> None:
        while self.failed < number:
            self._page.wait_for_event("requestfailed", lambda request: self._part.search(request.url) is not None)

    def find(self) -> None:
        self._page.unroute(self._part)


def answered(context: BrowserContext, stand_in: StandIn) -> Page:
    page = open_page(context, backend=stand_in.streaming(*VALUES))
    ask(page, QUESTION)
    expect_settled(page)
    return page


def test_what_is_opened_while_its_server_is_away_is_there_once_that_is_back(context: BrowserContext, stand_in: StandIn):
    page = answered(context, stand_in)
    drawer = page.get_by_role("dialog", name="Thoughts")
    opened = [
        (r"/sources", "Sources", page.get_by_role("region", name="Sources", exact=True), "Buoys are red."),
        (r"/question$", "Show the whole question", questions(page), QUESTION.strip()),
        (
            r"/api/conversations/$",
            "Conversations",
            page.get_by_role("navigation", name="Conversations"),
            "What colour are buoys?",
        ),
        (r"/thoughts$", "Thoughts", drawer, "Everything"),
    ]
    for part, opener, place, found in opened:
        loss = Loss(page, part)
        page.get_by_role("button", name=opener, exact=True).click()
        loss.wait_for_failures(2)
        expect(place.get_by_text("loaded")).to_be_visible()
        loss.find()
        expect(place).to_contain_text(found)
        expect(place.get_by_text("loaded")).to_have_count(0)
    loss = Loss(page, r"/thoughts/\d+$")
    drawer.locator("details[data-thought] > summary").click()
    loss.wait_for_failures(2)
    loss.find()
    expect(drawer.locator("details[data-thought]")).to_contain_text("word word")
    expect(drawer.get_by_role("alert")).to_have_count(0)


def test_an_answer_that_is_opened_while_its_server_is_away_is_there_once_that_is_back(
    context: BrowserContext, stand_in: StandIn
):
    page = answered(context, stand_in)
    for part, found in ((r"/api/answers/[^/]+$", ".answer-text p"), (r"/grounding$", ".grounding")):
        expect(page.locator(found)).to_be_visible()
        loss = Loss(page, part)
        page.reload()
        loss.wait_for_failures(2)
        loss.find()
        expect(page.locator(found)).to_be_visible()
        expect(page.get_by_text("could not be loaded")).to_have_count(0)


def test_what_is_not_there_for_good_is_not_asked_for_again(context: BrowserContext, stand_in: StandIn):
    page = answered(context, stand_in)
    page.clock.install()
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=403, body="It is somebody else's.")

    page.route(re.compile(r"/sources"), refuse)
    page.get_by_role("button", name="Sources", exact=True).click()
    expect(page.get_by_role("region", name="Sources", exact=True).get_by_role("alert")).to_contain_text("Try again")
    page.clock.fast_forward("01:00")
    page.evaluate("fetch('/ping').then((response) => response.text())")
    assert len(asked) == 1
