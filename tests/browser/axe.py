"""The rules of axe, asked of a page that has settled."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SETTLED = """() => document.getAnimations().every(
    (animation) => animation.playState !== "running" || animation.effect.getTiming().iterations === Infinity
)"""
"""Nothing fades any more: a colour half-way has another contrast."""


def expect_no_violations(page: Page) -> None:
    page.wait_for_function(SETTLED)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
