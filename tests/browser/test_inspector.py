"""What travelled for an answer, for those who debug a backend."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.questions import LEAVE
from tests.browser.talking import ask, copied, expect_settled


def test_the_raw_lines_are_fetched_when_they_are_asked_for_and_the_request_is_copied_for_curl(page: Page):
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    expect(thoughts).to_contain_text("Search results")
    assert not [address for address in fetched if address.endswith(("/wire", "/raw"))]
    raw = thoughts.get_by_role("heading", name="Raw").get_by_role("button")
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
