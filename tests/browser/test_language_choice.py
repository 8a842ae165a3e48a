"""A person's own choice of the page's language: by the browser at first, then in Preferences, kept and without loss."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from chat_ui.languages.catalogues import offered
from tests.browser.opening import NewContext, expect_alive, open_page
from tests.browser.stand_in import StandIn, delta

WIDE_ENOUGH: Final = """select => {
    const copy = select.cloneNode(true);
    copy.style.cssText = "position: absolute; width: max-content";
    select.parentElement.append(copy);
    const isWide = select.offsetWidth >= copy.offsetWidth;
    copy.remove();
    return isWide;
}"""
UNCONFIRMED: Final = "A machine made this translation. No reader has confirmed it yet."


def said(tag: str, message: str) -> str:
    return offered()[tag].said(message, {})


def expect_spoken(page: Page, tag: str, direction: str) -> None:
    """Also once the page has taken over what the server's document says."""
    expect_alive(page)
    expect(page.locator("html")).to_have_attribute("lang", tag)
    expect(page.locator("html")).to_have_attribute("dir", direction)
    expect(page.get_by_role("button", name=said(tag, "New chat"))).to_be_visible()


def dialog_at_the_choice(page: Page, tag: str) -> Locator:
    """The choice in Preferences, opened by the keyboard."""
    page.get_by_role("button", name=said(tag, "More"), exact=True).press("Enter")
    page.get_by_role("menuitem", name=said(tag, "Language…")).press("Enter")
    choice = page.get_by_role("dialog").get_by_role("combobox")
    expect(choice).to_be_focused()
    return choice


def use_chosen(page: Page, choice: Locator) -> None:
    choice.press("Tab")
    with page.expect_event("load"):
        page.keyboard.press("Enter")


@pytest.mark.wcag("3.1.1", "3.2.2")
def test_a_language_is_chosen_by_keys_and_holds_without_the_loss_of_a_draft_or_an_answer(
    new_context: NewContext, stand_in: StandIn
):
    context = new_context(locale="de-AT", viewport={"width": 390, "height": 780})
    complaints: list[str] = []
    context.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    context.on("weberror", lambda error: complaints.append(error.error.message))
    held = stand_in.held(delta("The first half"), delta(" and the rest."))
    page = open_page(context, backend=held)
    expect_spoken(page, "de", "ltr")
    box, answer = page.locator("#message"), page.locator("article.answer")
    box.fill("Who pays?")
    box.press("Enter")
    expect(answer).to_contain_text("The first half")
    box.fill("Half a question")

    choice = dialog_at_the_choice(page, "de")
    assert choice.evaluate(WIDE_ENOUGH)
    expect(page.get_by_role("dialog").get_by_text(said("de", UNCONFIRMED))).to_be_visible()
    option = choice.locator("option[lang=ar]")
    expect(option).to_have_text("العربية")
    expect(option).to_have_attribute("dir", "rtl")
    choice.select_option("ar")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    use_chosen(page, choice)
    expect_spoken(page, "ar", "rtl")
    expect(box).to_have_value("Half a question")
    expect(answer).to_contain_text("The first half")
    stand_in.go_on()
    expect(answer).to_contain_text("The first half and the rest.")

    other = open_page(context)
    expect_spoken(other, "ar", "rtl")
    choice = dialog_at_the_choice(other, "ar")
    choice.select_option("")
    use_chosen(other, choice)
    expect_spoken(other, "de", "ltr")
    assert complaints == []
