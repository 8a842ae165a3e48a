import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.answering import answers, copied, expect_settled, get_answer, start_answer
from tests.browser.asking import LEAVE, ask
from tests.browser.attaching import PIXEL
from tests.browser.opening import size_of, use
from tests.browser.places import leave, sources
from tests.browser.stand_in import StandIn, delta
from tests.stand_ins.retrieval import AGENTIC

LONG_TITLE = "wordless" * 12
FOUND = [{"sourcepage": "<b>a.pdf</b>", "content": "Red. " * 100, "score": 0.5, "category": None}]
THOUGHTS = [
    {"title": "Generated query", "description": "colour AND buoy -ship", "props": {"model": "small"}},
    {"title": "Search", "description": "<i>buoys</i>", "props": {"use_text_search": True, "filter": "None"}},
    {"title": "Search results", "description": FOUND, "props": {"passages_searched": 77, "elapsed_ms": 420}},
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
    {"title": LONG_TITLE, "props": {"elapsed_ms": 420}},
    {"title": "Everything", "description": "word " * 200_000},
]

# Names with a word on several lines.
BROKEN = """all => all.filter((name) => {
    const walker = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (walker.nextNode())
        for (const { index, 0: word } of walker.currentNode.data.matchAll(/\\S+/g)) {
            range.setStart(walker.currentNode, index);
            range.setEnd(walker.currentNode, index + word.length);
            if (new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1) return true;
        }
    return false;
}).map(({ textContent }) => textContent)"""


def test_each_shape_of_a_thought_is_shown_and_a_huge_one_loaded_on_opening(page: Page, stand_in: StandIn):
    context = {"data_points": {"text": ["Paint.pdf#page=2: Buoys are red."]}, "thoughts": THOUGHTS}
    said = delta("Buoys are red [paint.pdf#page=2], not [blue.pdf].")
    use(page, stand_in.held(delta("", **context), said))
    ask(page, "What colour?")
    # This button comes with the first values, before the other one.
    expect(answers(page).get_by_role("button", name="Sources")).to_be_visible()
    answers(page).get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    expect(thoughts).to_contain_text("Generated query")
    thoughts.get_by_role("button", name="Raw").click()
    raw = thoughts.locator(".raw")
    expect(raw).to_contain_text("bytes")
    settings = raw.get_by_role("listitem").filter(has_text="Settings")
    as_json = settings.locator("summary").first
    as_json.click()
    searched = settings.get_by_role("searchbox", name="Search JSON")
    searched.fill("needle")
    expect(settings.locator(".json-found")).to_contain_text("found it")
    as_json.focus()
    before = thoughts.evaluate("thoughts => thoughts.scrollTop")
    assert before > 0
    at = as_json.evaluate("summary => summary.getBoundingClientRect().top")
    stand_in.go_on()
    expect_settled(page)
    expect(raw).to_contain_text("Characters per second")
    expect(thoughts.locator(".thoughts-time")).to_contain_text("total")
    expect(as_json).to_be_focused()
    expect(searched).to_have_value("needle")
    assert abs(as_json.evaluate("summary => summary.getBoundingClientRect().top") - at) < 2
    assert '"needle": "found it"' in copied(page, settings.get_by_role("button", name="Copy JSON"))
    expect_each_shape(thoughts)
    row = thoughts.get_by_role("rowheader").and_(page.get_by_title(LONG_TITLE))
    for width in (390, 1200):
        page.set_viewport_size({"width": width, "height": 800})
        assert row.evaluate("e => [e.offsetHeight < 45, e.offsetWidth > 60]") == [True, True]
    thoughts.get_by_text("Show 2 citations").click()
    rows = thoughts.get_by_role("region", name="Citations").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("by its name, written another way")
    expect(rows.nth(2)).to_contain_text("not found among the sources")
    assert size_of(page, "/thoughts") < 100_000
    thoughts.get_by_text("Show 1,000,000 characters").click()
    expect(thoughts).to_contain_text("more characters are not shown")
    assert answers(page).count() == 1
    thoughts.get_by_role("button", name="Show the source Paint.pdf#page=2").click()
    expect(thoughts).to_have_count(0)
    expect(sources(page).locator("[data-active]")).to_contain_text("PaintPDF · page 2")
    expect(sources(page)).to_be_focused()


def expect_each_shape(thoughts: Locator) -> None:
    """Check a query, a plain search, a prompt, results, figures and an image."""
    expect(thoughts.locator("pre.thought-code").first).to_have_text("colour AND buoy -ship")
    expect(thoughts.get_by_role("heading", name="Searched 77 passages for “<i>buoys</i>”, kept 1")).to_be_visible()
    search = thoughts.get_by_role("listitem").filter(has_text="Searched 77")
    expect(search.locator(".thought-took")).to_have_text("0.42 s")
    expect(search.locator(".result-name")).to_have_text("<b>a.pdf</b>")
    expect(thoughts.locator(".thoughts dt", has_text="use text search")).to_be_visible()
    expect(thoughts.locator(".thoughts dt", has_text="filter")).to_have_count(0)
    more = search.get_by_text("Show more")
    more.click()
    expect(search.get_by_text("Show less")).to_be_visible()
    expect(more).to_be_hidden()
    expect(thoughts.locator(".message-role")).to_have_text(["system", "user"])
    expect(thoughts.locator(".result-score")).to_have_text(["0.5", "0.75"])
    expect(thoughts.locator(".query-plan")).to_contain_text("0.12 s")
    expect(thoughts.locator(".token-usage")).to_have_text("Tokens: 900 prompt, 100 completion")
    expect(thoughts.get_by_role("img").first).to_be_visible()
    expect(thoughts.get_by_role("img").first).not_to_have_js_property("naturalWidth", 0)


def test_a_badge_of_a_source_or_its_card_leads_to_the_step_that_found_it(page: Page, stand_in: StandIn):
    use(page, stand_in.streaming(delta(AGENTIC.text, **AGENTIC.context("", {}))))
    answer = get_answer(page, "Are glasses covered?")
    citation = answer.get_by_role("button", name=re.compile("Citation 3"))
    citation.hover()
    page.get_by_role("tooltip").get_by_role("button", name="Searched the web").click()
    expect(page.get_by_role("tooltip")).to_be_hidden()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    step = thoughts.locator("[data-active]")
    expect(step).to_contain_text("Contoso vision benefits")
    expect(step).to_be_in_viewport()
    expect(thoughts).to_be_focused()
    page.keyboard.press("Escape")
    expect(citation).to_be_focused()
    answer.get_by_role("button", name="Sources").click()
    badge = sources(page).get_by_role("button", name="Show in Thoughts: Query 1: eye exam coverage")
    badge.focus()
    page.keyboard.press("Enter")
    expect(step).to_contain_text("Query 1: eye exam coverage")
    step.get_by_role("button", name="Show the source").click()
    expect(sources(page).locator("[data-active]")).to_contain_text("an eye exam and glasses")


def test_nested_values_wrap_below_their_names_and_no_name_within_a_word(page: Page, stand_in: StandIn):
    within = {"name": "swedencentral" * 2, "of": {"a name of several words": {"units": 12345678901234567890}}}
    ranked = {"strategy": "cross-encoder", "normalised_steps": [{"name": "embed", "dims": 3072, "within": within}]}
    props = {"wording": "sentences of the documents, no language model", "year": 2026, **ranked}
    use(page, stand_in.streaming(delta("Red.", thoughts=[{"title": "Rank", "description": ranked, "props": props}])))
    get_answer(page, "Who?").get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    expect(thoughts.locator("dd code", has_text="12345678901234567890")).to_have_count(2)
    expect(thoughts.locator(".thought .properties-short dd").nth(1)).to_have_text("2026")
    for width in (320, 390, 600):
        page.set_viewport_size({"width": width, "height": 800})
        assert thoughts.locator("dt").evaluate_all(BROKEN) == []
        assert thoughts.locator("dd").evaluate_all("all => Math.min(...all.map((one) => one.offsetWidth))") >= 20
        assert thoughts.evaluate("panel => panel.scrollWidth <= panel.clientWidth")


def test_the_panels_tabs_show_the_same_answer_and_arrow_keys_switch_them(page: Page, stand_in: StandIn):
    def said(name: str) -> tuple[object, ...]:
        beside = {"data_points": {"text": [f"{name}.pdf: Red."]}, "thoughts": [{"title": f"Thought of {name}"}]}
        return delta("Red"), stand_in.WAIT_UNTIL_TOLD, delta("!", **beside)

    use(page, stand_in.one_after_the_other(said("first"), said("second")))
    start_answer(page, "One?")
    opener = answers(page).first.get_by_role("button", name="Thoughts")
    thoughts = page.get_by_role("dialog", name="Thoughts")
    tabs = page.get_by_role("tablist", name="About the answer").get_by_role("tab")
    opener.click()
    expect(thoughts).to_be_focused()
    expect(thoughts).not_to_have_attribute("aria-modal", re.compile(".*"))
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(tabs).to_have_text(["Thoughts"])
    expect(thoughts).to_contain_text("no thoughts with this answer so far")
    stand_in.go_on()
    expect_settled(page)
    expect(tabs).to_have_text(["Sources1", "Thoughts"])
    expect(thoughts).to_contain_text("Thought of first")
    tabs.last.focus()
    page.keyboard.press("ArrowLeft")
    expect(sources(page).locator(".sources")).to_contain_text("First")
    expect(tabs.first).to_be_focused()
    expect(tabs.first).to_have_attribute("aria-selected", "true")
    expect(thoughts).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(thoughts).to_contain_text("Thought of first")
    page.keyboard.press("Home")
    expect(tabs.first).to_be_focused()
    leave(tabs)
    expect(opener).to_be_focused()
    get_answer(page, "Two?", turns=2).get_by_role("button", name="Thoughts").click()
    expect(thoughts).to_contain_text("Thought of second")
    opener.click()
    expect(thoughts).to_contain_text("Thought of first")
    opener.click()
    expect(thoughts).to_have_count(0)
    page.set_viewport_size({"width": 390, "height": 700})
    opener.click()
    expect(thoughts).to_be_focused()
    tabs.first.click()
    expect(sources(page).locator(".sources")).to_contain_text("First")
    page.mouse.click(195, 20)
    expect(sources(page)).to_have_count(0)


def test_wire_data_is_fetched_on_request_and_unfolded_for_its_answer_only(page: Page):
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    for turns in (1, 2):
        answer = get_answer(page, LEAVE, turns=turns)
    answer.get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    expect(thoughts).to_contain_text("Search results")
    assert not {"wire", "raw"} & {*fetched}
    raw = thoughts.get_by_role("heading", name="Raw").get_by_role("button")
    expect(raw).to_have_attribute("aria-expanded", "false")
    raw.click()
    lines = thoughts.get_by_role("region", name="Lines received")
    expect(lines.get_by_role("row").nth(1)).to_contain_text('"data_points"')
    expect(thoughts).to_contain_text("Characters per second")
    command = copied(page, thoughts.get_by_role("button", name="Copy as cURL"))
    assert command.startswith("curl")
    assert "/demo/chat/stream" in command
    assert LEAVE in command
    page.get_by_role("tab", name="Sources").click()
    expect(sources(page)).to_be_visible()
    page.get_by_role("tab", name="Thoughts").click()
    expect(raw).to_have_attribute("aria-expanded", "true")
    answers(page).first.get_by_role("button", name="Thoughts").click()
    expect(raw).to_have_attribute("aria-expanded", "false")
    raw.press("Enter")
    expect(lines).to_be_visible()
    raw.press("Enter")
    expect(lines).to_have_count(0)
    expect(raw).to_be_focused()
