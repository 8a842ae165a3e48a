"""Two workers behind a proxy that alternates between them.

A worker dies in mid-answer, or Redis and PostgreSQL go away and come back under open pages.
"""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.app import App
from tests.browser.answering import answers, expect_settled, expect_streaming, get_answer, start_answer, text_of
from tests.browser.asking import ask, message, new_chat, questions
from tests.browser.opening import NewContext, address_of, open_page, reload
from tests.browser.stand_in import StandIn, delta
from tests.postgresql import PostgreSQL, postgresql_for_tests
from tests.redis_server import RedisServer, running_redis
from tests.servers import wait_until
from tests.stand_ins.balancer import Balancer, balancing
from tests.timeouts import TIMEOUT

pytestmark = pytest.mark.timeout(400)

WORDS = [f"Word {number} of it.\n\n" for number in range(200)]
HALF, *REST = (delta(text) for text in ("".join(WORDS[:100]), *WORDS[100:]))
SAID = delta("Buoys are red.")


@dataclass
class Servers:
    workers: list[App]
    balancer: Balancer
    redis: RedisServer
    postgresql: PostgreSQL
    _read: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._read = [len(worker.log) for worker in self.workers]

    def logs(self) -> list[str]:
        """The log lines of each worker since the test began."""
        return [worker.log[read:] for worker, read in zip(self.workers, self._read, strict=True)]

    def wait_to_be_told(self, words: str) -> None:
        """Wait until each worker has logged it once."""
        wait_until(lambda: all(log.count(words) == 1 for log in self.logs()) or None, TIMEOUT)


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with running_redis() as running:
        yield running


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSQL]:
    with postgresql_for_tests() as running:
        yield running


@pytest.fixture(scope="module")
def workers(
    built_app: Path, tmp_path_factory: pytest.TempPathFactory, redis: RedisServer, postgresql: PostgreSQL
) -> Iterator[list[App]]:
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
def servers(workers: list[App], redis: RedisServer, postgresql: PostgreSQL) -> Iterator[Servers]:
    for worker in workers:
        if not worker.processes():
            worker.start()
    with balancing([worker.port for worker in workers]) as balancer:
        yield Servers(workers, balancer, redis, postgresql)


@pytest.fixture
def context(servers: Servers, new_context: NewContext) -> BrowserContext:
    return new_context(base_url=servers.balancer.url)


@contextmanager
def away(server: RedisServer | PostgreSQL) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.start()


def notice(page: Page, words: str) -> Locator:
    return page.get_by_role("status").get_by_text(words)


def complete(words: list[str]) -> str:
    return "".join("".join(words).split())


@pytest.mark.thorough
def test_a_page_tells_a_loss_of_redis_and_each_log_has_two_lines(
    servers: Servers, context: BrowserContext, stand_in: StandIn
):
    backend = stand_in.held(HALF, *REST)
    app = servers.workers[0]
    page = open_page(context, backend=backend, path=app.url)
    expect(start_answer(page, "Tell me all of it")).to_contain_text("Word 99 ")
    apart = notice(page, "cannot reach each other")
    with away(servers.redis):
        expect(apart).to_be_visible()
        servers.wait_to_be_told("Redis is not reachable (ConnectionError)")
        assert httpx2.get(f"{app.url}/ready", timeout=60).json() == {"store": True, "workers": False}
        stand_in.go_on()
        expect(expect_settled(page)).to_contain_text(WORDS[-1].strip())
        new_chat(page)
        get_answer(page, "And while it is away?")
        elsewhere = open_page(context, path=address_of(page))
        expect(questions(elsewhere)).to_have_text(["And while it is away?"])
    expect(apart).to_be_hidden()
    servers.wait_to_be_told("Redis is reachable again")
    get_answer(page, "And afterwards?", turns=2)
    expect(questions(elsewhere)).to_have_text(["And while it is away?", "And afterwards?"])
    servers.redis.forget("*")
    get_answer(page, "And once it made room for others?", turns=3)
    assert [len(request["messages"]) for request in stand_in.asked(backend)] == [1, 1, 3, 5]
    page.reload()
    expect(questions(page)).to_have_count(3)
    for log in servers.logs():
        lines = [line for line in log.splitlines() if not line.startswith("[INFO]")]
        assert len(lines) == 2, lines


@pytest.mark.thorough
def test_a_server_without_postgresql_answers_and_shows_history_once_it_can(
    servers: Servers, new_context: NewContext, stand_in: StandIn
):
    app = servers.workers[0]
    backend = stand_in.streaming(SAID)
    page = open_page(new_context(base_url=app.url), backend=backend)
    get_answer(page, "Tell me all of it")
    address_of(page)
    app.end()
    told = app.log.count("conversations are stored again")
    with away(servers.postgresql):
        app.start()
        page.reload()
        unreadable = page.get_by_role("heading", name="This conversation cannot be read at the moment.")
        expect(unreadable).to_be_visible()
        expect(page.get_by_text("belong to somebody else")).to_have_count(0)
        stranger = open_page(new_context(base_url=app.url), backend=backend)
        expect(notice(stranger, "cannot be saved")).to_be_visible()
        expect(get_answer(stranger, "And I, who never kept a key?")).to_contain_text("Buoys are red.")
        stranger.evaluate("() => localStorage.setItem('chat-ui-keys', 'kept')")
        reload(stranger)
        ask(stranger, "And with my key?")
        expect(stranger.get_by_text("Your keys cannot be saved or read at the moment.")).to_be_visible()
        expect(message(stranger)).to_have_value("And with my key?")
    expect(expect_settled(page)).to_contain_text("Buoys are red.")
    expect(unreadable).to_have_count(0)
    get_answer(page, "And now?", turns=2)
    assert app.log.count("conversations are stored again") <= told + 1


def test_a_worker_that_dies_loses_and_doubles_nothing_of_two_streams(
    servers: Servers, context: BrowserContext, stand_in: StandIn
):
    left_alone = [HALF, stand_in.WAIT_FOR_EVER]
    backend = stand_in.one_after_the_other(left_alone, [HALF, stand_in.WAIT_UNTIL_TOLD, *REST], left_alone)
    doomed = open_page(context, backend=backend)
    expect(start_answer(doomed, "Who is doomed?")).to_contain_text("Word 99 ")
    going_on = open_page(context)
    expect(start_answer(going_on, "And who goes on?")).to_contain_text("Word 99 ")
    elsewhere = context.new_page()
    elsewhere.goto(address_of(going_on))
    expect(expect_streaming(elsewhere)).to_contain_text("Word 99 ")
    assert servers.balancer.carried["socket"][:3] == [0, 1, 0]
    assert set(servers.balancer.carried["stream"]) == {0, 1}

    servers.workers[0].end(signal.SIGKILL)
    stand_in.go_on()

    expect(answers(doomed).get_by_role("alert")).to_contain_text("interrupted")
    assert text_of(expect_settled(doomed)) == complete(WORDS[:100])
    for page in (going_on, elsewhere):
        # A worker without processor time counts as dead until it goes on.
        expect(answers(page)).to_contain_text(WORDS[-1].strip())
        assert text_of(expect_settled(page)) == complete(WORDS)
        expect(questions(page)).to_have_count(1)

    doomed.get_by_role("button", name="Continue").click()
    expect(questions(doomed)).to_have_count(2)
    expect_streaming(doomed)
    doomed.get_by_role("button", name="Stop").click()
    expect_settled(doomed, turns=2)
    expect(message(doomed)).to_be_editable()
