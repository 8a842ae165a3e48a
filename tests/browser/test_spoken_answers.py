"""Sentences of whole answers are spoken once each, and none is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.hearing import heard, listen
from tests.browser.opening import open_page
from tests.browser.places import open_preferences
from tests.browser.stand_in import SOURCES, StandIn, delta, deltas
from tests.browser.talking import ask, expect_settled, expect_streaming

PROSE = (
    "Buoys are red. They float, e.g. 2.5 m apart, on the water! Are they looked after? Yes. Yes. "
    "Every year they are taken out of the water, cleaned, painted and put back before the ice has gone."
)
JAPANESE = "ブイは赤くて水に浮かびます。毎年点検されます。色は三年ごとに塗り直されます。"
ARABIC = "العوامات حمراء وتطفو على الماء. يتم فحصها كل عام. هل هي آمنة؟ نعم، هي آمنة."
TABLE = "Prices:\n\n| Plan | Price |\n|---|---|\n| Basic | 12 |\n| Plus | |\n\nThat is all."
CODE = "Run it:\n\n```python\na = 1\n\nprint(a)\n```\n\nThen `pip` is done."
LIST = "Steps:\n\n1. Take it out.\n2. Paint it:\n   - red\n   - green\n3. Put it back\n\n- [x] done\n- [ ] to do"
GERMAN = "Bojen sind rot [Plans.pdf] und schwimmen $x^2$ auf dem Wasser. Jedes Jahr werden sie gewartet [Costs.pdf]."
CITED = "Glasses are paid for [Plans.pdf]. Lenses[Plans.pdf][Costs.pdf] are too, frames are not [Made_Up.pdf]."

SPOKEN = {
    PROSE: [PROSE],
    LIST: [
        *("Steps:", "1. Take it out.", "2. Paint it:", "red", "green", "3. Put it back"),
        *("Done: done", "Not done: to do"),
    ],
    TABLE: ["Prices:", "Plan, Price", "Basic, 12", "Plus, blank", "That is all."],
    CODE: ["Run it:", "code, 3 lines", "Then pip is done."],
    JAPANESE: [JAPANESE],
    ARABIC: [ARABIC],
    GERMAN: ["Bojen sind rot und schwimmen x 2 auf dem Wasser. Jedes Jahr werden sie gewartet."],
    CITED: ["Glasses are paid for. Lenses are too, frames are not."],
}
ENDS = {
    GERMAN: ["Finished, with 2 sources."],
    CITED: ["Finished, with 3 sources.", "One of them was not found."],
}


STEP, STEPS = 500, 40


def begin(context: BrowserContext, backend: str) -> Page:
    """A page whose clock a test can have go on."""
    context.clock.install()
    return open_page(context, backend=backend)


def said_to(page: Page, end: str) -> list[str]:
    """Words said since the last time, up to those that match the expression `end`; they are forgotten then."""
    for _ in range(STEPS):
        page.clock.run_for(STEP)
        said = heard(page).said
        if any(re.search(end, words) for words in said) and page.locator("#announcements > *").count() == 0:
            listen(page)
            return said
    pytest.fail(f"{end} was not said, but {said}")


def letters(said: Iterable[str]) -> str:
    """All that was said, however it was divided into lines."""
    return "".join("".join(said).split())


@pytest.mark.wcag("1.3.1", "4.1.3")
def test_each_sentence_of_an_answer_is_spoken_once_and_none_is_missing(context: BrowserContext, stand_in: StandIn):
    page = begin(context, stand_in.one_after_the_other(*([SOURCES, *deltas(text)] for text in SPOKEN)))
    region = page.locator("#announcements")
    for name, value in {"aria-live": "polite", "aria-atomic": "false", "aria-relevant": "additions"}.items():
        expect(region).to_have_attribute(name, value)
    expect(page.get_by_role("log")).to_have_attribute("aria-live", "off")
    listen(page)
    for turns, (text, spoken) in enumerate(SPOKEN.items(), 1):
        ask(page, "What about it?")
        expect_settled(page, turns=turns)
        assert letters(said_to(page, "^Finished")) == letters(["Answering.", *spoken, *ENDS.get(text, ["Finished."])])


def choose_announcements(page: Page, words: str) -> None:
    dialog = open_preferences(page)
    dialog.get_by_role("radio", name=words).check()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


@pytest.mark.wcag("4.1.3")
def test_a_person_chooses_to_hear_only_that_an_answer_begins_and_ends_and_errors_are_told_in_any_case(
    context: BrowserContext, stand_in: StandIn
):
    begun, rest = delta("Buoys are red. "), delta("They float on")
    error = {"error": {"message": "The model is asleep."}}
    page = begin(
        context,
        stand_in.one_after_the_other(
            deltas(PROSE), [begun, stand_in.WAIT_UNTIL_TOLD, rest], [begun, rest, error], [begun, rest, error]
        ),
    )
    choose_announcements(page, "Only that an answer begins and ends")
    listen(page)
    ask(page, "What about it?")
    expect_settled(page)
    assert said_to(page, "^Finished") == ["Answering.", "Finished."]
    choose_announcements(page, "All sentences of an answer")
    ask(page, "And now?")
    expect_streaming(page)
    assert said_to(page, "red") == ["Answering.", "Buoys are red."]
    choose_announcements(page, "Only that an answer begins and ends")
    stand_in.go_on()
    expect_settled(page, turns=2)
    assert said_to(page, "^Finished") == ["Finished."]
    choose_announcements(page, "Nothing of an answer")
    asleep = page.get_by_role("alert").filter(has_text="The model is asleep.")
    ask(page, "And now?")
    expect_settled(page, turns=3)
    expect(asleep).to_have_count(1)
    page.clock.run_for(10 * STEP)
    assert heard(page).said == []
    choose_announcements(page, "All sentences of an answer")
    ask(page, "And now?")
    expect_settled(page, turns=4)
    expect(asleep).to_have_count(2)
    assert letters(said_to(page, "float on")) == letters(["Answering.", "Buoys are red.", "They float on"])
