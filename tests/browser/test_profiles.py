"""A person's own backends: their options, their keys, and what a conversation goes on with."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.axe import expect_no_violations
from tests.browser.places import open_settings
from tests.browser.stand_in import StandIn
from tests.browser.talking import ask, expect_settled, open_page

OWN_KEY = "own-key-that-nobody-sees-0123456789"


def save(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)


def test_a_key_goes_to_its_origin_and_is_seen_nowhere_else(context: BrowserContext, stand_in: StandIn):
    address = stand_in.streaming({"error": f"your key {OWN_KEY} is wrong"})
    frames: list[str] = []

    def listen(page: Page) -> None:
        page.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))),
        )

    context.on("page", listen)
    page = open_page(context, backend=address)
    dialog = open_settings(page)
    dialog.get_by_label("Key", exact=True).fill(OWN_KEY)
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.get_by_role("status")).to_contain_text("is wrong")
    save(dialog)
    ask(page, "Am I let in?")
    expect_settled(page)
    assert stand_in.header(address, "authorization") == f"Bearer {OWN_KEY}"
    dialog = open_settings(page)
    expect(dialog.get_by_label("Key", exact=True)).to_have_value("")
    expect(dialog.get_by_role("button", name="Remove key")).to_be_visible()
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    for text in (kept, page.content(), *frames):
        assert OWN_KEY not in text
    assert frames

    dialog.get_by_role("textbox", name="Backend URL").fill(address.replace("127.0.0.1", "localhost"))
    save(dialog)
    ask(page, "Still?")
    expect_settled(page, turns=2)
    assert stand_in.header(address, "authorization") is None
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill(address)
    save(dialog)
    ask(page, "And back?")
    expect_settled(page, turns=3)
    assert stand_in.header(address, "authorization") is None


def test_options_travel_with_each_question_and_what_differs_is_shown(context: BrowserContext, stand_in: StandIn):
    address = stand_in.streaming({"delta": {"content": "Yes."}})
    page = open_page(context, backend=address)
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Temperature").fill("warm")
    expect(dialog.get_by_role("alert")).to_have_text("Enter a number.")
    dialog.get_by_role("textbox", name="Temperature").fill("0.7")
    expect(dialog.get_by_role("alert")).to_have_count(0)
    dialog.get_by_role("combobox", name="Retrieval").select_option(label="Text")
    dialog.get_by_role("textbox", name="Other options").fill('{"seed": 7')
    expect(dialog.get_by_role("alert")).to_contain_text("Line 1, column 11")
    dialog.get_by_role("textbox", name="Other options").fill('{"seed": 7}')
    expect(dialog.get_by_role("alert")).to_have_count(0)
    save(dialog)
    ask(page, "One?")
    expect_settled(page)
    sent = stand_in.asked(address)[-1]["context"]["overrides"]
    assert sent == {"suggest_followup_questions": True, "temperature": 0.7, "retrieval_mode": "text", "seed": 7}
    page.reload()
    expect(page.get_by_role("button", name="Backend settings, 3 changed")).to_have_text("3")
    expect_no_violations(page)
    dialog = open_settings(page)
    expect(dialog.get_by_text("3 changed")).to_be_visible()
    dialog.get_by_role("button", name="Reset").click()
    expect(dialog.get_by_role("textbox", name="Temperature")).to_have_value("")
    save(dialog)
    expect(page.get_by_role("button", name="Backend settings", exact=True)).to_have_text("")
    ask(page, "Two?")
    expect_settled(page, turns=2)
    assert stand_in.asked(address)[-1]["context"]["overrides"] == {"suggest_followup_questions": True}
