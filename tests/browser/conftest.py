"""One Chromium for all browser tests, and a page of the running app for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.stand_in import StandIn
from tests.browser.talking import expect_alive
from tests.chromium import launch
from tests.demo.serving import serving

# A machine may be slow; what does not come at all fails all the same.
expect.set_options(timeout=60_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = launch(playwright)
        yield running
        running.close()


@pytest.fixture
def context(browser: Browser, app_url: str) -> Iterator[BrowserContext]:
    opened = browser.new_context(base_url=app_url, viewport={"width": 1200, "height": 800})
    opened.grant_permissions(["clipboard-read", "clipboard-write"], origin=app_url)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    opened = context.new_page()
    opened.goto("/")
    expect_alive(opened)
    return opened


@pytest.fixture(scope="session")
def stand_in() -> Iterator[StandIn]:
    backend = StandIn()
    with serving(backend.app) as url:
        backend.url = url
        yield backend
