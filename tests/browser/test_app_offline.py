"""Without a network: conversations that the browser has seen last can be read, by the person who saw them alone."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from chat_ui.server.middleware.identity import COOKIE
from tests.app import App
from tests.benchmarks.servers import wait_until
from tests.browser.axe import expect_no_violations
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    choose,
    expect_alive,
    expect_settled,
    open_page,
    options_of,
    questions,
)

CITED = {
    "delta": {"content": "Buoys are red [buoys.md]."},
    "context": {"data_points": {"text": ["buoys.md: All buoys of the harbour are red."]}},
}
OFFLINE = re.compile("You are offline")
KEPT = """async (path) => {
    for (const name of (await caches.keys()).filter((one) => one.startsWith("chat-ui-kept-")))
        if (!path || (await (await caches.open(name)).match(path))) return true;
    return false;
}"""
SHELLS = "() => caches.keys().then((names) => names.filter((one) => one.startsWith('chat-ui-shell-')))"
REGISTERED = "() => navigator.serviceWorker.getRegistration().then(Boolean)"
READY = "() => navigator.serviceWorker.getRegistration().then((found) => found?.active?.state === 'activated')"


@pytest.fixture
def backend(stand_in: StandIn) -> str:
    return stand_in.streaming(CITED)


def expect_worker(page: Page) -> None:
    wait_until(lambda: page.evaluate(READY) or None, 60)


def expect_kept(page: Page, path: str) -> None:
    wait_until(lambda: page.evaluate(KEPT, path) or None, 60)


def expect_not_kept(page: Page, path: str = "") -> None:
    wait_until(lambda: (not page.evaluate(KEPT, path)) or None, 60)


def path_of(page: Page) -> str:
    return urlsplit(address_of(page)).path


def seen(page: Page, question: str = "What colour are buoys?") -> str:
    """Ask, and wait until the browser has kept the conversation; its path."""
    ask(page, question)
    expect_settled(page)
    path = path_of(page)
    expect_worker(page)
    expect_kept(page, path)
    return path


def kept_list(page: Page) -> Locator:
    return page.get_by_role("list", name="Conversations").get_by_role("link")


def test_without_a_network_conversations_seen_last_are_read_with_their_sources_until_it_is_back(
    context: BrowserContext, backend: str
):
    page = open_page(context, backend=backend)
    first = seen(page, "What colour are buoys?")
    page.get_by_role("button", name="New chat").click()
    expect(page).not_to_have_url(re.compile(first))
    expect_alive(page)
    second = seen(page, "And lights?")
    context.set_offline(True)
    page.goto("/")
    expect(page.get_by_role("status")).to_contain_text(
        "You are offline. These are the conversations this browser has seen last."
    )
    expect(kept_list(page)).to_contain_text(["And lights?", "What colour are buoys?"])
    expect_no_violations(page)
    kept_list(page).last.click()
    expect(page).to_have_url(re.compile(f"{first}$"))
    expect(page.get_by_role("status")).to_contain_text(OFFLINE)
    expect(page.locator(".when")).to_be_visible()
    expect(page.get_by_role("heading", name="What colour are buoys?").last).to_be_visible()
    expect(page.get_by_text("All buoys of the harbour are red.")).to_be_visible()
    expect_no_violations(page)
    page.get_by_role("link", name="Citation 1: buoys.md").click()
    expect(page).to_have_url(re.compile("#"))
    page.reload()
    expect(page.get_by_text("Buoys are red")).to_be_visible()
    page.goto("/c/of-somebody")
    expect(page.get_by_text("The conversation at this address is not kept in this browser.")).to_be_visible()
    page.goto(second)
    expect(page.get_by_role("heading", name="And lights?").last).to_be_visible()
    context.set_offline(False)
    expect_alive(page)
    expect(expect_settled(page)).to_contain_text("Buoys are red")


def test_with_a_server_that_has_ended_the_page_comes_back_with_it(
    built_app: Path, tmp_path: Path, new_context: NewContext, backend: str
):
    app = App(tmp_path, built=built_app)
    app.start()
    page = open_page(new_context(base_url=app.url), backend=backend)
    path = seen(page)
    app.end()
    page.goto(path)
    expect(page.get_by_role("status")).to_contain_text(OFFLINE)
    expect(page.get_by_text("Buoys are red")).to_be_visible()
    app.start()
    expect_alive(page)
    expect(expect_settled(page)).to_contain_text("Buoys are red")
    app.end()


def test_nobody_else_at_this_browser_finds_what_a_person_has_seen(context: BrowserContext, backend: str):
    page = open_page(context, backend=backend)
    path = seen(page)
    context.clear_cookies(name=COOKIE)
    page.goto("/")
    expect_alive(page)
    expect_not_kept(page)
    context.set_offline(True)
    page.goto(path)
    expect(page.get_by_text("No conversation is kept in this browser.")).to_be_visible()
    expect(page.get_by_text("buoys", exact=False)).to_have_count(0)


def test_a_deleted_conversation_is_gone_at_once_also_from_another_tab(context: BrowserContext, backend: str):
    page = open_page(context, backend=backend)
    path = seen(page)
    other = open_page(context)
    other.get_by_role("button", name="Conversations").click()
    listed = other.get_by_role("navigation", name="Conversations")
    choose(options_of(listed, "What colour are buoys?"), "Delete")
    expect_not_kept(page, path)
    context.set_offline(True)
    other.goto(path)
    expect(other.get_by_text("No conversation is kept in this browser.")).to_be_visible()


def test_a_conversation_that_was_deleted_elsewhere_is_gone_with_the_next_page(context: BrowserContext, backend: str):
    page = open_page(context, backend=backend)
    path = seen(page)
    assert page.request.delete(f"/api/conversations/{path.rpartition('/')[2]}").ok
    page.goto("/")
    expect_not_kept(page, path)


def test_a_person_sees_how_many_are_kept_and_clears_them(context: BrowserContext, backend: str):
    page = open_page(context, backend=backend)
    seen(page)
    page.get_by_role("button", name="Conversations").click()
    page.get_by_text("Export, import, delete").click()
    expect(page.get_by_text("1 conversation is kept in this browser")).to_be_visible()
    page.get_by_role("button", name="Remove them from this browser").click()
    expect(page.get_by_role("status").get_by_text("This browser keeps no conversation now.")).to_be_visible()
    expect_not_kept(page)
    page.reload()
    expect_settled(page)
    expect_kept(page, path_of(page))
    page.get_by_text("Export, import, delete").click()
    page.get_by_role("button", name="Delete everything of mine").click()
    page.get_by_role("button", name="Delete all of it").click()
    expect_not_kept(page)


def test_a_page_in_a_frame_keeps_nothing(built_app: Path, tmp_path: Path, new_context: NewContext, backend: str):
    app = App(tmp_path, {"CHAT_UI_FRAME_ANCESTORS": "'self'"}, built_app)
    app.start()
    page = new_context(base_url=app.url).new_page()
    page.goto("/health")
    page.set_content(f'<iframe title="Chat" src="{app.url}/"></iframe>')
    frame = page.frames[1]
    expect_alive(frame)
    ask(frame, "How much parental leave do I get?")
    expect_settled(frame)
    # The page that is no frame comes last, so by now the frame would have been served by a worker.
    # It shows no conversation: what it shows, it would keep.
    alone = open_page(page.context, path="/c/nothing")
    expect_worker(alone)
    assert not alone.evaluate(KEPT, "")
    app.end()


@pytest.mark.parametrize(
    "settings",
    [
        {"CHAT_UI_OFFLINE": "false"},
        pytest.param({"CHAT_UI_RETENTION_DAYS": "0"}, marks=pytest.mark.thorough),
        {"CHAT_UI_IDENTITY_HEADER": "X-User", "CHAT_UI_TRUSTED_PROXIES": "10.9.9.9"},
    ],
    ids=["off", "nothing on disk", "a proxy that names people"],
)
def test_a_server_that_keeps_nothing_in_browsers_takes_back_what_was_kept(
    built_app: Path, tmp_path: Path, new_context: NewContext, backend: str, settings: dict[str, str]
):
    keeping = App(tmp_path, built=built_app)
    keeping.start()
    page = open_page(new_context(base_url=keeping.url), backend=backend)
    seen(page)
    keeping.end()
    keeping_nothing = App(tmp_path, settings, built_app, keeping.port)
    keeping_nothing.start()
    page.goto("/")
    expect_alive(page)
    wait_until(lambda: page.evaluate(f"async () => !(await ({REGISTERED})())") or None, 60)
    assert page.evaluate("() => caches.keys()") == []
    # The tab goes on with its conversation, where that is still there.
    ask(page, "How much parental leave do I get?")
    expect(questions(page).last).to_contain_text("parental leave")
    expect(answers(page).last.get_by_role("button", name="Copy answer")).to_be_visible()
    keeping_nothing.end()


def test_another_version_of_the_server_takes_over_with_the_next_page(
    built_app: Path, tmp_path: Path, new_context: NewContext, backend: str
):
    former = App(tmp_path, built=built_app)
    former.start()
    context = new_context(base_url=former.url)
    page = open_page(context, backend=backend)
    path = seen(page)
    shells = page.evaluate(SHELLS)
    former.end()
    latter = App(tmp_path, {"CHAT_UI_TITLE": "Another"}, built_app, former.port)
    latter.start()
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    page.goto(path)
    expect_alive(page)
    wait_until(lambda: page.evaluate(SHELLS) != shells or None, 60)
    wait_until(lambda: len(page.evaluate(SHELLS)) == 1 or None, 60)
    assert loads == [page.url]
    context.set_offline(True)
    page.goto("/")
    expect(page).to_have_title("Offline – Another")
    expect(kept_list(page)).to_have_count(1)
    context.set_offline(False)
    expect_alive(page)
    latter.end()


def test_where_a_proxy_has_people_sign_in_again_that_page_comes_and_nothing_of_before_is_left(
    built_app: Path, tmp_path: Path, new_context: NewContext, backend: str
):
    app = App(tmp_path, built=built_app)
    app.start()
    page = open_page(new_context(base_url=app.url), backend=backend)
    path = seen(page)
    app.end()
    with signing_in(app.port):
        page.goto(path)
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        expect_not_kept(page)
    page.goto(path)
    expect(page.get_by_text("No conversation is kept in this browser.")).to_be_visible()


def test_with_a_network_that_says_nothing_what_is_kept_comes_after_a_while(
    built_app: Path, tmp_path: Path, new_context: NewContext, backend: str
):
    app = App(tmp_path, built=built_app)
    app.start()
    page = open_page(new_context(base_url=app.url), backend=backend)
    path = seen(page)
    app.end()
    with socket.create_server(("127.0.0.1", app.port)):
        page.goto(path)
        expect(page.get_by_role("status")).to_contain_text(OFFLINE)
        expect(page.get_by_text("All buoys of the harbour are red.")).to_be_visible()


@contextmanager
def signing_in(port: int) -> Iterator[None]:
    """A proxy, in the place of the app, for a person who has not signed in."""

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_there = self.path == "/sign-in"
            self.send_response(200 if is_there else 302)
            self.send_header("Content-Type", "text/html")
            if not is_there:
                self.send_header("Location", "/sign-in")
            self.end_headers()
            if is_there:
                self.wfile.write(b"<title>Sign in</title><h1>Sign in</h1>")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Proxy)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        serving.join()
