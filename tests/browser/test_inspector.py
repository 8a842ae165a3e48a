"""What travelled for an answer, for those who debug a backend."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.places import sources
from tests.browser.questions import LEAVE
from tests.browser.talking import answers, ask, copied, expect_settled


def raw_of(thoughts: Locator) -> Locator:
    return thoughts.get_by_role("heading", name="Raw").get_by_role("button")


def test_the_raw_lines_are_fetched_when_they_are_asked_for_and_the_request_is_copied_for_curl(page: Page):
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    expect(thoughts).to_contain_text("Search results")
    assert not [address for address in fetched if address.endswith(("/wire", "/raw"))]
    raw = raw_of(thoughts)
    expect(raw).to_have_attribute("aria-expanded", "false")
    raw.click()
    lines = thoughts.get_by_role("region", name="Lines as they came")
    expect(lines.get_by_role("row").nth(1)).to_contain_text('"data_points"')
    expect(thoughts).to_contain_text("Characters per second")
    command = copied(page, thoughts.get_by_role("button", name="Copy as cURL"))
    assert command.startswith("curl")
    assert "/demo/chat/stream" in command
    assert LEAVE in command
    raw.press("Enter")
    expect(lines).to_have_count(0)
    expect(raw).to_be_focused()


def test_what_travelled_stays_unfolded_for_its_answer_and_for_no_other(page: Page):
    for turns in (1, 2):
        ask(page, LEAVE)
        answer = expect_settled(page, turns=turns)
    answer.get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    raw_of(thoughts).click()
    expect(raw_of(thoughts)).to_have_attribute("aria-expanded", "true")
    page.get_by_role("tab", name="Sources").click()
    expect(sources(page)).to_be_visible()
    page.get_by_role("tab", name="Thoughts").click()
    expect(raw_of(thoughts)).to_have_attribute("aria-expanded", "true")
    answers(page).first.get_by_role("button", name="Thoughts").click()
    expect(raw_of(thoughts)).to_have_attribute("aria-expanded", "false")
