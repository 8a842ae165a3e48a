"""The server as README.md starts it, asked to end while answers are being made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.sync_api import expect

from tests.app import App
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, answers, ask, expect_settled, expect_streaming, open_page, questions

pytestmark = pytest.mark.timeout(400)
GRACE = {"CHAT_UI_GRACE_SECONDS": "5"}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    made = App(tmp_path, GRACE)
    made.start()
    yield made
    made.end()


def test_what_can_be_finished_is_finished_and_the_rest_is_marked_interrupted(
    app: App, new_context: NewContext, stand_in: StandIn, tmp_path: Path
):
    first, rest = ({"delta": {"content": text}} for text in ("The first half", " and the rest."))
    backend = stand_in.one_after_the_other([first, stand_in.WAIT_UNTIL_TOLD, rest], [first, stand_in.WAIT_FOR_EVER])
    context = new_context(base_url=app.url)
    finishing = open_page(context, backend=backend)
    ask(finishing, "What can be finished?")
    expect_streaming(finishing)
    expect(finishing).to_have_url(re.compile("/c/"))
    unfinished = open_page(context)
    unfinished.get_by_role("button", name="New chat").click()
    expect(questions(unfinished)).to_have_count(0)
    ask(unfinished, "And what not?")
    expect_streaming(unfinished)
    expect(unfinished).to_have_url(re.compile("/c/"))

    processes = app.processes()
    app.ask_to_end()
    stand_in.go_on()
    expect(answers(finishing)).to_contain_text("The first half and the rest.")
    assert app.wait_for_end() == 0
    assert not [one for one in processes if psutil.pid_exists(one)]
    assert "Traceback" not in app.log

    again = App(tmp_path, GRACE, built=tmp_path)
    again.start()
    try:
        for page in (finishing, unfinished):
            page.goto(again.url + urlsplit(page.url).path)
        expect(expect_settled(finishing)).to_contain_text("The first half and the rest.")
        expect(answers(finishing).get_by_role("alert")).to_have_count(0)
        expect(expect_settled(unfinished)).to_contain_text("The first half")
        note = answers(unfinished).get_by_role("note")
        expect(note).to_contain_text("This answer was interrupted")
        for name in ("Continue", "Retry"):
            expect(note.get_by_role("button", name=name)).to_be_visible()
    finally:
        again.end()
