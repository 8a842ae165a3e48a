"""What a person typed stays theirs: a question or an edit that was refused, one that never arrived, one half typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.app import running_app
from tests.browser.attaching import PICTURE, attach, attached
from tests.browser.listening import listening
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, ask, expect_alive, expect_settled, message, open_page, questions

SAID = {"delta": {"content": "Said."}}
TOO_MANY = re.compile("asked 2 questions within a minute")


@pytest.fixture(scope="module")
def strict_url(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page where one person may ask two questions a minute."""
    settings = {"CHAT_UI_QUESTIONS_PER_MINUTE": "2"}
    with running_app(tmp_path_factory.mktemp("strict_app"), settings, built=built_app) as url:
        yield url


@pytest.fixture
def strict(new_context: NewContext, strict_url: str) -> BrowserContext:
    return new_context(base_url=strict_url)


def edit(page: Page, words: str) -> Locator:
    """The box of the first question, with other words in it."""
    questions(page).first.get_by_role("button", name="Edit question").click()
    box = page.get_by_role("textbox", name="Edited question")
    box.fill(words)
    return box


def words_of(page: Page) -> Locator:
    return questions(page).locator(".question-text")


def test_an_edit_that_is_refused_keeps_its_words_and_says_why(strict: BrowserContext, stand_in: StandIn):
    page = open_page(strict, backend=stand_in.streaming(SAID))
    for turns in (1, 2):
        ask(page, f"Question {turns}?")
        expect_settled(page, turns=turns)
    box = edit(page, "Question 1, really?")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(TOO_MANY)
    expect(box).to_have_value("Question 1, really?")
    expect(box).to_be_focused()


def test_an_edit_is_asked_once_however_often_enter_is_pressed(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    socket = listening(page)
    ask(page, "First?")
    expect_settled(page)
    box = edit(page, "First, really?")
    socket.hold_told()
    box.press("Enter")
    box.press("Enter")
    socket.let_go()
    expect(words_of(page)).to_have_text(["First, really?"])
    expect_settled(page)
    ask(page, "Second?")
    expect_settled(page, turns=2)
    expect(page.get_by_role("group", name="Versions of this question")).to_contain_text("2 / 2")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(message(page)).to_have_value("")


def test_an_edit_of_a_question_that_was_replaced_elsewhere_becomes_a_new_question(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.streaming(SAID))
    socket = listening(page)
    ask(page, "First?")
    expect_settled(page)
    elsewhere = open_page(context)
    box = edit(page, "First, really?")
    socket.hold_told()
    edit(elsewhere, "Another?").press("Enter")
    expect(words_of(elsewhere)).to_have_text(["Another?"])
    expect_settled(elsewhere)
    box.press("Enter")
    socket.let_go()
    expect(page.get_by_role("alert")).to_contain_text("is not shown any more")
    expect(words_of(page)).to_have_text(["Another?"])
    expect(message(page)).to_have_value("First, really?")


def test_a_question_that_is_refused_comes_back_in_front_of_what_was_typed_meanwhile(strict: BrowserContext):
    page = open_page(strict)
    socket = listening(page)
    for turns in (1, 2):
        ask(page, f"Question {turns}?")
        expect_settled(page, turns=turns)
    attach(page, {**PICTURE, "name": "before.png"})
    expect(attached(page)).to_have_attribute("aria-busy", "false")
    socket.hold_told()
    ask(page, "One too many?")
    message(page).press_sequentially("And this.")
    attach(page, {**PICTURE, "name": "after.png"})
    expect(attached(page)).to_have_attribute("aria-busy", "false")
    socket.let_go()
    expect(page.get_by_role("alert")).to_have_text(TOO_MANY)
    expect(message(page)).to_have_value("One too many?\nAnd this.")
    images = attached(page).get_by_role("img")
    expect(images).to_have_count(2)
    for image, name in zip(images.all(), ("before.png", "after.png"), strict=True):
        expect(image).to_have_attribute("alt", name)
        expect(image).to_have_js_property("naturalWidth", 1)
    page.reload()
    expect_alive(page)
    expect(message(page)).to_have_value("One too many?\nAnd this.")


def test_more_images_than_go_with_a_question_after_one_came_back_are_told(strict: BrowserContext):
    page = open_page(strict)
    socket = listening(page)
    for turns in (1, 2):
        ask(page, f"Question {turns}?")
        expect_settled(page, turns=turns)
    for number in range(3):
        attach(page, {**PICTURE, "name": f"{number}.png"})
    expect(attached(page).and_(page.locator("[aria-busy=false]"))).to_have_count(3)
    socket.hold_told()
    ask(page, "One too many?")
    attach(page, *[{**PICTURE, "name": f"{number}.png"} for number in (3, 4)])
    expect(attached(page).and_(page.locator("[aria-busy=false]"))).to_have_count(2)
    socket.let_go()
    too_many = page.get_by_role("alert").filter(has_text="At most 4 images go with a question. Remove 1, then send it.")
    expect(too_many).to_be_visible()
    page.get_by_role("button", name="Remove 0.png").click()
    expect(too_many).to_have_count(0)
    expect(attached(page)).to_have_count(4)


def test_a_question_that_never_arrived_is_in_the_box_after_a_reload(context: BrowserContext):
    page = open_page(context)
    socket = listening(page)
    ask(page, "First?")
    expect_settled(page)
    attach(page, PICTURE)
    expect(attached(page)).to_have_attribute("aria-busy", "false")
    socket.lose_said()
    ask(page, "Second?")
    expect(message(page)).to_have_value("")
    socket.let_go()
    page.reload()
    expect_alive(page)
    expect(message(page)).to_have_value("Second?")
    expect(page.get_by_role("alert")).to_have_text("This question did not arrive. Send it again.")
    expect(attached(page).get_by_role("img", name="buoy 1.png")).to_have_js_property("naturalWidth", 1)
    message(page).press("Enter")
    expect_settled(page, turns=2)
    expect(questions(page).last.get_by_role("img", name="buoy 1.png")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.reload()
    expect_settled(page, turns=2)
    expect(message(page)).to_have_value("")


def test_a_question_that_was_lost_is_in_the_box_once_the_connection_is_there_again(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.streaming(SAID))
    socket = listening(page)
    ask(page, "First?")
    expect_settled(page)
    socket.lose_said()
    ask(page, "Second?")
    expect(message(page)).to_have_value("")
    message(page).press_sequentially("And this.")
    socket.let_go()
    socket.break_off()
    expect(message(page)).to_have_value("Second?\nAnd this.")
    expect(page.get_by_role("alert")).to_have_text("This question did not arrive. Send it again.")
    expect(questions(page)).to_have_text(["First?"])


def test_a_question_that_waited_for_the_connection_is_asked_and_not_in_the_box(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.streaming(SAID))
    socket = listening(page)
    ask(page, "First?")
    expect_settled(page)
    socket.refuse()
    socket.break_off()
    ask(page, "Second?")
    expect(message(page)).to_have_value("")
    socket.let_go()
    expect_settled(page, turns=2)
    expect(message(page)).to_have_value("")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_question_that_arrived_unheard_is_not_in_the_box_after_a_reload(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    socket = listening(page)
    ask(page, "Again?")
    expect_settled(page)
    elsewhere = open_page(context)
    socket.hold_told()
    ask(page, "Again?")
    expect(questions(elsewhere)).to_have_text(["Again?", "Again?"])
    expect(questions(page)).to_have_count(1)
    socket.forget()
    page.reload()
    expect_alive(page)
    expect(questions(page)).to_have_text(["Again?", "Again?"])
    expect(message(page)).to_have_value("")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_half_typed_edit_is_there_again_after_the_connection_was_lost_and_after_a_reload(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.streaming(SAID))
    socket = listening(page)
    ask(page, "First?")
    expect_settled(page)
    box = edit(page, "First, re")
    box.evaluate("box => box.setAttribute('data-shown', 'before')")
    socket.break_off()
    expect(box).not_to_have_attribute("data-shown", "before")
    expect(box).to_have_value("First, re")
    expect(box).to_be_focused()
    page.reload()
    expect_alive(page)
    expect(box).to_have_value("First, re")
    box.fill("First, really?")
    box.press("Enter")
    expect(words_of(page)).to_have_text(["First, really?"])
    expect_settled(page)
    page.get_by_role("button", name="Previous question").click()
    expect(words_of(page)).to_have_text(["First?"])
    expect(box).to_have_count(0)


def test_an_edit_that_was_given_up_does_not_come_back(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    ask(page, "First?")
    expect_settled(page)
    for give_up in ("Escape", "Cancel"):
        box = edit(page, "First, re")
        if give_up == "Escape":
            box.press("Escape")
        else:
            page.get_by_role("button", name="Cancel").click()
        page.reload()
        expect_settled(page)
        expect(words_of(page)).to_have_text(["First?"])
        expect(box).to_have_count(0)
