"""What a screen reader says by itself of an answer that is being made, and of one that was."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.clocks import standing_clock
from tests.browser.deltas import SOURCES, deltas
from tests.browser.hearing import Heard, heard, heard_to, listen
from tests.browser.stand_in import StandIn
from tests.browser.talking import ask, expect_settled, open_page, questions

GERMAN = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet."


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


def test_what_is_said_ends_where_a_block_does_and_has_no_controls_and_no_numbers_in_words(
    context: BrowserContext, stand_in: StandIn
):
    blocks = [
        "## Plans of 2026",
        "A paragraph without a full stop",
        "- one thing\n- another thing\n  - a part of it",
        "5. fifth\n6. sixth",
        "- [x] done",
        "> quoted words",
        "two lines  \nof one paragraph",
    ]
    code = "\n".join(f"value_{number} = {number}" for number in range(40))
    table = "| Plan | Price | Note |\n|---|---|---|\n| Basic | 12 | cheap |\n| Plus | | none |"
    look = f"Look:\n\n```python\n{code}\n```\n\n{table}\n\n```\nplain\n```"
    cited = "Glasses[Plans.pdf], lenses [Plans.pdf][Costs.pdf] and [Made_Up.pdf]more[^1].\n\n[^1]: A note."
    german = f"{GERMAN}\n\n```python\nwert = 1\n```\n\n{GERMAN}"
    said = [[SOURCES, *deltas(text)] for text in ("\n\n".join(blocks), look, cited)]
    said.append([{"delta": {"content": german}}])
    page = open_page(context, backend=stand_in.one_after_the_other(*said))
    page.clock.install()
    assert said_next(page).said == [
        *("Plans of 2026", "A paragraph without a full stop", "one thing", "another thing", "a part of it"),
        *("5. fifth", "6. sixth", "Done: done", "quoted words", "two lines", "of one paragraph"),
    ]
    rows = ["Plan, Price, Note", "Basic, 12, cheap", "Plus, blank, none"]
    assert said_next(page).said == ["Look:", "code, 40 lines", *rows, "code, one line"]
    assert said_next(page).said == ["Glasses, lenses and more.", "A note."]
    found = said_next(page)
    assert list(zip(found.languages, found.said, strict=True)) == [
        ("de", GERMAN),
        ("en", "code, one line"),
        ("de", GERMAN),
    ]


def test_a_table_is_said_row_by_row_and_a_long_one_by_its_first_rows(context: BrowserContext, stand_in: StandIn):
    table = {"delta": {"content": "Look:\n\n| Plan | Price |\n|---|---|\n| Basic | 12 |\n| Plus | 2"}}
    rest = {"delta": {"content": "4 |\n\nThat is all"}}
    rows = "\n".join(f"| w{number} | {number} |" for number in range(30))
    long = [{"delta": {"content": f"| Plan | Price |\n|---|---|\n{rows}"}}]
    page = open_page(context, backend=stand_in.one_after_the_other([table, stand_in.WAIT_UNTIL_TOLD, rest], long))
    listen(page)
    ask(page, "What about it?")
    page.wait_for_function("() => window.heard.said.length > 1")
    stand_in.go_on()
    said = heard_to(page, "^Finished").said
    assert said[:5] == ["Answering.", "Look:", "Plan, Price", "Basic, 12", "Plus, 24"]
    first = [f"w{number}, {number}" for number in range(20)]
    assert said_next(page).said == ["Plan, Price", *first, "The rows are in the answer."]


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
