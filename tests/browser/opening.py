"""Opening the page, and files from a disk."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from playwright.sync_api import BrowserContext, Page, expect

NewContext: TypeAlias = Callable[..., BrowserContext]
OpenFile: TypeAlias = Callable[..., Page]
"""Opens the file of a path, with Playwright's options of a context."""
Backends: TypeAlias = str | Iterable[tuple[str, str]]
"""The address of a backend, or pairs of a name and an address, of which the first is in use."""
RUN: Final = "window.alert = () => { window.hasRun = true }"
"""A script that notes whether hostile code has run."""
_OF_CONVERSATION = re.compile(r"/c/[\w-]+$")
# `expect` polls every second at most, and this at every frame.
_ALIVE = """() => document.querySelector(".composer-buttons:enabled")
    && document.querySelector("[role=log][aria-busy=false]")"""


def open_page(context: BrowserContext, *, backend: Backends | None = None, path: str = "/") -> Page:
    """A new tab ready for a question, with `backend` as its saved backend."""
    page = context.new_page()
    if backend is not None:
        page.add_init_script(f"localStorage['chat-ui-backend'] ||= {kept(backend)!r}")
    page.goto(path)
    expect_alive(page)
    return page


def kept(backends: Backends) -> str:
    """The stored choices of a browser with these backends."""
    named = [("", backends)] if isinstance(backends, str) else backends
    own = [{"id": f"own:{place}", "name": name, "url": url} for place, (name, url) in enumerate(named)]
    return json.dumps({"selected": "own:0", "own": own})


def use(page: Page, backend: Backends) -> None:
    """Use this backend from now on, as if it was saved before."""
    page.evaluate("kept => localStorage.setItem('chat-ui-backend', kept)", kept(backend))
    reload(page)


def reload(page: Page) -> None:
    """Reload the page, and wait until it takes a question."""
    page.reload()
    expect_alive(page)


def expect_alive(page: Page) -> None:
    """Wait until a question can be sent and the page has the server's data."""
    page.wait_for_function(_ALIVE)


def address_of(page: Page) -> str:
    """The address of the conversation on the page, once it is stored."""
    expect(page).to_have_url(_OF_CONVERSATION)
    return page.url


@contextmanager
def leaving_its_address(page: Page) -> Iterator[None]:
    """Expect the acts within to enter or leave the address of a conversation.

    The page is rendered anew then, and loses keys pressed meanwhile.
    """
    page.evaluate("() => { document.querySelector('.page').dataset.former = ''; }")
    yield
    page.wait_for_function("() => document.querySelector('.page:not([data-former])')")
    expect_alive(page)


def size_of(page: Page, part: str) -> int:
    """The bytes of the last response to an address with `part` in it."""
    fetched = page.wait_for_function(
        """part => performance.getEntriesByType("resource").findLast((one) => one.name.includes(part))?.toJSON()""",
        arg=part,
    )
    return int(fetched.json_value()["decodedBodySize"])
