"""Two servers of one page behind a proxy that lets every request take turns, one of which dies in mid-answer."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.app import App
from tests.backends.balancer import Balancer, balancing
from tests.backends.paced import FIRST, LAST
from tests.benchmarks.servers import Backend, paced_backend, wait_until
from tests.browser.talking import answers, ask, expect_settled, expect_streaming, message, open_page, questions
from tests.postgresql import postgresql_for_tests
from tests.redis_server import running_redis

pytestmark = pytest.mark.timeout(400)
WORDS = "kind=prose tokens={tokens} rate=60 id={name}"


@dataclass
class Servers:
    workers: list[App]
    balancer: Balancer


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with paced_backend() as running:
        yield running


@pytest.fixture
def servers(built_app: Path, tmp_path: Path) -> Iterator[Servers]:
    with postgresql_for_tests() as postgresql, running_redis() as redis:
        settings = {"CHAT_UI_DATABASE_URL": postgresql.url(), "CHAT_UI_REDIS_URL": redis.url}
        workers = []
        try:
            for name in ("one", "two"):
                (tmp_path / name).mkdir()
                workers.append(App(tmp_path / name, settings, built_app))
                workers[-1].start()
            with balancing([worker.port for worker in workers]) as balancer:
                yield Servers(workers, balancer)
        finally:
            for worker in workers:
                worker.end()


@pytest.fixture
def context(servers: Servers, browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(base_url=servers.balancer.url, viewport={"width": 1200, "height": 800})
    yield opened
    opened.close()


def text_of(page: Page) -> str:
    """The words of the last answer, as they are read."""
    return " ".join(answers(page).last.locator(".answer-text").inner_text().split())


def test_a_worker_dies_while_two_conversations_stream_and_nothing_is_lost_or_doubled(
    servers: Servers, context: BrowserContext, backend: Backend
):
    doomed = open_page(context, backend=backend.url)
    ask(doomed, WORDS.format(tokens=3000, name="doomed"))
    expect_streaming(doomed)
    going_on = open_page(context, backend=backend.url)
    expect(questions(going_on)).to_have_count(1)
    going_on.get_by_role("button", name="New chat").click()
    expect(questions(going_on)).to_have_count(0)
    ask(going_on, WORDS.format(tokens=900, name="goingon"))
    expect(answers(going_on).last).to_contain_text(f"{FIRST}goingon")
    elsewhere = context.new_page()
    elsewhere.goto(going_on.url)
    expect(answers(elsewhere).last).to_contain_text(f"{FIRST}goingon")
    assert servers.balancer.carried["socket"][:3] == [0, 1, 0]
    assert set(servers.balancer.carried["stream"]) == {0, 1}

    before = text_of(doomed)
    servers.workers[0].end(signal.SIGKILL)

    expect(answers(doomed).get_by_role("alert")).to_contain_text("interrupted")
    left = text_of(doomed)
    assert left.startswith(before.rsplit(" ", 1)[0])
    for page in (going_on, elsewhere):
        expect_settled(page)
        expect(answers(page).last).to_contain_text(f"{LAST}goingon")
        expect(questions(page)).to_have_count(1)
    sent = wait_until(lambda: backend.sent("goingon"), 60)
    expected = " ".join(sent.text.replace("[Buoys.pdf#page=3]", " 1 ").split())
    for page in (going_on, elsewhere):
        assert text_of(page).replace(" .", ".") == expected.replace(" .", ".")
    assert left.count(f"{FIRST}doomed") == 1

    doomed.get_by_role("button", name="Continue").click()
    expect(questions(doomed)).to_have_count(2)
    expect_streaming(doomed)
    doomed.get_by_role("button", name="Stop").click()
    expect_settled(doomed, turns=2)
    expect(message(doomed)).to_be_editable()
