"""Where answers are rated, and what was said of them."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.places import sources
from tests.browser.questions import LEAVE
from tests.browser.talking import address_of, ask, expect_settled

NOT_KEPT: Final = "What you think of it cannot be kept at the moment. Try again in a little while."
REQUESTS: Final = re.compile(r"/feedback$")
"""Addresses of requests about what a person thinks of an answer."""


def good(answer: Locator) -> Locator:
    return answer.get_by_role("button", name="Good answer")


def bad(answer: Locator) -> Locator:
    return answer.get_by_role("button", name="Bad answer")


def why(answer: Locator) -> Locator:
    return answer.get_by_role("button", name="Say why")


def details(answer: Locator) -> Locator:
    return answer.get_by_role("region", name="Say why")


def expect_pressed(button: Locator, is_pressed: bool = True) -> None:
    expect(button).to_have_attribute("aria-pressed", json.dumps(is_pressed))


def said(page: Page) -> list[dict[str, Any]]:
    """What the person said, as the page's server gives it out."""
    return [json.loads(line) for line in page.request.get("/api/feedback/mine").text().splitlines()]


def answered(page: Page, question: str = LEAVE) -> Locator:
    ask(page, question)
    answer = expect_settled(page)
    address_of(page)
    return answer


def doubt(page: Page) -> Locator:
    return sources(page).get_by_role("button", name="The passage does not say this")


def comment(place: Locator) -> Locator:
    return place.get_by_label("Comment (optional)")


def save(place: Locator) -> Locator:
    return place.get_by_role("button", name="Save")


def expect_saved(place: Locator) -> None:
    expect(place.get_by_role("status")).to_have_text("Saved.")


class Gate:
    """Holds changes of what a person thinks until they are let through; those that are `held` are in their order."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._is_open = False
        self.held: list[Route] = []
        page.route(REQUESTS, self._handle)

    def _handle(self, route: Route) -> None:
        if self._is_open or route.request.method == "GET":
            route.continue_()
        else:
            self.held.append(route)

    def wait(self, count: int = 1) -> None:
        """Wait until so many are held."""
        while len(self.held) < count:
            self._page.evaluate("() => new Promise(requestAnimationFrame)")

    def open(self) -> None:
        """Let through what is held, and what comes."""
        self._is_open = True
        for route in self.held:
            route.continue_()


def refuse_changes(page: Page, status: int = 503, words: str = "", content_type: str = "text/plain") -> None:
    """Have no change be kept of what a person thinks, until the route of `REQUESTS` is taken away."""

    def handle(route: Route) -> None:
        if route.request.method == "GET":
            route.continue_()
        else:
            route.fulfill(status=status, content_type=content_type, body=words)

    page.route(REQUESTS, handle)
