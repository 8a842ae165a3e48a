"""Takes the pictures of the page in the documents: `python -m tools.screenshots` writes `docs/pictures/`.

`python -m tools.screenshots --languages FOLDER` takes five states in each language for review.
"""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
from itertools import product
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from chat_ui.languages.catalogues import offered
from chat_ui.languages.language import Language
from tests.app import ROOT, running_app
from tests.browser.answering import expect_settled
from tests.browser.asking import ask
from tests.browser.opening import expect_alive, open_page
from tests.browser.test_written_languages import BROAD, NARROW, states
from tests.chromium import launch

OUTPUT = ROOT / "docs" / "pictures"
QUESTION = "How much parental leave do I get?"
Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
BRANDING = ROOT / "docs" / "branding.md"
WIDE: Final[ViewportSize] = {"width": 1200, "height": 780}
DARK = {3}
"""The indices of the dark pictures in `BRANDING`."""


def show_sources(page: Page) -> None:
    ask(page, QUESTION)
    expect_settled(page).get_by_role("button", name=re.compile("Citation 1")).first.click()
    expect(page.get_by_role("region", name="Sources").locator("mark").first).to_be_visible()


def take(browser: Browser, url: str, theme: Theme) -> None:
    context = browser.new_context(base_url=url, color_scheme=theme, viewport=WIDE)
    page = open_page(context)
    show_sources(page)
    page.mouse.move(0, 0)
    page.evaluate("document.fonts.ready")
    page.screenshot(path=OUTPUT / f"sources-{theme}.png", animations="disabled")
    context.close()


def take_branded(browser: Browser, url: str, number: int) -> None:
    theme: Theme = "dark" if number in DARK else "light"
    context = browser.new_context(base_url=url, color_scheme=theme, viewport={"width": 900, "height": 520})
    page = context.new_page()
    page.goto("/")
    expect_alive(page)
    page.screenshot(path=OUTPUT / f"branding-{number}.png")
    context.close()


def take_written(browser: Browser, url: str, language: Language, size: tuple[int, int], to: Path) -> None:
    """Take the states of a page in a language."""
    width, height = size
    context = browser.new_context(base_url=url, locale=language.tag, viewport={"width": width, "height": height})
    page = open_page(context)
    for state in states(page, language):
        page.evaluate("document.fonts.ready")
        page.screenshot(path=to / f"{language.tag}-{state}-{width}.png", animations="disabled")
    context.close()


def branded(folder: Path) -> list[Path]:
    """The settings files of `BRANDING`, with their logos beside them."""
    shutil.copytree(ROOT / "docs" / "logos", folder / "logos")
    files = []
    for number, settings in enumerate(re.findall(r"```toml\n(.*?)```", BRANDING.read_text(), re.DOTALL), 1):
        file = folder / f"{number}.toml"
        file.write_text(settings)
        files.append(file)
    return files


def take_documents(browser: Browser, folder: Path, built: Path) -> None:
    """Take the pictures of the documents."""
    OUTPUT.mkdir(exist_ok=True)
    with running_app(built) as url:
        for theme in THEMES:
            take(browser, url, theme)
    for number, file in enumerate(branded(folder), 1):
        own = folder / f"{number}"
        own.mkdir()
        with running_app(own, {"CHAT_UI_CONFIG": str(file)}, built) as url:
            take_branded(browser, url, number)


def take_languages(browser: Browser, built: Path, to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    languages = offered()
    with running_app(built) as url:
        for language, size in product(languages.values(), (NARROW, BROAD)):
            take_written(browser, url, language, size, to)


def main() -> None:
    parser = argparse.ArgumentParser(description="Takes the pictures of the page.")
    parser.add_argument("--languages", type=Path, metavar="FOLDER", help="five states in each language, into a folder")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, browser = Path(name), launch(playwright)
        built = folder / "built"
        built.mkdir()
        if chosen.languages:
            take_languages(browser, built, chosen.languages)
        else:
            take_documents(browser, folder, built)
        browser.close()


if __name__ == "__main__":
    main()
