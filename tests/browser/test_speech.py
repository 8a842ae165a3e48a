"""What a screen reader says by itself of an answer that is being made, and of one that was."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.deltas import SOURCES, deltas
from tests.browser.hearing import Heard, heard, heard_to, listen
from tests.browser.stand_in import StandIn
from tests.browser.talking import ask, expect_settled, expect_streaming, open_page


def said_of(context: BrowserContext, stand_in: StandIn, text: str) -> Heard:
    """What is said of a finished answer of this text, without what is said of its end."""
    page = open_page(context, backend=stand_in.streaming(SOURCES, *deltas(text)))
    listen(page)
    ask(page, "What about it?")
    found = heard_to(page, "^Finished")
    assert found.said[0] == "Answering."
    return Heard(found.said[1:-1], found.languages[1:-1], found.alerts, found.most_at_a_time)


def test_a_screen_reader_hears_sentences_and_not_the_stream(context: BrowserContext, stand_in: StandIn):
    words = [{"delta": {"content": f"{word} "}} for word in ["Buoys", "are", "red.", "They", "float."] * 20]
    page = open_page(context, backend=stand_in.held(*words))
    listen(page)
    ask(page, "What about buoys?")
    expect_streaming(page)
    stand_in.go_on()
    answer = expect_settled(page)
    spoken = heard_to(page, "^Finished").said
    assert spoken[0] == "Answering."
    assert spoken[-1] == "Finished."
    assert len(spoken) < 12
    assert " ".join(spoken[1:-1]) == " ".join(["Buoys are red. They float."] * 20)
    expect(page.get_by_role("log")).to_have_attribute("aria-live", "off")
    expect(answer).to_have_attribute("aria-busy", "false")


def test_what_is_said_ends_where_a_block_does(context: BrowserContext, stand_in: StandIn):
    blocks = [
        "## Plans of 2026",
        "A paragraph without a full stop",
        "- one thing\n- another thing\n  - a part of it",
        "5. fifth\n6. sixth",
        "- [x] done",
        "> quoted words",
        "two lines  \nof one paragraph",
    ]
    assert said_of(context, stand_in, "\n\n".join(blocks)).said == [
        "Plans of 2026",
        "A paragraph without a full stop",
        "one thing",
        "another thing",
        "a part of it",
        "5. fifth",
        "6. sixth",
        "Done: done",
        "quoted words",
        "two lines",
        "of one paragraph",
    ]


def test_code_and_tables_are_told_without_their_controls(context: BrowserContext, stand_in: StandIn):
    code = "\n".join(f"value_{number} = {number}" for number in range(40))
    table = "| Plan | Price | Note |\n|---|---|---|\n| Basic | 12 | cheap |\n| Plus | | none |"
    text = f"Look:\n\n```python\n{code}\n```\n\n{table}\n\n```\nplain\n```"
    assert said_of(context, stand_in, text).said == [
        "Look:",
        "code, Python, 40 lines",
        "Plan, Price, Note",
        "Basic, 12, cheap",
        "Plus, blank, none",
        "code, one line",
    ]


def test_numbers_of_citations_and_footnotes_are_no_part_of_a_word(context: BrowserContext, stand_in: StandIn):
    text = "Glasses[Plans.pdf], lenses [Plans.pdf][Costs.pdf] and [Made_Up.pdf]more[^1].\n\n[^1]: A note."
    assert said_of(context, stand_in, text).said == [
        "Glasses citation 1, lenses citation 1, citation 2 and citation 3 (not found) more footnote 1.",
        "Footnote 1: A note.",
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("これは文です。", "次の"),
        ("本当ですか？", "はい"),
        ("هل هذا سؤال؟", "نعم"),
        ("यह एक वाक्य है।", "और"),
        ("یہ ایک جملہ ہے۔", "اور"),
        ("Really!", "Then"),
        ("It costs 1.5 euros.", "And 2."),
    ],
)
def test_a_sentence_is_said_once_it_has_ended_in_any_script(
    context: BrowserContext, stand_in: StandIn, first: str, second: str
):
    begun = {"delta": {"content": f"{first} {second}"}}
    page = open_page(context, backend=stand_in.held(begun, {"delta": {"content": " more"}}))
    listen(page)
    ask(page, "What about it?")
    page.wait_for_function("() => window.heard.said.length > 1")
    assert heard(page).said == ["Answering.", first]
    stand_in.go_on()
    assert heard_to(page, "^Finished").said[2:] == [f"{second} more", "Finished."]


def test_a_row_is_said_while_the_table_goes_on(context: BrowserContext, stand_in: StandIn):
    table = {"delta": {"content": "| Plan | Price |\n|---|---|\n| Basic | 12 |\n| Plus | 2"}}
    page = open_page(context, backend=stand_in.held(table, {"delta": {"content": "4 |\n"}}))
    listen(page)
    ask(page, "What about it?")
    page.wait_for_function("() => window.heard.said.length > 2")
    assert heard(page).said == ["Answering.", "Plan, Price", "Basic, 12"]
    stand_in.go_on()
    assert heard_to(page, "^Finished").said[3:] == ["Plus, 24", "Finished."]


def test_an_answer_is_read_out_in_its_languages(context: BrowserContext, stand_in: StandIn):
    german = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet."
    polish = "Boje są czerwone i pływają po wodzie. Co roku przechodzą przegląd."
    found = said_of(context, stand_in, f"{german}\n\n```python\nwert = 1\n```\n\n{polish}\n\nThat is what they say.")
    assert list(zip(found.languages, found.said, strict=True)) == [
        ("de", german),
        ("en", "code, Python, one line"),
        ("pl", polish),
        ("en", "That is what they say."),
    ]


def numbered(words: Iterable[int]) -> str:
    return " ".join(f"w{number}" for number in words)


def test_of_a_fast_stream_nothing_is_lost_or_said_twice(context: BrowserContext, stand_in: StandIn):
    prose = ". ".join(numbered(range(start, start + 9)) for start in range(0, 180, 9))
    items = "\n".join(f"- {numbered(range(start, start + 5))}" for start in range(180, 280, 5))
    rows = "\n".join(f"| w{start} | w{start + 1} |" for start in range(282, 320, 2))
    table = f"| w280 | w281 |\n|---|---|\n{rows}"
    endless = numbered(range(320, 450))
    found = said_of(context, stand_in, "\n\n".join([prose, items, table, endless]))
    assert [int(number) for number in re.findall(r"\bw(\d+)", " ".join(found.said))] == list(range(450))
    assert max(map(len, found.said)) <= 300
    assert found.most_at_a_time <= 300


def test_what_is_said_anew_does_not_say_again_what_stands_there(page: Page):
    region = page.locator("#announcements")
    expect(region).to_have_attribute("aria-live", "polite")
    expect(region).to_have_attribute("aria-atomic", "false")


def test_another_answer_ends_the_reading_of_the_one_before(context: BrowserContext, stand_in: StandIn):
    long = [{"delta": {"content": f"Line {number} of it. " * 12 + "\n\n"}} for number in range(40)]
    page = open_page(context, backend=stand_in.one_after_the_other(long, deltas("Short.")))
    listen(page)
    ask(page, "What is long?")
    expect_settled(page)
    ask(page, "What is short?")
    said = heard_to(page, "^Finished").said
    assert said[-3:] == ["Answering.", "Short.", "Finished."]
    assert not any("Line 39" in words for words in said)


def test_a_search_says_how_many_conversations_it_found(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(*deltas("They are red.")))
    ask(page, "What about buoys?")
    expect_settled(page)
    page.get_by_role("button", name="Conversations").click()
    search = page.get_by_role("searchbox", name="Search conversations")
    for sought, found in (("buoys", "1 conversation found."), ("cormorants", "0 conversations found.")):
        listen(page)
        search.fill(sought)
        assert heard_to(page, "found").said == [found]
