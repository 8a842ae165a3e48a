"""Lazy parts of the page are loaded by retries after an outage of the server."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect

from tests.browser.answering import expect_settled, get_answer
from tests.browser.asking import LEAVE
from tests.browser.opening import NewContext, open_page, use
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


def test_an_answer_and_a_reload_have_no_failed_request_or_warning(new_context: NewContext):
    context = new_context()
    problems: list[str] = []
    context.on("console", lambda line: problems.append(line.text) if line.type in ("error", "warning") else None)
    context.on("requestfailed", lambda request: problems.append(f"{request.failure}: {request.url}"))
    page = open_page(context)
    for turns in (1, 2):
        with page.expect_event("requestfinished", lambda request: request.url.endswith("/stream")):
            get_answer(page, LEAVE, turns=turns)
    # A new person's browser has nothing in its cache.
    other = new_context(storage_state=context.storage_state())
    other.on("console", lambda line: problems.append(line.text) if line.type in ("error", "warning") else None)
    again = other.new_page()
    again.goto(page.url)
    expect_settled(again, turns=2)
    again.evaluate("() => document.fonts.ready")
    loads = again.evaluate("() => performance.getEntriesByType('resource').map(({ name }) => name)")
    fonts = [name for name in loads if name.endswith(".woff2")]
    assert len(fonts) == len(set(fonts)) > 0, "a font that is preloaded too late is loaded twice"
    assert problems == []
