"""The rules of axe, asked of a page that has settled."""

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page, expect

SETTLED = """() => document.getAnimations().every(
    (animation) => animation.playState !== "running" || animation.effect.getTiming().iterations === Infinity
)"""
"""Nothing fades any more: a colour half-way has another contrast."""
_RUN = """rules => axe.run(rules.length ? { runOnly: rules } : {
    rules: { "target-size": { enabled: true }, "css-orientation-lock": { enabled: true } },
}).then(
    ({ violations, passes, testEngine }) => ({
        violations, passes: passes.map(({ id, tags }) => ({ id, tags })), version: testEngine.version }))"""


def axe_results(page: Page, *rules: str) -> AxeResults:
    """What axe finds by these rules, or by all that it has by default and those of the size of targets
    and of orientation, with the names of those that passed.
    """
    page.wait_for_function(SETTLED)
    # The script is half a megabyte: a document gets it once.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return AxeResults(page.evaluate(_RUN, rules))


def expect_no_violations(page: Page, state: str = "this state", *rules: str) -> None:
    """Of these rules, or of all that axe has by default; `state` is the name of the page's state in the report."""
    found = axe_results(page, *rules)
    assert found.violations_count == 0, f"{state}: {found.generate_report()}"


def expect_no_violations_in_both_schemes(page: Page) -> None:
    """The light one and the dark one; a page takes the system's a moment after the media query tells of it."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(f"html.{scheme}")).to_be_attached()
        expect_no_violations(page, scheme)
