"""Takes the pictures of the page in the documents: `python -m tests.screenshots` writes `tests/pictures/`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.app import running_app
from tests.browser.talking import ask, expect_settled, open_page
from tests.chromium import launch

OUTPUT = Path(__file__).parent / "pictures"
QUESTION = "How much parental leave do I get?"


def take(browser: Browser, url: str, theme: str) -> None:
    context = browser.new_context(base_url=url, color_scheme=theme, viewport={"width": 1200, "height": 720})
    page = open_page(context)
    ask(page, QUESTION)
    expect_settled(page).get_by_role("button", name=re.compile("Citation 1")).first.click()
    expect(page.get_by_role("region", name="Sources").locator("mark").first).to_be_visible()
    page.screenshot(path=OUTPUT / f"{theme}.png")
    context.close()


def main() -> None:
    OUTPUT.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder)) as url,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        for theme in ("light", "dark"):
            take(browser, url, theme)
        browser.close()


if __name__ == "__main__":
    main()
