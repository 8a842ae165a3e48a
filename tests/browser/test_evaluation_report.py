"""The report of an evaluation, opened from a disk without a network."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader

from chat_ui.features.evaluation.bounds import parse_bound
from chat_ui.features.evaluation.changes import Changes, Earlier
from chat_ui.features.evaluation.question_set import Question
from chat_ui.features.evaluation.report.report import Report, report_html
from chat_ui.features.evaluation.results import result_of
from chat_ui.features.evaluation.run_folder import Conditions, RunFolder, StoredResults
from chat_ui.features.evaluation.summary import Summary
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.backends.backend import Message
from chat_ui.protocol.events import ErrorInfo, Timing
from tests.browser.axe import expect_no_violations
from tests.browser.opening import OpenFile
from tests.rendering.hostile import HOSTILE

PAINT = DataPoint("Paint.pdf#page=2", "Paint.pdf", "Buoys are red and float. Ropes are long and thin.")
ROPE = DataPoint("Rope.md", "Rope.md", "Ropes cost ten euro a metre.")
SOUND = Answer(
    text="Buoys are red and float [Paint.pdf#page=2]. Ropes are long and thin [Paint.pdf#page=2].",
    data_points=(PAINT, ROPE),
    timing=Timing(first_text=0.2, total=2.5),
)
MADE_UP = Answer(text="Anchors hold well [Gone.pdf].", data_points=(PAINT,), timing=Timing(first_text=0.1, total=1.0))
UNCITED = Answer(text="Nobody can know such a thing.", timing=Timing(first_text=0.4, total=0.5))
FAILED = Answer(error=ErrorInfo("The backend answered with status 500: internal error.", status=500))
TRUTH = "Buoys are red and round [Paint.pdf#page=2]."
ASKED = (
    ("How do buoys look?", SOUND, TRUTH),
    ("Do anchors hold?", MADE_UP, TRUTH),
    ("Who knows?", UNCITED, ""),
    ("Is anybody there?", FAILED, TRUTH),
)
Asked = Sequence[tuple[str, Answer, str]]
Made = Callable[..., Path]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Makes the report file of these answers and the former ones."""

    def run_of(name: str, asked: Asked, times: int) -> tuple[Conditions, StoredResults]:
        conditions = Conditions(
            "set", len(asked), "https://a.example/chat", "m", "auto", True, name, {"top": 3}, "q.jsonl"
        )
        with RunFolder(tmp_path / name, conditions) as folder:
            for number, (words, answer, truth) in enumerate(asked, 1):
                for time in range(1, times + 1):
                    folder.add(result_of(Question(number, (Message("user", words),), truth), time, (), answer))
        return conditions, folder.results

    def make(asked: Asked = ASKED, before: Asked | None = None, times: int = 1) -> Path:
        conditions, results = run_of("now", asked, times)
        earlier = None
        changes = Changes()
        if before is not None:
            then, old = run_of("before", before, 1)
            earlier = then, Earlier(old)
            for found, answers in earlier[1].beside(results):
                if found:
                    changes.add([one.values for one in found], [one.values for one in answers])
        summary = Summary(times)
        for result in results:
            summary.add(result.values)
        checks = [parse_bound("failed>0.2").check(summary), parse_bound("has_citation<0.1").check(summary)]
        report = Report(conditions, summary, results, changes.of_measures(), checks, earlier)
        file = tmp_path / "report.html"
        file.write_text("".join(report_html(report)), encoding="utf-8")
        return file

    return make


def opener(page: Page, words: str) -> Locator:
    return page.get_by_role("button", name=words, exact=True)


def numbers(page: Page) -> list[str]:
    """The numbers of the visible questions, in order."""
    return page.locator("tbody:not([hidden]) .line td:first-child").all_inner_texts()


def test_a_row_opens_its_answer_and_rows_are_sorted_and_filtered(open_file: OpenFile, made: Made):
    page = open_file(made())
    question, answer = opener(page, "How do buoys look?"), page.locator("#answer-1-1")
    sources = page.get_by_role("complementary", name="Sources")
    expect(answer).to_be_hidden()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        question.focus()
        page.keyboard.press("Enter")
        expect(question).to_have_attribute("aria-expanded", "true")
        citation = answer.locator("a.citation").nth(1)
        citation.focus()
        page.keyboard.press("Enter")
        expect(sources.locator("mark.is-cited")).to_have_text(["Ropes are long and thin."])
        page.keyboard.press("Escape")
        expect(citation).to_be_focused()
        expect(page.locator("#question-1 .differences").first.locator("del")).to_have_text(["round "])
        question.press("Space")
        expect(answer).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    opener(page, "Is anybody there?").click()
    expect(page.locator("#question-4")).to_contain_text("The backend answered with status 500: internal error.")

    assert numbers(page) == ["1", "2", "3", "4"]
    head = page.get_by_role("columnheader", name="Total time")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert numbers(page) == ["3", "2", "1", "4"]
    head.get_by_role("button").press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    assert numbers(page) == ["1", "2", "3", "4"]
    page.get_by_role("columnheader", name="Question").get_by_role("button").click()
    expect(head).not_to_have_attribute("aria-sort")
    assert numbers(page) == ["2", "1", "4", "3"]
    page.reload()
    count, kind = page.get_by_role("status"), page.get_by_label("Show")
    expect(count).to_have_text("4 of 4 questions shown")
    for name, shown in (
        ("Failed answers", ["4"]),
        ("Without citations", ["3", "4"]),
        ("With citations not found", ["2"]),
        ("Missing expected citations", ["2", "4"]),
    ):
        kind.select_option(name)
        expect(count).to_have_text(f"{len(shown)} of 4 questions shown")
        assert numbers(page) == shown
    kind.select_option("All questions")
    page.get_by_label("Search").fill("ANCHORS well")
    expect(count).to_have_text("1 of 4 questions shown")
    assert numbers(page) == ["2"]
    page.get_by_label("Search").fill("")
    page.evaluate("location.hash = '#question-2'")
    expect(page.locator("#answer-2-1")).to_be_in_viewport()
    page.locator("#question-3 .opened-content").dispatch_event("beforematch")
    expect(page.locator("#answer-3-1")).to_be_visible()
    expect(opener(page, "Who knows?")).to_have_attribute("aria-expanded", "true")


def test_the_report_opens_with_four_figures_then_questions_and_ends_with_the_settings(open_file: OpenFile, made: Made):
    page = open_file(made())
    assert page.locator(".tiles > div").all_inner_texts() == [
        "Answered\n3 of 4", "Citation recall\n33.3 %", "Citation precision\n50 %", "Median first text\n0.20 s",
    ]  # fmt: skip
    assert page.get_by_role("heading", level=2).all_inner_texts() == ["Checks", "Questions", "Measures", "Settings"]


def test_a_former_run_is_shown_beside_with_gains_and_losses(open_file: OpenFile, made: Made):
    bare = replace(SOUND, text="Buoys are red and float.", data_points=(ROPE,))
    long = Answer(text="Buoys are red. " * 7_000, data_points=(PAINT,))
    now = [(f"How is buoy {number}?", bare, TRUTH) for number in range(8)]
    before = [(f"How is buoy {number}?", SOUND, TRUTH) for number in range(8)]
    new = [("How long?", long, ""), ("Whole?", replace(SOUND, complete=False), "")]
    page = open_file(made([*now, *new], before, times=3))
    tiles = [text.splitlines() for text in page.locator(".tiles > div").all_inner_texts()]
    assert tiles[1:3] == [["Citation recall", "0 %", "▼ worse"], ["Citation precision", "–"]]
    measures = page.get_by_role("table", name="Measures")
    expect(measures.get_by_role("row").filter(has_text="citation_recall")).to_contain_text("worse −100 %")
    expect(measures.get_by_role("row").filter(has_text="sources_retrieved")).to_contain_text("changed −1")
    expect(measures.get_by_role("row").filter(has_text="total_s")).to_contain_text("unchanged")
    expect(page.get_by_role("columnheader", name="Spread per question")).to_be_visible()
    page.get_by_label("Show").select_option("Worse")
    expect(page.get_by_role("status")).to_have_text("8 of 10 questions shown")
    page.get_by_label("Show").select_option("New")
    assert numbers(page) == ["9", "10"]
    opener(page, "How long?").click()
    expect(page.locator("#opened-9")).to_contain_text("Long text is cut here.")
    opener(page, "Whole?").click()
    expect(page.locator("#opened-10")).to_contain_text("The answer was cut off.")
    page.get_by_label("Show").select_option("All questions")
    opener(page, "How is buoy 0?").click()
    opened = page.locator("#opened-1")
    expect(opened.get_by_role("heading", name="Sources lost").first.locator("+ ul")).to_have_text("Paint.pdf#page=2")
    expect(opened.get_by_role("heading", name="Citations lost").first.locator("+ ul")).to_have_text("Paint.pdf#page=2")
    expect(opened.get_by_role("heading", name="Sources gained")).to_have_count(0)
    expect(opened.get_by_role("article", name="Answer")).to_have_count(4)
    opened.locator("#before-1 a.citation").first.click()
    expect(page.get_by_role("complementary", name="Sources").locator("mark.is-cited")).to_have_text(
        ["Buoys are red and float."]
    )


@pytest.mark.wcag("1.4.10")
def test_the_report_at_320_pixels_scrolls_only_in_its_tables(open_file: OpenFile, made: Made):
    file = made(before=ASKED)
    page = open_file(file, viewport={"width": 320, "height": 256}, color_scheme="dark")
    question = opener(page, "How do buoys look?")
    question.click()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert question.evaluate("one => one.clientWidth / innerWidth") > 0.4
    for place in page.get_by_role("group").all():
        assert place.evaluate("one => one.tabIndex") == 0
    question.click()
    # Paper shows open rows and the figures.
    opener(page, "Do anchors hold?").click()
    words = "".join("".join(leaf.extract_text() for leaf in PdfReader(BytesIO(page.pdf())).pages).split())
    for wanted in ("citation_recall", "Anchorsholdwell", "Whoknows?"):
        assert wanted in words
    assert "Nobodycanknow" not in words

    page = open_file(file, java_script_enabled=False)
    for number in (1, 2, 3):
        expect(page.locator(f"#answer-{number}-1")).to_be_visible()
    expect(page.get_by_label("Search")).to_be_hidden()


@pytest.mark.thorough
def test_axe_finds_no_violation_in_both_schemes(open_file: OpenFile, made: Made):
    page = open_file(made(before=ASKED[1:]))
    for width, scheme in product((1280, 390), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        for state in ("closed", "open"):
            # Further down, sticky heads cover the line below them.
            page.evaluate("scrollTo(0, 0)")
            expect_no_violations(page, f"{state} in {scheme} at {width}")
            opener(page, "How do buoys look?").click()
            opener(page, "Do anchors hold?").click()


@pytest.mark.thorough
def test_hostile_content_does_not_run(open_file: OpenFile, made: Made):
    size = 40
    asked = []
    for start in range(0, len(HOSTILE), size):
        texts = HOSTILE[start : start + size]
        points = tuple(DataPoint(f"a{n}.md{text[:60]}", text[:80], text) for n, text in enumerate(texts))
        answer = Answer(text="\n\n".join(texts), data_points=points, error=ErrorInfo("\n".join(texts)))
        asked.append(("\n".join(texts), answer, "\n".join(texts)))
    page = open_file(made(asked, [(words, FAILED, truth) for words, _, truth in asked]))
    # A click could meet a row that an opened one has just moved.
    page.locator(".opens").evaluate_all("all => all.forEach((one) => one.click())")
    expect(page.locator(".opened-content[hidden]")).to_have_count(0)
    assert len(asked) == math.ceil(len(HOSTILE) / size)
    assert page.evaluate("window.hasRun") is None
