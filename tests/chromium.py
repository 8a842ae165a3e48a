"""The Chromium of the distribution, driven by Playwright."""

import shutil

from playwright.sync_api import Browser, Playwright

FLAGS = (
    # Needed as root, as in a container.
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str:
    """The path of the browser: the headless shell where there is one, which is the same renderer without the windows,
    and takes a quarter of the processor time to open a page.

    Raises:
        RuntimeError: there is none.
    """
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise RuntimeError("No Chromium was found; tests/run installs one.")


def launch(playwright: Playwright) -> Browser:
    """A headless browser with no profile."""
    return playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
