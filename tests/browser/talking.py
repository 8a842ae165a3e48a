"""What a person does with the page, in the words that a screen reader would use."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, Locator, Page, expect

NewContext = Callable[..., BrowserContext]

# Most of all waiting is for these two. An `expect` looks again after up to a second, these look at every frame.
_OF_CONVERSATION = re.compile(r"/c/[\w-]+$")
_ALIVE = """() => document.querySelector(".composer-buttons:enabled")
    && document.querySelector("[role=log][aria-busy=false]")"""
_SETTLED = """turns => document.querySelectorAll("article.answer").length === turns
    && document.querySelectorAll("article.answer .copy-answer").length === turns
    && !document.querySelector("article.answer[aria-busy=true], article.answer [aria-busy=true]")"""


def open_page(context: BrowserContext, *, backend: str | None = None, path: str = "/") -> Page:
    """A new tab that is ready for a question; `backend` is set as if it had been saved before."""
    page = context.new_page()
    if backend is not None:
        page.add_init_script(f"localStorage['chat-ui-backend'] ||= {chosen(backend)!r}")
    page.goto(path)
    expect_alive(page)
    return page


def chosen(backend: str) -> str:
    """What the browser keeps once somebody added this backend."""
    return json.dumps({"selected": "own:first", "own": [{"id": "own:first", "url": backend}]})


def use(page: Page, backend: str) -> None:
    """Take this backend from now on, as if it had been saved before."""
    page.evaluate("chosen => localStorage.setItem('chat-ui-backend', chosen)", chosen(backend))
    page.reload()
    expect_alive(page)


def expect_alive(page: Page) -> None:
    """Once what is typed can be sent, and the page has what the server knows."""
    page.wait_for_function(_ALIVE)


def message(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


def ask(page: Page, question: str) -> None:
    """Ask once nothing is being answered any more, as far as this tab knows."""
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    ask_at_once(page, question)


def ask_at_once(page: Page, question: str) -> None:
    """Ask even if an answer is still being written."""
    message(page).fill(question)
    message(page).press("Enter")


def answers(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation").get_by_role("article", name="Answer")


def questions(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation").get_by_role("article", name="Question")


def expect_settled(page: Page, *, turns: int = 1) -> Locator:
    """The last of `turns` answers, once nothing more comes of it and all of it is shown."""
    page.wait_for_function(_SETTLED, arg=turns)
    return answers(page).last


def address_of(page: Page) -> str:
    """The address of the conversation on the page, once the store has it."""
    expect(page).to_have_url(_OF_CONVERSATION)
    return page.url


def text_of(answer: Locator) -> str:
    """The text of an answer without any white space, also of what the browser lays out only once it is seen."""
    return "".join((answer.locator(".answer-text").text_content() or "").split())


def choose(button: Locator, item: str) -> None:
    """Choose the item of the menu behind the button, once no other one is closing."""
    expect(button.page.get_by_role("menu")).to_have_count(0)
    button.click()
    button.page.get_by_role("menuitem", name=item, exact=True).click()


def options_of(listed: Locator, title: str) -> Locator:
    """The button of the options of a conversation in the list."""
    return listed.get_by_role("button", name=f"Options of {title}")


def copied(page: Page, button: Locator, said: str = "Copied.") -> str:
    """The text that a button copies, once the page says so."""
    # The words stand for a second, and the same may stand there from before.
    page.evaluate(
        """() => {
            window.added = [];
            const add = ({ addedNodes }) => added.push(...Array.from(addedNodes, ({ textContent }) => textContent));
            const region = document.getElementById("announcements");
            new MutationObserver((records) => records.forEach(add)).observe(region, { childList: true });
        }"""
    )
    button.click()
    page.wait_for_function("said => added.includes(said)", arg=said)
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


@contextmanager
def leaving_its_address(page: Page) -> Iterator[None]:
    """That what is done here leads from the address of a conversation to the page without one, or back: all of the page
    is rendered anew then, and a key that is pressed meanwhile would be nobody's.
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


def expect_streaming(page: Page) -> Locator:
    """The last answer, once some of its text is there and more is to come."""
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    answer = answers(page).last
    expect(answer.locator(".answer-text")).not_to_be_empty()
    return answer
