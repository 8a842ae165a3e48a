"""Chromium of the distribution, driven by Playwright."""

import shutil

from playwright.sync_api import Browser, Playwright

FLAGS = (
    # Required for root, as in a container.
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str:
    """The path of the browser, preferably the headless shell.

    The shell has the same renderer, and opens a page with a quarter of the processor time.

    Raises:
        RuntimeError: Chromium is missing.
    """
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise RuntimeError("No Chromium was found; tests/run installs one.")


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
