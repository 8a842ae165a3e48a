"""Lazy parts of the page are loaded by retries after an outage of the server."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect

from tests.browser.answering import get_answer
from tests.browser.opening import use
from tests.browser.stand_in import StandIn, delta

CONTEXT = {
    "data_points": {"text": ["Paint.pdf#page=2: Buoys are red."]},
    "thoughts": [{"title": "Everything", "description": "word"}],
}
VALUES = ({"context": CONTEXT, "delta": {}}, delta("Buoys are red [Paint.pdf#page=2]."))


@contextmanager
def away(page: Page, part: str) -> Iterator[None]:
    """Fail at least two requests for a part of the page within the context."""
    failed: list[str] = []

    def fail(route: Route) -> None:
        failed.append(route.request.url)
        route.fulfill(status=502, content_type="text/html", body="<h1>Bad Gateway</h1>")

    page.route(re.compile(part), fail)
    yield
    while len(failed) < 2:
        page.wait_for_event("requestfinished", lambda request: request.url in failed)
    page.unroute(re.compile(part))


def test_a_lazy_part_is_loaded_once_its_server_is_back(page: Page, stand_in: StandIn):
    use(page, stand_in.streaming(*VALUES))
    get_answer(page, "What colour are buoys?")
    for part, opener, place, found in (
        (r"/sources", "Sources", page.get_by_role("region", name="Sources", exact=True), "Buoys are red."),
        (r"/thoughts$", "Thoughts", page.get_by_role("dialog", name="Thoughts"), "Everything"),
    ):
        with away(page, part):
            page.get_by_role("button", name=opener, exact=True).click()
            expect(place.get_by_text("loaded")).to_be_visible()
        expect(place).to_contain_text(found)
        expect(place.get_by_text("loaded")).to_have_count(0)
    with away(page, r"/api/answers/[^/]+$"):
        page.reload()
    expect(page.locator(".answer-text p")).to_be_visible()
    expect(page.get_by_text("Could not be loaded")).to_have_count(0)
