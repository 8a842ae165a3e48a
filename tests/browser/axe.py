"""The rules of axe, asked of a page that has settled."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

SETTLED = """() => document.getAnimations().every(
    (animation) => animation.playState !== "running" || animation.effect.getTiming().iterations === Infinity
)"""
"""Nothing fades any more: a colour half-way has another contrast."""
_RUN = "rules => axe.run(rules ? {runOnly: rules} : {}).then(({ violations }) => ({ violations }))"


def expect_no_violations(page: Page, *, of: list[str] | None = None) -> None:
    """Of any rule, or of these alone."""
    page.wait_for_function(SETTLED)
    # The script is half a megabyte: a document gets it once.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = AxeResults(page.evaluate(_RUN, of))
    assert found.violations_count == 0, found.generate_report()
