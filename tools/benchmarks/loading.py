"""The first visit, and typing while an answer streams."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import httpx2
from playwright.sync_api import CDPSession

from chat_ui.languages.catalogues import offered
from tests.browser.answering import expect_streaming
from tests.browser.asking import message
from tests.browser.opening import open_page
from tests.servers import wait_until
from tools.benchmarks.answering import STANDARD
from tools.benchmarks.bench import Bench
from tools.benchmarks.browser import question
from tools.benchmarks.figures import Figure, percentile

SLOWER = 4
KEYS = 60
PAUSE_MS = 70

# Records the time until the composer accepts text.
USABLE = """new MutationObserver((_, observer) => {
  const box = document.querySelector("textarea");
  if (!box) return;
  window.usable = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributes: true })"""

# Records the time from each key to the frame after it. Chromium reports at least 16 ms.
KEY_TO_PAINT = """() => {
  window.keys = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === "keydown") keys.push(entry.duration);
  }).observe({ type: "event", durationThreshold: 16 });
}"""
UNNOTICED_MS = 16.0
_WORDS = re.compile(r'<script src="(/api/languages/[^"]+)">')


@dataclass(frozen=True)
class Visit:
    """A first visit: the time until the composer is usable, and the transferred bytes of each resource type."""

    usable_ms: float
    bytes_of: dict[str, int]


def first_load(bench: Bench) -> Iterator[Figure]:
    """The page with an empty cache."""
    visits = [_visit(bench, throttled=True) for _ in range(bench.repeats)]
    unslowed = [_visit(bench, throttled=False) for _ in range(bench.repeats)]
    sizes = visits[0].bytes_of
    yield Figure("load", "JavaScript that travelled", sizes.get("Script", 0) / 1000, "kB", 244)
    yield Figure("load", "CSS that travelled", sizes.get("Stylesheet", 0) / 1000, "kB", 52)
    yield Figure("load", "typeface that travelled", sizes.get("Font", 0) / 1000, "kB", 50)
    words = max(_bytes_of_words(bench.server.url, tag) for tag in offered())
    yield Figure("load", "… the words of another language, once, at most", words / 1000, "kB", 17)
    usable = median([visit.usable_ms for visit in visits])
    yield Figure("load", f"composer usable, processor slowed {SLOWER} ×", usable, "ms", 1000)
    yield Figure("load", "composer usable", median([visit.usable_ms for visit in unslowed]), "ms")


def typing(bench: Bench) -> Iterator[Figure]:
    """Keystrokes while an answer streams."""
    durations: list[float] = []
    for run in range(bench.repeats):
        context = bench.browser.new_context(base_url=bench.server.url, viewport={"width": 1200, "height": 800})
        page = open_page(context, backend=bench.backend.url)
        message(page).fill(question(f"typing{run}", STANDARD))
        message(page).press("Enter")
        expect_streaming(page)
        page.evaluate(KEY_TO_PAINT)
        message(page).press_sequentially("k" * KEYS, delay=PAUSE_MS)
        told = page.evaluate("keys")
        durations += [*told, *[UNNOTICED_MS] * (KEYS - len(told))]
        context.close()
    yield Figure(
        "typing", "key to paint while an answer streams, 95th percentile", percentile(durations, 0.95), "ms", 50
    )


def _visit(bench: Bench, *, throttled: bool) -> Visit:
    context = bench.browser.new_context(base_url=bench.server.url, viewport={"width": 1200, "height": 800})
    context.add_init_script(USABLE)
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    sizes = _count(devtools)
    if throttled:
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto("/", wait_until="networkidle")
    usable = wait_until(lambda: page.evaluate("window.usable ?? null"), 30)
    context.close()
    return Visit(usable, sizes)


def _bytes_of_words(url: str, language: str) -> int:
    """The transferred bytes of a language's messages; 0 for English."""
    named = _WORDS.search(httpx2.get(url, headers={"Accept-Language": language}).text)
    if named is None:
        return 0
    with httpx2.stream("GET", url + named[1]) as answer:
        return sum(map(len, answer.iter_raw()))


def _count(devtools: CDPSession) -> dict[str, int]:
    types: dict[str, str] = {}
    sizes: dict[str, int] = {}

    def responded(event: dict[str, Any]) -> None:
        types[event["requestId"]] = event["type"]

    def finished(event: dict[str, Any]) -> None:
        kind = types.get(event["requestId"], "")
        sizes[kind] = sizes.get(kind, 0) + int(event["encodedDataLength"])

    devtools.on("Network.responseReceived", responded)
    devtools.on("Network.loadingFinished", finished)
    devtools.send("Network.enable")
    return sizes
