"""A shared Chromium, and a page of the running app for each test.

Opening a tab takes three times the processor time of a reload. So the cases of a file share a tab, `page`, and each
starts as a new person. A case with other needs (init scripts, size, permissions, several people) opens a tab with
`context` or `new_context`.
"""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.browser.opening import RUN, NewContext, OpenFile, expect_alive
from tests.browser.stand_in import StandIn
from tests.chromium import launch
from tests.features.demo.serving import serving
from tests.timeouts import TIMEOUT

# A slow machine needs time. A missing element fails anyway.
expect.set_options(timeout=1000 * TIMEOUT)


WIDE: Final[ViewportSize] = {"width": 1200, "height": 800}

_OPENED: list[BrowserContext] = []
"""The browser contexts of the running test."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the content of every tab to the report of a failure."""
    report = yield
    if report.when == "call" and report.failed:
        for page in (page for context in _OPENED for page in context.pages):
            try:
                shown = page.locator("body").aria_snapshot(timeout=5000)
            except PlaywrightError as error:
                shown = error.message
            report.sections.append((f"Tab at {page.url}", shown))
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = launch(playwright)
        yield running
        running.close()


@pytest.fixture
def new_context(browser: Browser, app_url: str) -> Iterator[NewContext]:
    """Opens a browser context for another person with Playwright's options, closed after the test."""

    opened: list[BrowserContext] = []

    def open_context(**options: Any) -> BrowserContext:
        context = browser.new_context(**{"base_url": app_url, **options})
        context.set_default_timeout(1000 * TIMEOUT)
        opened.append(context)
        _OPENED.append(context)
        return context

    yield open_context
    for context in opened:
        _OPENED.remove(context)
        context.close()


@pytest.fixture
def context(new_context: NewContext, app_url: str) -> BrowserContext:
    opened = new_context(viewport=WIDE)
    opened.grant_permissions(["clipboard-read", "clipboard-write"], origin=app_url)
    return opened


@pytest.fixture(scope="module")
def tab_of_file(browser: Browser, app_url: str) -> Iterator[Page]:
    context = browser.new_context(base_url=app_url, viewport=WIDE)
    context.set_default_timeout(1000 * TIMEOUT)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=app_url)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(tab_of_file: Page) -> Iterator[Page]:
    """The tab of the file, for a person new to the server and the browser."""
    context = tab_of_file.context
    _OPENED.append(context)
    # A same-origin address without scripts, since the page stores drafts when it is left.
    tab_of_file.goto("/ping")
    tab_of_file.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    context.clear_cookies()
    tab_of_file.goto("/")
    expect_alive(tab_of_file)
    yield tab_of_file
    _OPENED.remove(context)
    for tab in (context, tab_of_file):
        tab.unroute_all()
    for other in set(context.pages) - {tab_of_file}:
        other.close()
    tab_of_file.set_viewport_size(WIDE)
    # The page goes back over the history entry of an open sheet. A running step would abort the next navigation.
    tab_of_file.wait_for_function("() => !history.state?.steps")
    tab_of_file.emulate_media(media="null", color_scheme="null", reduced_motion="null", forced_colors="null")


@pytest.fixture(scope="session")
def stand_in() -> Iterator[StandIn]:
    backend = StandIn()
    with serving(backend.app) as url:
        backend.url = url
        yield backend


@pytest.fixture
def open_file(browser: Browser) -> Iterator[OpenFile]:
    """Opens a file offline. Fails on requests, violations of the policy and exceptions."""
    contexts = []

    def open_it(file: Path, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "offline": True, **options})
        contexts.append((context, wrong := []))
        page = context.new_page()
        page.on("request", lambda one: one.url.startswith(("file:", "data:")) or wrong.append(one.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.add_init_script(RUN)
        page.goto(file.as_uri())
        return page

    yield open_it
    for context, wrong in contexts:
        context.close()
        assert wrong == []
