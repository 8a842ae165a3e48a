import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from chat_ui.conversations.archive.archive import FORMAT, VERSION
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.resources import document
from tests.browser.answering import answers
from tests.browser.asking import questions

SOURCE = "Buoys.pdf#page=3"
PARAGRAPHS = 700
"""The paragraphs of each answer: about 70,000 characters, in several parts."""
WORDS = "The harbour office keeps a list of every buoy, with its place and its colour."

PARTS = """() => performance.getEntriesByType("resource")
    .map(({ name }) => name).filter((name) => name.includes("?part="))"""
TO_COME = "() => document.querySelectorAll('.part-to-come').length"
# Parts near the reader are loaded.
ALL_NEAR = """() => {
  const { top, bottom } = document.querySelector("[role=log]").getBoundingClientRect();
  const isNear = (place) => place.bottom > top - 1400 && place.top < bottom + 1400;
  const missing = [...document.querySelectorAll(".part-to-come, .answer-text:empty")];
  return !missing.some((element) => isNear(element.getBoundingClientRect()))
    && !document.querySelector("article.answer [aria-busy=true]");
}"""
# The first paragraph below the middle of the view, and how far it is from the top.
MIDDLE = """() => {
  const { top, bottom } = document.querySelector("[role=log]").getBoundingClientRect();
  const place = (block) => block.getBoundingClientRect().top;
  const below = [...document.querySelectorAll(".block")].filter((block) => place(block) > (top + bottom) / 2);
  window.read = below.filter((block) => place(block) < bottom)[0];
  return window.read ? place(read) : null;
}"""

READ = "html => { document.createElement('div').innerHTML = html; }"


def text(answer: int, paragraphs: int) -> str:
    middle = (f"Paragraph {number} of answer {answer}. {WORDS}" for number in range(2, paragraphs))
    return "\n\n".join(
        [f"The beginning of answer {answer} [{SOURCE}].", *middle, f"The end of answer {answer} [{SOURCE}]."]
    )


def import_batches(page: Page, count: int, paragraphs: int = PARAGRAPHS) -> None:
    """Open a conversation of that many answers, each with that many paragraphs."""
    point = {"id": SOURCE, "source": SOURCE, "text": "Whoever finds a buoy adrift reports it by radio."}

    def turn(number: int) -> dict[str, Any]:
        answer = {"text": text(number, paragraphs), "data_points": [point]}
        parent = str(number - 1) if number > 1 else None
        return {"id": str(number), "parent": parent, "question": f"Question {number}?", "answers": [{"answer": answer}]}

    talk = {"title": "Long", "turns": [turn(number) for number in range(1, count + 1)]}
    sent = {"format": FORMAT, "version": VERSION, "conversations": [talk]}
    assert page.request.post("/api/conversations/import", data=sent).json()["imported"] == 1
    [listed] = page.request.get("/api/conversations/").json()["conversations"]
    page.goto(f"/c/{listed['id']}")
    expect(answers(page).last).to_contain_text(f"The end of answer {count}")


@pytest.fixture
def long_talk(page: Page) -> Page:
    """A tab with three long answers, scrolled to the end."""
    import_batches(page, 3)
    return page


def test_opening_fetches_only_the_visible_part_and_keeps_the_reading_place(long_talk: Page):
    expect(answers(long_talk)).to_have_count(3)
    expect(long_talk.get_by_text("The end of answer 3")).to_be_in_viewport()
    expect(answers(long_talk).last.locator(".grounding")).to_be_visible()
    parts = long_talk.evaluate(PARTS)
    assert len({part.partition("?")[0] for part in parts}) == 1
    assert len(parts) <= 2
    expect(long_talk.locator("article.answer [aria-busy=true]")).to_have_count(0)
    view = long_talk.get_by_role("log")

    def expect_to_stay_where_it_is_at_each(step: int) -> None:
        before = len(long_talk.evaluate(PARTS))
        for _ in range(8):
            view.evaluate("(view, step) => view.scrollBy(0, step)", step)
            place = long_talk.wait_for_function(MIDDLE).json_value()
            long_talk.wait_for_function(ALL_NEAR)
            assert long_talk.evaluate("read.getBoundingClientRect().top") == pytest.approx(place, abs=1)
        assert len(long_talk.evaluate(PARTS)) > before

    expect_to_stay_where_it_is_at_each(-2500)
    view.focus()
    long_talk.keyboard.press("Home")
    expect(long_talk.get_by_text("The beginning of answer 1")).to_be_in_viewport()
    expect_to_stay_where_it_is_at_each(2500)


def test_a_long_conversation_shows_its_end_first_and_the_rest_on_scrolling(page: Page):
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    import_batches(page, 60, 3)
    # The browser loads a few parts at a time, from the end.
    last = answers(page).last.locator(".answer-text").get_attribute("data-address")
    assert last is not None
    assert next(address for address in asked_for if re.search(r"/api/answers/[^/]+$", address)).endswith(last)
    first_shown = 60 - questions(page).count() + 1
    assert first_shown > 10
    for number in range(first_shown, 61):
        expect(answers(page).nth(number - first_shown)).to_contain_text(f"The end of answer {number}")
    page.get_by_role("log").hover()
    for number in (30, 10):
        page.mouse.wheel(0, -100_000)
        expect(page.get_by_text(f"Question {number}?")).to_be_attached()
    expect(page.get_by_text("Question 60?")).to_be_attached()


def test_unloaded_parts_are_loaded_for_keys_focus_print_and_search(long_talk: Page):
    last, middle = answers(long_talk).last, answers(long_talk).nth(1)
    last.locator("[data-use]").last.focus()
    assert "The beginning of answer 3" not in (last.text_content() or "")
    long_talk.keyboard.press("Alt+ArrowUp")
    expect(last.locator("[data-use='0']")).to_be_focused()
    expect(last.get_by_text("The beginning of answer 3")).to_be_in_viewport()
    expect(middle).to_contain_text("The end of answer 2")
    long_talk.keyboard.press("Alt+ArrowDown")
    expect(last.locator("[data-use='1']")).to_be_focused()
    assert "The beginning of answer 2" not in (middle.text_content() or "")
    middle.get_by_role("button", name="Show this part of the answer").first.focus()
    expect(middle).to_contain_text("The beginning of answer 2")
    assert long_talk.evaluate("document.activeElement.closest('.answer-text') !== null")

    long_talk.reload()
    expect(answers(long_talk).last).to_contain_text("The end of answer 3")
    assert long_talk.evaluate(TO_COME) > 0
    long_talk.evaluate(
        "() => { window.print = () => { window.printed = document.querySelector('[role=log]').textContent; }; }"
    )
    long_talk.keyboard.press("Control+p")
    printed = long_talk.wait_for_function("() => window.printed").json_value()
    for number in (1, 2, 3):
        assert f"The beginning of answer {number}" in printed
        assert f"Paragraph {PARAGRAPHS // 2} of answer {number}" in printed
    long_talk.reload()
    expect(answers(long_talk).last).to_contain_text("The end of answer 3")
    assert long_talk.evaluate(TO_COME) > 0
    long_talk.keyboard.press("Control+f")
    for number in (1, 2, 3):
        expect(answers(long_talk).nth(number - 1)).to_contain_text(f"The beginning of answer {number}")
        expect(answers(long_talk).nth(number - 1)).to_contain_text(f"Paragraph {PARAGRAPHS - 1} of answer {number}")
    long_talk.wait_for_function(f"() => ({TO_COME})() === 0")


@pytest.mark.thorough
def test_the_cost_of_html_like_a_table_grows_with_its_length(browser: Browser):
    page = browser.new_page()
    measuring = page.context.new_cdp_session(page)
    measuring.send("Performance.enable")

    def processor_seconds() -> float:
        """Processor time of the thread that parses HTML."""
        metrics = measuring.send("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime"))

    def cost(rows: int) -> float:
        source = "| Buoy | Place |\n|---|---|\n" + "".join(f"| B{row} | north {row} |\n" for row in range(rows))
        answer = Answer(source)
        html = page.evaluate_handle("html => html", document(answer, render_answer(source, ())))

        def once() -> float:
            before = processor_seconds()
            page.evaluate(READ, html)
            return processor_seconds() - before

        return min(once() for _ in range(5))

    assert cost(8_000) < 32 * cost(1_000)
    page.close()
