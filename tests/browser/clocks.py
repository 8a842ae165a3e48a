"""The clock of a page, once it was installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

AHEAD = 60
"""Seconds to a time that has not come yet."""


@contextmanager
def standing_clock(page: Page) -> Iterator[None]:
    """While this lasts, the page gives up waiting for nothing, however long that takes on this machine."""
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + AHEAD)
    yield
    page.clock.resume()
