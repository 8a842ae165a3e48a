"""Helpers for a page with an installed clock."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

AHEAD = 60
"""Seconds from now to a time in the future."""
_LATE_TIMERS = """() => {
    const soon = window.setTimeout;
    const waiting = [];
    window.setTimeout = (run, delay, ...rest) => delay ? soon(run, delay, ...rest) : waiting.push(() => run(...rest));
    window.allTimersAreOver = () => {
        window.setTimeout = soon;
        for (const run of waiting) run();
    };
}"""


@contextmanager
def standing_clock(page: Page) -> Iterator[None]:
    """Stop the page's timeouts within the context."""
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + AHEAD)
    yield
    page.clock.resume()


@contextmanager
def late_timers(page: Page) -> Iterator[None]:
    """Delay the page's zero-length timers, as in a busy browser."""
    page.evaluate(_LATE_TIMERS)
    yield
    page.evaluate("allTimersAreOver()")
