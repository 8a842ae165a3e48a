"""Answers for a single person: ordinary, long, in a long thread, in a burst, and in giant blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import accumulate
from statistics import median
from typing import Final, TypeAlias

from playwright.sync_api import Browser

from tests.servers import Backend, Server
from tests.stand_ins.paced import prose
from tools.benchmarks.bench import Bench
from tools.benchmarks.browser import Measured, MeasuredPage, chat_page, compared_page, converse, plain_page
from tools.benchmarks.figures import Figure
from tools.benchmarks.react_page import react_page

OpenPage: TypeAlias = Callable[[Browser, Server, Backend], AbstractContextManager[MeasuredPage]]
STANDARD = {"kind": "prose", "tokens": 1142, "rate": 190}
THINKING = {"kind": "prose", "tokens": 100, "rate": 190, "think": 600, "first": 2}
LONG = {"kind": "prose", "tokens": 20_000, "rate": 2_000}
EARLIER_TURNS = 100
GIANTS = {
    "one table of 1,000 rows": ("table", 7_000),
    "one code block of 5,000 lines": ("code", 25_000),
    "one list of 2,000 items": ("list", 12_000),
}
GIANT_RATE: Final = 2_000


def answer(bench: Bench) -> Iterator[Figure]:
    """An answer of ordinary length at an ordinary pace."""
    runs, plain = list[Measured](), list[Measured]()
    for _ in range(bench.repeats):
        # Alternate, so that other load of the machine affects both.
        runs += _repeated(bench, STANDARD, 1)
        plain += _repeated(bench, STANDARD, 1, plain_page)
    first, first_of_plain = _ms(runs, "first_text"), _ms(plain, "first_text")
    yield Figure("answer", "first text after the backend's first", first, "ms", 80)
    yield Figure("answer", "… in a page of nothing but fetch and text", first_of_plain, "ms")
    yield Figure("answer", "… how much later than in that", first - first_of_plain, "ms", 10)
    yield Figure("answer", "last text after the backend's last byte", _ms(runs, "last_text"), "ms", 100)
    yield Figure("answer", "main thread of the browser", _ms(runs, "main_thread"), "ms", 500)
    yield Figure("answer", "… of that processor time", _ms(runs, "main_thread_cpu"), "ms")
    yield Figure("answer", "… of that in scripts", _ms(runs, "script"), "ms")
    yield Figure("answer", "… of that in style and layout", _ms(runs, "layout_and_style"), "ms")
    yield Figure("answer", "longest task", _ms(runs, "longest_task"), "ms", 50)
    yield Figure("answer", "processor of the server", _ms(runs, "server_cpu"), "ms")
    yield Figure("answer", "bytes to the browser for one of the backend's", _bytes(bench, STANDARD), "×", 1)


def columns(bench: Bench) -> Iterator[Figure]:
    """The same answer in two columns side by side."""
    alone, both = list[Measured](), list[Measured]()
    for _ in range(bench.repeats):
        alone += _repeated(bench, STANDARD, 1)
        both += _repeated(bench, STANDARD, 1, compared_page)
    yield Figure("columns", "first text after the backend's first", _ms(both, "first_text"), "ms")
    yield Figure("columns", "last text of both after the backend's last byte", _ms(both, "last_text"), "ms", 100)
    yield Figure("columns", "… of one answer alone", _ms(alone, "last_text"), "ms")
    yield Figure("columns", "main thread for each of two answers", _ms(both, "main_thread") / 2, "ms")
    yield Figure("columns", "… for one answer alone", _ms(alone, "main_thread"), "ms")
    for name, what in (("main_thread_cpu", "main thread"), ("server_cpu", "processor of the server")):
        ratio = _ms(both, name) / 2 / _ms(alone, name)
        yield Figure("columns", f"{what} for each of two answers, against one alone", ratio, "×", 1.2)
    yield Figure("columns", "longest task", _ms(both, "longest_task"), "ms", 50)


def react(bench: Bench) -> Iterator[Figure]:
    """The same answer in a plain React page, and an answer after reasoning whose first word has two tokens."""
    ours, theirs, thinking, their_thinking = (list[Measured]() for _ in range(4))
    for _ in range(bench.repeats):
        ours += _repeated(bench, STANDARD, 1)
        theirs += _repeated(bench, STANDARD, 1, react_page)
        thinking += _repeated(bench, THINKING, 1)
        their_thinking += _repeated(bench, THINKING, 1, react_page)
    word, their_word = _ms(thinking, "first_text"), _ms(their_thinking, "first_text")
    yield Figure("react", "model that thinks: first word after the backend's first token", word, "ms")
    yield Figure("react", "… in a plain page of React", their_word, "ms")
    yield Figure("react", "… how much later than in that", word - their_word, "ms", 10)
    for name, what, goal in (("first_text", "first text", None), ("last_text", "last text", 50)):
        yield Figure("react", f"{what} after the backend's", _ms(ours, name), "ms", goal)
        yield Figure("react", "… in a plain page of React", _ms(theirs, name), "ms")
    yield Figure("react", "main thread in a plain page of React", _ms(theirs, "main_thread"), "ms")
    for name, what in (("main_thread", "main thread"), ("main_thread_cpu", "… processor time of that")):
        yield Figure("react", f"{what}, against a plain page of React", _ms(ours, name) / _ms(theirs, name), "×", 0.25)


def long_answer(bench: Bench) -> Iterator[Figure]:
    """The cost of a token must not depend on the length of the answer."""
    short, long = _repeated(bench, STANDARD), _repeated(bench, LONG, 3)
    share = LONG["tokens"] / STANDARD["tokens"]
    yield Figure("long", "first text after the backend's first", _ms(long, "first_text"), "ms", 104)
    yield Figure("long", "last text after the backend's last byte", _ms(long, "last_text"), "ms", 130)
    for name, what in (("main_thread", "main thread"), ("server_cpu", "processor of the server")):
        ratio = _ms(long, name) / _ms(short, name) / share
        yield Figure("long", f"{what} for a token, against the answer of 1142", ratio, "×", 1.3)
    yield Figure("long", "longest task", _ms(long, "longest_task"), "ms")
    yield Figure("long", "bytes to the browser for one of the backend's", _bytes(bench, LONG), "×", 1)


def thread(bench: Bench) -> Iterator[Figure]:
    """The same answer below a hundred others."""
    with chat_page(bench.browser, bench.server, bench.backend) as page:
        converse(page.page, EARLIER_TURNS)
        below = [page.ask(**STANDARD) for _ in range(bench.repeats)]
    alone = _repeated(bench, STANDARD)
    for name, what in (("main_thread", "main thread"), ("server_cpu", "processor of the server")):
        ratio = _ms(below, name) / _ms(alone, name)
        yield Figure("thread", f"{what} with {EARLIER_TURNS} earlier turns, against none", ratio, "×", 1.2)
    yield Figure("thread", "last text after the backend's last byte", _ms(below, "last_text"), "ms", 120)


def burst(bench: Bench) -> Iterator[Figure]:
    """All tokens at the same moment."""
    runs = _repeated(bench, {"kind": "lines", "tokens": 2_000, "rate": 0})
    yield Figure("burst", "2,000 lines on the screen after the backend's last byte", _ms(runs, "last_text"), "ms", 300)


def blocks(bench: Bench) -> Iterator[Figure]:
    """Answers of a single giant block, against prose of the same length and duration."""
    for what, (kind, tokens) in GIANTS.items():
        runs = _repeated(bench, {"kind": kind, "tokens": tokens, "rate": GIANT_RATE}, 3)
        words = _tokens_of_prose(len(runs[0].sent.text))
        as_prose = _repeated(bench, {"tokens": words, "rate": GIANT_RATE * words / tokens}, 3)
        for name, cost in (("main_thread", "main thread"), ("server_cpu", "processor of the server")):
            ratio = _ms(runs, name) / _ms(as_prose, name)
            yield Figure("blocks", f"{what}: {cost}, against prose of the same length", ratio, "×", 2)
        yield Figure("blocks", f"{what}: last text after the backend's last byte", _ms(runs, "last_text"), "ms")


def _tokens_of_prose(length: int) -> int:
    """The number of tokens in prose of `length` characters."""
    return next(count for count, total in enumerate(accumulate(map(len, prose(length))), 1) if total >= length)


def _repeated(
    bench: Bench, wanted: dict[str, object], most: int | None = None, opened: OpenPage = chat_page
) -> list[Measured]:
    """Measure in a new page each, as later answers would be in a longer thread."""
    runs = []
    for _ in range(min(bench.repeats, most or bench.repeats)):
        with opened(bench.browser, bench.server, bench.backend) as page:
            _warm_up(page)
            runs.append(page.ask(**wanted))
    return runs


def _warm_up(page: MeasuredPage) -> None:
    """Ask for a short answer, so that one-time compilation is done."""
    page.ask(tokens=40, rate=200)


def _bytes(bench: Bench, wanted: dict[str, object]) -> float:
    with chat_page(bench.browser, bench.server, bench.backend) as page:
        # Exclude the assets that load with the first answer.
        _warm_up(page)
        page.page.wait_for_load_state("networkidle")
        page.count_bytes()
        measured = page.ask(**wanted)
        return measured.received / measured.sent.bytes


def _ms(runs: Sequence[Measured], name: str) -> float:
    return 1000 * median([getattr(run, name) for run in runs])
