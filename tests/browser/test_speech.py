"""What a screen reader says by itself of an answer that is being made, and of one that was."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.clocks import standing_clock
from tests.browser.deltas import deltas
from tests.browser.hearing import Heard, heard, heard_to, listen
from tests.browser.stand_in import StandIn
from tests.browser.talking import ask, expect_settled, open_page, questions


def said_next(page: Page) -> Heard:
    """What is said of the next answer, without what is said of its beginning and of its end.

    It is there at once by the page's clock: of a paragraph that is half there for long, sentences are said one by one.
    """
    listen(page)
    turns = questions(page).count() + 1
    with standing_clock(page):
        ask(page, "What about it?")
        expect_settled(page, turns=turns)
    found = heard_to(page, "^Finished")
    assert found.said[0] == "Answering."
    inner = slice(1, next(at for at, words in enumerate(found.said) if words.startswith("Finished")))
    return Heard(found.said[inner], found.languages[inner], found.alerts, found.most_at_a_time)


@pytest.mark.wcag("4.1.3")
def test_a_screen_reader_hears_sentences_once_they_have_ended_and_how_many_conversations_a_search_finds(
    context: BrowserContext, stand_in: StandIn
):
    words = [{"delta": {"content": f"{word} "}} for word in ["are", "red.", *["Buoys", "float."] * 20]]
    page = open_page(context, backend=stand_in.held({"delta": {"content": "They float. Buoys "}}, *words))
    region = page.locator("#announcements")
    expect(region).to_have_attribute("aria-live", "polite")
    expect(region).to_have_attribute("aria-atomic", "false")
    listen(page)
    ask(page, "What about buoys?")
    page.wait_for_function("() => window.heard.said.length > 1")
    assert heard(page).said == ["Answering.", "They float."]
    stand_in.go_on()
    answer = expect_settled(page)
    spoken = heard_to(page, "^Finished").said
    assert spoken[-1] == "Finished."
    assert len(spoken) < 12
    assert " ".join(spoken[1:-1]) == f"They float. Buoys are red. {' '.join(['Buoys float.'] * 20)}"
    expect(page.get_by_role("log")).to_have_attribute("aria-live", "off")
    expect(answer).to_have_attribute("aria-busy", "false")
    page.get_by_role("button", name="Conversations").click()
    search = page.get_by_role("searchbox", name="Search conversations")
    for sought, found in (("buoys", "1 conversation found."), ("cormorants", "0 conversations found.")):
        listen(page)
        search.fill(sought)
        assert heard_to(page, "found").said == [found]


def test_an_answer_is_heard_from_its_beginning_where_the_text_before_turns_out_to_be_thinking(
    context: BrowserContext, stand_in: StandIn
):
    rest = [{"delta": {"content": "</think>"}}, *deltas("Buoys are red. They float.")]
    thinking = {"delta": {"content": "The reader asks about buoys. Look it up.\n\nThey may be red."}}
    page = open_page(context, backend=stand_in.held(thinking, *rest))
    listen(page)
    ask(page, "What about buoys?")
    page.wait_for_function("() => window.heard.said.length > 2")
    stand_in.go_on()
    expect_settled(page)
    assert "Buoys are red. They float." in " ".join(heard_to(page, "^Finished").said)


def numbered(words: Iterable[int]) -> str:
    return " ".join(f"w{number}" for number in words)


def test_of_a_fast_stream_nothing_is_lost_or_said_twice_and_another_answer_ends_its_reading(
    context: BrowserContext, stand_in: StandIn
):
    prose = ". ".join(numbered(range(start, start + 9)) for start in range(0, 180, 9))
    items = "\n".join(f"- {numbered(range(start, start + 5))}" for start in range(180, 280, 5))
    rows = "\n".join(f"| w{start} | w{start + 1} |" for start in range(282, 320, 2))
    table = f"| w280 | w281 |\n|---|---|\n{rows}"
    endless = numbered(range(320, 450))
    fast = deltas("\n\n".join([prose, items, table, endless]))
    long = [{"delta": {"content": f"Line {number} of it. " * 12 + "\n\n"}} for number in range(40)]
    page = open_page(context, backend=stand_in.one_after_the_other(fast, long, deltas("Short.")))
    found = said_next(page)
    assert [int(number) for number in re.findall(r"\bw(\d+)", " ".join(found.said))] == list(range(450))
    assert max(map(len, found.said)) <= 300
    assert found.most_at_a_time <= 300
    listen(page)
    ask(page, "What is long?")
    expect_settled(page, turns=2)
    ask(page, "What is short?")
    said = heard_to(page, "^Finished").said
    assert said[-3:] == ["Answering.", "Short.", "Finished."]
    assert not any("Line 39" in words for words in said)
