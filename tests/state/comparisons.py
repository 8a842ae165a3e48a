"""What a test does on a page that compares two arms."""

from typing import Any

from tests.page_socket import CHAT, SECOND_ARM, PageSocket

BOTH = (CHAT, SECOND_ARM)


def latest(page: PageSocket) -> list[dict[str, Any]]:
    return [page.states[state]["latest"] for state in BOTH]


def questions(page: PageSocket) -> list[list[str]]:
    return [[turn["question"] for turn in page.states[state]["turns"]] for state in BOTH]


async def compare(page: PageSocket) -> None:
    await page.do(f"{SECOND_ARM}.compare", until=lambda _: page.states[SECOND_ARM]["comparing"])


async def ask_both(page: PageSocket, question: str) -> None:
    """Ask, and wait for both answers."""
    before = {one["id"] for one in latest(page)}
    await page.send(f"{SECOND_ARM}.ask_both", {"question": question, "attached": []})
    await page.until(lambda _: all(one["id"] not in before and not one["live"] for one in latest(page)))
