"""Chromium, driven by Playwright."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.chromium import launch


class Chromium:
    def __init__(self, page: Page) -> None:
        self._page = page

    def go(self, address: str) -> None:
        self._page.goto(address)

    def reload(self) -> None:
        self._page.reload()

    def run(self, function: str, *values: object) -> Any:
        return self._page.evaluate(f"(values) => ({function})(...values)", values)

    def click(self, function: str, *values: object) -> None:
        found = self._page.evaluate_handle(f"(values) => ({function})(...values)", values).as_element()
        assert found is not None
        found.click()

    def press(self, keys: str) -> None:
        # A letter without a key is entered like an input method's.
        if len(keys) == 1 and not keys.isascii():
            self._page.keyboard.insert_text(keys)
        else:
            self._page.keyboard.press(keys)

    def resize(self, width: int, height: int) -> None:
        self._page.set_viewport_size({"width": width, "height": height})


@contextmanager
def chromium() -> Iterator[Chromium]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            yield Chromium(browser.new_page())
        finally:
            browser.close()
