"""A server that is killed just after a question: `python -m tests.benchmarks.kills [--times 20] [--seed 1]`.

Each time a page asks, in a new chat, after other questions or in the place of one, the server is killed within 0.2 s
of Enter and started again. After that the words have been asked once, or are back in a box: never both, and never
lost. The exit status is 1 where it was otherwise.
"""

from __future__ import annotations

import argparse
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from contextlib import closing, suppress

from playwright.sync_api import Locator, Page, expect

from tests.app import App
from tests.benchmarks.browser import chromium_browser
from tests.benchmarks.figures import this_machine
from tests.benchmarks.servers import Backend, TooLateError, built_app, paced_backend, wait_until
from tests.browser.talking import ask, expect_alive, expect_settled, message, open_page, questions

WITHIN = 0.2
STEADY = 2.0
"""Seconds after which what the page shows after a restart is taken for what it stays at."""
HELD = ("chat-ui-draft", "chat-ui-underway", "chat-ui-unkept", "chat-ui-edits")
"""Where the page holds words; each time begins without any."""
WAYS = ("in a new chat", "after other questions", "in the place of one")


class Kills:
    """One page of an app that is killed again and again."""

    def __init__(self, app: App, page: Page, chance: random.Random) -> None:
        self._app = app
        self._page = page
        self._chance = chance

    def once(self, number: int) -> tuple[str, str]:
        """Ask, kill, start again; in which way, and what became of the words."""
        way = WAYS[number % len(WAYS)]
        words = f"kind=prose tokens=40 rate=20 id=kill{number}"
        self._prepare(way, number)
        box = self._write(way, words)
        box.press("Enter")
        time.sleep(self._chance.uniform(0, WITHIN))
        self._app.end(signal.SIGKILL)
        self._app.start()
        if number % 2:
            self._page.reload()
        expect_alive(self._page)
        with suppress(TooLateError):
            wait_until(lambda: self._places(words) or None, 15)
        # What comes back too late, or a second time, comes within this.
        time.sleep(STEADY)
        found = self._places(words)
        self._clear()
        return way, " and ".join(found) or "lost"

    def _prepare(self, way: str, number: int) -> None:
        page = self._page
        page.goto(self._app.url)
        expect_alive(page)
        if way == "in a new chat" and questions(page).count():
            page.get_by_role("button", name="New chat").click()
            expect(questions(page)).to_have_count(0)
        elif way == "in the place of one":
            turns = questions(page).count() + 1
            ask(page, f"kind=prose tokens=20 rate=0 id=before{number}")
            expect_settled(page, turns=turns)
            wait_until(lambda: self._asked(f"kind=prose tokens=20 rate=0 id=before{number}") or None, 60)

    def _write(self, way: str, words: str) -> Locator:
        box = message(self._page)
        if way == "in the place of one":
            questions(self._page).last.get_by_role("button", name="Edit question").click()
            box = self._edited.last
        box.fill(words)
        return box

    @property
    def _edited(self) -> Locator:
        return self._page.get_by_role("textbox", name="Edited question")

    def _places(self, words: str) -> list[str]:
        boxes = [message(self._page), *self._edited.all()]
        is_back = any(box.input_value() == words for box in boxes)
        return ["asked"] * self._asked(words) + ["back in a box"] * is_back

    def _asked(self, words: str) -> int:
        with closing(sqlite3.connect(self._app.data / "chat.db")) as database:
            row = database.execute(
                "SELECT count(*) FROM turn JOIN generation ON generation.turn = turn.id WHERE question = ?", (words,)
            )
            return int(row.fetchone()[0])

    def _clear(self) -> None:
        message(self._page).fill("")
        for box in self._edited.all():
            box.press("Escape")
        self._page.evaluate("names => names.forEach((name) => sessionStorage.removeItem(name))", list(HELD))


def kills(app: App, backend: Backend, times: int, seed: int) -> int:
    """Kill so many times, print what came of it, and return the exit status."""
    outcomes: Counter[tuple[str, str]] = Counter()
    with chromium_browser() as browser:
        page = open_page(browser.new_context(base_url=app.url), backend=backend.url)
        trial = Kills(app, page, random.Random(seed))
        for number in range(times):
            way, outcome = trial.once(number)
            outcomes[way, outcome] += 1
            print(f"{number + 1:4} {way}: {outcome}", file=sys.stderr, flush=True)
    for (way, outcome), count in sorted(outcomes.items()):
        print(f"{count:4} {way}: {outcome}")
    wrong = sum(count for (_, outcome), count in outcomes.items() if outcome not in ("asked", "back in a box"))
    print(f"{times} kills within {WITHIN} s of Enter, {wrong} wrong")
    return 1 if wrong else 0


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.benchmarks.kills", description="Kill just after a question.")
    reader.add_argument("--times", type=int, default=20)
    reader.add_argument("--seed", type=int, default=1)
    chosen = reader.parse_args()
    print(this_machine())
    with paced_backend() as backend, built_app() as app:
        return kills(app, backend, chosen.times, chosen.seed)


if __name__ == "__main__":
    sys.exit(main())
