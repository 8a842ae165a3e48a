"""What the parts of a benchmark share, each thing started when it is first needed."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property

from playwright.sync_api import Browser

from tests.benchmarks.browser import chromium_browser
from tests.benchmarks.servers import Backend, Server, app, paced_backend


class Bench:
    """A context with the app, the paced backend and a browser; a median is taken of `repeats` runs."""

    def __init__(self, repeats: int, peers: str | None) -> None:
        self.repeats = repeats
        self.peers = peers
        self.stack = ExitStack()

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    @cached_property
    def backend(self) -> Backend:
        """The paced backend."""
        return self.stack.enter_context(paced_backend())

    @cached_property
    def server(self) -> Server:
        """The app."""
        return self.stack.enter_context(app())

    @cached_property
    def browser(self) -> Browser:
        """A Chromium."""
        return self.stack.enter_context(chromium_browser())
