"""What people read where an answer is too long or their share of the disk is full, and how they go on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.app import running_app
from tests.browser.places import opened_list
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    ask,
    choose,
    expect_settled,
    leaving_its_address,
    message,
    open_page,
    options_of,
    questions,
)

pytestmark = pytest.mark.thorough

PART = {"delta": {"content": "A part of it. "}, "context": {"data_points": {"text": ["Long.md: " + "x" * 25_000]}}}


@pytest.fixture
def small_url(tmp_path: Path, built_app: Path) -> Iterator[str]:
    """The app with room for a little of each."""
    bounds = {"CHAT_UI_ANSWER_BYTES": "60000", "CHAT_UI_PERSON_BYTES": "20000"}
    with running_app(tmp_path, bounds, built=built_app) as url:
        yield url


def test_of_an_answer_that_is_too_long_the_beginning_is_kept_and_a_person_without_room_for_more_deletes_it(
    small_url: str, new_context: NewContext, stand_in: StandIn, tmp_path: Path
):
    page = open_page(new_context(base_url=small_url), backend=stand_in.streaming(*[PART] * 4))
    ask(page, "Tell me all of it")
    answer = expect_settled(page)
    expect(answer.get_by_role("alert")).to_contain_text("The answer is longer than 58.6 KB")
    expect(answer).to_contain_text("A part of it. A part of it.")
    address_of(page)
    edited = page.get_by_role("textbox", name="Edited question")
    page.get_by_role("button", name="Edit question").click()
    edited.fill("Tell me a part of it")
    edited.press("Enter")
    refusal = page.get_by_role("alert").get_by_text("There is no room for this")
    expect(refusal).to_contain_text("that you can keep here. Export those that you want to have, delete some of them")
    expect(edited).to_have_value("Tell me a part of it")
    edited.press("Escape")
    ask(page, "Is there room for this?")
    expect(message(page)).to_have_value("Is there room for this?")
    expect(questions(page)).to_have_count(1)
    page.reload()
    expect(message(page)).to_have_value("Is there room for this?")
    expect(expect_settled(page).get_by_role("note")).to_contain_text("Its beginning is kept")
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
    with leaving_its_address(page):
        choose(options_of(listed, "Tell me"), "Delete")
    expect(listed).to_contain_text("There is no conversation yet.")
    expect(questions(page)).to_have_count(0)
    page.keyboard.press("Escape")
    ask(page, "Is there room now?")
    expect_settled(page)
