"""`python -m tools.accessibility` writes `docs/accessibility.md`; with criteria, it prints their evidence instead."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect, sync_playwright

from tests.app import running_app
from tests.browser.axe import axe_results
from tests.browser.opening import open_page
from tests.browser.stand_in import StandIn
from tests.browser.test_states import THEMES, WIDTHS
from tests.browser.walks import WALKS
from tests.chromium import launch
from tests.features.demo.serving import serving
from tests.timeouts import TIMEOUT
from tools.accessibility.record import AXE, DOCUMENT, document, evidence


def _results(browser: Browser, url: str, stand_in: StandIn) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each state with axe's results, at each width in both themes."""
    for width, theme, walk in product(WIDTHS, THEMES, WALKS.values()):
        context = browser.new_context(base_url=url, viewport={"width": width, "height": 800}, color_scheme=theme)
        page = open_page(context)
        for state in walk(page, stand_in):
            yield state, axe_results(page).response
        context.close()


def _run_axe() -> dict[str, Any]:
    """The content of `axe.json`: numbers of states, runs and violations, and the passed rules with their tags."""
    stand_in, found = StandIn(), []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright)
        with serving(stand_in.app) as stand_in.url, running_app(Path(folder)) as url:
            found = list(_results(browser, url, stand_in))
        version = browser.version
        browser.close()
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "version": found[0][1]["version"],
        "chromium": version,
        "widths": WIDTHS,
        "states": len({state for state, _ in found}),
        "runs": len(found),
        "violations": sum(len(response["violations"]) for _, response in found),
        "rules": {rule["id"]: rule["tags"] for _, response in found for rule in response["passes"]},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.accessibility", description=__doc__)
    parser.add_argument("--axe", action="store_true", help="run axe in all states first: some minutes")
    parser.add_argument("criteria", nargs="*", help="list the evidence of these success criteria, such as 2.1.1")
    options = parser.parse_args()
    if options.criteria:
        print(*(line for number in options.criteria for line in evidence(number)), sep="\n")
        return
    if options.axe:
        expect.set_options(timeout=1000 * TIMEOUT)
        AXE.write_text(json.dumps(_run_axe(), indent=1) + "\n")
    DOCUMENT.write_text(document())


if __name__ == "__main__":
    main()
