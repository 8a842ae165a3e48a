"""From a citation to the passage it rests on."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.talking import ask, expect_settled, open_page
from tests.browser.test_asking import LEAVE

CITATION = re.compile(r"Citation 1: Leave_Policy\.pdf#page=\d")


def test_a_citation_opens_its_source_with_the_passage_marked(page: Page):
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name=CITATION).first.click()
    sources = page.get_by_role("region", name="Sources")
    expect(sources.locator("[data-active]")).to_contain_text("Leave_Policy.pdf#page=")
    expect(sources.locator("[data-active] mark").first).to_contain_text("20 weeks of parental leave")
    expect(sources.locator("[data-active] mark").first).to_be_in_viewport()


def test_another_citation_of_the_same_answer_moves_the_mark(page: Page):
    ask(page, LEAVE)
    citations = expect_settled(page).get_by_role("button", name=CITATION)
    citations.first.click()
    mark = page.get_by_role("region", name="Sources").locator("[data-active] mark").first
    expect(mark).to_contain_text("20 weeks of parental leave")
    citations.nth(2).click()
    expect(mark).not_to_contain_text("20 weeks of parental leave at full pay")


def test_escape_closes_sources_and_gives_the_focus_back(page: Page):
    ask(page, LEAVE)
    citation = expect_settled(page).get_by_role("button", name=CITATION).first
    citation.focus()
    page.keyboard.press("Enter")
    sources = page.get_by_role("region", name="Sources")
    expect(sources).to_be_focused()
    page.keyboard.press("Escape")
    expect(sources).to_have_count(0)
    expect(citation).to_be_focused()


def test_sources_lists_every_data_point_with_the_cited_ones_first(page: Page):
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name="Sources").click()
    sources = page.get_by_role("region", name="Sources")
    expect(sources.get_by_role("listitem")).to_have_count(3)
    expect(sources.get_by_role("listitem").first).to_contain_text("Leave_Policy.pdf")
    expect(sources).to_contain_text("Retrieved, not cited")


def test_an_image_among_the_sources_is_shown(page: Page):
    ask(page, "Where is the AED?")
    expect_settled(page).get_by_role("button", name="Sources").click()
    image = page.get_by_role("region", name="Sources").get_by_role("img").first
    expect(image).to_be_visible()
    expect(image).not_to_have_js_property("naturalWidth", 0)


def test_a_source_that_was_made_up_is_flagged(context: BrowserContext, stand_in):
    page = open_page(
        context,
        backend=stand_in.streaming(
            {"delta": {"role": "assistant"}, "context": {"data_points": {"text": ["a.pdf: Buoys are red."]}}},
            {"delta": {"content": "Buoys are red [a.pdf] and fly [invented.pdf]."}},
        ),
    )
    ask(page, "What colour are buoys?")
    expect_settled(page).get_by_role("button", name="Citation 2: invented.pdf, not found among the sources").click()
    expect(page.get_by_role("region", name="Sources").locator("[data-active]")).to_contain_text("invented.pdf")


def test_thoughts_show_the_query_the_hits_and_what_was_assembled(page: Page):
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name="Thoughts").click()
    drawer = page.get_by_role("dialog", name="Thoughts")
    expect(drawer).to_contain_text("Search using generated search query")
    expect(drawer).to_contain_text("parental leave")
    drawer.locator("summary").first.click()
    expect(drawer).to_contain_text("score")
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)


def test_sources_are_there_before_the_text(context: BrowserContext, stand_in):
    page = open_page(
        context,
        backend=stand_in.streaming(
            {"delta": {"role": "assistant"}, "context": {"data_points": {"text": ["a.pdf: Buoys are red."]}}},
            stand_in.WAIT_FOR_EVER,
        ),
    )
    ask(page, "What colour are buoys?")
    page.get_by_role("button", name="Sources").click()
    expect(page.get_by_role("region", name="Sources")).to_contain_text("Buoys are red.")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Stop").click()
    expect_settled(page)
