"""What people say of answers on the page: a rating, reasons, a comment, and one citation that they doubt."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import expect_no_violations, expect_no_violations_in_both_schemes
from tests.browser.hearing import heard, heard_to, listen
from tests.browser.places import opened_list, sources
from tests.browser.questions import LEAVE
from tests.browser.rating import NOT_KEPT, REQUESTS, answered, bad, details, doubt, expect_pressed, good, said, why
from tests.browser.talking import NewContext, address_of, answers, expect_alive, expect_settled, open_page


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
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("It was changed in May.")
    expect(details(answer).get_by_role("status")).to_be_empty()
    listen(page)
    page.keyboard.press("Escape")
    expect(details(answer)).to_have_count(0)
    expect(why(answer)).to_be_focused()
    heard_to(page, "Saved.")
    [line] = said(page)
    assert (line["question"], line["rating"], line["reasons"]) == (LEAVE, "bad", ["outdated"])
    assert line["comment"] == "It was changed in May."

    page.reload()
    expect_alive(page)
    answer = answers(page).last
    expect_pressed(bad(answer))
    expect(details(answer)).to_have_count(0)
    why(answer).press("Enter")
    expect(details(answer).get_by_label("Comment (optional)")).to_have_value("It was changed in May.")
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
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
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
    box = details(answer).get_by_label("Comment (optional)")
    box.fill("The second one.")
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
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
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
    with page.expect_response(lambda one: one.request.method == "PUT"):
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
    with page.expect_response(lambda one: one.request.method == "DELETE"):
        doubt(page).click()
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

    def refuse(route: Route) -> None:
        route.fulfill(status=503, body="")

    page.route(REQUESTS, lambda route: refuse(route) if route.request.method == "PUT" else route.continue_())
    good(answer).click()
    heard_to(page, NOT_KEPT)
    expect_pressed(good(answer), False)
    expect(why(answer)).to_have_count(0)
    page.unroute(REQUESTS)
    bad(answer).click()
    chosen = details(answer).get_by_role("button", name="Incomplete")
    chosen.click()
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
    page.route(REQUESTS, lambda route: refuse(route) if route.request.method == "PUT" else route.continue_())
    details(answer).get_by_role("button", name="Tone").click()
    expect(details(answer).get_by_role("alert")).to_have_text(NOT_KEPT)
    expect(details(answer).get_by_role("status")).to_be_empty()
    assert NOT_KEPT in heard(page).alerts
    assert said(page)[0]["reasons"] == ["incomplete"]
    box = details(answer).get_by_label("Comment (optional)")
    with page.expect_response(lambda one: one.status == 503):
        box.fill("It lacks the dates.")
        box.blur()
    expect(details(answer).get_by_role("alert")).to_have_text(NOT_KEPT)
    page.unroute(REQUESTS)
    # Leaving the box again sends it again.
    box.focus()
    box.blur()
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
    expect(details(answer).get_by_role("alert")).to_have_count(0)
    assert said(page)[0]["comment"] == "It lacks the dates."


def test_on_a_narrow_phone_it_fits_and_what_people_said_is_downloaded(new_context: NewContext):
    page = open_page(new_context(viewport={"width": 320, "height": 640}, has_touch=True, accept_downloads=True))
    answer = answered(page)
    bad(answer).tap()
    expect(details(answer).get_by_role("button", name="Wrong")).to_be_enabled()
    details(answer).get_by_role("button", name="Wrong").tap()
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect_no_violations(page)
    details(answer).get_by_role("button", name="Done").tap()
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
