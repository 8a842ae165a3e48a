"""What goes to the browser stays below what came in, and nothing of it is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.servers import Backend, Server, paced_backend, server_at
from tools.benchmarks.people import Person, Reading, check

pytestmark = pytest.mark.thorough
TOKENS = 3_000
RATE = 3_000


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with paced_backend() as running:
        yield running


def _ask(server: Server, backend: Backend, kind: str, tokens: int) -> tuple[Reading, str]:
    """The reading of one answer, and the name it is logged under."""
    name = f"{kind}{tokens}"

    async def talk() -> Reading:
        person = Person(server.url)
        await person.arrive()
        await person.use(backend)
        reading = await person.ask(f"kind={kind} tokens={tokens} rate={RATE} id={name}")
        await person.leave()
        return reading

    return asyncio.run(talk()), name


@pytest.mark.parametrize("kind", ["prose", "table", "code", "list"])
def test_the_browser_gets_no_more_bytes_than_the_backend_sent(app_url: str, backend: Backend, kind: str):
    reading, name = _ask(server_at(app_url), backend, kind, TOKENS // 2)
    sent = backend.sent(name)
    assert sent is not None
    assert reading.received <= sent.bytes


def test_every_character_arrives_in_order(app_url: str, backend: Backend):
    reading, name = _ask(server_at(app_url), backend, "stamped", TOKENS)
    check(reading, backend, name)
    assert reading.delays
