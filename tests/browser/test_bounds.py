"""What people read where an answer is too long or their share of the disk is full, and how they go on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.app import App
from tests.browser.places import opened_list
from tests.browser.talking import NewContext, ask, expect_settled, message, open_page, questions, use

LONG = {"delta": {"content": "A part of it. "}, "context": {"data_points": {"text": ["Long.md: " + "x" * 25_000]}}}


@pytest.fixture(scope="module")
def small_app(tmp_path_factory: pytest.TempPathFactory, built_app: Path) -> Iterator[App]:
    """The app with room for a little of each."""
    bounds = {"CHAT_UI_ANSWER_BYTES": "60000", "CHAT_UI_PERSON_BYTES": "90000"}
    app = App(tmp_path_factory.mktemp("small"), bounds, built_app)
    app.start()
    try:
        yield app
    finally:
        app.end()


@pytest.fixture
def context(small_app: App, new_context: NewContext) -> BrowserContext:
    return new_context(base_url=small_app.url)


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return open_page(context)


def test_of_an_answer_that_is_too_long_the_beginning_is_kept_and_the_reader_is_told(page: Page, stand_in):
    use(page, stand_in.streaming(*[LONG] * 4))
    ask(page, "Tell me all of it")
    answer = expect_settled(page)
    expect(answer.get_by_role("alert")).to_contain_text("The answer is longer than 58.6 KB")
    expect(answer).to_contain_text("A part of it. A part of it.")
    page.reload()
    expect(expect_settled(page).get_by_role("note")).to_contain_text("Its beginning is kept")


def test_a_person_whose_share_is_full_is_told_and_goes_on_after_deleting(page: Page, stand_in, tmp_path: Path):
    use(page, stand_in.streaming(LONG))
    for turn in (1, 2, 3, 4):
        ask(page, f"Question {turn}")
        expect_settled(page, turns=turn)
    ask(page, "Is there room for this?")
    refusal = page.get_by_role("alert").get_by_text("There is no room for this")
    expect(refusal).to_contain_text("that you can keep here. Export those that you want to have, delete some of them")
    expect(message(page)).to_have_value("Is there room for this?")
    expect(questions(page)).to_have_count(4)
    page.reload()
    expect(message(page)).to_have_value("Is there room for this?")
    expect_settled(page, turns=4)
    expect(page.get_by_role("alert")).to_have_count(0)

    listed = opened_list(page)
    listed.get_by_text("Export, import, delete").click()
    with page.expect_download() as download:
        listed.get_by_role("link", name="Export all").click()
    taken = tmp_path / "all.json"
    taken.write_bytes(Path(download.value.path()).read_bytes())
    assert json.loads(taken.read_text())["conversations"]
    listed.get_by_label("File to import").set_input_files(taken)
    expect(listed).to_contain_text(re.compile("There is no room for this: your conversations take .* Export those"))

    listed.get_by_role("button", name=re.compile("^Delete Question")).click()
    expect(listed).to_contain_text("There is no conversation yet.")
    page.keyboard.press("Escape")
    ask(page, "Is there room now?")
    expect_settled(page)
