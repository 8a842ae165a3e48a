"""The document behind a source, beside the answer."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.talking import ask, expect_settled
from tests.browser.test_asking import LEAVE

MARKED = "CSS.highlights.get('passage') ? [...CSS.highlights.get('passage')].map(String).join(' | ') : ''"


def sources(page: Page) -> Locator:
    return page.get_by_role("region", name="Sources")


def open_first_document(page: Page, question: str) -> Locator:
    """The document behind the first citation of the answer to `question`."""
    ask(page, question)
    expect_settled(page).get_by_role("button", name=re.compile("Citation 1")).first.click()
    sources(page).locator("[data-active] [data-document]").click()
    return sources(page).get_by_role("group", name=re.compile("^Document "))


def test_a_pdf_opens_at_the_page_of_the_source_with_the_passage_marked(page: Page):
    document = open_first_document(page, LEAVE)
    expect(document.locator(".pdf-page canvas")).to_be_visible()
    number = int(document.locator(".pdf-page").get_attribute("data-page"))
    expect(document.get_by_role("spinbutton", name="Page")).to_have_value(str(number))
    expect(document.get_by_text(re.compile(r"^of \d+$"))).to_be_visible()
    page.wait_for_function(f"/20 ?weeks ?of ?parental ?leave/.test({MARKED})")
