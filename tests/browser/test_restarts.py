"""A server that dies or ends in mid-answer, and is started again."""

from __future__ import annotations

import re
import resource
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app import App
from tests.backends.paced import LAST, SOURCE
from tests.benchmarks.servers import paced_backend, wait_until
from tests.browser.talking import answers, ask, expect_settled, expect_streaming, message, open_page, questions

pytestmark = pytest.mark.timeout(400)
RECONNECT = 120_000


@pytest.fixture(scope="module")
def app(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    made = App(tmp_path_factory.mktemp("restarted"), {"CHAT_UI_GRACE_SECONDS": "1"}, built_app)
    made.start()
    yield made
    made.end()


@pytest.fixture
def page(app: App, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(base_url=app.url)
    yield open_page(context)
    context.close()


def flushed(app: App, text: str) -> bool | None:
    """True once the database has this text of a running answer."""
    with closing(sqlite3.connect(app.data / "chat.db")) as database:
        found = database.execute("SELECT 1 FROM piece WHERE text = ?", (text,)).fetchone()
    return True if found else None


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_answer_that_was_being_made_is_there_after_a_restart(app: App, page: Page, stand_in, how: signal.Signals):
    saved = stand_in.streaming({"delta": {"content": "The first half of it."}}, stand_in.WAIT_FOR_EVER)
    use(page, saved)
    ask(page, "Tell me all of it")
    expect(expect_streaming(page)).to_contain_text("The first half of it.")
    wait_until(lambda: flushed(app, "The first half of it."), 60)
    app.end(how)
    app.start()
    page.reload()
    expect(questions(page)).to_have_count(1, timeout=RECONNECT)
    alert = answers(page).get_by_role("alert")
    expect(alert).to_contain_text("interrupted", timeout=RECONNECT)
    expect(answers(page)).to_contain_text("The first half of it.")
    expect(alert.get_by_role("button", name="Retry")).to_be_visible()
    alert.get_by_role("button", name="Continue").click()
    expect(questions(page)).to_have_count(2)
    expect_streaming(page)
    sent = stand_in.asked(saved)[-1]["messages"]
    assert [message["content"] for message in sent][:2] == ["Tell me all of it", "The first half of it."]
    page.get_by_role("button", name="Stop").click()
    expect_settled(page, turns=2)


def test_while_the_disk_is_full_answers_go_on_and_the_person_is_told(app: App, page: Page, stand_in):
    use(page, stand_in.streaming({"delta": {"content": "An answer that no disk has."}}))
    notice = page.get_by_role("status").get_by_text("not being kept")
    limit_files(app, 1)
    ask(page, "Is there room?")
    expect_settled(page)
    expect(answers(page)).to_contain_text("An answer that no disk has.")
    expect(notice).to_be_visible()
    assert httpx.get(f"{app.url}/ready").json()["store"] is False
    limit_files(app, resource.RLIM_INFINITY)
    expect(notice).to_be_hidden()
    app.end(signal.SIGKILL)
    app.start()
    page.reload()
    expect(answers(page)).to_contain_text("An answer that no disk has.", timeout=RECONNECT)


def test_while_the_network_is_away_an_answer_goes_on_and_is_there_whole_and_once_afterwards(app: App, page: Page):
    with paced_backend() as backend:
        use(page, backend.url)
        ask(page, "kind=prose tokens=240 rate=60 id=away")
        expect_streaming(page)
        page.context.set_offline(True)
        sent = wait_until(lambda: backend.sent("away"), 60)
        page.context.set_offline(False)
        expect_settled(page)
        expect(answers(page)).to_contain_text(f"{LAST}away")
    shown = " ".join(answers(page).locator(".answer-text").inner_text().split())
    assert shown.replace(" .", ".") == " ".join(sent.text.replace(f"[{SOURCE}]", " 1 ").split()).replace(" .", ".")


def test_the_address_names_the_conversation_once_it_has_begun(app: App, page: Page, stand_in):
    use(page, stand_in.streaming({"delta": {"content": "Buoys are red."}}))
    expect(page).to_have_url(f"{app.url}/")
    ask(page, "What colour are buoys?")
    expect_settled(page)
    expect(page).to_have_url(re.compile(r"/c/[\w-]+$"))
    elsewhere = page.context.new_page()
    elsewhere.goto(page.url)
    expect(answers(elsewhere)).to_contain_text("Buoys are red.")
    page.get_by_role("button", name="New chat").click()
    expect(page).to_have_url(f"{app.url}/")
    expect(questions(page)).to_have_count(0)


def use(page: Page, backend: str) -> None:
    """Take this backend from now on, as if it had been saved before."""
    page.evaluate("url => localStorage.setItem('chat-ui-backend', JSON.stringify({url}))", backend)
    page.reload()
    expect(message(page)).to_be_editable()


def limit_files(app: App, size: int) -> None:
    """Let no file that the server writes become larger."""
    for process in app.processes():
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
