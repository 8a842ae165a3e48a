import re

from playwright.sync_api import Page, expect

from tests.browser.answering import answers, copied, expect_settled, expect_streaming, get_answer, text_of
from tests.browser.asking import LEAVE, LONG, ask, ask_at_once, message, new_chat, questions
from tests.browser.opening import address_of, expect_alive, open_page, use
from tests.browser.stand_in import SOURCES, StandIn, delta


def test_an_asked_question_is_answered_cited_copied_and_kept_over_a_reload(page: Page):
    asked = []
    for turn, name in enumerate(("Starter questions", "Follow-up questions"), start=1):
        chip = page.get_by_role("group", name=name).get_by_role("button").first
        asked.append(chip.text_content())
        chip.click()
        expect_settled(page, turns=turn)
        expect(questions(page)).to_have_text(asked)
    answer = get_answer(page, LEAVE, turns=3)
    expect(answer).to_contain_text("20 weeks of parental leave")
    cited = answer.get_by_role("button", name=re.compile(r"Citation 1: Leave_Policy\.pdf#page=\d"))
    expect(cited.first).to_be_visible()
    text = copied(page, answer.get_by_role("button", name="Copy answer"))
    assert "20 weeks of parental leave" in text
    assert "[1]" in text
    assert "Leave_Policy.pdf" in text.rsplit("\n\n", 2)[-2]
    new_chat(page)
    answer = get_answer(page, LONG)
    code = copied(page, answer.get_by_role("button", name="Copy code"), "Code copied.")
    assert code.startswith("def significant_wave_height")
    before = text_of(answer)
    page.reload()
    assert text_of(expect_settled(page)) == before


def test_typed_text_survives_a_reload_and_is_sent_before_the_page_is_alive(page: Page):
    send = page.get_by_role("button", name="Send")
    colour_of = "button => getComputedStyle(button).backgroundColor"
    when_empty = send.evaluate(colour_of)
    message(page).fill("parental")
    assert send.evaluate(colour_of) != when_empty
    page.reload()
    expect(message(page)).to_have_value("parental")
    expect_alive(page)
    message(page).press("Shift+Enter")
    message(page).press_sequentially("leave")
    expect(questions(page)).to_have_count(0)
    message(page).press("Enter")
    expect(questions(page).locator(".question-text")).to_have_js_property("innerText", "parental\nleave")
    expect_settled(page)
    scripts = re.compile(r"/assets/.*\.js$")

    def load_without_scripts(path: str) -> None:
        page.route(scripts, lambda _held: None)
        page.goto(path, wait_until="commit")

    load_without_scripts("/?q=How+many+days%3F")
    message(page).fill(LEAVE)
    expect(send).to_be_disabled()
    page.unroute(scripts)
    expect_alive(page)
    expect(message(page)).to_have_value(LEAVE)
    load_without_scripts("/")
    long = "leave " * 2_000 + "??"
    message(page).fill(long)
    message(page).press("Enter")
    expect(send).to_be_disabled()
    page.unroute(scripts)
    expect(expect_settled(page)).not_to_be_empty()
    expect(message(page)).to_have_value("")
    page.get_by_role("button", name="Show the whole question").click()
    expect(questions(page).last.locator(".question-text")).to_have_js_property("textContent", long)


def test_a_growing_answer_survives_a_reload_and_stops_from_another_tab(page: Page, stand_in: StandIn):
    first, second = delta("The first half. "), delta("The second half.")
    told = [SOURCES, first, stand_in.WAIT_UNTIL_TOLD, second]
    use(page, stand_in.one_after_the_other(told, [first, stand_in.WAIT_FOR_EVER]))
    page.route(re.compile("/silence$"), lambda route: route.fulfill(json={"seconds": 12}))
    ask(page, "Tell me all of it.")
    other = open_page(page.context, path=address_of(page))
    for tab in (page, other):
        expect(expect_streaming(tab)).to_contain_text("The first half.")
        expect(questions(tab)).to_have_text(["Tell me all of it."])
    silence = answers(page).get_by_text("No data for 12 s")
    expect(silence).to_be_visible()
    sources = answers(page).get_by_role("button", name="Sources", exact=True)
    place = sources.bounding_box()
    silence.evaluate("words => { words.hidden = true; }")
    assert sources.bounding_box() == place
    page.reload()
    expect(expect_streaming(page)).to_contain_text("The first half.")
    ask_at_once(page, "And then?")
    words = page.get_by_role("alert")
    expect(words).to_have_text("The answer is still being written. Wait until it ends or stop it, then send.")
    expect(questions(page)).to_have_count(1)
    stand_in.go_on()
    for tab in (page, other):
        expect(expect_settled(tab)).to_contain_text("The first half. The second half.")
        expect(tab.get_by_role("button", name="Stop")).to_have_count(0)
    expect(words).to_have_count(0)
    expect(answers(page).get_by_text("No data for")).to_have_count(0)
    expect(message(page)).to_have_value("And then?")
    message(page).press("Enter")
    for tab in (page, other):
        expect(questions(tab)).to_have_count(2)
        expect(expect_streaming(tab)).to_contain_text("The first half.")
    other.get_by_role("button", name="Stop").click()
    for tab in (page, other):
        expect(expect_settled(tab, turns=2).get_by_role("alert")).to_contain_text("You stopped this answer")
    page.reload()
    expect(expect_settled(page, turns=2).locator(".answer-text")).to_have_text("The first half.")
