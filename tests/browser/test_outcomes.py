"""What is told of the end of an answer, and to whom: what happens is an alert, what happened is there to be read."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.deltas import SOURCES, deltas
from tests.browser.hearing import heard, heard_to, listen
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    expect_settled,
    expect_streaming,
    leaving_its_address,
    open_page,
    questions,
)

BROKEN = {"error": {"message": "The model is asleep."}}


@pytest.mark.wcag("4.1.3")
def test_a_stopped_answer_is_told_by_its_alert_and_its_citations_and_not_as_finished(
    context: BrowserContext, stand_in: StandIn
):
    citing = {"delta": {"content": "Buoys are red [Made_Up.pdf] and"}}
    plain = {"delta": {"content": "Buoys are "}}
    page = open_page(
        context,
        backend=stand_in.one_after_the_other(
            [plain, stand_in.WAIT_FOR_EVER], [SOURCES, citing, stand_in.WAIT_FOR_EVER]
        ),
    )

    # What never goes on is said to be silent after a while.
    page.route(re.compile("/silence$"), lambda route: route.fulfill(json={"seconds": 0}))

    def hear_it_stopped(turns: int) -> None:
        listen(page)
        ask(page, "What about buoys?")
        expect(questions(page)).to_have_count(turns)
        expect_streaming(page)
        page.get_by_role("button", name="Stop").click()
        expect(answers(page).last.get_by_role("alert")).to_contain_text("You stopped this answer.")
        expect_settled(page, turns=turns)

    hear_it_stopped(1)
    assert heard_to(page, "^Buoys are$").said == ["Answering.", "Buoys are"]
    hear_it_stopped(2)
    found = heard_to(page, "^It cites")
    assert found.said == ["Answering.", "Buoys are red and", "It cites one source.", "It was not found."]
    assert len(found.alerts) == 1
    assert found.alerts[0].startswith("You stopped this answer.")


@pytest.mark.wcag("4.1.3")
def test_a_failure_is_an_alert_when_it_happens_and_a_note_from_then_on(context: BrowserContext, stand_in: StandIn):
    text = {"delta": {"content": "Buoys are red [Made_Up.pdf]."}}
    page = open_page(context, backend=stand_in.one_after_the_other([SOURCES, text, BROKEN], deltas("Well.")))
    listen(page)
    ask(page, "What about buoys?")
    expect(answers(page).get_by_role("alert")).to_contain_text("The model is asleep.")
    found = heard_to(page, "^It cites")
    assert found.said[-2:] == ["It cites one source.", "It was not found."]
    assert len(found.alerts) == 1
    failed_at = address_of(page)

    def expect_silence() -> None:
        expect(answers(page).first.get_by_role("note").filter(has_text="The model is asleep.")).to_be_visible()
        expect_settled(page)
        assert heard(page).alerts == []
        assert heard(page).said == []

    page.reload()
    expect_silence()
    with leaving_its_address(page):
        page.get_by_role("button", name="New chat").click()
    page.goto(failed_at)
    expect_silence()
    ask(page, "And now?")
    assert heard_to(page, "^Finished").alerts == []


def test_a_failure_during_a_reload_is_an_alert_once(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held({"delta": {"content": "Buoys are"}}, BROKEN))
    listen(page)
    ask(page, "What about buoys?")
    expect_streaming(page)
    here = address_of(page)
    page.goto("about:blank")
    stand_in.go_on()
    other = open_page(context, path=here)
    expect(answers(other)).to_contain_text("The model is asleep.")
    page.goto(here)
    expect(answers(page).get_by_role("alert")).to_contain_text("The model is asleep.")
    page.reload()
    expect_settled(page)
    expect(answers(page).get_by_role("alert")).to_have_count(0)


def test_a_failure_behind_an_open_sheet_is_announced_and_no_alert_once_the_sheet_is_closed(
    new_context: NewContext, stand_in: StandIn
):
    context = new_context(viewport={"width": 390, "height": 780})
    page = open_page(context, backend=stand_in.held({"delta": {"content": "Buoys are"}}, BROKEN))
    listen(page)
    ask(page, "What about buoys?")
    expect_streaming(page)
    page.get_by_role("button", name="Conversations").click()
    stand_in.go_on()
    assert "The model is asleep." in " ".join(heard_to(page, "asleep").said)
    page.keyboard.press("Escape")
    expect(answers(page).get_by_role("note").filter(has_text="The model is asleep.")).to_be_visible()
    expect(answers(page).get_by_role("alert")).to_have_count(0)
