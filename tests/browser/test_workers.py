"""Two servers of one page behind a proxy that lets every request take turns, one of which dies in mid-answer."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.app import App
from tests.backends.balancer import Balancer, balancing
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    questions,
    text_of,
)
from tests.patience import PATIENCE
from tests.postgresql import postgresql_for_tests
from tests.redis_server import RedisServer, running_redis
from tests.servers import wait_until

pytestmark = pytest.mark.timeout(400)
WORDS = [f"Word {number} of it.\n\n" for number in range(200)]


@dataclass
class Servers:
    workers: list[App]
    balancer: Balancer
    redis: RedisServer
    _read: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._read = [len(worker.log) for worker in self.workers]

    def logs(self) -> list[str]:
        """What each worker has told since the test began."""
        return [worker.log[read:] for worker, read in zip(self.workers, self._read, strict=True)]

    def told(self, words: str) -> bool:
        """Whether each worker has told that, once."""
        return all(log.count(words) == 1 for log in self.logs())


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with running_redis() as running:
        yield running


@pytest.fixture(scope="module")
def workers(built_app: Path, tmp_path_factory: pytest.TempPathFactory, redis: RedisServer) -> Iterator[list[App]]:
    with postgresql_for_tests() as postgresql:
        settings = {"CHAT_UI_DATABASE_URL": postgresql.url(), "CHAT_UI_REDIS_URL": redis.url}
        made = [App(tmp_path_factory.mktemp(name), settings, built_app) for name in ("one", "two")]
        try:
            with ThreadPoolExecutor() as starting:
                list(starting.map(App.start, made))
            yield made
        finally:
            for worker in made:
                worker.end()


@pytest.fixture
def servers(workers: list[App], redis: RedisServer) -> Iterator[Servers]:
    for worker in workers:
        if not worker.processes():
            worker.start()
    with balancing([worker.port for worker in workers]) as balancer:
        yield Servers(workers, balancer, redis)


@pytest.fixture
def context(servers: Servers, new_context: NewContext) -> BrowserContext:
    return new_context(base_url=servers.balancer.url)


def test_an_outage_of_redis_is_told_in_a_line_when_it_begins_and_in_one_when_it_ends(
    servers: Servers, context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": "Buoys are red."}}))
    servers.redis.stop()
    servers.redis.refuse(60)
    wait_until(lambda: servers.told("Redis is away (ConnectionError)") or None, PATIENCE)
    ask(page, "What colour are buoys?")
    expect(expect_settled(page)).to_contain_text("Buoys are red.")
    servers.redis.start()
    wait_until(lambda: servers.told("Redis is back") or None, PATIENCE)
    ask(page, "And now?")
    expect_settled(page, turns=2)
    for log in servers.logs():
        lines = [line for line in log.splitlines() if not line.startswith("[INFO]")]
        assert len(lines) == 2, lines


def test_a_worker_dies_while_two_conversations_stream_and_nothing_is_lost_or_doubled(
    servers: Servers, context: BrowserContext, stand_in: StandIn
):
    half, *words = ({"delta": {"content": text}} for text in ("".join(WORDS[:100]), *WORDS[100:]))
    left_alone = [half, stand_in.WAIT_FOR_EVER]
    backend = stand_in.one_after_the_other(left_alone, [half, stand_in.WAIT_UNTIL_TOLD, *words], left_alone)
    doomed = open_page(context, backend=backend)
    ask(doomed, "Who is doomed?")
    expect(expect_streaming(doomed)).to_contain_text("Word 99 ")
    going_on = open_page(context)
    expect(questions(going_on)).to_have_count(1)
    going_on.get_by_role("button", name="New chat").click()
    expect(questions(going_on)).to_have_count(0)
    ask(going_on, "And who goes on?")
    expect(expect_streaming(going_on)).to_contain_text("Word 99 ")
    elsewhere = context.new_page()
    elsewhere.goto(address_of(going_on))
    expect(expect_streaming(elsewhere)).to_contain_text("Word 99 ")
    assert servers.balancer.carried["socket"][:3] == [0, 1, 0]
    assert set(servers.balancer.carried["stream"]) == {0, 1}

    servers.workers[0].end(signal.SIGKILL)
    stand_in.go_on()

    expect(answers(doomed).get_by_role("alert")).to_contain_text("interrupted")
    assert text_of(expect_settled(doomed)) == "".join("".join(WORDS[:100]).split())
    for page in (going_on, elsewhere):
        # A worker that the machine leaves no time for is taken for a dead one, until it goes on.
        expect(answers(page)).to_contain_text(WORDS[-1].strip())
        assert text_of(expect_settled(page)) == "".join("".join(WORDS).split())
        expect(questions(page)).to_have_count(1)

    doomed.get_by_role("button", name="Continue").click()
    expect(questions(doomed)).to_have_count(2)
    expect_streaming(doomed)
    doomed.get_by_role("button", name="Stop").click()
    expect_settled(doomed, turns=2)
    expect(message(doomed)).to_be_editable()


@contextmanager
def standing_still(worker: App) -> Iterator[None]:
    """Have the worker do nothing, as on a machine that is overloaded or moved."""
    for process in worker.processes():
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in worker.processes():
            os.kill(process, signal.SIGCONT)


def test_an_answer_that_was_taken_for_interrupted_and_went_on_is_shown_whole(
    servers: Servers, context: BrowserContext, stand_in: StandIn
):
    half, *words = ({"delta": {"content": text}} for text in ("".join(WORDS[:100]), *WORDS[100:]))
    maker, other = servers.workers
    backend = stand_in.one_after_the_other([{"delta": {"content": "Here."}}], [half, stand_in.WAIT_UNTIL_TOLD, *words])
    page = open_page(context, backend=backend, path=maker.url)
    ask(page, "Is anybody there?")
    expect_settled(page)
    ask(page, "And who goes on?")
    expect(expect_streaming(page)).to_contain_text("Word 99 ")
    elsewhere = context.new_page()
    elsewhere.goto(address_of(page).replace(maker.url, other.url))
    expect(expect_streaming(elsewhere)).to_contain_text("Word 99 ")
    with standing_still(maker):
        expect(answers(elsewhere).last.get_by_role("alert")).to_contain_text("interrupted")
    # It is not over: nobody is offered to ask for the rest of it.
    expect(elsewhere.get_by_role("button", name="Stop")).to_be_visible()
    expect(answers(elsewhere).last.get_by_role("alert")).to_have_count(0)
    stand_in.go_on()
    for tab in (page, elsewhere):
        expect(answers(tab).last).to_contain_text(WORDS[-1].strip())
        assert text_of(expect_settled(tab, turns=2)) == "".join("".join(WORDS).split())
        expect(tab.get_by_role("alert")).to_have_count(0)
