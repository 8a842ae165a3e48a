"""A server that dies or ends in mid-answer, and is started again."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app import App
from tests.browser.talking import answers, ask, expect_settled, expect_streaming, open_page, questions

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


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_answer_that_was_being_made_is_there_after_a_restart(app: App, page: Page, stand_in, how: signal.Signals):
    saved = stand_in.streaming({"delta": {"content": "The first half of it."}}, stand_in.WAIT_FOR_EVER)
    page.evaluate("url => localStorage.setItem('chat-ui-backend', JSON.stringify({url}))", saved)
    page.reload()
    ask(page, "Tell me all of it")
    expect(expect_streaming(page)).to_contain_text("The first half of it.")
    page.wait_for_timeout(600)
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
