"""What the backend did, each shape as what it is."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.stand_in import StandIn
from tests.browser.talking import answers, ask, copied, expect_settled, open_page, size_of

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
def drawer(context: BrowserContext, stand_in: StandIn) -> Locator:
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


def test_each_shape_is_shown_as_what_it_is_and_a_huge_one_is_sent_when_it_is_opened(drawer: Locator, stand_in: StandIn):
    page: Page = drawer.page
    expect(drawer).to_contain_text("Generated query")
    drawer.get_by_role("button", name="Show the raw lines").click()
    inspector = drawer.locator(".inspector")
    expect(inspector).to_contain_text("bytes")
    settings = drawer.get_by_role("listitem").filter(has=page.get_by_role("heading", name="Settings"))
    as_json = settings.get_by_text("As JSON")
    as_json.click()
    searched = settings.get_by_role("searchbox", name="Search in the JSON")
    searched.fill("needle")
    expect(settings.locator(".json-found")).to_contain_text("found it")
    as_json.focus()
    before = drawer.evaluate("drawer => drawer.scrollTop")
    assert before > 0
    stand_in.go_on()
    expect_settled(page)
    expect(inspector).to_contain_text("Characters per second")
    expect(drawer.locator(".thoughts-facts")).to_contain_text("Until the first text")
    expect(as_json).to_be_focused()
    expect(searched).to_have_value("needle")
    assert drawer.evaluate("drawer => drawer.scrollTop") == before
    expect(drawer.locator("pre.thought-code")).to_have_text("colour AND buoy -ship")
    expect(drawer.locator(".message-role")).to_have_text(["system", "user"])
    expect(drawer.locator(".result-score")).to_have_text("score 0.75")
    expect(drawer.locator(".query-plan")).to_contain_text("120 ms")
    expect(drawer.locator(".token-usage")).to_contain_text("900")
    expect(drawer.get_by_role("img").first).to_be_visible()
    expect(drawer.get_by_role("img").first).not_to_have_js_property("naturalWidth", 0)
    expect(drawer.get_by_role("heading", name="Time line")).to_be_visible()
    rows = drawer.get_by_role("region", name="Citations").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("by its name, written another way")
    expect(rows.nth(2)).to_contain_text("not found among the sources")
    expect(drawer).to_contain_text("Everything")
    assert size_of(page, "/thoughts") < 100_000
    drawer.get_by_text("Show 1,000,000 characters").click()
    expect(drawer).to_contain_text("more characters are not shown")
    assert answers(page).count() == 1
    drawer.get_by_role("button", name="Show the source Paint.pdf#page=2").click()
    expect(drawer).to_have_count(0)
    expect(page.get_by_role("region", name="Sources").locator("[data-active]")).to_contain_text("PaintPDF · page 2")


def test_huge_json_can_be_searched_to_its_end_and_copied(context: BrowserContext, stand_in: StandIn):
    items = [{"id": f"n{number}", "text": "word " * 10} for number in range(15_000)]
    description = {"deep": {"deeper": {"needle": "found it"}}, "list": items}
    thoughts = {"thoughts": [{"title": "Everything", "description": description}]}
    page = open_page(
        context, backend=stand_in.streaming({"context": thoughts}, {"delta": {"content": "That was a lot."}})
    )
    ask(page, "How much?")
    expect_settled(page).get_by_role("button", name="Thoughts").click()
    drawer = page.get_by_role("dialog", name="Thoughts")
    drawer.get_by_text("As JSON").click()
    field = drawer.get_by_role("searchbox", name="Search in the JSON")
    field.fill("FOUND")
    expect(drawer.locator(".json-found")).to_contain_text('/description/deep/deeper/needle: "found it"')
    field.fill("nothing like it")
    field.fill("N14999")
    expect(drawer.locator(".json-found")).to_contain_text('/description/list/14999/id: "n14999"')
    assert '"needle": "found it"' in copied(page, drawer.get_by_role("button", name="Copy JSON"))
