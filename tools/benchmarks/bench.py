"""The context of a benchmark's parts; each resource is started when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cached_property
from typing import Any, TypeVar

from playwright.sync_api import Browser

from tests.servers import Backend, Server, app, paced_backend
from tools.benchmarks.browser import chromium_browser

Result = TypeVar("Result")


class Bench:
    """The app, the paced backend and a browser; medians are of `repeats` runs."""

    def __init__(self, repeats: int) -> None:
        self.repeats = repeats
        self.stack = ExitStack()

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    @cached_property
    def backend(self) -> Backend:
        return self.stack.enter_context(paced_backend())

    @cached_property
    def server(self) -> Server:
        return self.stack.enter_context(app())

    @cached_property
    def browser(self) -> Browser:
        return self.stack.enter_context(chromium_browser())

    def run(self, talk: Coroutine[Any, Any, Result]) -> Result:
        """The result of `talk`, on an event loop in another thread: Playwright's may run in this thread."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, talk).result()
