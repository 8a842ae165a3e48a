"""Checks of axe on a page at rest."""

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page, expect

SETTLED = """() => document.getAnimations().every(
    (animation) => animation.playState !== "running" || animation.effect.getTiming().iterations === Infinity
)"""
"""All transitions are over, since a colour in transition has another contrast."""
_RUN = """rules => axe.run(rules.length ? { runOnly: rules } : {
    rules: { "target-size": { enabled: true }, "css-orientation-lock": { enabled: true } },
}).then(
    ({ violations, passes, testEngine }) => ({
        violations, passes: passes.map(({ id, tags }) => ({ id, tags })), version: testEngine.version }))"""


def axe_results(page: Page, *rules: str) -> AxeResults:
    """Violations of these rules, and the names of the rules that passed.

    The default is axe's own rules with those for target size and orientation.
    """
    page.wait_for_function(SETTLED)
    # The script has half a megabyte, so a document gets it once.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return AxeResults(page.evaluate(_RUN, rules))


def expect_no_violations(page: Page, state: str = "this state", *rules: str) -> None:
    """Check these rules, or axe's default. The report names the page's `state`."""
    found = axe_results(page, *rules)
    assert found.violations_count == 0, f"{state}: {found.generate_report()}"


def expect_no_violations_in_both_schemes(page: Page) -> None:
    """Check the light and the dark scheme. The page follows the media query with a delay."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(f"html.{scheme}")).to_be_attached()
        expect_no_violations(page, scheme)
