"""A React chat page for comparison: `page.jsx`, with the packages that `bun.lock` pins."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser

from tests.servers import Backend, Server
from tools.benchmarks.browser import CLOCK, VIEWPORT, MeasuredPage

HTML: Final = "<!doctype html><meta charset='utf-8'><div id='root'></div><script src='page.js' defer></script>"


@contextmanager
def react_page(browser: Browser, server: Server, backend: Backend) -> Iterator[MeasuredPage]:
    """The page as if the paced backend served it."""
    context = browser.new_context(base_url=backend.url.removesuffix("chat"), viewport=VIEWPORT)
    context.add_init_script(CLOCK)
    page = context.new_page()
    page.route("/react/", lambda route: route.fulfill(body=HTML, content_type="text/html"))
    page.route("/react/page.js", lambda route: route.fulfill(body=bundle(), content_type="text/javascript"))
    page.goto("/react/")
    # With routes, every request would wait for Playwright.
    page.unroute_all()
    yield MeasuredPage(page, server, backend)
    context.close()


@cache
def bundle() -> str:
    """The page's script, minified.

    Raises:
        subprocess.CalledProcessError: the packages could not be installed, or the script not be bundled.
    """
    bun = Path(sys.executable).with_name("bun")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(Path(__file__).parent, folder, dirs_exist_ok=True)
        for command in ("install --frozen-lockfile --silent", "build page.jsx --production --outfile=page.js"):
            subprocess.run([bun, *command.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return Path(folder, "page.js").read_text()
