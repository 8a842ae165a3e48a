"""Files that a browser opens from a disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from playwright.sync_api import Page

OpenFile: TypeAlias = Callable[..., Page]
"""Opens the file of a path, with what Playwright lets one say of a context."""
RUN: Final = "window.alert = () => { window.hasRun = true }"
"""A script that notes whether what is hostile has run."""
