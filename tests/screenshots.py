"""Takes the pictures of the page in the documents: `python -m tests.screenshots` writes `tests/pictures/`."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.app import ROOT, running_app
from tests.browser.talking import ask, expect_alive, expect_settled, open_page
from tests.chromium import launch

OUTPUT = Path(__file__).parent / "pictures"
QUESTION = "How much parental leave do I get?"
BRANDING = ROOT / "docs" / "branding.md"
DARK = {3}
"""Which of the brandings is shown on a dark screen."""


def take(browser: Browser, url: str, theme: str) -> None:
    context = browser.new_context(base_url=url, color_scheme=theme, viewport={"width": 1200, "height": 720})
    page = open_page(context)
    ask(page, QUESTION)
    expect_settled(page).get_by_role("button", name=re.compile("Citation 1")).first.click()
    expect(page.get_by_role("region", name="Sources").locator("mark").first).to_be_visible()
    page.screenshot(path=OUTPUT / f"{theme}.png")
    context.close()


def take_branded(browser: Browser, url: str, number: int) -> None:
    theme = "dark" if number in DARK else "light"
    context = browser.new_context(base_url=url, color_scheme=theme, viewport={"width": 900, "height": 520})
    page = context.new_page()
    page.goto("/")
    expect_alive(page)
    page.screenshot(path=OUTPUT / f"branding-{number}.png")
    context.close()


def branded(folder: Path) -> list[Path]:
    """The files of settings in `BRANDING`, with the logos beside them."""
    shutil.copytree(ROOT / "docs" / "logos", folder / "logos")
    files = []
    for number, settings in enumerate(re.findall(r"```toml\n(.*?)```", BRANDING.read_text(), re.DOTALL), 1):
        file = folder / f"{number}.toml"
        file.write_text(settings)
        files.append(file)
    return files


def main() -> None:
    OUTPUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, browser = Path(name), launch(playwright)
        built = folder / "built"
        built.mkdir()
        with running_app(built) as url:
            for theme in ("light", "dark"):
                take(browser, url, theme)
        for number, file in enumerate(branded(folder), 1):
            own = folder / f"{number}"
            own.mkdir()
            with running_app(own, {"CHAT_UI_CONFIG": str(file)}, built) as url:
                take_branded(browser, url, number)
        browser.close()


if __name__ == "__main__":
    main()
