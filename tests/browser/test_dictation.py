"""What is said into a microphone comes into the box for a question, and a person sends it."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.opening import address_of, expect_alive, leaving_its_address, open_page
from tests.browser.talking import expect_settled, message, questions
from tests.browser.voices import give_recognizer

ALLOWED = """() => Object.fromEntries(["microphone", "camera"].map(
    (name) => [name, document.featurePolicy.allowsFeature(name)]))"""


def dictate(page: Page) -> Locator:
    return page.get_by_role("button", name="Dictate", exact=True)


def hear(page: Page, *results: tuple[str, bool]) -> None:
    """Have the browser recognise these words, each with whether it is certain of them."""
    page.evaluate("results => dictation.hear(...results)", [list(result) for result in results])


def expect_on(page: Page, *, is_on: bool) -> None:
    expect(dictate(page)).to_have_attribute("aria-pressed", "true" if is_on else "false")


def refuse_and_allow(page: Page) -> None:
    question = page.get_by_role("alertdialog", name="Dictate your question?")
    dictate(page).click()
    expect(question).to_contain_text("Chrome sends it to Google")
    question.get_by_role("button", name="Cancel").click()
    expect(dictate(page)).to_be_focused()
    assert page.evaluate("dictation.begun") == 0
    dictate(page).click()
    question.get_by_role("button", name="Dictate").click()
    expect_on(page, is_on=True)


def test_words_come_where_the_caret_is_once_the_person_allowed_it_and_the_microphone_goes_off_with_the_page(
    context: BrowserContext,
):
    give_recognizer(context)
    page = open_page(context)
    assert page.evaluate(ALLOWED) == {"microphone": True, "camera": False}
    refuse_and_allow(page)
    message(page).fill("What about ? Thanks.")
    message(page).evaluate("box => box.setSelectionRange(11, 11)")
    hear(page, ("red boys", False))
    expect(page.locator(".dictated")).to_have_text("red boys")
    hear(page, ("red buoys", True), (" and", False))
    expect(message(page)).to_have_value("What about red buoys? Thanks.")
    expect(page.locator(".dictated")).to_have_text("and")
    message(page).press("End")
    message(page).press_sequentially(" Bye.")
    hear(page, ("red buoys", True), (" and more", True))
    expect(message(page)).to_have_value("What about red buoys? Thanks. Bye. and more")
    message(page).press("ControlOrMeta+z")
    expect(message(page)).to_have_value("What about red buoys? Thanks. Bye.")
    page.evaluate("dictation.fail('audio-capture')")
    expect(page.get_by_role("alert")).to_contain_text("No microphone was found")
    expect_on(page, is_on=False)
    expect(questions(page)).to_have_count(0)

    # Heard words go with the question that is sent, and with the person to another page.
    dictate(page).click()
    expect_on(page, is_on=True)
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    hear(page, ("More", False))
    page.get_by_role("button", name="Send").click()
    expect(questions(page)).to_contain_text("Bye. More")
    expect_on(page, is_on=False)
    expect_settled(page)
    address_of(page)
    page.reload()
    expect_settled(page)
    dictate(page).click()
    expect_on(page, is_on=True)
    hear(page, ("red buoys", False))
    with leaving_its_address(page):
        page.get_by_role("button", name="New chat").click()
    expect(message(page)).to_have_value("red buoys")
    expect_on(page, is_on=False)

    page.add_init_script("delete window.SpeechRecognition; delete window.webkitSpeechRecognition")
    page.reload()
    expect_alive(page)
    expect(dictate(page)).to_have_count(0)
