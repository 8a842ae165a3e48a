"""What the backend did, each shape as what it is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.axe import expect_no_violations
from tests.browser.stand_in import StandIn
from tests.browser.talking import answers, ask, copied, expect_settled, expect_streaming, open_page, size_of

PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
THOUGHTS = [
    {"title": "Generated query", "description": "colour AND buoy -ship", "props": {"model": "small"}},
    {
        "title": "Prompt",
        "description": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Red?"}],
    },
    {
        "title": "Results",
        "description": [{"sourcepage": "Paint.pdf#page=2", "content": "Buoys are red.", "score": 0.75}],
        "props": {
            "token_usage": {"prompt_tokens": 900, "completion_tokens": 100},
            "query_plan": [{"type": "search", "elapsed_ms": 120}, {"type": "rank", "elapsed_ms": 30}],
        },
    },
    {"title": "Image", "description": [PIXEL]},
    {"title": "Settings", "description": {"deep": {"deeper": {"needle": "found it"}}, "list": list(range(350))}},
    {"title": "Everything", "description": "word " * 200_000},
]


@pytest.fixture
def thoughts(context: BrowserContext, stand_in: StandIn) -> Locator:
    context_object = {"data_points": {"text": ["Paint.pdf#page=2: Buoys are red."]}, "thoughts": THOUGHTS}
    page = open_page(
        context,
        backend=stand_in.held(
            {"delta": {"content": ""}, "context": context_object},
            {"delta": {"content": "Buoys are red [paint.pdf#page=2], not [blue.pdf]."}},
        ),
    )
    ask(page, "What colour?")
    # This button comes with the first values, in front of the other.
    expect(answers(page).get_by_role("button", name="Sources")).to_be_visible()
    answers(page).get_by_role("button", name="Thoughts").click()
    return page.get_by_role("dialog", name="Thoughts")


def test_each_shape_is_shown_as_what_it_is_and_a_huge_one_is_sent_when_it_is_opened(
    thoughts: Locator, stand_in: StandIn
):
    page: Page = thoughts.page
    expect(thoughts).to_contain_text("Generated query")
    thoughts.get_by_role("button", name="Raw").click()
    raw = thoughts.locator(".raw")
    expect(raw).to_contain_text("bytes")
    settings = raw.get_by_role("listitem").filter(has_text="Settings")
    as_json = settings.locator("summary").first
    as_json.click()
    searched = settings.get_by_role("searchbox", name="Search in the JSON")
    searched.fill("needle")
    expect(settings.locator(".json-found")).to_contain_text("found it")
    as_json.focus()
    before = thoughts.evaluate("thoughts => thoughts.scrollTop")
    assert before > 0
    at = as_json.evaluate("summary => summary.getBoundingClientRect().top")
    stand_in.go_on()
    expect_settled(page)
    expect(raw).to_contain_text("Characters per second")
    expect(thoughts.locator(".thoughts-time")).to_contain_text("in all")
    expect(as_json).to_be_focused()
    expect(searched).to_have_value("needle")
    assert abs(as_json.evaluate("summary => summary.getBoundingClientRect().top") - at) < 2
    expect(thoughts.locator("pre.thought-code")).to_have_text("colour AND buoy -ship")
    expect(thoughts.locator(".message-role")).to_have_text(["system", "user"])
    expect(thoughts.locator(".result-score")).to_have_text("0.75")
    expect(thoughts.locator(".query-plan")).to_contain_text("0.12 s")
    expect(thoughts.locator(".token-usage")).to_have_text("Tokens: 900 prompt, 100 completion")
    expect(thoughts.get_by_role("img").first).to_be_visible()
    expect(thoughts.get_by_role("img").first).not_to_have_js_property("naturalWidth", 0)
    expect(thoughts.get_by_role("heading", name="Time line")).to_be_visible()
    thoughts.get_by_text("Show 2 citations").click()
    rows = thoughts.get_by_role("region", name="Citations").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("by its name, written another way")
    expect(rows.nth(2)).to_contain_text("not found among the sources")
    expect(thoughts).to_contain_text("Everything")
    assert size_of(page, "/thoughts") < 100_000
    thoughts.get_by_text("Show 1,000,000 characters").click()
    expect(thoughts).to_contain_text("more characters are not shown")
    assert answers(page).count() == 1
    thoughts.get_by_role("button", name="Show the source Paint.pdf#page=2").click()
    expect(thoughts).to_have_count(0)
    sources = page.get_by_role("region", name="Sources")
    expect(sources.locator("[data-active]")).to_contain_text("PaintPDF · page 2")
    expect(sources).to_be_focused()


def test_a_long_title_takes_two_lines_of_the_time_line_and_is_whole_as_its_tooltip(
    context: BrowserContext, stand_in: StandIn
):
    title = "wordless" * 12
    steps = [{"title": title, "props": {"elapsed_ms": 420}}]
    page = open_page(
        context, backend=stand_in.streaming({"context": {"thoughts": steps}, "delta": {"content": "Red."}})
    )
    ask(page, "What colour?")
    expect_settled(page).get_by_role("button", name="Thoughts").click()
    row = page.get_by_role("dialog", name="Thoughts").get_by_role("rowheader").and_(page.get_by_title(title))
    for width in (390, 1200):
        page.set_viewport_size({"width": width, "height": 800})
        assert row.evaluate("e => [e.offsetHeight < 45, e.offsetWidth > 60]") == [True, True]


def test_a_search_is_told_in_plain_words_and_what_is_unset_is_not_there(context: BrowserContext, stand_in: StandIn):
    found = [{"sourcepage": "<b>a.pdf</b>", "content": "Red. " * 100, "score": 0.5, "category": None}]
    steps = [
        {"title": "Search", "description": "<i>buoys</i>", "props": {"use_text_search": True, "filter": "None"}},
        {"title": "Search results", "description": found, "props": {"passages_searched": 77, "elapsed_ms": 420}},
    ]
    page = open_page(
        context, backend=stand_in.streaming({"context": {"thoughts": steps}, "delta": {"content": "Red."}})
    )
    ask(page, "What colour?")
    expect_settled(page).get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    told = thoughts.get_by_role("heading", name="Searched 77 passages for “<i>buoys</i>”, took 1")
    expect(told).to_be_visible()
    step = thoughts.get_by_role("listitem").filter(has_text="Searched 77")
    expect(step.locator(".thought-took")).to_have_text("0.42 s")
    expect(step.locator(".result-name")).to_have_text("<b>a.pdf</b>")
    expect(thoughts.locator(".thoughts dt")).to_have_text(["use text search"])
    more = step.get_by_text("Show more")
    more.click()
    expect(step.get_by_text("Show less")).to_be_visible()
    expect(more).to_be_hidden()
    expect_no_violations(page)


def test_the_tabs_of_the_panel_are_of_the_same_answer_and_the_keyboard_goes_between_them(
    context: BrowserContext, stand_in: StandIn
):
    def said(name: str) -> tuple[object, ...]:
        beside = {"data_points": {"text": [f"{name}.pdf: Red."]}, "thoughts": [{"title": f"Thought of {name}"}]}
        return {"delta": {"content": ""}, "context": beside}, {"delta": {"content": f"Red [{name}.pdf]."}}

    page = open_page(context, backend=stand_in.one_after_the_other(said("first"), said("second")))
    for turn, question in enumerate(("One?", "Two?"), start=1):
        ask(page, question)
        expect_settled(page, turns=turn)
    first = answers(page).first
    sources, thoughts = page.get_by_role("region", name="Sources"), page.get_by_role("dialog", name="Thoughts")
    opener = first.get_by_role("button", name="Thoughts")
    opener.click()
    expect(thoughts).to_be_focused()
    expect(thoughts).not_to_have_attribute("aria-modal", re.compile(".*"))
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(thoughts).to_contain_text("Thought of first")
    expect_no_violations(page)
    tabs = page.get_by_role("tablist", name="About the answer")
    tabs.get_by_role("tab", selected=True).focus()
    page.keyboard.press("ArrowLeft")
    expect(sources.locator(".sources")).to_contain_text("First")
    expect(tabs.get_by_role("tab", name="Sources", selected=True)).to_be_focused()
    expect(thoughts).to_have_count(0)
    expect_no_violations(page)
    page.keyboard.press("ArrowLeft")
    expect(thoughts).to_contain_text("Thought of first")
    page.keyboard.press("Home")
    expect(tabs.get_by_role("tab", name="Sources", selected=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(tabs).to_have_count(0)
    expect(opener).to_be_focused()
    answers(page).last.get_by_role("button", name="Thoughts").click()
    expect(thoughts).to_contain_text("Thought of second")
    answers(page).last.get_by_role("button", name="Thoughts").click()
    expect(thoughts).to_have_count(0)
    page.set_viewport_size({"width": 390, "height": 700})
    opener.click()
    expect(thoughts).to_be_focused()
    expect_no_violations(page)
    tabs.get_by_role("tab", name="Sources").click()
    expect(sources.locator(".sources")).to_contain_text("First")
    expect_no_violations(page)
    page.mouse.click(195, 20)
    expect(sources).to_have_count(0)


def test_an_answer_without_sources_has_no_tab_for_them_until_they_come(context: BrowserContext, stand_in: StandIn):
    beside = {"data_points": {"text": ["Paint.pdf: Red."]}}
    page = open_page(
        context, backend=stand_in.held({"delta": {"content": "Red."}}, {"delta": {"content": "!"}, "context": beside})
    )
    ask(page, "What colour?")
    expect_streaming(page).get_by_role("button", name="Thoughts").click()
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_text(["Thoughts"])
    expect(page.get_by_role("dialog", name="Thoughts")).to_contain_text("no thoughts with this answer so far")
    stand_in.go_on()
    expect_settled(page)
    expect(tabs).to_have_text(["Sources1", "Thoughts"])
    expect(page.get_by_role("dialog", name="Thoughts")).to_contain_text("no thoughts with this answer.")


def test_huge_json_can_be_searched_to_its_end_and_copied(context: BrowserContext, stand_in: StandIn):
    items = [{"id": f"n{number}", "text": "word " * 10} for number in range(15_000)]
    description = {"deep": {"deeper": {"needle": "found it"}}, "list": items}
    thoughts = {"thoughts": [{"title": "Everything", "description": description}]}
    page = open_page(
        context, backend=stand_in.streaming({"context": thoughts}, {"delta": {"content": "That was a lot."}})
    )
    ask(page, "How much?")
    expect_settled(page).get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    thoughts.get_by_role("button", name="Raw").click()
    thoughts.locator(".thought-json > summary").click()
    field = thoughts.get_by_role("searchbox", name="Search in the JSON")
    field.fill("FOUND")
    expect(thoughts.locator(".json-found")).to_contain_text('/description/deep/deeper/needle: "found it"')
    field.fill("nothing like it")
    field.fill("N14999")
    expect(thoughts.locator(".json-found")).to_contain_text('/description/list/14999/id: "n14999"')
    assert '"needle": "found it"' in copied(page, thoughts.get_by_role("button", name="Copy JSON"))


def test_what_turns_out_to_be_reasoning_leaves_the_answer_in_every_tab_and_is_in_thoughts(
    context: BrowserContext, stand_in: StandIn
):
    backend = stand_in.held(
        {"delta": {"content": "Red, or *green*?\n\n- Twos"}},
        {"delta": {"content": "\n</think>\n\nBuoys are "}},
        stand_in.WAIT_FOR_EVER,
    )
    page = open_page(context, backend=backend)
    other = open_page(context)
    ask(page, "What colour?")
    for tab in (page, other):
        expect(expect_streaming(tab)).to_contain_text("Twos")
    stand_in.go_on()
    for tab in (page, other):
        expect(expect_streaming(tab)).to_contain_text("Buoys are")
        expect(answers(tab)).not_to_contain_text("Twos")
    page.reload()
    expect(expect_streaming(page)).to_contain_text("Buoys are")
    expect(answers(page)).not_to_contain_text("Twos")
    other.get_by_role("button", name="Stop").click()
    for tab in (page, other):
        expect(expect_settled(tab).get_by_role("alert")).to_contain_text("You stopped this answer")
        expect(answers(tab)).not_to_contain_text("Twos")
    page.reload()
    answers(page).get_by_role("button", name="Thoughts").click()
    expect(page.get_by_role("dialog", name="Thoughts")).to_contain_text("Red, or *green*?")
