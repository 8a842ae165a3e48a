"""Comments on answers and on citations: no word of them is lost, whatever fails, closes or is changed elsewhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Response, Route, expect

from tests.benchmarks.servers import wait_until
from tests.browser.hearing import heard_to, listen
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
    good,
    refuse_changes,
    said,
    why,
)
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    expect_alive,
    expect_settled,
    message,
    open_page,
)
from tests.patience import PATIENCE

WORDS = "It was changed in May."


def hide(page: Page) -> None:
    """Have the page believe that it is not seen any more."""
    page.evaluate("""() => {
        Object.defineProperty(document, "visibilityState", {value: "hidden", configurable: true});
        document.dispatchEvent(new Event("visibilitychange"));
        delete document.visibilityState;
    }""")


def is_kept(response: Response) -> bool:
    """Whether a comment is kept now."""
    return response.url.endswith("/comment") and response.request.method == "PUT" and response.ok


@pytest.mark.wcag("3.3.1")
def test_done_leaves_what_could_not_be_kept_open_and_escape_keeps_its_words(page: Page):
    answer = answered(page)
    listen(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    refuse_changes(page)
    comment(details(answer)).fill(WORDS)
    details(answer).get_by_role("button", name="Done").click()
    expect(details(answer).get_by_role("alert")).to_have_text(NOT_KEPT)
    expect(comment(details(answer))).to_have_value(WORDS)
    comment(details(answer)).press("Escape")
    expect(details(answer)).to_have_count(0)
    expect(why(answer)).to_be_focused()
    heard_to(page, NOT_KEPT)
    page.unroute(REQUESTS)
    why(answer).click()
    expect(comment(details(answer))).to_have_value(WORDS)
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
    details(answer).get_by_role("button", name="Done").click()
    expect(details(answer)).to_have_count(0)
    assert said(page)[0]["comment"] == WORDS


def test_a_comment_that_is_typed_when_the_page_is_left_is_kept(page: Page):
    answer = answered(page)
    address = address_of(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    comment(details(answer)).press_sequentially(WORDS)
    page.reload()
    expect_alive(page)
    answer = answers(page).last
    why(answer).click()
    expect(comment(details(answer))).to_be_editable()
    expect(comment(details(answer))).to_have_value(WORDS)
    comment(details(answer)).press_sequentially(" In June again.")
    page.goto("about:blank")
    page.goto(address)
    expect_alive(page)
    wait_until(lambda: said(page)[0]["comment"] == f"{WORDS} In June again." or None, PATIENCE)


def test_what_could_not_be_kept_outlasts_the_page(page: Page):
    answer = answered(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    refuse_changes(page)
    comment(details(answer)).press_sequentially(WORDS)
    comment(details(answer)).press("Escape")
    expect(bad(answer)).to_have_attribute("title", NOT_KEPT)
    assert said(page)[0]["comment"] == ""
    with page.expect_response(is_kept):
        page.unroute(REQUESTS)
        page.reload()
    expect_alive(page)
    answer = answers(page).last
    why(answer).click()
    expect(comment(details(answer))).to_have_value(WORDS)
    assert said(page)[0]["comment"] == WORDS


def test_of_two_versions_the_newer_is_kept_also_where_the_page_is_left_while_the_older_waits(page: Page):
    answer = answered(page)
    address = address_of(page)
    bad(answer).click()
    box = comment(details(answer))
    expect(box).to_be_editable()
    gate = Gate(page, "/reasons/")
    details(answer).get_by_role("button", name="Wrong").click()
    box.press_sequentially("It was")
    box.blur()
    box.press_sequentially(" changed in May.")
    hide(page)
    wait_until(lambda: said(page)[0]["comment"] == WORDS or None, PATIENCE)
    gate.open()
    details(answer).get_by_role("button", name="Tone").click()
    wait_until(lambda: said(page)[0]["reasons"] == ["wrong", "tone"] or None, PATIENCE)
    assert said(page)[0]["comment"] == WORDS
    Gate(page, "/reasons/")
    details(answer).get_by_role("button", name="Incomplete").click()
    box.press_sequentially(" In June too.")
    box.blur()
    page.goto("about:blank")
    page.goto(address)
    expect_alive(page)
    wait_until(lambda: said(page)[0]["comment"] == f"{WORDS} In June too." or None, PATIENCE)


def test_words_that_come_late_do_not_replace_those_of_another_tab(new_context: NewContext):
    context = new_context()
    page = open_page(context)
    answer = answered(page)
    other = open_page(context, path=address_of(page))
    listen(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    refuse_changes(page, "/comment")
    comment(details(answer)).press_sequentially("Of the first tab.")
    comment(details(answer)).press("Escape")
    expect(bad(answer)).to_have_attribute("title", NOT_KEPT)
    elsewhere = answers(other).last
    why(elsewhere).click()
    comment(details(elsewhere)).fill("Of the second tab.")
    details(elsewhere).get_by_role("button", name="Done").click()
    expect(details(elsewhere)).to_have_count(0)
    told = "This comment was changed in another tab, to “Of the second tab.”. Change yours to replace it."
    page.unroute(REQUESTS)
    page.evaluate("dispatchEvent(new Event('online'))")
    heard_to(page, told)
    assert said(page)[0]["comment"] == "Of the second tab."
    why(answer).click()
    expect(details(answer).get_by_role("alert")).to_have_text(told)
    expect(comment(details(answer))).to_have_value("Of the first tab.")
    comment(details(answer)).press("End")
    comment(details(answer)).press_sequentially(" And of the second.")
    comment(details(answer)).blur()
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
    expect(details(answer).get_by_role("alert")).to_have_count(0)
    assert said(page)[0]["comment"] == "Of the first tab. And of the second."


def test_what_cannot_be_taken_back_keeps_the_words_of_its_comment(page: Page):
    answer = answered(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    refuse_changes(page)
    comment(details(answer)).press_sequentially(WORDS)
    bad(answer).click()
    expect(bad(answer)).to_have_attribute("title", NOT_KEPT)
    expect_pressed(bad(answer))
    page.unroute(REQUESTS)
    why(answer).click()
    expect(comment(details(answer))).to_have_value(WORDS)
    details(answer).get_by_role("button", name="Done").click()
    expect(details(answer)).to_have_count(0)
    assert said(page)[0]["comment"] == WORDS


def test_a_comment_that_is_refused_stays_told_while_reasons_are_kept(page: Page):
    answer = answered(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    refuse_changes(page, "/comment", 507, "There is no room.")
    comment(details(answer)).fill(WORDS)
    details(answer).get_by_role("button", name="Tone").click()
    expect(details(answer).get_by_role("alert")).to_have_text("There is no room.")
    wait_until(lambda: said(page)[0]["reasons"] == ["tone"] or None, PATIENCE)
    expect(details(answer).get_by_role("alert")).to_have_text("There is no room.")
    expect(details(answer).get_by_role("status")).to_be_empty()
    assert said(page)[0]["comment"] == ""


def test_a_reason_that_fails_once_it_is_closed_is_told_at_the_button(page: Page):
    answer = answered(page)
    bad(answer).click()
    listen(page)
    gate = Gate(page, "/reasons/")
    details(answer).get_by_role("button", name="Tone").click()
    details(answer).get_by_role("button", name="Done").click()
    expect(details(answer)).to_have_count(0)
    gate.wait()
    gate.held[0].fulfill(status=503, body="")
    expect(bad(answer)).to_have_attribute("title", NOT_KEPT)
    heard_to(page, NOT_KEPT)


@pytest.mark.wcag("2.4.3", "3.2.1")
def test_done_on_a_slow_server_closes_nothing_that_is_in_use_and_takes_no_focus(page: Page):
    answer = answered(page)
    bad(answer).click()
    box = comment(details(answer))
    expect(box).to_be_editable()
    gate = Gate(page, "/comment")
    box.fill("It was")
    details(answer).get_by_role("button", name="Done").click()
    expect(details(answer).get_by_role("button", name="Done")).to_have_attribute("aria-busy", "true")
    box.press("End")
    box.press_sequentially(" changed")
    gate.wait()
    gate.open()
    expect(details(answer).get_by_role("button", name="Done")).to_have_attribute("aria-busy", "false")
    box.press_sequentially(" in May.")
    expect(box).to_have_value(WORDS)
    page.unroute(REQUESTS)
    gate = Gate(page, "/comment")
    details(answer).get_by_role("button", name="Done").click()
    gate.wait()
    message(page).focus()
    page.keyboard.type("And in")
    gate.open()
    expect(details(answer)).to_have_count(0)
    page.keyboard.type(" June?")
    expect(message(page)).to_have_value("And in June?")
    assert said(page)[0]["comment"] == WORDS


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


def test_a_sign_in_page_in_place_of_an_answer_is_told_in_plain_words(page: Page):
    answer = answered(page)

    def sign_in(route: Route) -> None:
        status = 429 if "reasons" in route.request.url else 200
        route.fulfill(status=status, content_type="text/html", body="<!doctype html><title>Sign in</title>")

    page.route(REQUESTS, lambda route: route.continue_() if route.request.method == "GET" else sign_in(route))
    good(answer).click()
    expect(good(answer)).to_have_attribute("title", NOT_KEPT)
    page.unroute(REQUESTS)
    bad(answer).click()
    expect(details(answer).get_by_role("button", name="Tone")).to_be_enabled()
    page.route(REQUESTS, lambda route: route.continue_() if route.request.method == "GET" else sign_in(route))
    details(answer).get_by_role("button", name="Tone").click()
    expect(details(answer).get_by_role("alert")).to_have_text(NOT_KEPT)


def test_with_everything_else_unsent_comments_are_deleted(page: Page):
    answer = answered(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    refuse_changes(page, "/comment")
    comment(details(answer)).fill("private words")
    comment(details(answer)).press("Escape")
    assert "private words" in page.evaluate("JSON.stringify({...sessionStorage})")
    listed = opened_list(page)
    listed.get_by_text("Export, import, delete").click()
    listed.get_by_role("button", name="Delete everything of mine").click()
    listed.get_by_role("button", name="Delete all of it").click()
    expect(listed.get_by_text("Everything of yours was deleted.")).to_be_visible()
    assert "private words" not in page.evaluate("JSON.stringify({...sessionStorage})")


def test_a_comment_on_a_citation_outlasts_the_sheet_that_the_back_button_closes(new_context: NewContext):
    page = open_page(new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True))
    answer = answered(page)
    answer.locator(".answer-text [data-use]").first.tap()
    expect(doubt(page)).to_be_enabled()
    doubt(page).tap()
    comment(sources(page)).fill(WORDS)
    with page.expect_response(is_kept):
        page.go_back()
    expect(sources(page)).to_have_count(0)
    [doubted] = said(page)[0]["doubted"]
    assert doubted["comment"] == WORDS


def test_while_what_is_kept_is_not_known_nothing_is_typed_over_it(page: Page):
    answer = answered(page)
    bad(answer).click()
    comment(details(answer)).fill(WORDS)
    details(answer).get_by_role("button", name="Done").click()
    expect(details(answer)).to_have_count(0)
    page.reload()
    expect_alive(page)
    answer = answers(page).last

    def refuse(route: Route) -> None:
        route.fulfill(status=503, body="")

    page.route(REQUESTS, refuse)
    why(answer).click()
    expect(details(answer).get_by_role("alert")).to_have_text("This could not be loaded. It is tried again by itself.")
    expect(comment(details(answer))).not_to_be_editable()
    expect(details(answer).get_by_role("button", name="Wrong")).to_be_disabled()
    page.unroute(REQUESTS)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(comment(details(answer))).to_have_value(WORDS)
    expect(comment(details(answer))).to_be_editable()
    expect(details(answer).get_by_role("alert")).to_have_count(0)


def test_two_tabs_change_what_they_name_and_nothing_else(new_context: NewContext):
    context = new_context()
    page = open_page(context)
    answer = answered(page)
    other = open_page(context, path=address_of(page))
    elsewhere = answers(other).last
    bad(answer).click()
    expect_pressed(bad(elsewhere))
    why(elsewhere).click()
    expect(comment(details(elsewhere))).to_be_editable()
    details(answer).get_by_role("button", name="Wrong").click()
    comment(details(answer)).fill(WORDS)
    comment(details(answer)).blur()
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
    details(elsewhere).get_by_role("button", name="Tone").click()
    expect_pressed(details(elsewhere).get_by_role("button", name="Wrong"))
    expect(comment(details(elsewhere))).to_have_value(WORDS)
    line = said(page)[0]
    assert (line["reasons"], line["comment"]) == (["wrong", "tone"], WORDS)


@pytest.mark.wcag("2.4.3", "4.1.3")
def test_words_that_are_typed_outlast_what_another_tab_makes_of_the_rating(new_context: NewContext):
    context = new_context()
    page = open_page(context)
    answer = answered(page)
    listen(page)
    other = open_page(context, path=address_of(page))
    elsewhere = answers(other).last
    bad(answer).click()
    expect_pressed(bad(elsewhere))
    expect(comment(details(answer))).to_be_editable()
    comment(details(answer)).press_sequentially("It was ")
    good(elsewhere).click()
    expect_pressed(good(answer))
    expect(comment(details(answer))).to_be_focused()
    expect(details(answer).get_by_role("group", name="What is wrong with it?")).to_have_count(0)
    page.keyboard.type("changed in May.")
    expect(comment(details(answer))).to_have_value(WORDS)
    good(elsewhere).click()
    expect_pressed(good(answer), False)
    expect(details(answer)).to_have_count(0)
    expect(good(answer)).to_be_focused()
    heard_to(page, "You have taken back your rating, perhaps in another tab. Rate the answer again to keep this.")
    assert said(page) == []
    bad(answer).click()
    expect(comment(details(answer))).to_have_value(WORDS)
    expect(details(answer).get_by_role("status")).to_have_text("Saved.")
    assert said(page)[0]["comment"] == WORDS


def test_a_rating_that_is_taken_back_takes_the_words_of_its_comment_with_it(page: Page):
    answer = answered(page)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    comment(details(answer)).press_sequentially(WORDS)
    bad(answer).click()
    expect_pressed(bad(answer), False)
    expect(details(answer)).to_have_count(0)
    bad(answer).click()
    expect(comment(details(answer))).to_be_editable()
    expect(comment(details(answer))).to_be_empty()
    wait_until(lambda: [line["comment"] for line in said(page)] == [""] or None, PATIENCE)


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
    other = open_page(context, path=address_of(page))
    hanging: list[Route] = []

    def hang(route: Route) -> None:
        hanging.append(route)

    page.route(REQUESTS, hang)
    with page.expect_request(REQUESTS):
        good(answer).click()
    bad(answers(other).last).click()
    expect_pressed(bad(answer))
    hanging[0].fulfill(status=503, body="")
    expect(good(answer)).to_have_attribute("title", NOT_KEPT)
    expect_pressed(bad(answer))
    expect_pressed(good(answer), False)
    assert said(page)[0]["rating"] == "bad"


def test_why_something_is_refused_is_told_in_the_words_of_the_server(page: Page):
    answer = answered(page)

    def refuse(route: Route) -> None:
        if route.request.method == "GET":
            route.continue_()
        else:
            route.fulfill(status=409, content_type="text/plain", body="You doubt 50 citations of this answer already.")

    page.route(REQUESTS, refuse)
    answer.locator(".answer-text [data-use]").first.click()
    expect(doubt(page)).to_be_enabled()
    doubt(page).click()
    expect(sources(page).get_by_role("alert")).to_have_text("You doubt 50 citations of this answer already.")
    expect_pressed(doubt(page), False)
