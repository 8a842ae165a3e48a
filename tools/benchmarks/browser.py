"""Measures a page in Chromium while an answer streams in.

Playwright waits within the page's animation frames, which would add to the cost. The measurements wait on the backend's
log instead.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from playwright.sync_api import Browser, CDPSession, Page, ViewportSize, expect, sync_playwright

from tests.browser.answering import expect_settled
from tests.browser.asking import ask, message, questions
from tests.browser.opening import open_page
from tests.browser.places import choose
from tests.chromium import launch
from tests.servers import Backend, Server, wait_until
from tests.stand_ins.paced import FIRST, LAST, Sent

# Records the frames after the first and the last word of an answer, and every task of more than 50 ms. Reads only
# mutations, never the whole page.
CLOCK = f"""(() => {{
  const seen = (window.seen = {{ first: 0, last: 0, tasks: [] }});
  // Text that is put in within an animation frame is painted with it; another one that is asked for there comes later.
  // An observer is told behind the frame that the text is painted with.
  const note = (name) => {{
    const observer = new IntersectionObserver(() => {{
      seen[name] = performance.timeOrigin + performance.now();
      observer.disconnect();
    }});
    observer.observe(document.documentElement);
  }};
  const wanted = [];
  const columns = new Set();
  let most = 1;
  const isInAll = (node) => {{
    if (most > 1) columns.add((node.parentElement ?? node).closest("[data-column]")?.dataset.column);
    columns.delete(undefined);
    return most === 1 || columns.size === most;
  }};
  const look = (text, node) => {{
    while (wanted.length && text.includes(wanted[0][1]) && (wanted[0][0] === "first" || isInAll(node)))
      note(wanted.shift()[0]);
  }};
  window.expectAnswer = (name, inArms = 1) => {{
    seen.first = seen.last = 0;
    seen.tasks.length = 0;
    columns.clear();
    most = inArms;
    wanted.splice(0, 2, ["first", {FIRST!r} + name], ["last", {LAST!r} + name]);
  }};
  new MutationObserver((records) => {{
    for (const record of records) {{
      if (record.type === "characterData") look(record.target.data, record.target);
      else for (const node of record.addedNodes) look(node.textContent, node);
    }}
  }}).observe(document, {{ subtree: true, childList: true, characterData: true }});
  new PerformanceObserver((list) => {{
    for (const entry of list.getEntries()) seen.tasks.push(entry.duration);
  }}).observe({{ type: "longtask" }});
}})()"""

NUMBERS = count(1)
VIEWPORT: Final[ViewportSize] = {"width": 1200, "height": 800}


@dataclass(frozen=True)
class Measured:
    """The cost of an answer; times are in seconds, `first_text` and `last_text` relative to the backend's.

    `main_thread` is the time of tasks on the page's main thread (CDP's `TaskDuration`), including waits for the
    compositor and a free core. `main_thread_cpu` is the processor time of these tasks.
    """

    first_text: float
    last_text: float
    main_thread: float
    main_thread_cpu: float
    script: float
    layout_and_style: float
    longest_task: float
    server_cpu: float
    received: int
    sent: Sent


class MeasuredPage:
    """A page with the clock, and the metrics of its renderer."""

    def __init__(
        self,
        page: Page,
        server: Server,
        backend: Backend,
        columns: int = 1,
    ) -> None:
        """Ask in a page with `columns` answers for each question."""
        self.page = page
        self._columns = columns
        self._box = message(page)
        self._server = server
        self._backend = backend
        self._devtools: CDPSession = page.context.new_cdp_session(page)
        self._devtools.send("Performance.enable", {"timeDomain": "timeTicks"})
        self._processor: CDPSession = page.context.new_cdp_session(page)
        self._processor.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._received = 0
        self._devtools.on("Network.dataReceived", self._count_data)
        self._devtools.on("Network.webSocketFrameReceived", self._count_frame)

    def count_bytes(self) -> None:
        """Count received bytes from now on; this slows the browser, so ignore its times."""
        self._devtools.send("Network.enable")

    def ask(self, **wanted: object) -> Measured:
        """Ask the backend for an answer of `wanted` (`kind`, `tokens`, `rate`), and measure it."""
        name = f"n{next(NUMBERS)}"
        self.page.evaluate("([name, columns]) => expectAnswer(name, columns)", [name, self._columns])
        self._box.fill(question(name, wanted))
        cpu, received = self._server.cpu_seconds(), self._received
        before = self._metrics()
        self._box.press("Enter")
        sent = wait_until(lambda: self._backend.sent(name), 120)
        seen = wait_until(self._seen, 180, every=0.5)
        after = self._metrics()
        return Measured(
            first_text=seen["first"] / 1000 - sent.first_text,
            last_text=seen["last"] / 1000 - sent.ended,
            main_thread=after["TaskDuration"] - before["TaskDuration"],
            main_thread_cpu=after["ProcessorTime"] - before["ProcessorTime"],
            script=after["ScriptDuration"] - before["ScriptDuration"],
            layout_and_style=sum(after[name] - before[name] for name in ("LayoutDuration", "RecalcStyleDuration")),
            longest_task=max(seen["tasks"], default=0.0) / 1000,
            server_cpu=self._server.cpu_seconds() - cpu,
            received=self._received - received,
            sent=sent,
        )

    def _seen(self) -> dict[str, Any] | None:
        # Include the work after the last text: the answer's tools and follow-up questions.
        time.sleep(0.5)
        seen: dict[str, Any] = self.page.evaluate("seen")
        return seen if seen["last"] else None

    def _metrics(self) -> dict[str, float]:
        busy, processor = (
            {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
            for session in (self._devtools, self._processor)
        )
        return {**busy, "ProcessorTime": processor["TaskDuration"]}

    def _count_data(self, event: dict[str, Any]) -> None:
        self._received += event["encodedDataLength"] or event["dataLength"]

    def _count_frame(self, event: dict[str, Any]) -> None:
        self._received += len(event["response"]["payloadData"].encode())


def question(name: str, wanted: Mapping[str, object]) -> str:
    """The question that requests the answer `wanted` from the paced backend, which logs it under `name`."""
    return " ".join(f"{key}={value}" for key, value in {**wanted, "id": name}.items())


@contextmanager
def chromium_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@contextmanager
def chat_page(browser: Browser, server: Server, backend: Backend) -> Iterator[MeasuredPage]:
    """The chat page of a new person with the paced backend."""
    context = browser.new_context(base_url=server.url, viewport=VIEWPORT)
    context.add_init_script(CLOCK)
    page = open_page(context, backend=backend.url)
    yield MeasuredPage(page, server, backend)
    context.close()


@contextmanager
def compared_page(browser: Browser, server: Server, backend: Backend) -> Iterator[MeasuredPage]:
    """The chat page with a second column for the same backend."""
    with chat_page(browser, server, backend) as alone:
        choose(alone.page.get_by_role("button", name="More", exact=True), "Compare")
        expect(alone.page.get_by_role("region", name="Right")).to_be_visible()
        yield MeasuredPage(alone.page, server, backend, columns=2)


@contextmanager
def plain_page(browser: Browser, server: Server, backend: Backend) -> Iterator[MeasuredPage]:
    """The paced backend's own page, which only shows the text as it arrives."""
    origin = backend.url.removesuffix("/chat")
    context = browser.new_context(base_url=origin, viewport=VIEWPORT)
    context.add_init_script(CLOCK)
    page = context.new_page()
    page.goto("/plain")
    yield MeasuredPage(page, server, backend)
    context.close()


def converse(page: Page, turns: int) -> None:
    """Ask `turns` short questions for a long thread, of which the page has the end."""
    for number in range(1, turns + 1):
        ask(page, f"kind=prose tokens=60 rate=0 id=turn{number}")
        expect(questions(page).last).to_contain_text(f"id=turn{number}")
        expect_settled(page, turns=questions(page).count())
