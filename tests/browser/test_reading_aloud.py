"""An answer is read aloud by the browser's voices, and nothing is sent elsewhere without a question first."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser import hearing
from tests.browser.deltas import SOURCES
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, answers, ask, expect_settled, open_page
from tests.browser.voices import LOCAL, REMOTE, end_utterance, give_voices, spoken_next

GERMAN = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet"
ANSWER = f"{GERMAN} [Plans.pdf].\n\n```python\nwert = 1\n```\n\nDas ist $x^2$."


def answer_with(context: BrowserContext, stand_in: StandIn, *texts: str) -> Page:
    said = [[SOURCES, {"delta": {"content": text}}] for text in texts]
    page = open_page(context, backend=stand_in.one_after_the_other(*said))
    for turns in range(1, 1 + len(texts)):
        ask(page, "What about it?")
        expect_settled(page, turns=turns)
    return page


def listen(page: Page) -> Locator:
    return page.get_by_role("button", name="Listen", exact=True)


def stop(page: Page) -> Locator:
    return page.get_by_role("button", name="Stop listening")


def read_to_the_end(page: Page) -> list[tuple[str, str, str]]:
    """The parts that are read until the reading ends: their words, their language, and the voice."""
    spoken_next(page)
    found = []
    while stop(page).count():
        found.append(spoken_next(page))
        end_utterance(page)
        page.wait_for_function("() => window.spoken.current || !document.querySelector('[aria-label^=Stop]')")
    return found


def test_an_answer_is_read_in_its_language_without_code_and_the_numbers_of_its_sources(
    context: BrowserContext, stand_in: StandIn
):
    give_voices(context, LOCAL)
    page = answer_with(context, stand_in, ANSWER)
    listen(page).click()
    spoken_next(page)
    before = page.locator(".answer-text").inner_html()
    assert read_to_the_end(page) == [
        (f"{GERMAN}.", "de-DE", "Jonas"),
        ("code, one line", "en-GB", "Emma"),
        ("Das ist x 2.", "de-DE", "Jonas"),
    ]
    expect(listen(page)).to_be_focused()
    assert page.locator(".answer-text").inner_html() == before


def test_where_there_is_no_voice_for_the_language_of_an_answer_that_is_told(context: BrowserContext, stand_in: StandIn):
    give_voices(context, LOCAL)
    page = answer_with(context, stand_in, "ブイは赤くて水に浮かびます。毎年点検されます。")
    hearing.listen(page)
    listen(page).click()
    hearing.heard_to(page, "Text in Japanese, for which this browser has no voice.")
    assert page.evaluate("spoken.said") == []


@pytest.mark.wcag("1.4.2")
def test_reading_ends_by_its_button_by_escape_by_another_answer_and_by_a_new_chat(
    context: BrowserContext, stand_in: StandIn
):
    give_voices(context, LOCAL)
    page = answer_with(context, stand_in, "First answer.\n\nIt goes on.", "Second answer.\n\nIt goes on.")

    def expect_silence() -> None:
        page.wait_for_function("() => window.spoken.current === null")
        expect(stop(page)).to_have_count(0)

    listen(page).first.click()
    assert spoken_next(page)[0] == "First answer."
    stop(page).click()
    expect_silence()
    listen(page).first.press("Enter")
    assert spoken_next(page)[0] == "First answer."
    page.keyboard.press("Escape")
    expect_silence()
    listen(page).first.click()
    assert spoken_next(page)[0] == "First answer."
    listen(page).click()
    page.wait_for_function("() => window.spoken.current?.text === 'Second answer.'")
    expect(stop(page)).to_have_count(1)
    page.get_by_role("button", name="New chat").click()
    expect_silence()


def test_a_voice_that_sends_the_text_away_is_asked_about_once_before_it_does(
    context: BrowserContext, stand_in: StandIn
):
    give_voices(context, REMOTE)
    page = answer_with(context, stand_in, "Buoys are red.")
    question = page.get_by_role("alertdialog", name="Read this answer aloud?")
    listen(page).click()
    expect(question).to_contain_text("such as “Far Away English”, send the text that they read to the companies")
    question.get_by_role("button", name="Cancel").click()
    expect(listen(page)).to_be_focused()
    assert page.evaluate("spoken.said") == []
    listen(page).click()
    question.get_by_role("button", name="Read aloud").click()
    assert spoken_next(page) == ("Buoys are red.", "en-US", "Far Away English")
    stop(page).click()
    listen(page).click()
    page.wait_for_function("() => window.spoken.said.length === 2")
    expect(question).to_have_count(0)


def test_what_keeps_an_answer_from_being_read_is_told_in_words(context: BrowserContext, stand_in: StandIn):
    give_voices(context, LOCAL)
    page = answer_with(context, stand_in, "Buoys are red.\n\nThey float.")
    listen(page).click()
    spoken_next(page)
    hearing.listen(page)
    page.evaluate("spoken.current.onerror({ error: 'synthesis-failed' })")
    expect(listen(page)).to_have_attribute("title", re.compile("choose another voice"))
    hearing.heard_to(page, "The browser's voice did not work")
    assert len(page.evaluate("spoken.said")) == 1


def test_reading_goes_on_where_a_browser_does_not_tell_that_an_utterance_has_ended(
    context: BrowserContext, stand_in: StandIn
):
    give_voices(context, LOCAL)
    context.clock.install()
    page = answer_with(context, stand_in, "Buoys are red.\n\nThey float.")
    listen(page).click()
    assert spoken_next(page)[0] == "Buoys are red."
    page.evaluate("() => { spoken.current = null; }")
    page.clock.fast_forward(10_000)
    assert spoken_next(page)[0] == "They float."


@pytest.mark.parametrize("width", [390, 320])
def test_on_a_phone_the_tools_of_an_answer_stay_in_one_row(new_context: NewContext, stand_in: StandIn, width: int):
    context = new_context(viewport={"width": width, "height": 780}, has_touch=True, is_mobile=True)
    give_voices(context, LOCAL)
    page = answer_with(context, stand_in, "Buoys are red [Plans.pdf].")
    expect(listen(page)).to_be_visible()
    top = "all => all.map((one) => one.getBoundingClientRect().top)"
    tops = page.locator(".answer .tools .tool:not(.rating *)").evaluate_all(top)
    ratings = page.locator(".answer .rating .tool").evaluate_all(top)
    assert len(tops) > 4
    assert len(set(tops)) == len(set(ratings)) == 1
    # The narrowest has no room for eight fingers in a row.
    assert (ratings[0] > tops[0]) is (width == 320)


def test_the_button_that_ends_the_reading_of_a_long_answer_stays_in_reach(new_context: NewContext, stand_in: StandIn):
    context = new_context(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    give_voices(context, LOCAL)
    page = answer_with(context, stand_in, "\n\n".join(f"This is line {number} of it." for number in range(60)))
    listen(page).tap()
    assert spoken_next(page)[0] == "This is line 0 of it."
    answers(page).get_by_text("This is line 0 of it.").scroll_into_view_if_needed()
    expect(stop(page)).to_be_in_viewport(ratio=1)
    stop(page).tap()
    page.wait_for_function("() => window.spoken.current === null")
    expect(listen(page)).not_to_be_in_viewport()


def test_without_voices_there_is_no_button(context: BrowserContext, stand_in: StandIn):
    page = answer_with(context, stand_in, "Buoys are red.")
    expect(page.get_by_role("button", name="Copy answer")).to_be_visible()
    expect(listen(page)).to_have_count(0)
