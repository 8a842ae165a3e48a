"""What a long conversation and a long list of conversations cost who opens them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import APIRequestContext, Page, expect

from tests.backends.paced import prose
from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure, middle
from tests.benchmarks.servers import wait_until
from tests.browser.talking import open_page

TURNS = 1_000
CONVERSATIONS = 10_000
COMPARED = 20
"""Pages at each end of the list."""
LIST = "/api/conversations/"

LONG_ANSWERS = 50
LONG_TOKENS = 20_000
SHORT = "All of it is true. " * 40

# Notes how many milliseconds after a page's opening the end of its last answer was on the screen.
SHOWN = """(() => {
  const look = () => {
    const last = [...document.querySelectorAll("[role=log] article.answer .block")].at(-1);
    const box = last?.textContent.startsWith("The end of") && last.getBoundingClientRect();
    if (box && box.height > 0 && box.bottom > 0 && box.top < innerHeight) window.endShown = performance.now();
    else requestAnimationFrame(look);
  };
  look();
})()"""

# Milliseconds from the click on a conversation to its last answer's being on the screen.
OPENED = """(link, words) => new Promise((done) => {
  const began = performance.now();
  const look = () => {
    const last = [...document.querySelectorAll("[role=log] article")].at(-1);
    const box = last?.textContent.includes(words) && last.getBoundingClientRect();
    if (box && box.bottom > 0 && box.top < innerHeight) done(performance.now() - began);
    else requestAnimationFrame(look);
  };
  link.click();
  look();
})"""


def library(bench: Bench) -> Iterator[Figure]:
    """A person with thousands of conversations, some of them very long."""
    context = bench.browser.new_context(base_url=bench.server.url)
    page = open_page(context)
    _take_in(page.request, [_conversation(f"Talk {number}", 1, "") for number in range(CONVERSATIONS)])
    pages = _read_to_the_oldest(page.request)
    newest, oldest = middle(pages[:COMPARED]), middle(pages[-COMPARED:])
    long = [f"Long {number}" for number in range(bench.repeats)]
    _take_in(page.request, [_conversation(title, TURNS, title) for title in long])
    opened = _open_each(page, long)
    context.close()
    yield Figure("library", f"{TURNS} turns: the end is on the screen, median", middle(opened), "ms", 500)
    yield Figure("library", f"… the longest of {len(opened)}", max(opened), "ms", 500)
    yield Figure("library", f"a page of the list of {CONVERSATIONS}, newest", 1000 * newest, "ms")
    yield Figure("library", "… the oldest, against that", oldest / newest, "×", 1.5)


def opening(bench: Bench) -> Iterator[Figure]:
    """A conversation of long answers, which nobody has opened since the server has it."""
    context = bench.browser.new_context(base_url=bench.server.url, viewport={"width": 1200, "height": 800})
    context.add_init_script(SHOWN)
    page = open_page(context)
    text = "".join(prose(LONG_TOKENS))
    titles = [f"Long answers {number}" for number in range(bench.repeats)]
    for title in titles:
        _take_in(page.request, [_conversation(title, LONG_ANSWERS, title, text)])
    listed = {one["title"]: one["id"] for one in page.request.get(LIST).json()["conversations"]}
    took, grew = list[float](), list[float]()
    for title in titles:
        before = bench.server.memory_mb()
        page.goto(f"/c/{listed[title]}")
        took.append(wait_until(lambda: page.evaluate("() => window.endShown"), 60))
        grew.append(bench.server.memory_mb() - before)
    context.close()
    what = f"{LONG_ANSWERS} answers of {LONG_TOKENS} tokens"
    yield Figure("opening", f"{what}: the end is on the screen, median", middle(took), "ms", 1000)
    yield Figure("opening", "… memory that the server takes for it, at most", max(grew), "MB", 60)


def _conversation(title: str, turns: int, name: str, text: str = SHORT) -> dict[str, Any]:
    return {
        "title": title,
        "turns": [
            {
                "id": str(number),
                "parent": str(number - 1) if number > 1 else None,
                "question": f"Question {number} of {title}?",
                "answers": [{"answer": {"text": f"{text}\n\nThe end of {number} in {name}."}}],
            }
            for number in range(1, turns + 1)
        ],
    }


def _take_in(request: APIRequestContext, conversations: list[dict[str, Any]]) -> None:
    archive = {"format": "chat-ui-conversations", "version": 1, "conversations": conversations}
    taken = request.post(f"{LIST}import", data=archive, timeout=300_000).json()
    if taken["imported"] != len(conversations):
        raise RuntimeError(f"the import took {taken}")


def _read_to_the_oldest(request: APIRequestContext) -> list[float]:
    """Seconds for each page of the list."""
    took, after, read = list[float](), "", 0
    while after is not None:
        began = time.perf_counter()
        page = request.get(LIST, params={"after": after}).json()
        took.append(time.perf_counter() - began)
        read += len(page["conversations"])
        after = page["next"]
    if read != CONVERSATIONS:
        raise RuntimeError(f"{read} conversations were listed")
    return took


def _open_each(page: Page, titles: list[str]) -> list[float]:
    """Milliseconds for each conversation, which nobody has opened before."""
    page.get_by_role("button", name="Conversations", exact=True).click()
    took = []
    for title in titles:
        link = page.get_by_role("navigation", name="Conversations").get_by_role("link", name=title)
        expect(link).to_be_visible()
        took.append(float(link.evaluate(OPENED, f"The end of {TURNS} in {title}.")))
    return took
