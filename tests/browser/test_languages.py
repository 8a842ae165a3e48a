from typing import Final

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from chat_ui.languages.catalogues import offered
from tests.browser.answering import answers, expect_settled, get_answer, start_answer
from tests.browser.asking import questions
from tests.browser.opening import NewContext, expect_alive, open_page, use
from tests.browser.places import choose, options_of
from tests.browser.stand_in import StandIn, delta

ARABIC = "العوامات حمراء وتطفو على الماء. يتم فحصها كل عام."
GERMAN = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet."
POLISH = "Boje są czerwone i pływają po wodzie. Co roku przechodzą przegląd."
ENGLISH = "Buoys are red and they float on the water. Every year they are looked after."
OF_THE_PAGE = ("Copy code", "Citation 1")


def expect_language(text: Locator, language: str) -> None:
    """Check the `lang` of the element with the text, or of its nearest ancestor with one."""
    expect(text.first.locator("xpath=ancestor-or-self::*[@lang][1]")).to_have_attribute("lang", language)


@pytest.mark.wcag("3.1.1", "3.1.2")
def test_foreign_text_has_its_language_where_it_is_certain(context: BrowserContext, stand_in: StandIn):
    german = f"{GERMAN} [Boje.txt]\n\n```python\nwert = 1\n```\n\n{GERMAN}"
    followups = ["Wie oft werden die Bojen gewartet?", "Wer streicht die Bojen im Winter?"]
    asked = {"data_points": {"text": [f"Boje.txt: {POLISH}"]}, "followup_questions": followups}
    said = [[delta(text)] for text in (ENGLISH, "Northwind Standard\n\n`pip install foo`", ARABIC)]
    page = open_page(context, backend=stand_in.one_after_the_other(*said, [delta(german, **asked)]))
    for turns, question in enumerate(("What do you know about the buoys?", "OK.", ARABIC, GERMAN), 1):
        get_answer(page, question, turns=turns)
    for _ in range(2):
        arabic, answer = answers(page).nth(2), answers(page).nth(3)
        expect_language(arabic.locator("p"), "ar")
        expect(arabic.locator("[lang=ar]").first).to_have_attribute("dir", "rtl")
        expect_language(questions(page).nth(2).locator(".question-text"), "ar")
        expect_language(arabic.get_by_role("button", name="Copy answer"), "en")
        expect_language(answer.get_by_text("Bojen sind"), "de")
        expect_language(questions(page).nth(3).locator(".question-text"), "de")
        for part in (answer.locator("code"), *(answer.get_by_role("button", name=name) for name in OF_THE_PAGE)):
            expect_language(part, "en")
        for question in followups:
            expect_language(page.get_by_role("button", name=question), "de")
        # Answers are loaded from the last to the first. A known language of a later one means that these are done.
        for turn in range(2):
            expect(answers(page).nth(turn).locator("[lang]")).to_have_count(0)
            expect(questions(page).nth(turn).locator("[lang]")).to_have_count(0)
        page.reload()
        expect_settled(page, turns=4)
    answers(page).last.get_by_role("button", name="Citation 1").click()
    expect_language(page.get_by_role("region", name="Sources").get_by_text("Boje są"), "pl")
    expect_language(page.get_by_role("button", name="Close sources"), "en")


@pytest.mark.wcag("1.3.1", "2.4.2", "2.4.6")
def test_the_title_names_the_conversation_and_questions_are_headings(page: Page, stand_in: StandIn):
    begun, rest = delta("## Red\n\nBuoys are"), delta(" red.")
    use(page, stand_in.held(begun, rest))
    expect(page).to_have_title("Chat")
    icon = page.locator("link[rel=icon]")
    own = icon.get_attribute("href")
    start_answer(page, "What about buoys?")
    expect(page).to_have_title("Answering… What about buoys? – Chat")
    page.wait_for_function("() => document.querySelector('link[rel=icon]').href.startsWith('data:image/png')")
    stand_in.go_on()
    expect_settled(page)
    expect(page).to_have_title("What about buoys? – Chat")
    expect(icon).to_have_js_property("href", f"{page.evaluate('location.origin')}{own}")
    long = "What is known of the buoys that lie before the harbour, and who looks after them every year?"
    asked = ["What about buoys?", long, "First line\nand second", "浮" * 200]
    for turns, question in enumerate(asked[1:], 2):
        get_answer(page, question, turns=turns)
    expect(page.get_by_role("heading", level=2)).to_have_text(
        ["What about buoys?", "What is known of the buoys that lie before the harbour, and", "First line", "浮" * 60]
    )
    expect(page.get_by_role("heading", level=3)).to_have_text(["Red"] * len(asked))
    expect(questions(page).locator(".question-text")).to_have_text(asked)
    expect(questions(page).nth(2).locator(".question-text")).to_have_js_property("innerText", asked[2])
    page.reload()
    expect(page).to_have_title("What about buoys? – Chat")
    page.get_by_role("button", name="Conversations").click()
    choose(options_of(page.get_by_role("navigation"), "What about buoys?"), "Rename")
    title = page.get_by_role("textbox", name="Title")
    title.fill("The harbour")
    title.press("Enter")
    expect(page).to_have_title("The harbour – Chat")
    page.get_by_role("button", name="New chat").click()
    expect(page).to_have_title("Chat")
    page.goto("/c/there-is-no-such-one")
    expect(page).to_have_title("Chat")


WIDE_ENOUGH: Final = """select => {
    const copy = select.cloneNode(true);
    copy.style.cssText = "position: absolute; width: max-content";
    select.parentElement.append(copy);
    const isWide = select.offsetWidth >= copy.offsetWidth;
    copy.remove();
    return isWide;
}"""
UNCONFIRMED: Final = "This translation was made by a machine and has not been reviewed yet."


def said(tag: str, message: str) -> str:
    return offered()[tag].said(message, {})


def expect_spoken(page: Page, tag: str, direction: str) -> None:
    """Wait until the page has the language of the server's document."""
    expect_alive(page)
    expect(page.locator("html")).to_have_attribute("lang", tag)
    expect(page.locator("html")).to_have_attribute("dir", direction)
    expect(page.get_by_role("button", name=said(tag, "New chat"))).to_be_visible()


def dialog_at_the_choice(page: Page, tag: str) -> Locator:
    """The choice of a language in Preferences, opened by keyboard."""
    page.get_by_role("button", name=said(tag, "More"), exact=True).press("Enter")
    page.get_by_role("menuitem", name=said(tag, "Preferences"), exact=True).press("Enter")
    choice = page.get_by_role("dialog").get_by_role("combobox")
    expect(choice).to_be_focused()
    return choice


def use_chosen(page: Page, choice: Locator) -> None:
    choice.press("Tab")
    with page.expect_event("load"):
        page.keyboard.press("Enter")


@pytest.mark.wcag("3.1.1", "3.2.2")
def test_a_chosen_language_keeps_drafts_and_answers(new_context: NewContext, stand_in: StandIn):
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
