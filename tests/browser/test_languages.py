"""In which language and direction what others wrote is read, and by which words a tab and a question are found."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    answers,
    ask,
    choose,
    expect_settled,
    expect_streaming,
    open_page,
    options_of,
    questions,
)

ARABIC = "العوامات حمراء وتطفو على الماء. يتم فحصها كل عام."
GERMAN = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet."
POLISH = "Boje są czerwone i pływają po wodzie. Co roku przechodzą przegląd."
ENGLISH = "Buoys are red and they float on the water. Every year they are looked after."


def expect_language(text: Locator, language: str) -> None:
    """Of the element with the text, or of the nearest around it that says so."""
    expect(text.first.locator("xpath=ancestor-or-self::*[@lang][1]")).to_have_attribute("lang", language)


@pytest.mark.wcag("3.1.2")
def test_answers_and_questions_say_their_languages_and_which_run_from_right_to_left(
    context: BrowserContext, stand_in: StandIn
):
    texts = {"de": GERMAN, "ar": ARABIC}
    said = [[{"delta": {"content": text}}] for text in texts.values()]
    page = open_page(context, backend=stand_in.one_after_the_other(*said))
    for turns, text in enumerate(texts.values(), 1):
        ask(page, text)
        expect_settled(page, turns=turns)
    for _ in range(2):
        for turn, language in enumerate(texts):
            answer = answers(page).nth(turn)
            expect_language(answer.locator("p"), language)
            expect_language(questions(page).nth(turn).locator(".question-text"), language)
            expect_language(answer.get_by_role("button", name="Copy answer"), "en")
            if language == "ar":
                expect(answer.locator("[lang=ar]").first).to_have_attribute("dir", "rtl")
        page.reload()
        expect_settled(page, turns=len(texts))


@pytest.mark.wcag("3.1.1")
def test_what_is_english_or_uncertain_is_left_in_the_language_of_the_page(context: BrowserContext, stand_in: StandIn):
    uncertain = [
        "42",
        "OK.",
        "Northwind Standard",
        "`pip install foo`",
        "x = 1; y = 2",
        "$x^2$",
        "Leave_Policy.pdf kind=prose rate=190",
    ]
    code = "```python\nimport asyncio\n```"
    one, other, *others = (f"{text}\n\n{code}" for text in (ENGLISH, ENGLISH, *uncertain))
    said = [[{"delta": {"content": text}}] for text in (one, other, GERMAN, *others)]
    page = open_page(context, backend=stand_in.one_after_the_other(*said))
    ask(page, "What do you know about the buoys?")
    expect_settled(page)
    ask(page, "And what about the buoys of this harbour?")
    expect_settled(page, turns=2)
    for turns in range(3, 1 + len(said)):
        ask(page, "What about it?")
        expect_settled(page, turns=turns)
    page.reload()
    expect_settled(page, turns=len(said))
    # Answers are loaded from the last one on: when this one's language is known, the others have been looked at.
    expect_language(answers(page).nth(2).locator("p"), "de")
    for turn in {*range(len(said))} - {2}:
        expect(answers(page).nth(turn).locator("[lang]")).to_have_count(0)
    expect(questions(page).locator("[lang]")).to_have_count(0)


@pytest.mark.wcag("3.1.2")
def test_code_and_controls_in_an_answer_keep_the_pages_language_and_passages_and_follow_up_questions_say_their_own(
    context: BrowserContext, stand_in: StandIn
):
    code = "```python\nwert = 1\n```"
    text = f"{GERMAN} [Boje.txt]\n\n{code}\n\n{GERMAN}"
    followups = ["Wie oft werden die Bojen gewartet?", "Wer streicht die Bojen im Winter?"]
    asked = {"data_points": {"text": [f"Boje.txt: {POLISH}"]}, "followup_questions": followups}
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": text}, "context": asked}))
    ask(page, "What about it?")
    expect_settled(page)
    for _ in range(2):
        expect_language(answers(page).get_by_text("Bojen sind"), "de")
        expect_language(answers(page).locator("code"), "en")
        expect_language(answers(page).get_by_role("button", name="Copy code"), "en")
        expect_language(answers(page).get_by_role("button", name="Citation 1"), "en")
        for question in followups:
            expect_language(page.get_by_role("button", name=question), "de")
        page.reload()
        expect_settled(page)
    answers(page).get_by_role("button", name="Citation 1").click()
    expect_language(page.get_by_role("region", name="Sources").get_by_text("Boje są"), "pl")
    expect_language(page.get_by_role("button", name="Close sources"), "en")


@pytest.mark.wcag("1.3.1", "2.4.2", "2.4.6")
def test_the_title_says_the_conversation_and_when_it_is_being_answered_and_each_question_is_a_heading(
    context: BrowserContext, stand_in: StandIn
):
    begun, rest = {"delta": {"content": "## Red\n\nBuoys are"}}, {"delta": {"content": " red."}}
    page = open_page(context, backend=stand_in.held(begun, rest))
    expect(page).to_have_title("Chat")
    ask(page, "What about buoys?")
    expect_streaming(page)
    expect(page).to_have_title("Answering… What about buoys? – Chat")
    stand_in.go_on()
    expect_settled(page)
    expect(page).to_have_title("What about buoys? – Chat")
    long = "What is known of the buoys that lie before the harbour, and who looks after them every year?"
    asked = ["What about buoys?", long, "First line\nand second", "浮" * 200]
    for turns, question in enumerate(asked[1:], 2):
        ask(page, question)
        expect_settled(page, turns=turns)
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
