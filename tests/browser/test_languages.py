"""In which language and direction what others wrote is read, and by which words a tab and a question are found."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.stand_in import StandIn
from tests.browser.talking import answers, ask, expect_settled, expect_streaming, open_page, questions

GERMAN = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet."
POLISH = "Boje są czerwone i pływają po wodzie. Co roku przechodzą przegląd."
ENGLISH = "Buoys are red and they float on the water. Every year they are looked after."


def answered(context: BrowserContext, stand_in: StandIn, text: str, question: str = "What about it?") -> Page:
    source = {"context": {"data_points": {"text": [f"Boje.txt: {POLISH}"]}}}
    page = open_page(context, backend=stand_in.streaming(source, {"delta": {"content": text}}))
    ask(page, question)
    expect_settled(page)
    return page


def expect_language(text: Locator, language: str) -> None:
    """Of the element with the text, or of the nearest around it that says so."""
    expect(text.first).to_be_attached()
    text.first.evaluate(
        """(element, language) => new Promise((found) => {
            const look = () => element.closest("[lang]").lang === language ? found() : requestAnimationFrame(look);
            look();
        })""",
        language,
    )


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "de"),
        (POLISH, "pl"),
        ("Les bouées sont rouges et flottent sur l'eau. On les entretient chaque année.", "fr"),
        ("Las boyas son rojas y flotan en el agua. Se revisan cada año.", "es"),
        ("Буи красные и плавают на воде. Каждый год их обслуживают в мастерской.", "ru"),
        ("ブイは赤くて水に浮かびます。毎年点検されます。", "ja"),
        ("浮标是红色的，漂浮在水面上。每年都要维护。", "zh"),
        ("Οι σημαδούρες είναι κόκκινες και επιπλέουν στο νερό.", "el"),
    ],
)
def test_an_answer_and_a_question_say_their_language(
    context: BrowserContext, stand_in: StandIn, text: str, language: str
):
    page = answered(context, stand_in, text, question=text)
    for _ in range(2):
        expect_language(answers(page).locator("p"), language)
        expect_language(questions(page).locator(".question-text"), language)
        expect_language(answers(page).get_by_role("button", name="Copy answer"), "en")
        page.reload()
        expect_settled(page)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("العوامات حمراء وتطفو على الماء. يتم فحصها كل عام.", "ar"),
        ("המצופים אדומים וצפים על המים. בודקים אותם כל שנה.", "he"),
    ],
)
def test_an_answer_from_right_to_left_says_so(context: BrowserContext, stand_in: StandIn, text: str, language: str):
    page = answered(context, stand_in, text)
    expect_language(answers(page).locator("p"), language)
    expect(answers(page).locator(f"[lang={language}]").first).to_have_attribute("dir", "rtl")


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "42",
        "OK.",
        "Northwind Standard",
        "`pip install foo`",
        "x = 1; y = 2",
        "$x^2$",
        "Leave_Policy.pdf kind=prose rate=190",
    ],
)
def test_what_is_english_or_uncertain_is_left_in_the_language_of_the_page(
    context: BrowserContext, stand_in: StandIn, text: str
):
    page = answered(context, stand_in, f"{text}\n\n```python\nimport asyncio\n```")
    page.reload()
    expect_settled(page)
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("log").locator("[lang]")).to_have_count(0)


def test_plain_english_loads_no_detector(context: BrowserContext, stand_in: StandIn):
    page = answered(context, stand_in, ENGLISH, "What do you know about the buoys?")
    ask(page, "And what about the buoys of this harbour?")
    expect_settled(page, turns=2)
    fetched = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert not [url for url in fetched if "extrasmall" in url]
    assert fetched


def test_a_mixed_answer_says_its_languages_block_by_block(context: BrowserContext, stand_in: StandIn):
    code = "```python\nwert = 1\n```"
    page = answered(context, stand_in, f"{GERMAN}\n\n{code}\n\n{ENGLISH}\n\n{POLISH} [Boje.txt]\n\n{GERMAN}")
    for _ in range(2):
        for text, language in (("Bojen sind", "de"), ("Buoys are", "en"), ("Boje są", "pl")):
            expect_language(answers(page).get_by_text(text), language)
        expect_language(answers(page).locator("code"), "en")
        expect_language(answers(page).get_by_role("button", name="Copy code"), "en")
        expect_language(answers(page).get_by_role("button", name="Citation 1"), "en")
        page.reload()
        expect_settled(page)


def test_a_follow_up_question_says_its_language(context: BrowserContext, stand_in: StandIn):
    german, english = "Wie oft werden die Bojen gewartet?", "How often are the buoys looked after?"
    asked = {"delta": {"content": GERMAN}, "context": {"followup_questions": [german, english]}}
    page = open_page(context, backend=stand_in.streaming(asked))
    ask(page, "What about it?")
    expect_settled(page)
    expect_language(page.get_by_role("button", name=german), "de")
    expect_language(page.get_by_role("button", name=english), "en")


def test_a_passage_says_its_language(context: BrowserContext, stand_in: StandIn):
    page = answered(context, stand_in, "They are red [Boje.txt].")
    answers(page).get_by_role("button", name="Citation 1").click()
    expect_language(page.get_by_role("region", name="Sources").get_by_text("Boje są"), "pl")
    expect_language(page.get_by_role("button", name="Close sources"), "en")


def test_the_title_says_the_conversation_and_when_it_is_being_answered(context: BrowserContext, stand_in: StandIn):
    held = [{"delta": {"content": "Buoys are"}}, stand_in.WAIT_UNTIL_TOLD, {"delta": {"content": " red."}}]
    page = open_page(context, backend=stand_in.streaming(*held))
    expect(page).to_have_title("Chat")
    ask(page, "What about buoys?")
    expect_streaming(page)
    expect(page).to_have_title("Answering… What about buoys? – Chat")
    stand_in.go_on()
    expect_settled(page)
    expect(page).to_have_title("What about buoys? – Chat")
    page.reload()
    expect(page).to_have_title("What about buoys? – Chat")
    page.get_by_role("button", name="Conversations").click()
    page.get_by_role("button", name="Rename What about buoys?").click()
    title = page.get_by_role("textbox", name="Title")
    title.fill("The harbour")
    title.press("Enter")
    expect(page).to_have_title("The harbour – Chat")
    page.get_by_role("button", name="New chat").click()
    expect(page).to_have_title("Chat")
    page.goto("/c/there-is-no-such-one")
    expect(page).to_have_title("Chat")


def test_a_question_is_found_by_its_words_as_a_heading(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": "## Red\n\nBuoys are red."}}))
    long = "What is known of the buoys that lie before the harbour, and who looks after them every year?"
    asked = ["What about buoys?", long, "First line\nand second", "浮" * 200]
    for turns, question in enumerate(asked, 1):
        ask(page, question)
        expect_settled(page, turns=turns)
    expect(page.get_by_role("heading", level=2)).to_have_text(
        ["What about buoys?", "What is known of the buoys that lie before the harbour, and", "First line", "浮" * 60]
    )
    expect(questions(page).locator(".question-text")).to_have_text(asked)
    expect(questions(page).nth(2).locator(".question-text")).to_have_js_property("innerText", asked[2])
