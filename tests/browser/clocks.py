"""The clock of a page, once it was installed, and what waits for it."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

AHEAD = 60
"""Seconds to a time that has not come yet."""
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
    """While this lasts, the page gives up waiting for nothing, however long that takes on this machine."""
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + AHEAD)
    yield
    page.clock.resume()


@contextmanager
def late_timers(page: Page) -> Iterator[None]:
    """What a page puts off to its next turn comes after this, as in a browser that has much else to do."""
    page.evaluate(_LATE_TIMERS)
    yield
    page.evaluate("allTimersAreOver()")
