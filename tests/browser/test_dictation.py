"""What is said into a microphone comes into the box for a question, and a person sends it."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.deltas import deltas
from tests.browser.stand_in import StandIn
from tests.browser.talking import address_of, ask, expect_settled, leaving_its_address, message, open_page, questions
from tests.browser.voices import give_recognizer


def dictate(page: Page) -> Locator:
    return page.get_by_role("button", name="Dictate", exact=True)


def begin(context: BrowserContext) -> Page:
    """A page that takes dictation."""
    give_recognizer(context, on_device=True)
    page = open_page(context)
    dictate(page).click()
    expect(dictate(page)).to_have_attribute("aria-pressed", "true")
    return page


def hear(page: Page, *results: tuple[str, bool]) -> None:
    """Have the browser recognise these words, each with whether it is certain of them."""
    page.evaluate("results => dictation.hear(...results)", [list(result) for result in results])


def test_words_come_where_the_caret_is_once_they_are_certain_and_are_not_sent(context: BrowserContext):
    page = begin(context)
    message(page).fill("What about ? Thanks.")
    message(page).evaluate("box => box.setSelectionRange(11, 11)")
    hear(page, ("red boys", False))
    expect(page.locator(".dictated")).to_have_text("red boys")
    expect(message(page)).to_have_value("What about ? Thanks.")
    hear(page, ("red buoys", True), (" and", False))
    expect(message(page)).to_have_value("What about red buoys? Thanks.")
    expect(page.locator(".dictated")).to_have_text("and")
    message(page).press("End")
    message(page).press_sequentially(" Bye.")
    hear(page, ("red buoys", True), (" and more", True))
    expect(message(page)).to_have_value("What about red buoys? Thanks. Bye. and more")
    dictate(page).click()
    expect(dictate(page)).to_have_attribute("aria-pressed", "false")
    expect(questions(page)).to_have_count(0)
    message(page).press("Enter")
    expect(questions(page)).to_contain_text("What about red buoys? Thanks. Bye. and more")


def test_escape_ends_dictation_with_what_was_heard_and_so_does_sending(context: BrowserContext):
    page = begin(context)
    hear(page, ("What about", False))
    page.keyboard.press("Escape")
    expect(dictate(page)).to_have_attribute("aria-pressed", "false")
    expect(message(page)).to_have_value("What about")
    dictate(page).press("Enter")
    expect(dictate(page)).to_have_attribute("aria-pressed", "true")
    hear(page, ("red buoys", False))
    page.get_by_role("button", name="Send").click()
    expect(questions(page)).to_contain_text("What about red buoys")
    expect(dictate(page)).to_have_attribute("aria-pressed", "false")
    expect(message(page)).to_have_value("")


def test_a_word_that_is_being_composed_is_not_disturbed(context: BrowserContext):
    page = begin(context)
    message(page).focus()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "にほ", "selectionStart": 2, "selectionEnd": 2})
    hear(page, ("ブイ", True))
    expect(message(page)).to_have_value("にほ")
    session.send("Input.insertText", {"text": "日本"})
    expect(message(page)).to_have_value("日本ブイ")


def test_the_first_dictation_asks_before_any_sound_is_sent_unless_the_device_itself_listens(
    context: BrowserContext,
):
    give_recognizer(context)
    page = open_page(context)
    question = page.get_by_role("alertdialog", name="Dictate your question?")
    dictate(page).click()
    expect(question).to_contain_text("Chrome sends it to Google")
    question.get_by_role("button", name="Cancel").click()
    expect(dictate(page)).to_be_focused()
    assert page.evaluate("dictation.begun") == 0
    dictate(page).click()
    question.get_by_role("button", name="Dictate").click()
    expect(dictate(page)).to_have_attribute("aria-pressed", "true")
    dictate(page).click()
    expect(dictate(page)).to_have_attribute("aria-pressed", "false")
    dictate(page).click()
    expect(dictate(page)).to_have_attribute("aria-pressed", "true")
    expect(question).to_have_count(0)


def test_the_microphone_goes_off_with_the_page_that_asked_for_it_and_its_words_come_along(
    context: BrowserContext, stand_in: StandIn
):
    give_recognizer(context, on_device=True)
    page = open_page(context, backend=stand_in.streaming(*deltas("Red.")))
    ask(page, "What about buoys?")
    expect_settled(page)
    address_of(page)
    page.reload()
    expect_settled(page)
    page.evaluate("""() => {
        const answer = new Promise((tell) => { window.tell = () => tell("available"); });
        SpeechRecognition.available = () => {
            window.isAsked = true;
            return answer;
        };
    }""")
    dictate(page).click()
    page.wait_for_function("() => window.isAsked")
    new_chat = page.get_by_role("button", name="New chat")
    with leaving_its_address(page):
        new_chat.click()
    page.evaluate("() => { tell(); return new Promise((done) => setTimeout(done)); }")
    assert page.evaluate("dictation.begun") == 0
    page.go_back()
    expect_settled(page)
    dictate(page).click()
    expect(dictate(page)).to_have_attribute("aria-pressed", "true")
    hear(page, ("red buoys", False))
    with leaving_its_address(page):
        new_chat.click()
    expect(message(page)).to_have_value("red buoys")
    expect(dictate(page)).to_have_attribute("aria-pressed", "false")


def test_what_is_dictated_can_be_undone(context: BrowserContext):
    page = begin(context)
    message(page).press_sequentially("Typed.")
    hear(page, ("Misheard", True))
    expect(message(page)).to_have_value("Typed. Misheard")
    message(page).press("ControlOrMeta+z")
    expect(message(page)).to_have_value("Typed.")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("not-allowed", "does not let this page use the microphone"),
        ("audio-capture", "No microphone was found"),
        ("network", "cannot reach its service"),
        ("no-speech", "Nothing was heard"),
        ("something-new", "Dictation did not work"),
    ],
)
def test_what_keeps_a_person_from_dictating_is_told_in_words(context: BrowserContext, error: str, words: str):
    page = begin(context)
    page.evaluate("error => dictation.fail(error)", error)
    expect(page.get_by_role("alert")).to_contain_text(words)
    expect(dictate(page)).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize(
    "lacking",
    [
        "delete window.SpeechRecognition; delete window.webkitSpeechRecognition",
        "Object.defineProperty(document, 'featurePolicy', { value: { allowsFeature: () => false } })",
    ],
    ids=["a recognizer", "the leave of the page around"],
)
def test_there_is_no_button_where_dictation_is_lacking(context: BrowserContext, lacking: str):
    give_recognizer(context)
    context.add_init_script(lacking)
    page = open_page(context)
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    expect(dictate(page)).to_have_count(0)


def test_the_page_may_use_the_microphone_for_itself_and_nothing_else(context: BrowserContext):
    page = open_page(context)
    assert page.evaluate("document.featurePolicy.allowsFeature('microphone')")
    assert not page.evaluate("document.featurePolicy.allowsFeature('camera')")
