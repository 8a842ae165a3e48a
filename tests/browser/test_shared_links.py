import re
from io import BytesIO

from playwright.sync_api import Locator, Page, expect
from pypdf import PdfReader

from tests.browser.answering import copied, get_answer
from tests.browser.axe import expect_no_violations
from tests.browser.opening import NewContext, use
from tests.browser.places import choose, leave, opened_list, options_of, run_command
from tests.browser.stand_in import StandIn, delta

QUESTION = "What colour are buoys?"
RED = delta(
    "Buoys are painted **red** [Paint.pdf].\n\n| what | much |\n|---|---|\n| rope | 3 m |\n\n"
    "The key is `sk-proj-Zx81kQm4Vt7Yp2Lr9Nw3Bs6Hd0Jf5Gc8`.",
    "Paint.pdf: Buoys are painted red in spring.",
    "Rope.txt: Long.",
    thoughts=[{"title": "Hidden step", "description": "buoys"}],
)


def test_a_link_shows_the_chosen_parts_and_no_later_messages_until_revoked(
    page: Page, new_context: NewContext, stand_in: StandIn
):
    use(page, stand_in.one_after_the_other([RED], [delta("A secret that came later.")]))
    get_answer(page, QUESTION)
    listed = opened_list(page)
    shared = listed.get_by_role("img", name="Shared by link")
    choose(options_of(listed, QUESTION), "Share…")
    dialog = page.get_by_role("dialog", name="Share")
    expect(dialog.get_by_role("radio", name="7 days")).to_be_checked()
    expect(dialog.get_by_role("button", name="Create link")).to_be_enabled()
    expect(dialog).to_contain_text("Anyone using this computer can open the link.")
    expect(dialog.get_by_text("1 text looks like a secret")).to_be_visible()
    expect(dialog.get_by_role("checkbox", name="Name of the backend")).to_have_count(0)
    dialog.get_by_role("checkbox", name="Thoughts").check()
    dialog.get_by_text("30 days").click()
    dialog.get_by_role("button", name="Create link").click()
    field = dialog.get_by_role("textbox", name="Link")
    expect(field).to_be_focused()
    link = copied(page, dialog.get_by_role("button", name="Copy link"))
    assert link == field.input_value()
    assert re.fullmatch(re.escape(page.url.partition("/c/")[0]) + r"/s/[\w-]{32}", link)
    page.keyboard.press("Escape")
    expect(options_of(listed, QUESTION)).to_be_focused()
    expect(shared).to_be_visible()

    reader = new_context(viewport={"width": 390, "height": 780})
    theirs = reader.new_page()
    expect_to_be_read_without_the_app(theirs, link)
    assert not reader.cookies()
    expect(get_answer(page, "And then?", turns=2)).to_contain_text("A secret that came later.")
    theirs.reload()
    expect(theirs.get_by_text("Buoys are painted red").first).to_be_visible()
    expect(theirs.get_by_text("A secret that came later.")).to_have_count(0)

    expect_to_go_with_its_conversation_and_come_back(listed, link)
    expect(shared).to_be_visible()
    run_command(page, "Shared links")
    links = page.get_by_role("dialog", name="Shared links")
    expect(links.get_by_role("listitem")).to_have_count(1)
    links.get_by_role("button", name="Revoke the link to").click()
    expect(links.get_by_text("No shared links.")).to_be_visible()
    # The page behind the dialog is inert.
    leave(links)
    expect(options_of(listed, QUESTION)).to_be_visible()
    expect(shared).to_have_count(0)
    gone = theirs.reload()
    assert gone is not None
    assert gone.status == 404
    expect(theirs.get_by_role("heading", name="Page not found")).to_be_visible()
    assert theirs.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect_no_violations(theirs, "a link that leads nowhere")


def expect_to_go_with_its_conversation_and_come_back(listed: Locator, link: str) -> None:
    choose(options_of(listed, QUESTION), "Delete")
    expect(listed.get_by_text("Its shared links have stopped working.")).to_be_visible()
    assert listed.page.request.get(link).status == 404
    with listed.page.expect_response(re.compile("/restore$")):
        listed.get_by_role("button", name="Undo").click()
    assert listed.page.request.get(link).status == 200


def expect_to_be_read_without_the_app(theirs: Page, link: str) -> None:
    """Open the link: the page loads nothing else, opens its citations, and prints whole."""
    asked: list[str] = []
    theirs.on("request", lambda request: asked.append(request.url))
    theirs.on("websocket", lambda socket: asked.append(socket.url))
    theirs.goto(link)
    expect(theirs.get_by_role("heading", level=1, name=QUESTION)).to_be_visible()
    citation = theirs.get_by_role("link", name=re.compile("Citation 1")).first
    citation.focus()
    theirs.keyboard.press("Enter")
    expect(theirs.locator("mark").filter(has_text="Buoys are painted red in spring.")).to_be_visible()
    theirs.keyboard.press("Escape")
    expect(citation).to_be_focused()
    expect(theirs.get_by_text("Hidden step")).to_be_attached()
    assert theirs.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # An opaque origin has no storage.
    assert theirs.evaluate("self.origin") == "null"
    printed = "".join(leaf.extract_text() for leaf in PdfReader(BytesIO(theirs.pdf())).pages)
    assert "Buoys are painted red" in printed
    assert "1. Paint" in printed
    assert asked == [link]
