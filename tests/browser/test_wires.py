"""What the wires beside the protocol have of their own, on the page."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, expect

from tests.browser.places import sources as sources_in
from tests.browser.stand_in import StandIn
from tests.browser.talking import answers, ask, expect_settled, open_page

ALPHA = {"type": "file_citation", "file_id": "file-1", "filename": "Alpha.pdf", "index": 12}
BETA = {"type": "url_citation", "url": "https://beta.example/b", "title": "Beta", "start_index": 30, "end_index": 30}
TEXT = "Alpha is one. Beta is another."


def delta(text: str) -> dict[str, object]:
    return {"type": "response.output_text.delta", "delta": text, "output_index": 0, "content_index": 0}


def annotated(*annotations: dict[str, object]) -> dict[str, object]:
    message = {"type": "message", "content": [{"type": "output_text", "text": TEXT, "annotations": annotations}]}
    return {
        "type": "response.completed",
        "response": {"id": "resp_1", "object": "response", "status": "completed", "output": [message]},
    }


def test_a_citation_that_is_told_after_its_text_comes_into_its_place(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held(delta(TEXT[:20]), delta(TEXT[20:]), annotated(ALPHA, BETA)))
    ask(page, "What is Alpha?")
    expect(answers(page).locator(".answer-text")).to_contain_text("Alpha is one")
    stand_in.go_on()
    answer = expect_settled(page)
    expect(answer.locator(".answer-text")).to_have_text("Alpha is one 1. Beta is another. 2")
    answer.get_by_role("button", name="Citation 1: Alpha.pdf").click()
    expect(sources_in(page).locator("[data-active]")).to_contain_text("Alpha")
    page.reload()
    expect(expect_settled(page).get_by_role("button", name="Citation 2")).to_be_visible()


def test_a_refusal_is_told_as_one_beside_its_words(context: BrowserContext, stand_in: StandIn):
    refusal = {"type": "response.refusal.delta", "delta": "I cannot help with that."}
    page = open_page(context, backend=stand_in.streaming(refusal))
    ask(page, "How is it done?")
    answer = expect_settled(page)
    expect(answer.locator(".answer-text")).to_have_text("I cannot help with that.")
    words = "The model refused to answer this question. Another wording may help."
    expect(answer.get_by_role("alert")).to_contain_text(words)
    expect(answer.get_by_role("alert").get_by_role("button", name="Retry")).to_be_visible()
