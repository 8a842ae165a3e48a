"""Several backends of one's own: added, named, chosen, told apart in answers, and removed with a way back."""

from __future__ import annotations

import json

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.axe import expect_no_violations
from tests.browser.places import focused_settings, open_settings
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, answers, ask, expect_settled, open_page

KEYS = {"First": "first-key-that-nobody-sees-0123", "Second": "second-key-that-nobody-sees-456"}


def add(page: Page, name: str, address: str, key: str = "") -> None:
    """Add a backend by way of the settings."""
    dialog = open_settings(page)
    dialog.get_by_role("button", name="Add a backend").click()
    url = dialog.get_by_role("textbox", name="Backend URL")
    expect(url).to_be_focused()
    expect(url).to_have_value("")
    dialog.get_by_role("textbox", name="Name", exact=True).fill(name)
    url.fill(address)
    if key:
        dialog.get_by_label("Key", exact=True).fill(key)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)


def chooser(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Backend")


def names(page: Page) -> Locator:
    return chooser(page).locator("option")


def addresses(stand_in: StandIn) -> dict[str, str]:
    return {name: stand_in.streaming({"delta": {"content": f"{name} here."}}) for name in KEYS}


def test_backends_are_added_beside_each_other_and_each_is_asked_with_its_own_key_and_options(
    page: Page, stand_in: StandIn
):
    page.get_by_role("button", name="Add a backend").click()
    dialog = focused_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill("http://127.0.0.1:9/chat")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Add a backend")).to_be_focused()
    expect(chooser(page)).to_have_count(0)
    at = addresses(stand_in)
    add(page, "First", at["First"], KEYS["First"])
    ask(page, "Who are you?")
    expect(expect_settled(page)).not_to_contain_text("Answered by")
    add(page, "Second", at["Second"], KEYS["Second"])
    expect(names(page)).to_have_text(["Demo backend", "First", "Second"])
    expect(chooser(page).locator("option:checked")).to_have_text("Second")
    dialog = open_settings(page)
    dialog.get_by_text("Request settings").click()
    dialog.get_by_role("textbox", name="Temperature").fill("0.5")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    ask(page, "And you?")
    expect(expect_settled(page, turns=2)).to_contain_text("Second here.")
    chooser(page).select_option(label="First")
    ask(page, "And you again?")
    expect(expect_settled(page, turns=3)).to_contain_text("First here.")
    for name, temperature in (("First", None), ("Second", 0.5)):
        assert stand_in.header(at[name], "authorization") == f"Bearer {KEYS[name]}", "both are at one origin"
        assert stand_in.asked(at[name])[-1]["context"]["overrides"].get("temperature") == temperature
    page.reload()
    expect_settled(page, turns=3)
    for article, name in zip(answers(page).all(), ("First", "Second", "First"), strict=True):
        expect(article).to_contain_text(f"Answered by {name}")


def test_one_of_the_same_name_is_told_apart_by_its_address_and_comes_back_with_its_key_when_it_was_removed(
    context: BrowserContext, stand_in: StandIn
):
    at = addresses(stand_in)
    page = open_page(context, backend=at["First"])
    dialog = open_settings(page)
    expect(dialog.get_by_role("textbox", name="Backend URL")).to_have_value(at["First"])
    dialog.get_by_role("button", name="Cancel").click()
    add(page, "", at["Second"], KEYS["Second"])
    kept = json.loads(page.evaluate("localStorage['chat-ui-backend']"))
    assert [own["url"] for own in kept["own"]] == list(at.values())
    host = at["First"].split("/")[2]
    told = ["Demo backend", *(f"{host} ({address})" for address in at.values())]
    expect(names(page)).to_have_text(told)
    dialog = open_settings(page)
    dialog.get_by_role("button", name="Remove", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(names(page)).to_have_text(["Demo backend", host])
    notice = page.get_by_role("status").filter(has_text=f"Removed “{host}”")
    expect_no_violations(page)
    notice.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Backend settings")).to_be_focused()
    expect(notice).to_have_count(0)
    expect(names(page)).to_have_text(told)
    expect(chooser(page).locator("option:checked")).to_have_text(told[-1])
    ask(page, "Still you?")
    expect(expect_settled(page)).to_contain_text("Second here.")
    assert stand_in.header(at["Second"], "authorization") == f"Bearer {KEYS['Second']}"


def test_a_backend_is_added_with_the_keyboard_alone_on_a_phone(new_context: NewContext, stand_in: StandIn):
    page = open_page(new_context(viewport={"width": 390, "height": 800}))
    address = stand_in.streaming({"delta": {"content": "Here."}})
    page.get_by_role("button", name="Backend settings").focus()
    page.keyboard.press("Enter")
    dialog = focused_settings(page)
    dialog.get_by_role("button", name="Add a backend").focus()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("textbox", name="Backend URL")).to_be_focused()
    expect(dialog.get_by_role("textbox", name="Backend URL")).to_have_value("")
    page.keyboard.type(address)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(chooser(page)).to_be_visible()
    expect_no_violations(page)
    assert page.evaluate("() => document.documentElement.scrollWidth <= 390")
    ask(page, "Who is there?")
    expect(expect_settled(page)).to_contain_text("Here.")
