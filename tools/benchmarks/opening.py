"""The cost of opening a long conversation."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from playwright.sync_api import APIRequestContext

from tests.browser.opening import open_page
from tests.servers import wait_until
from tests.stand_ins.paced import prose
from tools.benchmarks.bench import Bench
from tools.benchmarks.figures import Figure

LIST = "/api/conversations/"

LONG_ANSWERS = 50
LONG_TOKENS = 20_000

# Records the milliseconds from a page's opening until the end of its last answer is on the screen.
SHOWN = """(() => {
  const look = () => {
    const last = [...document.querySelectorAll("[role=log] article.answer .block")].at(-1);
    const box = last?.textContent.startsWith("The end of") && last.getBoundingClientRect();
    if (box && box.height > 0 && box.bottom > 0 && box.top < innerHeight) window.endShown = performance.now();
    else requestAnimationFrame(look);
  };
  look();
})()"""


def opening(bench: Bench) -> Iterator[Figure]:
    """A conversation of long answers, opened for the first time since the server started."""
    context = bench.browser.new_context(base_url=bench.server.url, viewport={"width": 1200, "height": 800})
    context.add_init_script(SHOWN)
    page = open_page(context)
    text = "".join(prose(LONG_TOKENS))
    titles = [f"Long answers {number}" for number in range(bench.repeats)]
    for title in titles:
        _take_in(page.request, [_conversation(title, text)])
    listed = {one["title"]: one["id"] for one in page.request.get(LIST).json()["conversations"]}
    took, grew = list[float](), list[float]()
    for title in titles:
        before = bench.server.memory_mb()
        page.goto(f"/c/{listed[title]}")
        took.append(wait_until(lambda: page.evaluate("() => window.endShown"), 60))
        grew.append(bench.server.memory_mb() - before)
    context.close()
    what = f"{LONG_ANSWERS} answers of {LONG_TOKENS} tokens"
    yield Figure("opening", f"{what}: the end is on the screen, median", median(took), "ms", 1000)
    yield Figure("opening", "… memory that the server takes for it, at most", max(grew), "MB", 60)


def _conversation(title: str, text: str) -> dict[str, Any]:
    return {
        "title": title,
        "turns": [
            {
                "id": str(number),
                "parent": str(number - 1) if number > 1 else None,
                "question": f"Question {number} of {title}?",
                "answers": [{"answer": {"text": f"{text}\n\nThe end of {number} in {title}."}}],
            }
            for number in range(1, LONG_ANSWERS + 1)
        ],
    }


def _take_in(request: APIRequestContext, conversations: list[dict[str, Any]]) -> None:
    archive = {"format": "chat-ui-conversations", "version": 1, "conversations": conversations}
    taken = request.post(f"{LIST}import", data=archive, timeout=300_000).json()
    if taken["imported"] != len(conversations):
        raise RuntimeError(f"the import took {taken}")
