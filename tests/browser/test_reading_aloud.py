"""An answer is read aloud by the browser's voices, and nothing is sent elsewhere without a question first."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.opening import NewContext, open_page
from tests.browser.stand_in import SOURCES, StandIn, delta
from tests.browser.talking import answers, ask, expect_settled
from tests.browser.voices import LOCAL, REMOTE, end_utterance, give_voices, spoken_next

GERMAN = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet"
ANSWER = f"{GERMAN} [Plans.pdf].\n\nDas ist $x^2$."


def answer_with(context: BrowserContext, stand_in: StandIn, *texts: str) -> Page:
    said = [[SOURCES, delta(text)] for text in texts]
    page = open_page(context, backend=stand_in.one_after_the_other(*said))
    for turns in range(1, 1 + len(texts)):
        ask(page, "What about it?")
        expect_settled(page, turns=turns)
    return page


def listen(page: Page) -> Locator:
    return page.get_by_role("button", name="Listen", exact=True)


def stop(page: Page) -> Locator:
    return page.get_by_role("button", name="Stop listening")


@pytest.mark.wcag("1.4.2")
def test_an_answer_is_read_aloud_until_its_end_its_button_escape_another_answer_or_a_new_chat(
    context: BrowserContext, stand_in: StandIn
):
    give_voices(context, LOCAL)
    page = answer_with(context, stand_in, ANSWER, "Second answer.\n\nIt goes on.")

    def expect_silence() -> None:
        page.wait_for_function("() => window.spoken.current === null")
        expect(stop(page)).to_have_count(0)

    listen(page).first.click()
    assert spoken_next(page) == (f"{GERMAN}.", "de-DE", "Jonas")
    end_utterance(page)
    assert spoken_next(page) == ("Das ist x 2.", "de-DE", "Jonas")
    end_utterance(page)
    expect_silence()
    expect(listen(page).first).to_be_focused()

    listen(page).first.click()
    spoken_next(page)
    stop(page).click()
    expect_silence()
    listen(page).first.press("Enter")
    spoken_next(page)
    page.keyboard.press("Escape")
    expect_silence()
    listen(page).first.click()
    spoken_next(page)
    listen(page).click()
    page.wait_for_function("() => window.spoken.current?.text === 'Second answer.'")
    expect(stop(page)).to_have_count(1)
    page.get_by_role("button", name="New chat").click()
    expect_silence()


def test_a_voice_that_sends_the_text_away_is_asked_about_once_and_on_a_phone_the_button_that_ends_it_stays_in_reach(
    new_context: NewContext, stand_in: StandIn
):
    context = new_context(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    give_voices(context, REMOTE)
    lines = "\n\n".join(f"This is line {number} of it." for number in range(60))
    page = answer_with(context, stand_in, f"{lines} [Plans.pdf]")
    question = page.get_by_role("alertdialog", name="Read this answer aloud?")
    listen(page).tap()
    expect(question).to_contain_text("such as “Far Away English”, send the text that they read to the companies")
    question.get_by_role("button", name="Cancel").tap()
    expect(listen(page)).to_be_focused()
    assert page.evaluate("spoken.said") == []
    listen(page).tap()
    question.get_by_role("button", name="Read aloud").tap()
    assert spoken_next(page) == ("This is line 0 of it.", "en-US", "Far Away English")
    answers(page).get_by_text("This is line 0 of it.").scroll_into_view_if_needed()
    expect(stop(page)).to_be_in_viewport(ratio=1)
    stop(page).tap()
    page.wait_for_function("() => window.spoken.current === null")
    expect(listen(page)).not_to_be_in_viewport()
    listen(page).tap()
    page.wait_for_function("() => window.spoken.said.length === 2")
    expect(question).to_have_count(0)
    stop(page).tap()

    top = "all => all.map((one) => one.getBoundingClientRect().top)"
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 780})
        tops = page.locator(".answer .tools .tool:not(.rating *)").evaluate_all(top)
        ratings = page.locator(".answer .rating .tool").evaluate_all(top)
        assert len(tops) > 4
        assert len(set(tops)) == len(set(ratings)) == 1
        # The narrowest has no room for eight fingers in a row.
        assert (ratings[0] > tops[0]) is (width == 320)
