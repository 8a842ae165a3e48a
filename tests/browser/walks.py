"""Walks through the states of the page. Each yields the name of the current state."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from playwright.sync_api import Locator, Page, expect

from tests.browser.answering import expect_settled, get_answer, start_answer
from tests.browser.asking import LEAVE, LONG, ask_at_once, message
from tests.browser.attaching import attach_picture
from tests.browser.opening import address_of, leaving_its_address, use
from tests.browser.places import (
    after_test,
    cancel,
    focused_settings,
    from_more,
    leave,
    open_preferences,
    open_settings,
    opened_list,
    opened_switcher,
    opened_tab,
    options_of,
    report,
    run_command,
)
from tests.browser.stand_in import SOURCES, StandIn, delta, deltas
from tests.stand_ins.retrieval import AGENTIC

Walk = Callable[[Page, StandIn], Iterator[str]]
ARABIC = "العوامات حمراء وتطفو على الماء [Plans.pdf]. يتم فحصها كل عام."
CITATION = re.compile("Citation 1")


def beginning(page: Page, stand_in: StandIn) -> Iterator[str]:
    expect(page.get_by_role("group", name="Starter questions")).to_be_visible()
    yield "empty"
    page.get_by_role("button", name="More", exact=True).click()
    menu = page.get_by_role("menu")
    expect(menu).to_be_visible()
    yield "menu More"
    leave(menu)
    expect(opened_switcher(page)).to_be_visible()
    yield "menu of backends"
    page.get_by_role("menuitem", name="Add a backend…").click()
    dialog = focused_settings(page)
    yield "new backend"
    dialog.get_by_role("textbox", name="Backend URL").fill("nonsense")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    yield "wrong address"
    cancel(dialog)
    preferences = open_preferences(page)
    yield "preferences"
    leave(preferences)
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Search and commands")
    expect(palette.get_by_role("option").first).to_be_visible()
    yield "search and commands"
    leave(palette)
    from_more(page, "Keyboard shortcuts")
    shortcuts = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(shortcuts).to_be_visible()
    yield "keyboard shortcuts"
    leave(shortcuts)
    listed = opened_list(page)
    yield "no conversations"
    page.get_by_role("button", name="Close conversations").click()
    expect(listed).to_have_count(0)
    attach_picture(page)
    message(page).fill("A question\nof several\nlines")
    yield "attached image"
    page.goto("/c/there-is-no-such-one")
    expect(page.get_by_role("heading", name="Conversation not found")).to_be_visible()
    yield "no such conversation"


def configuring(page: Page, stand_in: StandIn) -> Iterator[str]:
    """Backend settings, and the results of a test and of a report."""
    use(page, stand_in.saying("Buoys are red."))
    dialog = open_settings(page)
    yield "settings, Request"
    opened_tab(dialog, "Documents")
    yield "settings, Documents"
    opened_tab(dialog, "Report")
    yield "settings, Report"
    leave(dialog)
    after_test(page)
    yield "tested connection"
    dialog.get_by_text("Requests tried").click()
    yield "what was tried"
    cancel(dialog)
    after_test(page, "http://127.0.0.1:9/chat")
    yield "failed test"
    cancel(dialog)
    open_settings(page)
    dialog = report(page)
    yield "report before"
    dialog.get_by_role("button", name="Start check").click()
    expect(dialog.get_by_role("region", name="Rules")).to_be_visible()
    expect(dialog.get_by_role("button", name="Check again")).to_be_visible()
    yield "report"


def answered(page: Page, stand_in: StandIn) -> Iterator[str]:
    answer = get_answer(page, LEAVE)
    yield "answer"
    citation = answer.get_by_role("button", name=CITATION).first
    citation.focus()
    expect(page.get_by_role("tooltip")).to_be_visible()
    yield "citation card"
    answer.get_by_role("button", name="Other ways to copy").click()
    expect(page.get_by_role("menu")).to_be_visible()
    yield "menu of Copy"
    leave(page.get_by_role("menu"))
    yield from beside(page, answer)
    page.get_by_role("button", name="Edit question").click()
    yield "edited question"
    page.get_by_role("textbox", name="Edited question").fill("What does the vision plan cover?")
    page.get_by_role("textbox", name="Edited question").press("Enter")
    expect(page.get_by_role("group", name="Versions of this question")).to_be_visible()
    expect_settled(page)
    yield "versions"
    yield from listed(page, LEAVE)


def beside(page: Page, answer: Locator) -> Iterator[str]:
    """Panels of an answer: sources, a document where available, the box for reasons, thoughts."""
    answer.get_by_role("button", name=CITATION).first.click()
    sources = page.get_by_role("region", name="Sources", exact=True)
    expect(sources.locator("[data-active]").first).to_be_visible()
    yield "sources"
    sources.get_by_role("button", name="Not in this passage").click()
    expect(sources.get_by_label("Comment (optional)")).to_be_visible()
    yield "doubted citation"
    document = sources.get_by_role("button", name=re.compile("^Open "))
    if document.count():
        document.first.click()
        expect(page.locator("[data-marks]:not([data-marks='0'])")).to_be_visible()
        yield "document"
    page.get_by_role("button", name="Close sources").click()
    answer.get_by_role("button", name="Bad answer").click()
    reasons = answer.get_by_role("region", name="Add details")
    expect(reasons.get_by_role("button", name="Tone")).to_be_enabled()
    yield "feedback"
    answer.get_by_role("button", name="Add details").click()
    answer.get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    expect(thoughts.locator(".thought").first).to_be_visible()
    yield "thoughts"
    raw = thoughts.get_by_role("button", name="Raw")
    raw.click()
    expect(thoughts.get_by_role("region", name="Lines received")).to_be_visible()
    # A button above would be partly below the head of the panel.
    raw.evaluate("button => button.scrollIntoView()")
    yield "raw"
    page.get_by_role("button", name="Close thoughts").click()
    expect(thoughts).to_have_count(0)


def listed(page: Page, title: str) -> Iterator[str]:
    """The list of conversations, with the actions on the one with this title."""
    listed = opened_list(page)
    yield "conversations"
    options = options_of(listed, title)
    options.click()
    expect(page.get_by_role("menu")).to_be_visible()
    yield "menu of a conversation"
    page.get_by_role("menuitem", name="Rename").click()
    expect(listed.get_by_role("textbox", name="Title")).to_be_focused()
    yield "renaming"
    listed.get_by_role("textbox", name="Title").press("Escape")
    search = listed.get_by_role("searchbox", name="Search conversations")
    search.fill("cormorants")
    expect(listed.get_by_text("No results.")).to_be_visible()
    yield "nothing found"
    search.fill("leave")
    expect(listed.get_by_role("region", name="Found")).to_be_visible()
    yield "found conversations"
    search.fill("")
    expect(listed.get_by_role("region", name="Found")).to_have_count(0)
    options.click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(listed.get_by_role("button", name="Undo")).to_be_visible()
    yield "deleted conversation"


def ending(page: Page, stand_in: StandIn) -> Iterator[str]:
    """Growing answers, and all their ends."""
    start_answer(page, "Show me a stall")
    yield "streaming answer"
    ask_at_once(page, LEAVE)
    yield "question during an answer"
    message(page).fill("")
    page.get_by_role("button", name="Stop").click()
    expect_settled(page)
    yield "stopped answer"
    ways = (
        "Show me a rate limit",
        "Show me a content filter",
        "Show me an error in mid-stream",
        "Show me a cut stream",
    )
    for turns, way in enumerate(ways, 2):
        get_answer(page, way, turns=turns)
        yield way
    get_answer(page, LONG, turns=6)
    yield "everything in Markdown"
    page.get_by_role("log").evaluate("log => { log.scrollTop = -log.scrollHeight; }")
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    yield "first answer"
    yield from _foreign(page, stand_in)


def _foreign(page: Page, stand_in: StandIn) -> Iterator[str]:
    remote = "![Chart](https://images.invalid/chart.png)"
    said = [SOURCES, *deltas(f"{ARABIC}\n\n{remote}\n\nMade up [Nothing.pdf].")]
    address_of(page)
    use(page, stand_in.streaming(*said))
    with leaving_its_address(page):
        page.get_by_role("button", name="New chat").click()
    answer = get_answer(page, ARABIC)
    yield "right-to-left answer"
    answer.get_by_role("button", name="Sources", exact=True).click()
    expect(page.get_by_role("region", name="Sources", exact=True).get_by_role("listitem").first).to_be_visible()
    yield "sources that were not found"


def sharing(page: Page, stand_in: StandIn) -> Iterator[str]:
    text = "Buoys are red [Plans.pdf]. The key is `sk-proj-Zx81kQm4Vt7Yp2Lr9Nw3Bs6Hd0Jf5Gc8`."
    use(page, stand_in.streaming(SOURCES, delta(text)))
    get_answer(page, "What colour are buoys?")
    address_of(page)
    run_command(page, "Share a snapshot")
    dialog = page.get_by_role("dialog", name="Share")
    make = dialog.get_by_role("button", name="Create link")
    expect(make).to_be_enabled()
    yield "about to share"
    make.press("Enter")
    expect(dialog.get_by_role("textbox", name="Link")).to_be_visible()
    yield "link that was made"
    dialog.get_by_role("button", name="Shared links").click()
    links = page.get_by_role("dialog", name="Shared links")
    revoke = links.get_by_role("button", name="Revoke the link to").first
    expect(revoke).to_be_visible()
    yield "shared links"
    revoke.click()
    expect(links.get_by_text("No shared links.")).to_be_visible()
    yield "no shared links"
    leave(links)


def comparing(page: Page, stand_in: StandIn) -> Iterator[str]:
    text = "Buoys are red [Plans.pdf]. They float [gone.pdf]."
    use(page, stand_in.streaming(SOURCES, delta(text)))
    run_command(page, "Compare")
    comparison = page.get_by_role("region", name="Comparison")
    expect(comparison).to_be_visible()
    yield "comparison without a question"
    ask_at_once(page, "What colour are buoys?")
    choice = comparison.get_by_role("button", name="Left is better")
    expect(choice).to_be_visible()
    choice.click()
    expect(choice).to_have_attribute("aria-pressed", "true")
    yield "two answers"
    comparison.get_by_role("button", name="Differences").click()
    differences = page.get_by_role("region", name="Differences")
    expect(differences.locator(".word-differences")).to_contain_text("red")
    yield "words that differ"
    differences.press("Escape")
    expect(differences).to_have_count(0)
    comparison.get_by_role("button", name="Sources and figures").click()
    expect(page.get_by_role("region", name="Sources and figures").get_by_role("row").first).to_be_visible()
    yield "sources and figures that differ"


def retrieving(page: Page, stand_in: StandIn) -> Iterator[str]:
    """The steps that found the sources of an answer, and their plan."""
    use(page, stand_in.streaming(delta(AGENTIC.text, **AGENTIC.context("", {}))))
    get_answer(page, "Are glasses covered?").get_by_role("button", name="Sources").click()
    badge = page.get_by_role("button", name="Show in Thoughts: Query 1: eye exam coverage")
    expect(badge).to_be_visible()
    yield "sources with their steps"
    badge.click()
    expect(page.get_by_role("dialog", name="Thoughts").locator("[data-active]")).to_be_in_viewport()
    yield "query plan"


WALKS: Final[dict[str, Walk]] = {
    "beginning": beginning,
    "configuring": configuring,
    "answered": answered,
    "ending": ending,
    "sharing": sharing,
    "comparing": comparing,
    "retrieving": retrieving,
}
