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
from playwright.sync_api import Page, expect

from tests.app import App
from tests.benchmarks.servers import wait_until
from tests.browser.talking import (
    NewContext,
    answers,
    ask,
    expect_alive,
    expect_settled,
    expect_streaming,
    open_page,
    questions,
    text_of,
)

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def app(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    made = App(tmp_path_factory.mktemp("restarted"), {"CHAT_UI_GRACE_SECONDS": "1"}, built_app)
    made.start()
    yield made
    made.end()


@pytest.fixture
def page(app: App, new_context: NewContext) -> Page:
    return open_page(new_context(base_url=app.url))


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
    expect(questions(page)).to_have_count(1)
    alert = answers(page).get_by_role("alert")
    expect(alert).to_contain_text("interrupted")
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
    expect(answers(page)).to_contain_text("An answer that no disk has.")


def test_while_the_network_is_away_an_answer_goes_on_and_is_there_whole_and_once_afterwards(page: Page, stand_in):
    words = [f"Word {number} of it.\n\n" for number in range(100)]
    first, *others = ({"delta": {"content": text}} for text in ("".join(words[:50]), *words[50:]))
    use(page, stand_in.held(first, *others))
    ask(page, "Tell me all of it")
    answer = expect_streaming(page)
    page.context.set_offline(True)
    stand_in.go_on()
    markdown = f"{answer.locator('.answer-text').get_attribute('data-address')}/markdown"
    wait_until(lambda: words[-1].strip() in page.request.get(markdown).text() or None, 60)
    page.context.set_offline(False)
    assert text_of(expect_settled(page)) == "".join("".join(words).split())


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
    expect_alive(page)


def limit_files(app: App, size: int) -> None:
    """Let no file that the server writes become larger."""
    for process in app.processes():
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
