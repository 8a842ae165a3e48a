"""Questions, asked through accessible names."""

from playwright.sync_api import Locator, Page, expect

LEAVE = "How much parental leave do I get?"
LONG = "Show me everything Markdown can do"
"""Questions that the demo backend answers."""


def message(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


def ask(page: Page, question: str) -> None:
    """Ask once this tab shows no running answer."""
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    ask_at_once(page, question)


def ask_at_once(page: Page, question: str) -> None:
    """Ask during an answer."""
    message(page).fill(question)
    message(page).press("Enter")


def questions(page: Page) -> Locator:
    return page.get_by_role("log", name="Conversation").get_by_role("article", name="Question")


def new_chat(page: Page) -> None:
    page.get_by_role("button", name="New chat").click()
    expect(questions(page)).to_have_count(0)
