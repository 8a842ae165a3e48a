"""Answers, found by their accessible names."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.asking import ask

# `expect` polls every second at most, and this at every frame.
_SETTLED = """turns => document.querySelectorAll("article.answer").length === turns
    && !document.querySelector("article.answer[aria-busy=true], article.answer [aria-busy=true]")"""
# A conversation that is being left may look settled as well.
_ASKED = """question => Array.from(document.querySelectorAll("[role=log] .question .question-text")).at(-1)
    ?.textContent.replace(/\\s/g, "").startsWith(question)"""


def answers(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation").get_by_role("article", name="Answer")


def expect_settled(page: Page, *, turns: int = 1) -> Locator:
    """The last of `turns` answers, once it has ended and is shown whole."""
    page.wait_for_function(_SETTLED, arg=turns)
    return answers(page).last


def expect_streaming(page: Page) -> Locator:
    """The last answer, once it has some text and still grows."""
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    answer = answers(page).last
    expect(answer.locator(".answer-text")).not_to_be_empty()
    return answer


def get_answer(page: Page, question: str, *, turns: int = 1) -> Locator:
    """Ask, and wait for the last of `turns` answers."""
    _ask(page, question)
    return expect_settled(page, turns=turns)


def start_answer(page: Page, question: str) -> Locator:
    """Ask, and wait for the beginning of an answer that still grows."""
    _ask(page, question)
    return expect_streaming(page)


def _ask(page: Page, question: str) -> None:
    ask(page, question)
    page.wait_for_function(_ASKED, arg="".join(question.split())[:100])


def text_of(answer: Locator) -> str:
    """The text of an answer without white space, including text that is laid out only on view."""
    return "".join((answer.locator(".answer-text").text_content() or "").split())


def copied(page: Page, button: Locator, said: str = "Copied.") -> str:
    """The text that a button copies."""
    # An announcement stays for a second, and may equal the one before.
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
