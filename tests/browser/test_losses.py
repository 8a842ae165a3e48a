"""What a page needs is lost while it is open, and comes back: Redis, the database, the network without a word."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect
from redis import Redis

from chat_ui.server.middleware.identity import COOKIE
from chat_ui.state.sockets import page_of
from tests.app import App
from tests.backends.balancer import balancing
from tests.benchmarks.servers import wait_until
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    expect_alive,
    expect_settled,
    expect_streaming,
    open_page,
    questions,
    use,
)
from tests.postgresql import PostgreSQL, postgresql_for_tests
from tests.redis_server import RedisServer, running_redis

pytestmark = pytest.mark.timeout(400)
FIRST = {"delta": {"content": "The first half of it, "}}
REST = {"delta": {"content": "and the second."}}


@contextmanager
def serving_page(app: App, new_context: NewContext) -> Iterator[BrowserContext]:
    app.start()
    try:
        yield new_context(base_url=app.url)
    finally:
        app.end()


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSQL]:
    with postgresql_for_tests() as server:
        yield server


def notice(page: Page, words: str) -> Locator:
    return page.get_by_role("status").get_by_text(words)


def kept(app: App, text: str) -> bool | None:
    """True once the database has this text in a finished answer."""
    with closing(sqlite3.connect(app.data / "chat.db")) as database:
        found = database.execute(
            "SELECT 1 FROM generation WHERE status = 'finished' AND instr(text, ?)", (text,)
        ).fetchone()
    return True if found else None


def test_while_redis_is_away_an_open_page_goes_on_and_says_so(
    built_app: Path, tmp_path: Path, new_context: NewContext, redis: RedisServer, stand_in
):
    app = App(tmp_path, {"CHAT_UI_REDIS_URL": redis.url}, built_app)
    with serving_page(app, new_context) as context:
        page = open_page(context, backend=stand_in.held(FIRST, REST))
        ask(page, "Tell me all of it")
        expect(expect_streaming(page)).to_contain_text("The first half of it,")
        redis.stop()
        apart = notice(page, "cannot reach each other")
        expect(apart).to_be_visible()
        stand_in.go_on()
        expect(expect_settled(page)).to_contain_text("The first half of it, and the second.")
        assert wait_until(lambda: kept(app, "and the second."), 60)
        assert httpx.get(f"{app.url}/ready").json() == {"store": True, "workers": False}
        page.get_by_role("button", name="New chat").click()
        expect(questions(page)).to_have_count(0)
        ask(page, "And while it is away?")
        expect_settled(page)
        elsewhere = open_page(context, path=address_of(page))
        expect(questions(elsewhere)).to_have_text(["And while it is away?"])
        redis.start()
        expect(apart).to_be_hidden()
        ask(page, "And afterwards?")
        expect_settled(page, turns=2)
        expect(questions(elsewhere)).to_have_text(["And while it is away?", "And afterwards?"])
        assert [len(request["messages"]) for request in stand_in.asked(page_backend(page))] == [1, 1, 3]
        page.reload()
        expect(questions(page)).to_have_text(["And while it is away?", "And afterwards?"])
        assert "Backend Exception" not in app.log


@pytest.mark.parametrize("lost", ["redis", "postgresql"])
def test_while_a_store_says_nothing_people_open_the_page_and_ask(
    built_app: Path, tmp_path: Path, new_context: NewContext, lost: str, *, request: pytest.FixtureRequest, stand_in
):
    postgresql: PostgreSQL = request.getfixturevalue("postgresql")
    redis: RedisServer = request.getfixturevalue("redis")
    settings = {"CHAT_UI_DATABASE_URL": postgresql.url(), "CHAT_UI_REDIS_URL": redis.url}
    app = App(tmp_path, settings, built_app)
    backend = stand_in.streaming(FIRST, REST)
    with serving_page(app, new_context) as context:
        page = open_page(context, backend=backend)
        ask(page, "Tell me all of it")
        expect_settled(page)
        with {"redis": redis, "postgresql": postgresql}[lost].silent():
            ask(page, "And now?")
            expect_settled(page, turns=2)
            stranger = open_page(new_context(base_url=app.url), backend=backend)
            ask(stranger, "Is anybody there?")
            expect_settled(stranger)
            ready = wait_until(lambda: lost_of(httpx.get(f"{app.url}/ready", timeout=60)), 60)
            assert ready == {"redis": ["workers"], "postgresql": ["store"]}[lost]
        wait_until(lambda: httpx.get(f"{app.url}/ready").is_success or None, 60)
        stranger.reload()
        expect(expect_settled(stranger)).to_contain_text("The first half of it, and the second.")


def lost_of(ready: httpx.Response) -> list[str] | None:
    """What the server says that it cannot reach."""
    return [name for name, reached in ready.json().items() if not reached] or None


def page_backend(page: Page) -> str:
    """The backend that the page asks, as the browser remembers it."""
    return page.evaluate("() => JSON.parse(localStorage['chat-ui-backend']).own[0].url")


def test_while_the_database_is_locked_an_answer_goes_on_and_is_kept_afterwards(
    built_app: Path, tmp_path: Path, new_context: NewContext, stand_in
):
    app = App(tmp_path, {}, built_app)
    with serving_page(app, new_context) as context:
        page = open_page(context, backend=stand_in.held(FIRST, REST))
        with closing(sqlite3.connect(app.data / "chat.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            ask(page, "Tell me all of it")
            expect(expect_streaming(page)).to_contain_text("The first half of it,")
            unkept = notice(page, "not being kept")
            expect(unkept).to_be_visible()
            stand_in.go_on()
            expect(expect_settled(page)).to_contain_text("The first half of it, and the second.")
            assert kept(app, "and the second.") is None
            other.execute("COMMIT")
        expect(unkept).to_be_hidden()
        wait_until(lambda: kept(app, "and the second."), 60)
        page.reload()
        expect(answers(page)).to_contain_text("The first half of it, and the second.")


@pytest.mark.parametrize("sign", ["visibilitychange", "online"])
def test_after_a_laptop_slept_the_whole_answer_is_there_once(
    built_app: Path, tmp_path: Path, new_context: NewContext, stand_in, sign: str
):
    app = App(tmp_path, {}, built_app)
    with serving_page(app, new_context) as context, balancing([app.port]) as network:
        page = context.new_page()
        page.clock.install()
        page.goto(network.url)
        expect_alive(page)
        use(page, stand_in.held(FIRST, REST))
        ask(page, "Tell me all of it")
        expect(expect_streaming(page)).to_contain_text("The first half of it,")
        network.fall_silent()
        stand_in.go_on()
        wait_until(lambda: kept(app, "and the second."), 60)
        expect(answers(page)).not_to_contain_text("and the second.")
        page.clock.fast_forward("02:00:00")
        page.evaluate(
            "sign => (sign === 'online' ? window : document).dispatchEvent(new Event(sign))",
            sign,
        )
        expect(expect_settled(page).locator(".answer-text")).to_have_text("The first half of it, and the second.")


def test_a_page_that_nobody_touches_for_long_keeps_its_backend(
    built_app: Path, tmp_path: Path, new_context: NewContext, redis: RedisServer, stand_in
):
    app = App(tmp_path, {"CHAT_UI_REDIS_URL": redis.url, "REFLEX_REDIS_TOKEN_EXPIRATION": "3"}, built_app)
    with serving_page(app, new_context) as context, Redis(port=redis.port) as states:
        page = open_page(context, backend=stand_in.streaming(FIRST, REST))
        ask(page, "Who answers?")
        expect_settled(page)
        closed = open_page(context)
        token = closed.evaluate("() => sessionStorage.getItem('token')")
        (cookie,) = [one["value"] for one in context.cookies() if one["name"] == COOKIE]
        state = page_of(hashlib.sha256(cookie.partition(".")[0].encode()).hexdigest(), token)
        assert states.keys(f"{state}_*")
        closed.close()
        wait_until(lambda: None if states.keys(f"{state}_*") else True, 60)
        ask(page, "And now?")
        expect(expect_settled(page, turns=2)).to_contain_text("The first half of it, and the second.")


def test_a_page_finds_itself_again_where_redis_made_room_for_others(
    built_app: Path, tmp_path: Path, new_context: NewContext, redis: RedisServer, stand_in
):
    app = App(tmp_path, {"CHAT_UI_REDIS_URL": redis.url}, built_app)
    with serving_page(app, new_context) as context, Redis(port=redis.port) as states:
        page = open_page(context, backend=stand_in.streaming(FIRST, REST))
        ask(page, "Who answers?")
        expect_settled(page)
        for number, question in enumerate(("And now?", "And then?"), start=2):
            states.flushall()
            ask(page, question)
            expect_settled(page, turns=number)
        expect(questions(page)).to_have_text(["Who answers?", "And now?", "And then?"])
        assert len(stand_in.asked(page_backend(page))) == 3


def test_an_answer_is_logged_under_the_request_that_opened_the_socket(
    built_app: Path, tmp_path: Path, new_context: NewContext, stand_in
):
    app = App(tmp_path, {"CHAT_UI_LOG_LEVEL": "info", "CHAT_UI_LOG_JSON": "true"}, built_app)
    with serving_page(app, new_context) as context:
        page = open_page(context, backend=stand_in.streaming(FIRST, REST))
        ask(page, "Tell me all of it")
        expect_settled(page)
        page.close()

        def line(of: str) -> dict[str, str] | None:
            lines = [json.loads(one) for one in app.log.splitlines() if one.startswith("{")]
            return next((one for one in lines if of in one and (of != "path" or "_event" in one["path"])), None)

        socket = wait_until(lambda: line("path"), 60)
        generation = wait_until(lambda: line("generation"), 60)
        assert generation["request_id"] == socket["request_id"] != ""


def test_while_postgresql_is_lost_an_answer_goes_on_and_is_kept_afterwards(
    built_app: Path, tmp_path: Path, new_context: NewContext, postgresql: PostgreSQL, stand_in
):
    app = App(tmp_path, {"CHAT_UI_DATABASE_URL": postgresql.url()}, built_app)
    with serving_page(app, new_context) as context:
        page = open_page(context, backend=stand_in.held(FIRST, REST))
        ask(page, "Tell me all of it")
        expect(expect_streaming(page)).to_contain_text("The first half of it,")
        postgresql.stop()
        unkept = notice(page, "not being kept")
        expect(unkept).to_be_visible()
        stand_in.go_on()
        expect(expect_settled(page)).to_contain_text("The first half of it, and the second.")
        postgresql.start()
        expect(unkept).to_be_hidden()
        page.reload()
        expect(answers(page)).to_contain_text("The first half of it, and the second.")


def test_while_postgresql_is_lost_people_ask_who_never_kept_a_key_and_others_are_told_in_words(
    built_app: Path, tmp_path: Path, new_context: NewContext, postgresql: PostgreSQL, stand_in
):
    app = App(tmp_path, {"CHAT_UI_DATABASE_URL": postgresql.url()}, built_app)
    with serving_page(app, new_context) as context:
        app.end()
        postgresql.stop()
        try:
            app.start()
            page = open_page(context, backend=stand_in.streaming(FIRST, REST))
            expect(notice(page, "not being kept")).to_be_visible()
            ask(page, "Tell me all of it")
            expect(expect_settled(page)).to_contain_text("The first half of it, and the second.")
            page.evaluate("() => localStorage.setItem('chat-ui-keys', 'kept')")
            page.reload()
            expect_alive(page)
            ask(page, "And with my key?")
            expect(page.get_by_text("Your keys cannot be kept or found at the moment.")).to_be_visible()
            expect(page.get_by_role("textbox", name="Message")).to_have_value("And with my key?")
        finally:
            postgresql.start()
        assert app.log.count("are being kept again") <= 1


def test_a_conversation_that_cannot_be_read_appears_once_it_can_be(
    built_app: Path, tmp_path: Path, new_context: NewContext, postgresql: PostgreSQL, stand_in
):
    app = App(tmp_path, {"CHAT_UI_DATABASE_URL": postgresql.url()}, built_app)
    with serving_page(app, new_context) as context:
        page = open_page(context, backend=stand_in.streaming(FIRST, REST))
        ask(page, "Tell me all of it")
        expect_settled(page)
        app.end()
        postgresql.stop()
        app.start()
        page.reload()
        unreadable = page.get_by_role("heading", name="This conversation cannot be read at the moment.")
        expect(unreadable).to_be_visible()
        expect(page.get_by_text("belongs to somebody else")).to_have_count(0)
        postgresql.start()
        expect(expect_settled(page)).to_contain_text("The first half of it, and the second.")
        expect(unreadable).to_have_count(0)
        ask(page, "And now?")
        expect_settled(page, turns=2)
