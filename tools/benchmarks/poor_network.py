"""An answer over a poor network, beside a page of nothing but `fetch` over the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from tools.benchmarks.bench import Bench
from tools.benchmarks.browser import MeasuredPage, chat_page, plain_page
from tools.benchmarks.figures import Figure, middle, percentile
from tools.benchmarks.network import LOSS, ROUND_TRIP, poor_network

PART = "poor-network"
ANSWER = {"kind": "prose", "tokens": 1000, "rate": 190}
IN_A_PAGE = 3
"""Answers that are asked for in one page."""


def answers(bench: Bench) -> Iterator[Figure]:
    """When the end of an answer is on the screen: what the network itself takes is what plain `fetch` takes."""
    for loss in (0, LOSS):
        ours, plain = list[float](), list[float]()
        for seed in range(bench.repeats):
            ours += _ends(bench, loss, seed, plain=False)
            plain += _ends(bench, loss, seed, plain=True)
        over = f"{1000 * ROUND_TRIP:.0f} ms round trip, {loss:.0%} lost"
        yield Figure(PART, f"{over}: last text after the backend's last byte", middle(ours), "s")
        yield Figure(PART, "… in a page of nothing but fetch and text", middle(plain), "s")
        yield Figure(PART, "… how much later than in that", middle(ours) - middle(plain), "s", 1)
        yield Figure(
            PART, "… the slowest tenth of the answers, against that of fetch", _worst(ours) - _worst(plain), "s"
        )


def _worst(seconds: list[float]) -> float:
    return percentile(seconds, 0.9)


def _ends(bench: Bench, loss: float, seed: int, *, plain: bool) -> list[float]:
    """When the ends of some answers were on the screen, in seconds after they left the backend."""
    server, backend = bench.server, bench.backend
    port = urlsplit(backend.url if plain else server.url).port
    assert port
    with poor_network(port, loss=loss, seed=seed) as network:
        if plain:
            opened = plain_page(bench.browser, server, replace(backend, url=f"{network.url}/chat"))
        else:
            opened = chat_page(bench.browser, replace(server, url=network.url), backend)
        with opened as page:
            return [_end(page, plain=plain) for _ in range(IN_A_PAGE)]


def _end(page: MeasuredPage, *, plain: bool) -> float:
    if not plain:
        # The page may learn that an answer has ended a moment after its last text.
        page.page.get_by_role("button", name="Send").wait_for()
    return page.ask(**ANSWER).last_text
