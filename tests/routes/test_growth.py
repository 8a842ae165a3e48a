"""What an answer costs the server grows as the answer does, and what goes to the browser stays below what came in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.made_sets import thinned
from tests.servers import Backend, Server, paced_backend, server_at
from tools.benchmarks.people import Person, Reading, check

GROWTH = 2.6
TOKENS = 3_000
RATE = 3_000
SLACK = 0.1
"""Seconds of processor time that a run may differ by for reasons of its own."""


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with paced_backend() as running:
        yield running


def _ask(server: Server, backend: Backend, kind: str, tokens: int) -> tuple[float, Reading, str]:
    """Processor seconds of the server for one answer, what was read, and the name it is logged under."""
    name = f"{kind}{tokens}"

    async def talk() -> tuple[float, Reading]:
        person = Person(server.url)
        await person.arrive()
        await person.use(backend)
        before = server.cpu_seconds()
        reading = await person.ask(f"kind={kind} tokens={tokens} rate={RATE} id={name}")
        cost = server.cpu_seconds() - before
        await person.leave()
        return cost, reading

    return *asyncio.run(talk()), name


@pytest.mark.parametrize("kind", thinned(["lines", "table", "code", "list", "prose"], 5))
def test_twice_the_answer_costs_about_twice(app_url: str, backend: Backend, kind: str):
    server = server_at(app_url)
    seen = []
    for _ in range(3):
        once, _, _ = _ask(server, backend, kind, TOKENS)
        twice, _, _ = _ask(server, backend, kind, 2 * TOKENS)
        if twice <= GROWTH * once + SLACK:
            return
        seen.append(f"{once:.2f} s, then {twice:.2f} s for twice the length")
    pytest.fail("; ".join(seen))


@pytest.mark.parametrize("kind", ["prose", "table", "code", "list"])
def test_the_browser_gets_no_more_bytes_than_the_backend_sent(app_url: str, backend: Backend, kind: str):
    _, reading, name = _ask(server_at(app_url), backend, kind, TOKENS // 2)
    sent = backend.sent(name)
    assert sent is not None
    assert reading.received <= sent.bytes


def test_every_character_arrives_in_order(app_url: str, backend: Backend):
    _, reading, name = _ask(server_at(app_url), backend, "stamped", TOKENS)
    check(reading, backend, name)
    assert reading.delays
