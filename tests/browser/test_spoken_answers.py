"""What is spoken of whole answers, by Chromium's accessibility tree: each sentence once, and none is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.deltas import SOURCES, deltas
from tests.browser.screen_reader import ScreenReader, hold_clock
from tests.browser.stand_in import StandIn
from tests.browser.talking import answers, ask, expect_settled, open_page

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


def begin(context: BrowserContext, backend: str) -> tuple[Page, ScreenReader]:
    hold_clock(context)
    page = open_page(context, backend=backend)
    return page, ScreenReader(page)


def letters(said: Iterable[str]) -> str:
    """All that was said, however it was divided into lines."""
    return "".join("".join(said).split())


@pytest.mark.parametrize("pieces", [deltas, lambda text: [{"delta": {"content": text}}]], ids=["by words", "at once"])
@pytest.mark.wcag("1.3.1", "4.1.3")
def test_each_sentence_of_an_answer_is_spoken_once_and_none_is_missing(
    context: BrowserContext, stand_in: StandIn, pieces: Callable[[str], list[object]]
):
    page, reader = begin(context, stand_in.one_after_the_other(*([SOURCES, *pieces(text)] for text in SPOKEN)))
    for text, spoken in SPOKEN.items():
        ask(page, "What about it?")
        said = reader.hear_to("^Finished")
        assert letters(said) == letters(["Answering.", *spoken, *ENDS.get(text, ["Finished."])])


@pytest.mark.wcag("4.1.3")
def test_an_error_is_spoken_once_and_before_the_text_that_waits(context: BrowserContext, stand_in: StandIn):
    text = {"delta": {"content": "Buoys are red. They float on"}}
    page, reader = begin(context, stand_in.held(text, {"error": {"message": "The model is asleep."}}))
    ask(page, "What about buoys?")
    assert reader.hear_to("red") == ["Answering.", "Buoys are red."]
    stand_in.go_on()
    expect(answers(page).get_by_role("alert")).to_be_visible()
    said = reader.hear_to("float on$")
    assert "The model is asleep." in said[0]
    assert said[1:] == ["They float on"]


@pytest.mark.parametrize(
    ("choice", "spoken"),
    [
        ("Only that an answer begins and ends", ["Answering.", "Finished."]),
        ("Nothing of an answer", []),
    ],
)
def test_a_person_chooses_to_hear_less_of_an_answer(
    context: BrowserContext, stand_in: StandIn, choice: str, spoken: list[str]
):
    first, second = deltas(PROSE), {"delta": {"content": "Buoys are red. "}}
    rest = {"delta": {"content": "They float."}}
    backend = stand_in.one_after_the_other(first, [second, stand_in.WAIT_UNTIL_TOLD, rest])
    page, reader = begin(context, backend)
    choose_announcements(reader, page, choice)
    ask(page, "What about it?")
    expect_settled(page)
    said = reader.hear_to("^Finished") if spoken else []
    for _ in range(40):
        reader.go_on()
    assert said + reader.said == spoken
    reader.said.clear()
    choose_announcements(reader, page, "All sentences of an answer")
    ask(page, "And now?")
    assert reader.hear_to("red") == ["Answering.", "Buoys are red."]
    choose_announcements(reader, page, choice)
    stand_in.go_on()
    expect_settled(page, turns=2)
    said = reader.hear_to("^Finished") if spoken else []
    for _ in range(40):
        reader.go_on()
    assert said + reader.said == spoken[1:]


def choose_announcements(reader: ScreenReader, page: Page, words: str) -> None:
    page.get_by_role("button", name="More").click()
    reader.go_on_to(page.get_by_role("menuitem", name="Preferences")).click()
    reader.go_on_to(page.get_by_role("radio", name=words)).check()
    page.keyboard.press("Escape")
    while page.get_by_role("dialog").count():
        reader.go_on()
