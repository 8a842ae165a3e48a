"""What a server needs is lost while pages are open, and comes back: Redis and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.app import App
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    ask,
    expect_alive,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    questions,
)
from tests.postgresql import PostgreSQL, postgresql_for_tests
from tests.redis_server import RedisServer, running_redis
from tests.servers import wait_until

pytestmark = pytest.mark.timeout(400)
FIRST = {"delta": {"content": "The first half of it, "}}
REST = {"delta": {"content": "and the second."}}


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSQL]:
    with postgresql_for_tests() as server:
        yield server


@pytest.fixture(scope="module")
def app(
    built_app: Path, tmp_path_factory: pytest.TempPathFactory, redis: RedisServer, postgresql: PostgreSQL
) -> Iterator[App]:
    settings = {"CHAT_UI_DATABASE_URL": postgresql.url(), "CHAT_UI_REDIS_URL": redis.url}
    made = App(tmp_path_factory.mktemp("losing"), settings, built_app)
    made.start()
    yield made
    made.end()


@pytest.fixture
def context(app: App, new_context: NewContext) -> BrowserContext:
    return new_context(base_url=app.url)


@contextmanager
def away(server: RedisServer | PostgreSQL) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.start()


def notice(page: Page, words: str) -> Locator:
    return page.get_by_role("status").get_by_text(words)


def lost_of(app: App) -> list[str]:
    """What the server says that it cannot reach."""
    return [name for name, reached in httpx2.get(f"{app.url}/ready", timeout=60).json().items() if not reached]


def test_while_redis_is_away_an_open_page_goes_on_and_says_so(
    app: App, context: BrowserContext, redis: RedisServer, stand_in: StandIn
):
    backend = stand_in.held(FIRST, REST)
    page = open_page(context, backend=backend)
    ask(page, "Tell me all of it")
    expect(expect_streaming(page)).to_contain_text("The first half of it,")
    apart = notice(page, "cannot reach each other")
    with away(redis):
        expect(apart).to_be_visible()
        stand_in.go_on()
        expect(expect_settled(page)).to_contain_text("The first half of it, and the second.")
        assert lost_of(app) == ["workers"]
        page.get_by_role("button", name="New chat").click()
        expect(questions(page)).to_have_count(0)
        ask(page, "And while it is away?")
        expect_settled(page)
        elsewhere = open_page(context, path=address_of(page))
        expect(questions(elsewhere)).to_have_text(["And while it is away?"])
    expect(apart).to_be_hidden()
    ask(page, "And afterwards?")
    expect_settled(page, turns=2)
    expect(questions(elsewhere)).to_have_text(["And while it is away?", "And afterwards?"])
    redis.forget("*")
    ask(page, "And once it made room for others?")
    expect_settled(page, turns=3)
    assert [len(request["messages"]) for request in stand_in.asked(backend)] == [1, 1, 3, 5]
    page.reload()
    expect(questions(page)).to_have_count(3)
    assert "Backend Exception" not in app.log


def test_while_a_store_says_nothing_people_open_the_page_and_ask(
    app: App, context: BrowserContext, new_context: NewContext, *, redis: RedisServer, postgresql: PostgreSQL, stand_in
):
    backend = stand_in.streaming(FIRST, REST)
    page = open_page(context, backend=backend)
    ask(page, "Tell me all of it")
    expect_settled(page)
    for turns, (name, silent) in enumerate({"workers": redis, "store": postgresql}.items(), start=2):
        with silent.silent():
            ask(page, "And now?")
            expect_settled(page, turns=turns)
            stranger = open_page(new_context(base_url=app.url), backend=backend)
            ask(stranger, "Is anybody there?")
            expect_settled(stranger)
            assert wait_until(lambda: lost_of(app) or None, 60) == [name]
        wait_until(lambda: lost_of(app) == [] or None, 60)
        stranger.reload()
        expect(expect_settled(stranger)).to_contain_text("The first half of it, and the second.")


def test_a_server_that_starts_without_postgresql_answers_and_shows_what_was_asked_before_once_it_can(
    app: App, context: BrowserContext, new_context: NewContext, postgresql: PostgreSQL, stand_in: StandIn
):
    backend = stand_in.streaming(FIRST, REST)
    page = open_page(context, backend=backend)
    ask(page, "Tell me all of it")
    expect_settled(page)
    address_of(page)
    app.end()
    told = app.log.count("are being kept again")
    with away(postgresql):
        app.start()
        page.reload()
        unreadable = page.get_by_role("heading", name="This conversation cannot be read at the moment.")
        expect(unreadable).to_be_visible()
        expect(page.get_by_text("belongs to somebody else")).to_have_count(0)
        stranger = open_page(new_context(base_url=app.url), backend=backend)
        expect(notice(stranger, "not being kept")).to_be_visible()
        ask(stranger, "And I, who never kept a key?")
        expect(expect_settled(stranger)).to_contain_text("The first half of it, and the second.")
        stranger.evaluate("() => localStorage.setItem('chat-ui-keys', 'kept')")
        stranger.reload()
        expect_alive(stranger)
        ask(stranger, "And with my key?")
        expect(stranger.get_by_text("Your keys cannot be kept or found at the moment.")).to_be_visible()
        expect(message(stranger)).to_have_value("And with my key?")
    expect(expect_settled(page)).to_contain_text("The first half of it, and the second.")
    expect(unreadable).to_have_count(0)
    ask(page, "And now?")
    expect_settled(page, turns=2)
    assert app.log.count("are being kept again") <= told + 1
