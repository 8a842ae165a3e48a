"""Evaluating the backend of the dialog: sets of questions, asked, stopped and gone on with, and their report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Locator, Page, expect

from chat_ui.evaluation.question_set import parse_questions
from tests.backends.stand_in import Received, Reply, StandIn, in_thread, lines
from tests.browser.axe import expect_no_violations, expect_no_violations_in_both_schemes
from tests.browser.hearing import heard_to, listen
from tests.browser.places import choose_theme, evaluations, open_settings
from tests.browser.talking import NewContext, ask, expect_settled, open_page

KEY = "a-key-that-nobody-sees-0123456789"
QUESTIONS = ("How much leave do I get?", "Who pays for glasses?", "Where is the canteen?")
FILE = {"name": "house.jsonl", "mimeType": "application/jsonl"}
TRUTH = "20 weeks [leave.md]"
POINTS = {"context": {"data_points": {"text": ["leave.md: Leave is 20 weeks.", "glasses.md: One pair."]}}}


@dataclass
class Backend:
    """Answers at once, or holds what contains one of the `held` words; it notes what it was `asked`."""

    held: set[str] = field(default_factory=set)
    asked: list[list[str]] = field(default_factory=list)
    keys: set[str | None] = field(default_factory=set)
    leave: str = "20 weeks"

    def __call__(self, request: Received) -> Reply:
        said = [message["content"] for message in request.json["messages"]]
        self.asked.append(said)
        self.keys.add(request.headers.get("authorization"))
        if any(word in said[-1] for word in self.held):
            return Reply([lines(POINTS), float("inf")])
        words = f"Leave is {self.leave} [leave.md]. " * 2
        return Reply([lines({"delta": {"role": "assistant"}, **POINTS}, {"delta": {"content": words}})])


@pytest.fixture
def backend() -> Iterator[tuple[str, Backend]]:
    answering = Backend()
    with in_thread(StandIn(answering)) as stand_in:
        yield f"{stand_in.url}/chat", answering


def of_lines(*questions: str) -> bytes:
    return lines(*({"question": question, "truth": TRUTH} for question in questions))


def give(dialog: Locator, data: bytes, name: str = "house.jsonl") -> Locator:
    """The set of questions that a file became."""
    dialog.locator("input[type=file]").set_input_files({**FILE, "name": name, "buffer": data})
    return run_of(dialog, name)


def run_of(dialog: Locator, name: str) -> Locator:
    return dialog.get_by_role("listitem").filter(has=dialog.page.get_by_role("heading", name=name))


def test_a_set_is_stopped_and_goes_on_without_asking_anything_twice(
    new_context: NewContext, backend: tuple[str, Backend]
):
    url, answering = backend
    page = open_page(new_context(), backend=url)
    listen(page)
    open_settings(page).get_by_label("Key", exact=True).fill(KEY)
    dialog = evaluations(page)
    assert answering.asked == []
    dialog.locator("input[type=file]").set_input_files({**FILE, "buffer": of_lines(QUESTIONS[0]) + b"{}\n"})
    expect(dialog.get_by_role("alert").first).to_have_text("Line 2 has no question.")
    expect(dialog.get_by_role("heading", name="house.jsonl")).to_have_count(0)
    run = give(dialog, of_lines(*QUESTIONS))
    expect(dialog.get_by_role("alert").first).to_be_empty()
    expect(run).to_contain_text("3 questions · 3 with the right answer")
    expect_no_violations_in_both_schemes(page)
    assert answering.asked == []

    answering.held = {"glasses", "canteen"}
    run.get_by_role("button", name="Ask the questions").press("Enter")
    expect(run).to_contain_text("1 of 3 answered")
    expect(run.get_by_role("button", name="Stop")).to_be_focused()
    expect_no_violations(page)
    run.get_by_role("button", name="Stop").press("Enter")
    going_on = run.get_by_role("button", name="Go on")
    expect(going_on).to_be_focused()
    heard_to(page, "house.jsonl: 1 of 3 answered.")
    answering.held = set()
    going_on.press("Enter")
    expect(run).to_contain_text("3 of 3 answered")
    expect(run.get_by_role("button", name="Report")).to_be_focused()
    heard_to(page, "house.jsonl: 3 of 3 answered.")
    assert [one[-1] for one in answering.asked].count(QUESTIONS[0]) == 1
    assert answering.keys == {f"Bearer {KEY}"}
    assert KEY not in page.content()


def test_a_report_opens_in_the_page_compares_two_runs_and_is_downloaded(
    new_context: NewContext, backend: tuple[str, Backend]
):
    url, answering = backend
    page = open_page(new_context(accept_downloads=True), backend=url)
    choose_theme(page, "Dark")
    open_settings(page)
    dialog = evaluations(page)
    first = give(dialog, of_lines(*QUESTIONS))
    first.get_by_role("button", name="Ask the questions").click()
    expect(first).to_contain_text("3 of 3 answered")
    answering.leave = "12 weeks"
    first.get_by_role("button", name="Ask again…").click()
    expect(first).to_contain_text("Ask all 3 questions again?")
    first.get_by_role("button", name="Cancel").press("Enter")
    expect(first.get_by_role("button", name="Report")).to_be_focused()
    first.get_by_role("button", name="Ask again…").click()
    first.get_by_role("button", name="Ask again").click()
    expect(dialog.get_by_role("heading", name="house.jsonl")).to_have_count(2)
    expect(dialog.get_by_text("3 of 3 answered")).to_have_count(2)
    dialog.get_by_role("button", name="Report", exact=True).first.click()

    report = page.get_by_role("dialog", name="Report")
    frame = report.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="Measures")).to_be_visible()
    # It has no origin, and the colours of the page.
    assert frame.locator("html").evaluate("one => one.ownerDocument.defaultView.origin") == "null"
    assert frame.locator("html").evaluate("one => getComputedStyle(one).colorScheme") == "dark"
    opener = frame.get_by_role("button", name=QUESTIONS[0])
    opener.click()
    frame.get_by_role("link", name="leave.md").first.click()
    expect(frame.get_by_role("complementary", name="Sources")).to_contain_text("Leave is 20 weeks.")
    page.keyboard.press("Escape")
    expect(frame.get_by_role("complementary", name="Sources")).to_be_hidden()
    expect(report).to_be_visible()

    report.get_by_label("Compare with").select_option(index=1)
    expect(frame.get_by_role("columnheader", name="The run before")).to_be_visible()
    with page.expect_download() as downloaded:
        report.get_by_role("link", name="Download the report").click()
    assert downloaded.value.suggested_filename == "house - Evaluation.html"
    assert b"prefers-color-scheme" in downloaded.value.path().read_bytes()
    with page.expect_download() as downloaded:
        report.get_by_role("link", name="Download the results").click()
    kept = downloaded.value.path().read_bytes()
    # A line is written as its answer ends, and two are asked at once.
    assert {question.text for question in parse_questions(kept)} == set(QUESTIONS)
    assert {json.loads(line)["truth"] for line in kept.splitlines()} == {TRUTH}
    frame.get_by_role("button", name=QUESTIONS[1]).click()
    page.keyboard.press("Escape")
    expect(report).to_have_count(0)
    expect(dialog.get_by_role("button", name="Report", exact=True).first).to_be_focused()


def test_the_questions_of_a_conversation_go_out_with_what_was_said_and_another_tab_sees_the_answers(
    new_context: NewContext, backend: tuple[str, Backend]
):
    url, answering = backend
    context = new_context()
    page = open_page(context, backend=url)
    ask(page, QUESTIONS[0])
    expect_settled(page)
    ask(page, "And for twins?")
    reply = (expect_settled(page, turns=2).locator(".answer-text").text_content() or "").strip()
    assert reply
    before = len(answering.asked)
    answering.held = {"twins"}
    open_settings(page)
    dialog = evaluations(page)
    dialog.get_by_role("button", name="Take the questions of this conversation").click()
    run = run_of(dialog, QUESTIONS[0])
    expect(run).to_contain_text("2 questions")
    run.get_by_role("button", name="Ask the questions").click()
    expect(run).to_contain_text("1 of 2 answered")
    page.close()
    other = open_page(context)
    open_settings(other)
    dialog = evaluations(other)
    run = run_of(dialog, QUESTIONS[0])
    expect(run.get_by_role("progressbar", name="Answered")).to_have_attribute("value", "1")
    run.get_by_role("button", name="Stop").click()
    answering.held = set()
    run.get_by_role("button", name="Go on").click()
    expect(run).to_contain_text("2 of 2 answered")
    asked = answering.asked[before:]
    assert asked[0] == [QUESTIONS[0]]
    assert asked[-1][0] == QUESTIONS[0]
    assert asked[-1][1].startswith("Leave is 20 weeks [leave.md].")
    assert asked[-1][2] == "And for twins?"

    run.get_by_role("button", name="Remove…").click()
    expect(run.get_by_role("button", name="Keep it")).to_be_focused()
    run.get_by_role("button", name="Keep it").press("Enter")
    expect(run.get_by_role("button", name="Report")).to_be_focused()
    run.get_by_role("button", name="Remove…").press("Enter")
    run.get_by_role("button", name="Remove", exact=True).click()
    expect(dialog.get_by_role("listitem")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Choose a file of questions…")).to_be_focused()


def test_on_a_phone_the_sets_and_the_report_fit(new_context: NewContext, backend: tuple[str, Backend]):
    url, answering = backend
    page = open_page(new_context(viewport={"width": 320, "height": 640}, has_touch=True), backend=url)
    answering.leave = "12 weeks"
    open_settings(page)
    dialog = evaluations(page)
    run = give(dialog, b"question,truth\r\n" + f'"{QUESTIONS[0]}",{TRUTH}\r\n'.encode(), "of the house.csv")
    run.get_by_role("button", name="Ask the questions").click()
    expect(run).to_contain_text("1 of 1 answered")
    assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
    expect_no_violations(page)
    run.get_by_role("button", name="Report", exact=True).click()
    report = page.get_by_role("dialog", name="Report")
    frame = report.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="Questions")).to_be_attached()
    assert frame.locator("html").evaluate("one => one.scrollWidth <= one.clientWidth")
    assert report.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
    page.go_back()
    expect(report).to_have_count(0)
    expect(dialog).to_be_visible()


def test_a_wrong_option_and_an_address_that_is_none_are_told_before_anything_is_asked(
    page: Page, backend: tuple[str, Backend]
):
    _, answering = backend
    settings = open_settings(page)
    settings.get_by_role("textbox", name="Backend URL").fill("nonsense")
    dialog = evaluations(page)
    run = give(dialog, of_lines(QUESTIONS[0]))
    run.get_by_role("button", name="Ask the questions").click()
    expect(dialog.get_by_role("alert").first).not_to_be_empty()
    expect(run.get_by_role("button", name="Ask the questions")).to_be_enabled()
    assert answering.asked == []
