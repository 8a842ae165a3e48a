"""What people read where an answer is too long, their share of the disk is full or they ask too often, and how they go
on: what they typed stays theirs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.app import running_app
from tests.browser.attaching import PICTURE, attach, attached
from tests.browser.hearing import heard, listen
from tests.browser.listening import listening
from tests.browser.places import opened_list
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    ask,
    choose,
    expect_alive,
    expect_settled,
    leaving_its_address,
    message,
    open_page,
    options_of,
    questions,
)

PART = {"delta": {"content": "A part of it. "}, "context": {"data_points": {"text": ["Long.md: " + "x" * 25_000]}}}
TOO_MANY = re.compile("asked 2 questions within a minute")


@pytest.fixture(scope="module")
def small_url(tmp_path_factory: pytest.TempPathFactory, built_app: Path) -> Iterator[str]:
    """The app with room for a little of each."""
    bounds = {
        "CHAT_UI_ANSWER_BYTES": "60000",
        "CHAT_UI_PERSON_BYTES": "20000",
        "CHAT_UI_QUESTIONS_PER_MINUTE": "2",
    }
    with running_app(tmp_path_factory.mktemp("small"), bounds, built=built_app) as url:
        yield url


@pytest.fixture
def context(small_url: str, new_context: NewContext) -> BrowserContext:
    return new_context(base_url=small_url)


def test_of_an_answer_that_is_too_long_the_beginning_is_kept_and_who_has_no_room_for_more_deletes_it(
    context: BrowserContext, stand_in: StandIn, tmp_path: Path
):
    page = open_page(context, backend=stand_in.streaming(*[PART] * 4))
    ask(page, "Tell me all of it")
    answer = expect_settled(page)
    expect(answer.get_by_role("alert")).to_contain_text("The answer is longer than 58.6 KB")
    expect(answer).to_contain_text("A part of it. A part of it.")
    ask(page, "Is there room for this?")
    refusal = page.get_by_role("alert").get_by_text("There is no room for this")
    expect(refusal).to_contain_text("that you can keep here. Export those that you want to have, delete some of them")
    expect(message(page)).to_have_value("Is there room for this?")
    expect(questions(page)).to_have_count(1)
    address_of(page)
    page.reload()
    expect(message(page)).to_have_value("Is there room for this?")
    expect(expect_settled(page).get_by_role("note")).to_contain_text("Its beginning is kept")
    expect(page.get_by_role("alert")).to_have_count(0)

    listed = opened_list(page)
    expect(listed.get_by_role("link")).to_have_count(1)
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


@pytest.mark.wcag("3.3.7")
def test_what_is_refused_comes_back_where_it_was_typed_in_front_of_what_was_typed_meanwhile(context: BrowserContext):
    page = open_page(context)
    socket = listening(page)
    listen(page)
    for turns in (1, 2):
        ask(page, f"Question {turns}?")
        expect_settled(page, turns=turns)
    questions(page).first.get_by_role("button", name="Edit question").click()
    box = page.get_by_role("textbox", name="Edited question")
    box.fill("Question 1, really?")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(TOO_MANY)
    expect(box).to_have_value("Question 1, really?")
    expect(box).to_be_focused()
    box.press("Escape")

    here = attached(page).and_(page.locator("[aria-busy=false]"))
    attach(page, *[{**PICTURE, "name": f"{number}.png"} for number in range(3)])
    expect(here).to_have_count(3)
    socket.hold_told()
    ask(page, "One too many?")
    message(page).press_sequentially("And this.")
    attach(page, *[{**PICTURE, "name": f"{number}.png"} for number in (3, 4)])
    expect(here).to_have_count(2)
    socket.let_go()
    alerts = page.get_by_role("alert")
    expect(alerts.filter(has_text=TOO_MANY)).to_be_visible()
    assert len([words for words in heard(page).alerts if TOO_MANY.search(words)]) == 2
    too_many = alerts.filter(has_text="At most 4 images go with a question. Remove 1, then send it.")
    expect(too_many).to_be_visible()
    expect(message(page)).to_have_value("One too many?\nAnd this.")
    for number, image in enumerate(attached(page).get_by_role("img").all()):
        expect(image).to_have_attribute("alt", f"{number}.png")
        expect(image).to_have_js_property("naturalWidth", 1)
    page.get_by_role("button", name="Remove 0.png").click()
    expect(too_many).to_have_count(0)
    expect(attached(page)).to_have_count(4)
    page.reload()
    expect_alive(page)
    expect(message(page)).to_have_value("One too many?\nAnd this.")
