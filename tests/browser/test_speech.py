import re
from collections.abc import Iterable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from chat_ui.rendering.ai_notice import DEFAULT
from tests.browser.answering import answers, expect_settled, get_answer, start_answer
from tests.browser.asking import ask, message, questions
from tests.browser.hearing import heard, heard_to, listen
from tests.browser.opening import NewContext, address_of, leaving_its_address, open_page, reload
from tests.browser.places import leave, open_preferences
from tests.browser.stand_in import SOURCES, StandIn, delta, deltas
from tests.browser.voices import LOCAL, REMOTE, end_utterance, give_recognizer, give_voices, spoken_next
from tests.features.demo.serving import serving
from tests.stand_ins.deployment import Deployment

ALLOWED = """() => Object.fromEntries(["microphone", "camera"].map(
    (name) => [name, document.featurePolicy.allowsFeature(name)]))"""


def dictate(page: Page) -> Locator:
    return page.get_by_role("button", name="Dictate", exact=True)


def hear(page: Page, *results: tuple[str, bool]) -> None:
    """Have the browser recognise these words, each with its certainty."""
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


def test_dictated_words_go_to_the_caret_after_consent_until_the_page_hides(context: BrowserContext):
    give_recognizer(context)
    page = open_page(context)
    assert page.evaluate(ALLOWED) == {"microphone": True, "camera": False}
    refuse_and_allow(page)
    message(page).fill("What about ? Thanks.")
    message(page).evaluate("box => box.setSelectionRange(11, 11)")
    hear(page, ("red buoys", True), (" and", False))
    expect(message(page)).to_have_value("What about red buoys? Thanks.")
    expect(page.locator(".dictated")).to_have_text("and")
    message(page).press("End")
    message(page).press_sequentially(" Bye.")
    hear(page, ("red buoys", True), (" and more", True))
    message(page).press("ControlOrMeta+z")
    expect(message(page)).to_have_value("What about red buoys? Thanks. Bye.")
    page.evaluate("dictation.fail('audio-capture')")
    expect(page.get_by_role("alert")).to_contain_text("No microphone was found")
    expect_on(page, is_on=False)
    expect(questions(page)).to_have_count(0)

    # Dictated words are sent with the question, and kept on another page.
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
    reload(page)
    expect(dictate(page)).to_have_count(0)


READ = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet"
READ_OUT = f"{READ} [Plans.pdf].\n\nDas ist $x^2$."


def answer_with(context: BrowserContext, stand_in: StandIn, *texts: str) -> Page:
    said = [[SOURCES, delta(text)] for text in texts]
    page = open_page(context, backend=stand_in.one_after_the_other(*said))
    for turns in range(1, 1 + len(texts)):
        get_answer(page, "What about it?", turns=turns)
    return page


def listen_button(page: Page) -> Locator:
    return page.get_by_role("button", name="Listen", exact=True)


def stop(page: Page) -> Locator:
    return page.get_by_role("button", name="Stop listening")


@pytest.mark.wcag("1.4.2")
def test_an_answer_is_read_aloud_until_its_end_its_button_or_escape(context: BrowserContext, stand_in: StandIn):
    give_voices(context, LOCAL)
    page = answer_with(context, stand_in, READ_OUT, "Second answer.\n\nIt goes on.")

    def expect_silence() -> None:
        page.wait_for_function("() => window.spoken.current === null")
        expect(stop(page)).to_have_count(0)

    listen_button(page).first.click()
    assert spoken_next(page) == (f"{READ}.", "de-DE", "Jonas")
    end_utterance(page)
    assert spoken_next(page) == ("Das ist x 2.", "de-DE", "Jonas")
    end_utterance(page)
    expect_silence()
    expect(listen_button(page).first).to_be_focused()

    listen_button(page).first.click()
    spoken_next(page)
    stop(page).click()
    expect_silence()
    listen_button(page).first.press("Enter")
    spoken_next(page)
    page.keyboard.press("Escape")
    expect_silence()
    listen_button(page).first.click()
    spoken_next(page)
    listen_button(page).click()
    page.wait_for_function("() => window.spoken.current?.text === 'Second answer.'")
    expect(stop(page)).to_have_count(1)
    page.get_by_role("button", name="New chat").click()
    expect_silence()


def test_a_remote_voice_needs_consent_and_its_stop_button_stays_in_reach(new_context: NewContext, stand_in: StandIn):
    context = new_context(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    give_voices(context, REMOTE)
    lines = "\n\n".join(f"This is line {number} of it." for number in range(60))
    page = answer_with(context, stand_in, f"{lines} [Plans.pdf]")
    question = page.get_by_role("alertdialog", name="Read this answer aloud?")
    listen_button(page).tap()
    expect(question).to_contain_text("such as “Far Away English”, send the text to their providers")
    question.get_by_role("button", name="Cancel").tap()
    expect(listen_button(page)).to_be_focused()
    assert page.evaluate("spoken.said") == []
    listen_button(page).tap()
    question.get_by_role("button", name="Read aloud").tap()
    assert spoken_next(page) == ("This is line 0 of it.", "en-US", "Far Away English")
    answers(page).get_by_text("This is line 0 of it.").scroll_into_view_if_needed()
    expect(stop(page)).to_be_in_viewport(ratio=1)
    stop(page).tap()
    page.wait_for_function("() => window.spoken.current === null")
    expect(listen_button(page)).not_to_be_in_viewport()
    listen_button(page).tap()
    page.wait_for_function("() => window.spoken.said.length === 2")
    expect(question).to_have_count(0)
    stop(page).tap()

    top = "all => all.map((one) => one.getBoundingClientRect().top)"
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 780})
        tops = page.locator(".answer .tools .tool:not(.rating *)").evaluate_all(top)
        ratings = page.locator(".answer .rating .tool").evaluate_all(top)
        assert len(tops) > 4
        assert len(set(tops)) == len(set(ratings)) == 1
        # The narrowest phone has no room for eight targets in a row.
        assert (ratings[0] > tops[0]) is (width == 320)


def test_a_deployment_reads_its_answer_to_a_browser_without_voices(context: BrowserContext):
    deployment = Deployment()
    # Without a ranker it finds nothing, and says so in a second.
    deployment.config |= {"showSpeechOutputAzure": True, "showSemanticRankerOption": False}
    give_recognizer(context)
    with serving(deployment.app) as url:
        page = open_page(context, backend=f"{url}/chat")
        # The microphone is the person's, although the deployment has `showSpeechInput` off.
        expect(dictate(page)).to_be_visible()
        get_answer(page, "Hello?")
        with page.expect_response("**/speech"):
            listen_button(page).click()
        expect(listen_button(page)).to_be_visible()
        assert listen_button(page).get_attribute("data-problem") is None
        assert deployment.requests[-1].json == {"text": "I don't know."}
        deployment.fails.add("/speech")
        listen_button(page).click()
        problem = re.compile("^127.0.0.1:.*'s voice failed. Text in English; this browser has no voice")
        expect(listen_button(page)).to_have_attribute("data-problem", problem)


PROSE = (
    "Buoys are red. They float, e.g. 2.5 m apart, on the water! Are they looked after? Yes. Yes. "
    "Every year they are taken out of the water, cleaned, painted and put back before the ice has gone."
)
JAPANESE = "ブイは赤くて水に浮かびます。毎年点検されます。色は三年ごとに塗り直されます。"
ARABIC = "العوامات حمراء وتطفو على الماء. يتم فحصها كل عام. هل هي آمنة؟ نعم، هي آمنة."
TABLE = "Prices:\n\n| Plan | Price |\n|---|---|\n| Basic | 12 |\n| Plus | |\n\nThat is all."
CODE = "Run it:\n\n```python\na = 1\n\nprint(a)\n```\n\nThen `pip` is done."
LIST = "Steps:\n\n1. Take it out.\n2. Paint it:\n   - red\n   - green\n3. Put it back\n\n- [x] done\n- [ ] to do"
GERMAN = "Bojen sind rot [Plans.pdf] und schwimmen $x^2$ auf dem Wasser. Jedes Jahr werden sie gewartet [Costs.pdf]."
CITED = "Glasses are paid for [Plans.pdf]. Lenses[Plans.pdf][Costs.pdf] are too, frames are not [Made_Up.pdf]."

SPOKEN = {
    PROSE: [PROSE],
    LIST: [
        *("Steps:", "1. Take it out.", "2. Paint it:", "red", "green", "3. Put it back"),
        *("Done: done", "Not done: to do"),
    ],
    TABLE: ["Prices:", "Plan, Price", "Basic, 12", "Plus, blank", "That is all."],
    CODE: ["Run it:", "code, 3 lines", "Then pip is done."],
    JAPANESE: [JAPANESE],
    ARABIC: [ARABIC],
    GERMAN: ["Bojen sind rot und schwimmen x 2 auf dem Wasser. Jedes Jahr werden sie gewartet."],
    CITED: ["Glasses are paid for. Lenses are too, frames are not."],
}
ENDS = {
    GERMAN: ["Finished, with 2 sources."],
    CITED: ["Finished, with 3 sources.", "One of them was not found."],
}

STEP, STEPS = 500, 40


def begin(context: BrowserContext, backend: str) -> Page:
    """A page with a clock that a test moves."""
    context.clock.install()
    return open_page(context, backend=backend)


def said_to(page: Page, end: str) -> list[str]:
    """The announcements since the last call, up to a match of `end`."""
    for _ in range(STEPS):
        page.clock.run_for(STEP)
        said = heard(page).said
        if any(re.search(end, words) for words in said) and page.locator("#announcements > *").count() == 0:
            listen(page)
            return said
    pytest.fail(f"{end} was not said, but {said}")


def letters(said: Iterable[str]) -> str:
    """All announcements without line breaks."""
    return "".join("".join(said).split())


@pytest.mark.wcag("1.3.1", "4.1.3")
def test_each_sentence_of_an_answer_is_announced_once(context: BrowserContext, stand_in: StandIn):
    page = begin(context, stand_in.one_after_the_other(*([SOURCES, *deltas(text)] for text in SPOKEN)))
    region = page.locator("#announcements")
    for name, value in {"aria-live": "polite", "aria-atomic": "false", "aria-relevant": "additions"}.items():
        expect(region).to_have_attribute(name, value)
    expect(page.get_by_role("log")).to_have_attribute("aria-live", "off")
    listen(page)
    for turns, (text, spoken) in enumerate(SPOKEN.items(), 1):
        get_answer(page, "What about it?", turns=turns)
        notice = DEFAULT if turns == 1 else ""
        said = ["Answering.", notice, *spoken, *ENDS.get(text, ["Finished."])]
        assert letters(said_to(page, "^Finished")) == letters(said)


ASLEEP = "The model is asleep."
BROKEN = {"error": {"message": ASLEEP}}


def choose_announcements(page: Page, words: str) -> None:
    dialog = open_preferences(page)
    dialog.get_by_role("radio", name=words).check()
    leave(dialog)


@pytest.mark.wcag("4.1.3")
def test_a_person_hears_only_begin_and_end_if_chosen_and_always_errors(context: BrowserContext, stand_in: StandIn):
    begun, rest = delta("Buoys are red. "), delta("They float on")
    told = (deltas(PROSE), [begun, stand_in.WAIT_UNTIL_TOLD, rest], *([begun, rest, BROKEN],) * 2)
    page = begin(context, stand_in.one_after_the_other(*told))
    choose_announcements(page, "Only start and end")
    listen(page)
    get_answer(page, "What about it?")
    assert said_to(page, "^Finished") == [f"Answering. {DEFAULT}", "Finished."]
    choose_announcements(page, "Every sentence")
    start_answer(page, "And now?")
    assert said_to(page, "red") == ["Answering.", "Buoys are red."]
    choose_announcements(page, "Only start and end")
    stand_in.go_on()
    expect_settled(page, turns=2)
    assert said_to(page, "^Finished") == ["Finished."]
    choose_announcements(page, "Nothing")
    asleep = page.get_by_role("alert").filter(has_text=ASLEEP)
    get_answer(page, "And now?", turns=3)
    expect(asleep).to_have_count(1)
    page.clock.run_for(10 * STEP)
    assert heard(page).said == []
    choose_announcements(page, "Every sentence")
    get_answer(page, "And now?", turns=4)
    expect(asleep).to_have_count(2)
    assert letters(said_to(page, "float on")) == letters(["Answering.", "Buoys are red.", "They float on"])


WEB_PAGE = "<!doctype html><title>Sign in</title><script>alert(1)</script>"


@pytest.mark.wcag("4.1.3")
def test_a_failure_is_an_alert_once_then_a_note_and_can_be_retried(context: BrowserContext, stand_in: StandIn):
    text = delta("Buoys are red [Made_Up.pdf].")
    backend = stand_in.one_after_the_other([SOURCES, text, BROKEN], deltas("Well."), WEB_PAGE)
    page = open_page(context, backend=backend)
    listen(page)
    ask(page, "What about buoys?")
    answer = answers(page).first
    expect(answer.get_by_role("alert")).to_contain_text(ASLEEP)
    expect(answer.locator(".answer-text")).to_contain_text("Buoys are red")
    found = heard_to(page, "^It cites")
    assert found.said[-2:] == ["It cites one source.", "It was not found."]
    assert len(found.alerts) == 1
    failed_at = address_of(page)

    def expect_silence() -> None:
        expect(answer.get_by_role("note").filter(has_text=ASLEEP)).to_be_visible()
        expect_settled(page)
        assert heard(page).alerts == []
        assert heard(page).said == []

    page.reload()
    expect_silence()
    with leaving_its_address(page):
        page.get_by_role("button", name="New chat").click()
    page.goto(failed_at)
    expect_silence()
    answer.get_by_role("button", name="Retry").click()
    expect(answer.locator(".answer-text")).to_have_text("Well.")
    expect(answer.get_by_text(ASLEEP)).to_have_count(0)
    assert heard_to(page, "^Finished").alerts == []
    alert = get_answer(page, "And now?", turns=2).get_by_role("alert")
    expect(alert).to_contain_text("HTML page")
    expect(alert).not_to_contain_text("<script>")
