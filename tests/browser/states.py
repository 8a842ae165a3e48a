"""A walk through the states of the page, as a person with a finger meets them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import Locator, Page, expect

from tests.browser.attaching import PICTURE, attach, attached
from tests.browser.questions import LEAVE, LONG
from tests.browser.stand_in import StandIn
from tests.browser.talking import answers, ask, expect_settled, message, options_of, questions

LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 3
LONG_URL = f"https://example.com/{'very-long-path/' * 12}?{'parameter=value&' * 12}"
LONG_CODE = f"```python\nvalue = {' + '.join(f'number_{number}' for number in range(60))}\n```"
LONG_NAMES = [f"column_{number}_of_a_table_with_long_names" for number in range(12)]
LONG_TABLE = "\n".join((f"| {' | '.join(LONG_NAMES)} |", f"|{'---|' * 12}", f"| {' | '.join(map(str, range(12)))} |"))


def awkward(stand_in: StandIn) -> str:
    """The address of a backend whose answer, sources and thoughts are full of what has no room on a phone."""
    words = f"{LONG_WORD} {LONG_URL} `{LONG_WORD}` **{LONG_WORD}** [{LONG_WORD}.pdf] and [nowhere.pdf]"
    text = f"{words}\n\n{LONG_CODE}\n\n{LONG_TABLE}\n\n"
    context = {
        "data_points": {"text": [f"{LONG_WORD}.pdf: {LONG_WORD} {LONG_URL}", f"{LONG_URL}: {LONG_WORD}"]},
        "thoughts": [
            {"title": LONG_WORD, "description": LONG_URL, "props": {LONG_WORD: LONG_WORD, "token_usage": {"a": 1}}},
            {"title": "Search", "description": [{"id": LONG_WORD, "content": LONG_WORD * 5, "score": 0.123456}]},
            {"title": "Prompt", "description": [{"role": LONG_WORD, "content": LONG_URL}]},
            {"title": "Deep", "description": {"deep": {LONG_WORD: [LONG_URL, {LONG_WORD: [LONG_WORD]}]}}},
        ],
        "followup_questions": [f"{LONG_WORD}?", "Anything else?"],
    }
    return stand_in.streaming({"context": context}, {"delta": {"content": text}})


def _menu(page: Page, opener: Locator) -> None:
    opener.tap()
    expect(page.get_by_role("menu")).to_be_visible()


def _left(page: Page, part: Locator) -> None:
    page.keyboard.press("Escape")
    expect(part).to_have_count(0)


def in_menus(page: Page) -> Iterator[str]:
    """The page, and over it the menus of its header."""
    yield "empty"
    _menu(page, page.get_by_role("button", name="More", exact=True))
    yield "more"
    _left(page, page.get_by_role("menu"))
    _menu(page, page.get_by_role("combobox", name="Backend"))
    yield "backends"
    _left(page, page.get_by_role("menu"))


def settings(page: Page) -> Locator:
    """The dialog Backend settings by way of the menu, which a phone of every width has."""
    _menu(page, page.get_by_role("button", name="More", exact=True))
    page.get_by_role("menuitem", name="Backend settings").tap()
    dialog = page.get_by_role("dialog", name="Backend settings")
    expect(dialog.locator(":focus")).to_be_attached()
    return dialog


def in_settings(page: Page) -> Iterator[str]:
    """The dialog of the backend with its tabs, its errors and the report."""
    dialog = settings(page)
    yield "settings"
    for tab in ("Documents", "Report"):
        dialog.get_by_role("tab", name=tab).tap()
        yield f"settings-{tab.lower()}"
    dialog.get_by_role("button", name="How well does it keep to the protocol?").tap()
    report = page.get_by_role("dialog", name="Protocol report")
    expect(report).to_be_visible()
    yield "report"
    report.get_by_role("button", name="Send the requests").tap()
    expect(report.locator(".report")).to_be_visible()
    yield "report-done"
    report.get_by_role("button", name="Close report").tap()
    expect(report).to_have_count(0)
    dialog.get_by_role("combobox", name="How the key is sent").select_option("header")
    expect(dialog.get_by_role("textbox", name="Name of the header")).to_be_visible()
    dialog.get_by_role("button", name="Test connection").tap()
    expect(dialog.locator(".verdict")).to_be_visible()
    yield "settings-tested"
    dialog.get_by_role("textbox", name="Backend URL").fill("nonsense")
    dialog.get_by_role("button", name="Save").tap()
    expect(dialog.get_by_role("alert")).to_be_visible()
    yield "settings-error"
    dialog.get_by_role("button", name="Cancel").tap()
    expect(dialog).to_have_count(0)


def in_panel(page: Page, answer: Locator) -> Iterator[str]:
    """The sheets of an answer with sources: its sources, a document where it has one, its thoughts."""
    answer.get_by_role("button", name=re.compile("Citation 1")).first.tap()
    region = page.get_by_role("region", name="Sources")
    expect(region.locator("[data-active]")).to_be_visible()
    yield "sources"
    region.get_by_role("button", name="The passage does not say this").tap()
    expect(region.get_by_label("Comment (optional)")).to_be_visible()
    yield "doubted-citation"
    document = region.locator("[data-document]").first
    if document.count():
        document.tap()
        expect(region.locator(".document-body[aria-busy=false]")).to_be_attached()
        yield "document"
    region.get_by_role("button", name="Close sources").last.tap()
    expect(region).to_have_count(0)
    answer.get_by_role("button", name="Bad answer").tap()
    reasons = answer.get_by_role("region", name="Say why")
    expect(reasons.get_by_role("button", name="Tone")).to_be_enabled()
    yield "feedback"
    answer.get_by_role("button", name="Say why").tap()
    answer.get_by_role("button", name="Thoughts").tap()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    expect(thoughts.locator(".thought").first).to_be_visible()
    yield "thoughts"
    thoughts.get_by_role("button", name="Raw").tap()
    expect(thoughts.locator(".wire")).to_be_visible()
    steps = thoughts.locator(".thought-json > summary")
    expect(steps.first).to_be_visible()
    for step in steps.all():
        step.tap()
    expect(thoughts.locator(".json").first).to_be_visible()
    yield "raw"
    page.get_by_role("button", name="Close thoughts").tap()
    expect(thoughts).to_have_count(0)


def in_list(page: Page, title: str) -> Iterator[str]:
    """The list of conversations, with what can be done in it to one with this title."""
    page.get_by_role("button", name="Conversations", exact=True).tap()
    listed = page.get_by_role("navigation", name="Conversations")
    expect(listed.locator(".entry").first).to_be_visible()
    yield "list"
    _menu(page, options_of(listed, title).first)
    yield "list-options"
    page.get_by_role("menuitem", name="Rename").tap()
    expect(listed.get_by_role("textbox", name="Title")).to_be_focused()
    yield "list-title"
    page.keyboard.press("Escape")
    listed.get_by_text("Export, import, delete").tap()
    expect(listed.get_by_role("link", name="Export all")).to_be_visible()
    yield "list-taking"
    page.get_by_role("button", name="Close conversations").tap()
    expect(listed).to_have_count(0)


def walk(page: Page, stand_in: StandIn) -> Iterator[str]:
    """Lead a touch screen through all states, and give the name of each while it is on view."""
    yield from in_menus(page)
    yield from in_settings(page)
    ask(page, LEAVE)
    answer = expect_settled(page)
    yield "answer"
    answer.get_by_role("button", name="Regenerate").tap()
    expect(answer.get_by_role("group", name="Versions of this answer")).to_be_visible()
    answer = expect_settled(page)
    yield "versions"
    yield from in_panel(page, answer)
    yield from in_list(page, LEAVE)
    questions(page).first.get_by_role("button", name="Edit question").tap()
    expect(page.get_by_role("textbox", name="Edited question")).to_be_focused()
    yield "editing"
    page.get_by_role("button", name="Cancel").tap()
    attach(page, PICTURE)
    expect(attached(page)).to_have_attribute("aria-busy", "false")
    message(page).fill("A first line\n" * 30)
    yield "attachment"
    message(page).fill("")
    page.get_by_role("button", name="Remove buoy 1.png").tap()
    ask(page, LONG)
    expect_settled(page, turns=2)
    yield "markdown"
    page.get_by_role("log").evaluate("log => { log.scrollTop = -900; }")
    expect(page.get_by_role("button", name="Go to the latest text")).to_be_visible()
    yield "scrolled"
    ask(page, "Show me a rate limit")
    expect(expect_settled(page, turns=3).get_by_role("alert")).to_be_visible()
    yield "error"
    ask(page, "Show me a stall")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(answers(page).last.locator(".answer-text")).not_to_be_empty()
    yield "streaming"
    page.get_by_role("button", name="Stop").tap()
    expect_settled(page, turns=4)
    yield "stopped"
