"""What people say of answers on the page: a rating, reasons, a comment, and one citation that they doubt."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import expect_no_violations, expect_no_violations_in_both_schemes
from tests.browser.hearing import heard, heard_to, listen
from tests.browser.places import opened_list, sources
from tests.browser.questions import LEAVE
from tests.browser.rating import (
    NOT_KEPT,
    REQUESTS,
    Gate,
    answered,
    bad,
    comment,
    details,
    doubt,
    expect_pressed,
    expect_saved,
    good,
    refuse_changes,
    said,
    save,
    why,
)
from tests.browser.talking import NewContext, address_of, answers, ask, expect_alive, expect_settled, open_page

WORDS = "It was changed in May."


@pytest.mark.wcag("2.1.1", "2.4.3", "4.1.2")
def test_with_the_keyboard_alone_an_answer_is_rated_with_reasons_and_a_comment(new_context: NewContext):
    context = new_context()
    page = open_page(context)
    answer = answered(page)
    expect_pressed(good(answer), False)
    expect(why(answer)).to_have_count(0)
    bad(answer).press("Enter")
    expect_pressed(bad(answer))
    expect(details(answer).get_by_role("group", name="What is wrong with it?")).to_be_visible()
    expect(bad(answer)).to_be_focused()
    outdated = details(answer).get_by_role("button", name="Out of date")
    expect(outdated).to_be_enabled()
    expect_no_violations_in_both_schemes(page)
    for _ in range(5):
        page.keyboard.press("Tab")
    expect(outdated).to_be_focused()
    page.keyboard.press("Space")
    expect_pressed(outdated)
    expect_saved(details(answer))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type(WORDS)
    expect(details(answer).get_by_role("status")).to_be_empty()
    page.keyboard.press("Tab")
    expect(save(details(answer))).to_be_focused()
    page.keyboard.press("Enter")
    expect_saved(details(answer))
    expect(save(details(answer))).to_be_focused()
    page.keyboard.press("Escape")
    expect(details(answer)).to_have_count(0)
    expect(why(answer)).to_be_focused()
    [line] = said(page)
    assert (line["question"], line["rating"], line["reasons"]) == (LEAVE, "bad", ["outdated"])
    assert line["comment"] == WORDS

    page.reload()
    expect_alive(page)
    answer = answers(page).last
    expect_pressed(bad(answer))
    expect(details(answer)).to_have_count(0)
    why(answer).press("Enter")
    expect(comment(details(answer))).to_have_value(WORDS)
    expect_pressed(details(answer).get_by_role("button", name="Out of date"))


def test_another_tab_sees_the_rating_and_it_is_changed_and_taken_back(new_context: NewContext):
    context = new_context()
    page = open_page(context)
    answer = answered(page)
    other = open_page(context, path=address_of(page))
    elsewhere = answers(other).last
    bad(answer).click()
    expect_pressed(bad(elsewhere))
    details(answer).get_by_role("button", name="Wrong").click()
    expect_saved(details(answer))
    good(elsewhere).click()
    expect_pressed(good(answer))
    expect_pressed(bad(answer), False)
    expect(details(answer).get_by_role("group", name="What is wrong with it?")).to_have_count(0)
    assert [(line["rating"], line["reasons"]) for line in said(page)] == [("good", [])]
    assert said(page)[0]["truth"] == said(page)[0]["answer"]
    good(answer).click()
    expect_pressed(good(elsewhere), False)
    expect(why(elsewhere)).to_have_count(0)
    assert said(page) == []


def test_every_version_of_an_answer_and_of_a_question_has_a_rating_of_its_own(page: Page):
    answer = answered(page)
    good(answer).click()
    expect_pressed(good(answer))
    answer.get_by_role("button", name="Regenerate").click()
    expect(answer.get_by_role("group", name="Versions of this answer")).to_contain_text("2 / 2")
    answer = expect_settled(page)
    expect_pressed(good(answer), False)
    bad(answer).click()
    expect_pressed(bad(answer))
    box = comment(details(answer))
    box.fill("The second one.")
    save(details(answer)).click()
    expect_saved(details(answer))
    answer.get_by_role("button", name="Previous answer").click()
    expect_pressed(good(answer))
    expect_pressed(bad(answer), False)
    expect(details(answer)).to_have_count(0)
    why(answer).click()
    expect(details(answer).get_by_role("group", name="What is wrong with it?")).to_have_count(0)
    expect(box).to_be_empty()
    expect(box).to_be_editable()
    page.get_by_role("button", name="Edit question").click()
    box = page.get_by_role("textbox", name="Edited question")
    box.fill("What does the vision plan cover?")
    box.press("Enter")
    expect(page.get_by_role("group", name="Versions of this question")).to_contain_text("2 / 2")
    answer = expect_settled(page)
    expect_pressed(good(answer), False)
    page.get_by_role("button", name="Previous question").click()
    expect_pressed(good(answers(page).last))
    rated = [(line["question"], line["rating"], line["comment"]) for line in said(page)]
    assert rated == [(LEAVE, "good", ""), (LEAVE, "bad", "The second one.")]


def test_the_last_of_quick_presses_counts(page: Page):
    answer = answered(page)
    good(answer).dblclick()
    expect_pressed(good(answer), False)
    bad(answer).click()
    good(answer).click()
    bad(answer).click()
    chosen = details(answer).get_by_role("button", name="Tone")
    chosen.click()
    expect_saved(details(answer))
    assert [(line["rating"], line["reasons"]) for line in said(page)] == [("bad", ["tone"])]


@pytest.mark.wcag("2.1.1", "4.1.2")
def test_one_citation_is_doubted_beside_its_passage_and_that_is_taken_back(page: Page):
    answer = answered(page)
    answer.locator(".answer-text [data-use]").nth(1).click()
    expect(doubt(page)).to_be_enabled()
    expect_pressed(doubt(page), False)
    doubt(page).press("Enter")
    expect_pressed(doubt(page))
    box = sources(page).get_by_label("Comment (optional)")
    expect_no_violations_in_both_schemes(page)
    # A press on what is in the card does not open its document.
    box.click()
    box.fill("It is 18 weeks.")
    save(sources(page)).click()
    expect_saved(sources(page))
    box.press("Escape")
    expect(sources(page)).to_have_count(0)
    [line] = said(page)
    assert line["rating"] is None
    [doubted] = line["doubted"]
    assert (doubted["use"], doubted["comment"]) == (2, "It is 18 weeks.")
    assert doubted["claim"] in line["answer"]
    assert doubted["passage"] in [source["text"] for source in line["sources"]]

    answer.locator(".answer-text [data-use]").first.click()
    expect(doubt(page)).to_be_enabled()
    expect_pressed(doubt(page), False)
    expect(sources(page).get_by_label("Comment (optional)")).to_have_count(0)
    answer.locator(".answer-text [data-use]").nth(1).click()
    expect_pressed(doubt(page))
    expect(sources(page).get_by_label("Comment (optional)")).to_have_value("It is 18 weeks.")
    doubt(page).click()
    expect(box).to_have_count(0)
    expect_pressed(doubt(page), False)
    assert said(page) == []
    answer.get_by_role("button", name="Sources").click()
    expect(sources(page)).to_have_count(0)
    answer.get_by_role("button", name="Sources").click()
    expect(sources(page).get_by_role("listitem").first).to_be_visible()
    expect(doubt(page)).to_have_count(0)


@pytest.mark.wcag("4.1.3")
def test_what_cannot_be_kept_is_told_and_is_not_shown_as_kept(page: Page):
    answer = answered(page)
    listen(page)
    refuse_changes(page)
    good(answer).click()
    heard_to(page, NOT_KEPT)
    expect_pressed(good(answer), False)
    expect(why(answer)).to_have_count(0)
    page.unroute(REQUESTS)
    bad(answer).click()
    chosen = details(answer).get_by_role("button", name="Incomplete")
    chosen.click()
    expect_saved(details(answer))
    refuse_changes(page)
    details(answer).get_by_role("button", name="Tone").click()
    expect(details(answer).get_by_role("alert")).to_have_text(NOT_KEPT)
    expect(details(answer).get_by_role("status")).to_be_empty()
    assert NOT_KEPT in heard(page).alerts
    assert said(page)[0]["reasons"] == ["incomplete"]
    expect_pressed(details(answer).get_by_role("button", name="Tone"), False)
    expect_pressed(chosen)


@pytest.mark.wcag("3.3.1")
def test_a_comment_that_could_not_be_saved_stays_in_its_box_and_save_is_pressed_again(page: Page):
    answer = answered(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    refuse_changes(page)
    comment(details(answer)).fill(WORDS)
    save(details(answer)).click()
    expect(details(answer).get_by_role("alert")).to_have_text(NOT_KEPT)
    expect(details(answer).get_by_role("status")).to_be_empty()
    expect(comment(details(answer))).to_have_value(WORDS)
    page.unroute(REQUESTS)
    save(details(answer)).click()
    expect_saved(details(answer))
    expect(details(answer).get_by_role("alert")).to_have_count(0)
    assert said(page)[0]["comment"] == WORDS


@pytest.mark.wcag("2.4.3")
def test_words_that_are_not_saved_are_there_when_their_box_is_opened_again(page: Page):
    answer = answered(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    comment(details(answer)).fill(WORDS)
    comment(details(answer)).press("Escape")
    expect(details(answer)).to_have_count(0)
    expect(why(answer)).to_be_focused()
    answer.locator(".answer-text [data-use]").nth(1).click()
    doubt(page).click()
    comment(sources(page)).fill("It is 18 weeks.")
    comment(sources(page)).press("Escape")
    expect(sources(page)).to_have_count(0)
    assert [(line["comment"], line["doubted"][0]["comment"]) for line in said(page)] == [("", "")]
    why(answer).click()
    expect(comment(details(answer))).to_have_value(WORDS)
    save(details(answer)).click()
    expect_saved(details(answer))
    answer.locator(".answer-text [data-use]").nth(1).click()
    expect(comment(sources(page))).to_have_value("It is 18 weeks.")
    save(sources(page)).click()
    expect_saved(sources(page))
    assert [(line["comment"], line["doubted"][0]["comment"]) for line in said(page)] == [(WORDS, "It is 18 weeks.")]


@pytest.mark.wcag("3.2.1")
def test_on_a_slow_server_words_that_are_typed_on_stay_and_a_problem_is_told_once_the_box_is_closed(page: Page):
    answer = answered(page)
    bad(answer).click()
    box = comment(details(answer))
    expect(box).to_be_editable()
    listen(page)
    gate = Gate(page)
    box.fill("It was")
    save(details(answer)).click()
    box.press("End")
    box.press_sequentially(" changed")
    gate.wait()
    with page.expect_response(REQUESTS):
        gate.open()
    box.press_sequentially(" in May.")
    expect(box).to_have_value(WORDS)
    expect(details(answer).get_by_role("status")).to_be_empty()
    assert said(page)[0]["comment"] == "It was"
    page.unroute(REQUESTS)
    gate = Gate(page)
    save(details(answer)).click()
    gate.wait()
    box.press("Escape")
    gate.held[0].fulfill(status=503, body="")
    expect(bad(answer)).to_have_attribute("title", NOT_KEPT)
    heard_to(page, NOT_KEPT)
    page.unroute(REQUESTS)
    why(answer).click()
    expect(box).to_have_value(WORDS)
    save(details(answer)).click()
    expect_saved(details(answer))
    assert said(page)[0]["comment"] == WORDS


def test_of_two_tabs_the_last_comment_counts_and_reasons_stay(new_context: NewContext):
    context = new_context()
    page = open_page(context)
    answer = answered(page)
    elsewhere = answers(open_page(context, path=address_of(page))).last
    bad(answer).click()
    expect_pressed(bad(elsewhere))
    why(elsewhere).click()
    comment(details(elsewhere)).fill("Of the second tab.")
    details(answer).get_by_role("button", name="Wrong").click()
    comment(details(answer)).fill("Of the first tab.")
    save(details(answer)).click()
    expect_saved(details(answer))
    save(details(elsewhere)).click()
    expect_saved(details(elsewhere))
    expect_pressed(details(elsewhere).get_by_role("button", name="Wrong"))
    [line] = said(page)
    assert (line["reasons"], line["comment"]) == (["wrong"], "Of the second tab.")


def test_while_what_is_kept_is_not_known_nothing_is_typed_over_it(page: Page):
    answer = answered(page)
    bad(answer).click()
    comment(details(answer)).fill(WORDS)
    save(details(answer)).click()
    expect_saved(details(answer))
    page.reload()
    expect_alive(page)
    answer = answers(page).last

    def refuse(route: Route) -> None:
        route.fulfill(status=503, body="")

    page.route(REQUESTS, refuse)
    why(answer).click()
    expect(details(answer).get_by_role("alert")).to_have_text("This could not be loaded. It is tried again by itself.")
    expect(comment(details(answer))).not_to_be_editable()
    expect(save(details(answer))).to_be_disabled()
    expect(details(answer).get_by_role("button", name="Wrong")).to_be_disabled()
    page.unroute(REQUESTS)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(comment(details(answer))).to_have_value(WORDS)
    expect(comment(details(answer))).to_be_editable()
    expect(details(answer).get_by_role("alert")).to_have_count(0)


def test_the_newest_press_is_shown_while_those_before_it_are_on_their_way(new_context: NewContext):
    context = new_context()
    page = open_page(context)
    answer = answered(page)
    elsewhere = answers(open_page(context, path=address_of(page))).last
    gate = Gate(page)
    good(answer).click()
    gate.wait()
    bad(answer).click()
    gate.held[0].continue_()
    expect_pressed(good(elsewhere))
    expect_pressed(bad(answer))
    expect(details(answer)).to_be_visible()
    gate.wait(2)
    gate.held[1].continue_()
    expect_pressed(bad(elsewhere))
    expect_pressed(bad(answer))


def test_a_request_that_hangs_holds_up_no_other_answer(page: Page):
    answered(page)
    ask(page, LEAVE)
    second = expect_settled(page, turns=2)
    hanging: list[Route] = []

    def hang_first(route: Route) -> None:
        if hanging:
            route.continue_()
        else:
            hanging.append(route)

    page.route(REQUESTS, hang_first)
    good(answers(page).first).click()
    with page.expect_response(REQUESTS):
        good(second).click()
    expect_pressed(good(second))
    hanging[0].fulfill(status=503, body="")
    expect_pressed(good(answers(page).first), False)


def test_a_press_that_fails_shows_what_another_tab_has_said_meanwhile(new_context: NewContext):
    context = new_context()
    page = open_page(context)
    answer = answered(page)
    elsewhere = answers(open_page(context, path=address_of(page))).last
    gate = Gate(page)
    good(answer).click()
    gate.wait()
    bad(elsewhere).click()
    expect_pressed(good(answer))
    expect(why(elsewhere)).to_be_visible()
    gate.held[0].fulfill(status=503, body="")
    expect(good(answer)).to_have_attribute("title", NOT_KEPT)
    expect_pressed(bad(answer))
    expect_pressed(good(answer), False)
    assert said(page)[0]["rating"] == "bad"


def test_why_something_is_refused_is_told_in_the_words_of_the_server_and_a_page_to_sign_in_in_ours(page: Page):
    answer = answered(page)
    refuse_changes(page, 409, "You doubt 50 citations of this answer already.")
    answer.locator(".answer-text [data-use]").first.click()
    expect(doubt(page)).to_be_enabled()
    doubt(page).click()
    expect(sources(page).get_by_role("alert")).to_have_text("You doubt 50 citations of this answer already.")
    expect_pressed(doubt(page), False)
    for status in (200, 429):
        page.unroute(REQUESTS)
        refuse_changes(page, status, "<!doctype html><title>Sign in</title>", "text/html")
        doubt(page).click()
        expect(sources(page).get_by_role("alert")).to_have_text(NOT_KEPT)
        expect_pressed(doubt(page), False)


def test_on_a_narrow_phone_it_fits_and_what_people_said_is_downloaded(new_context: NewContext):
    page = open_page(new_context(viewport={"width": 320, "height": 640}, has_touch=True, accept_downloads=True))
    answer = answered(page)
    bad(answer).tap()
    expect(details(answer).get_by_role("button", name="Wrong")).to_be_enabled()
    details(answer).get_by_role("button", name="Wrong").tap()
    expect_saved(details(answer))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect_no_violations(page)
    why(answer).tap()
    expect(details(answer)).to_have_count(0)
    listed = opened_list(page)
    listed.get_by_text("Export, import, delete").tap()
    with page.expect_download() as downloaded:
        listed.get_by_role("link", name="JSON Lines").tap()
    assert downloaded.value.suggested_filename == "feedback.jsonl"
    assert json.loads(downloaded.value.path().read_bytes())["reasons"] == ["wrong"]
    with page.expect_download() as downloaded:
        listed.get_by_role("link", name="CSV").tap()
    assert downloaded.value.suggested_filename == "feedback.csv"
    assert b',"bad","wrong",' in downloaded.value.path().read_bytes()
