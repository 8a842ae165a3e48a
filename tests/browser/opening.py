"""The page and files from a disk, as a browser opens them."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from playwright.sync_api import BrowserContext, Page, expect

NewContext: TypeAlias = Callable[..., BrowserContext]
OpenFile: TypeAlias = Callable[..., Page]
"""Opens the file of a path, with what Playwright lets one say of a context."""
Backends: TypeAlias = str | Iterable[tuple[str, str]]
"""The address of a backend, or pairs of a name and an address, of which the first is in use."""
RUN: Final = "window.alert = () => { window.hasRun = true }"
"""A script that notes whether what is hostile has run."""
_OF_CONVERSATION = re.compile(r"/c/[\w-]+$")
# An `expect` looks again after up to a second, this at every frame.
_ALIVE = """() => document.querySelector(".composer-buttons:enabled")
    && document.querySelector("[role=log][aria-busy=false]")"""


def open_page(context: BrowserContext, *, backend: Backends | None = None, path: str = "/") -> Page:
    """A new tab that is ready for a question; `backend` is set as if it had been saved before."""
    page = context.new_page()
    if backend is not None:
        page.add_init_script(f"localStorage['chat-ui-backend'] ||= {kept(backend)!r}")
    page.goto(path)
    expect_alive(page)
    return page


def kept(backends: Backends) -> str:
    """The choices that the browser keeps once somebody added these backends."""
    named = [("", backends)] if isinstance(backends, str) else backends
    own = [{"id": f"own:{place}", "name": name, "url": url} for place, (name, url) in enumerate(named)]
    return json.dumps({"selected": "own:0", "own": own})


def use(page: Page, backend: Backends) -> None:
    """Take this backend from now on, as if it had been saved before."""
    page.evaluate("kept => localStorage.setItem('chat-ui-backend', kept)", kept(backend))
    reload(page)


def reload(page: Page) -> None:
    """Load the page again, once it takes a question."""
    page.reload()
    expect_alive(page)


def expect_alive(page: Page) -> None:
    """Once what is typed can be sent, and the page has what the server knows."""
    page.wait_for_function(_ALIVE)


def address_of(page: Page) -> str:
    """The address of the conversation on the page, once the store has it."""
    expect(page).to_have_url(_OF_CONVERSATION)
    return page.url


@contextmanager
def leaving_its_address(page: Page) -> Iterator[None]:
    """Expect that the acts within lead from the address of a conversation to the page without one, or back. All of the
    page is rendered anew then, and a key that is pressed meanwhile would be lost.
    """
    page.evaluate("() => { document.querySelector('.page').dataset.former = ''; }")
    yield
    page.wait_for_function("() => document.querySelector('.page:not([data-former])')")
    expect_alive(page)


def size_of(page: Page, part: str) -> int:
    """The bytes of what the page fetched last from an address with `part` in it."""
    fetched = page.wait_for_function(
        """part => performance.getEntriesByType("resource").findLast((one) => one.name.includes(part))?.toJSON()""",
        arg=part,
    )
    return int(fetched.json_value()["decodedBodySize"])
