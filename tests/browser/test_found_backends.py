"""A backend that was saved as the address of its server, without a test of the connection."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, expect

from tests.backends.conforming import microsoft_express
from tests.backends.samples import FILTERED, rag_postgres
from tests.backends.stand_in import StandIn, in_thread
from tests.browser.talking import ask, expect_settled, open_page


def test_the_found_place_tells_the_error_and_a_retry_goes_there(context: BrowserContext):
    with in_thread(StandIn(rag_postgres)) as backend:
        page = open_page(context, backend=backend.url)
        ask(page, "What benefits are there?")
        expect(expect_settled(page).get_by_role("alert").filter(has_text=FILTERED)).to_be_visible()
        asked = len(backend.requests)
        page.get_by_role("button", name="Retry").click()
        expect(page.get_by_text("2 / 2")).to_be_visible()
        expect(expect_settled(page).get_by_role("alert").filter(has_text=FILTERED)).to_be_visible()
    assert [request.path for request in backend.requests[asked:]] == ["/chat/stream"]


def test_a_sample_of_microsofts_takes_images_once_it_is_known(context: BrowserContext):
    with in_thread(StandIn(microsoft_express)) as backend:
        page = open_page(context, backend=backend.url)
        ask(page, "What is it?")
        expect(expect_settled(page)).to_contain_text("One pair.")
        expect(page.get_by_role("button", name="Attach images")).to_be_visible()
