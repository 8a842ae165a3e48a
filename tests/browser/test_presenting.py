import re
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.answering import expect_settled, get_answer
from tests.browser.asking import ask, message
from tests.browser.axe import expect_no_violations, expect_no_violations_in_both_schemes
from tests.browser.hearing import heard_to, listen
from tests.browser.listening import held_requests
from tests.browser.opening import NewContext, open_page, reload
from tests.browser.places import from_more, leave, opened_list, sources
from tests.browser.stand_in import StandIn, delta

SCREEN = {"width": 1920, "height": 1080}
SMALL = """() => {
    const small = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const { data, parentElement: place } = texts.currentNode;
        if (!data.trim() || place.closest("script, style, .visually-hidden, .skip-link")) continue;
        if (!place.checkVisibility({ visibilityProperty: true })) continue;
        const size = parseFloat(getComputedStyle(place).fontSize);
        if (size < 22) small.push([data.slice(0, 40), size]);
    }
    return small;
}"""
"""Visible texts that are too small for a room."""
SCROLL_ENDS = """() => {
    const thread = document.querySelector(".thread");
    window.scrollEnds = new Promise((ended) => thread.addEventListener("scrollend", () => ended(), { once: true }));
}"""
SOURCES = ("plans.md: The plan costs ten euros.", "leave.md: Leave is 20 weeks.")
CONTEXT = delta("", *SOURCES, thoughts=[{"title": "Search", "description": "plans"}])
FILE = {"name": "showing.toml", "mimeType": "application/toml"}
GONE = "The chat tab does not respond. Check that it is still open."
APART = re.compile(f"^(The page does not present at the moment\\. Start it there\\.|{re.escape(GONE)})$")
"""The presenter's window takes a page without a presentation for closed after some seconds."""
SCRIPT = """\
[[step]]
question = "What does the plan cost?"
open = "citation 1"
notes = "Point at the marked sentence."
[[step]]
question = "How much leave is there?"
open = "document 2"
notes = "The document is on our own shelf."
[[step]]
question = "And why?"
open = "thoughts"
"""
QUESTIONS = ["What does the plan cost?", "How much leave is there?", "And why?"]


def everything_said(page: Page) -> str:
    """The page's text, title and accessible names."""
    names: str = page.evaluate(
        """() => [...document.querySelectorAll("[aria-label], [title], [placeholder], [alt]")]
            .filter((element) => element.checkVisibility({ visibilityProperty: true }))
            .flatMap(({ ariaLabel, title, placeholder, alt }) => [ariaLabel, title, placeholder, alt])
            .join(" ")"""
    )
    return "\n".join([page.inner_text("body"), page.title(), names, page.locator("body").aria_snapshot()])


def scroll_place(page: Page) -> float:
    place: float = page.evaluate("document.querySelector('.thread').scrollTop")
    return place


def stage(page: Page) -> Locator:
    return page.get_by_role("region", name="Presentation")


def test_an_empty_stage_is_in_the_middle_and_a_citation_cannot_be_doubted(new_context: NewContext, stand_in: StandIn):
    page = open_page(
        new_context(viewport=SCREEN), backend=stand_in.streaming(CONTEXT, delta("It costs ten euros [plans.md]."))
    )
    page.keyboard.press("F2")
    expect(stage(page)).to_be_attached()
    space = page.evaluate(
        """() => [document.querySelector(".empty").getBoundingClientRect().top,
            innerHeight - document.querySelector(".ai-notice").getBoundingClientRect().bottom]"""
    )
    assert abs(space[0] - space[1]) < SCREEN["height"] / 20, space
    page.keyboard.press("Escape")
    answer = get_answer(page, "What does the plan cost?")
    answer.get_by_role("button", name="Citation 1").click()
    doubt = sources(page).locator(".doubt")
    expect(doubt).to_be_visible()
    page.keyboard.press("F2")
    expect(sources(page).locator("mark").first).to_be_visible()
    expect(doubt).to_be_hidden()


def test_presentation_mode_shows_one_answer_without_controls(new_context: NewContext, stand_in: StandIn):
    paragraphs = "\n\n".join(f"Paragraph {number} of the answer." for number in range(60))
    backend = stand_in.one_after_the_other(
        [CONTEXT, delta("An earlier answer [leave.md].")],
        [CONTEXT, delta(f"It costs ten euros [plans.md].\n\n```\nprice = 10\n```\n\n{paragraphs}")],
        [delta("The first words. "), stand_in.WAIT_UNTIL_TOLD, delta("The last words.")],
    )
    page = open_page(new_context(viewport=SCREEN), backend=backend)
    get_answer(page, "What was asked before?")
    answer = get_answer(page, "What does the plan cost?", turns=2)
    answer.get_by_role("button", name="Thoughts").click()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    thoughts.get_by_role("button", name="Raw").click()
    expect(thoughts.get_by_text(urlsplit(backend).netloc).first).to_be_visible()
    opened_list(page)
    message(page).fill("a draft of mine")
    page.mouse.move(700, 500)
    page.evaluate(SCROLL_ENDS)
    page.mouse.wheel(0, -1500)
    page.evaluate("scrollEnds")
    place = scroll_place(page)
    assert place < -300
    host, port = urlsplit(backend).netloc.split(":")
    machinery = re.compile(
        rf"{host}|localhost|{port}|http:|curl|What was asked before|An earlier answer|Settings|Conversations|Backend"
    )
    assert machinery.search(everything_said(page))

    page.keyboard.press("F2")
    expect(stage(page)).to_be_attached()
    page.wait_for_function("() => Boolean(document.fullscreenElement)")
    expect(page.get_by_role("heading", name="What does the plan cost?")).to_be_visible()
    # An announcement stays for a second.
    expect(page.locator("#announcements")).not_to_contain_text("An earlier answer")
    assert machinery.findall(everything_said(page)) == []
    assert page.evaluate(SMALL) == []
    expect_no_violations_in_both_schemes(page)
    # A letter blanks the page, but not where a person types.
    page.keyboard.press("b")
    expect(page.get_by_role("button", name="Show the page again")).to_be_visible()
    page.keyboard.press(".")
    expect(page.get_by_role("button", name="Show the page again")).to_have_count(0)
    message(page).press("End")
    page.keyboard.type("b.")
    expect(message(page)).to_have_value("a draft of mineb.")
    # Keys of other parts do not act.
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Search and commands")).to_have_count(0)
    page.keyboard.press("Escape")

    expect(stage(page)).to_have_count(0)
    page.wait_for_function("() => !document.fullscreenElement")
    expect(message(page)).to_have_value("a draft of mineb.")
    expect(thoughts.get_by_role("button", name="Raw")).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("navigation", name="Conversations")).to_be_visible()
    assert scroll_place(page) == place
    assert page.title() == "What was asked before? – Chat"
    expect_a_written_answer_to_go_on(page, stand_in)


def expect_a_written_answer_to_go_on(page: Page, stand_in: StandIn) -> None:
    ask(page, "And then?")
    expect(page.get_by_text("The first words.")).to_be_visible()
    page.keyboard.press("F2")
    expect(page.get_by_role("heading", name="And then?")).to_be_visible()
    expect(page.get_by_role("heading", name="What does the plan cost?")).to_be_hidden()
    # The page does not get the Escape that leaves the full screen.
    page.wait_for_function("() => Boolean(document.fullscreenElement)")
    page.evaluate("() => document.exitFullscreen()")
    expect(stage(page)).to_have_count(0)
    stand_in.go_on()
    expect(expect_settled(page, turns=3)).to_contain_text("The first words. The last words.")


def opened_script(page: Page) -> Locator:
    from_more(page, "Presentation script…")
    dialog = page.get_by_role("dialog", name="Presentation script")
    expect(dialog.locator(":focus")).to_be_attached()
    return dialog


def presented(page: Page) -> Page:
    """The presenter's window of a page that presents the script."""
    dialog = opened_script(page)
    dialog.locator("input[type=file]").set_input_files({**FILE, "buffer": SCRIPT.encode()})
    with page.expect_popup() as opened:
        dialog.get_by_role("button", name="Presenter's window").click()
    notes = opened.value
    expect(notes.locator("#status")).to_have_text(APART)
    dialog.get_by_role("button", name="Present", exact=True).click()
    expect(notes.locator("#question")).to_have_text("Press Page Down for the first question.")
    return notes


def asked(stand_in: StandIn, backend: str) -> list[list[str]]:
    """The person's words in each request to the backend."""
    bodies: list[Any] = stand_in.asked(backend)
    return [[one["content"] for one in body["messages"][::2]] for body in bodies]


def test_a_script_is_chosen_or_dropped_and_errors_in_it_are_told(context: BrowserContext):
    stages = Refused(context, r"/presentation_view-[\w-]+\.js")
    page = open_page(context)
    dialog = opened_script(page)
    files = dialog.locator("input[type=file]")
    files.set_input_files({**FILE, "buffer": b"[[step]]\nquestion = 'a'\nopens = 'sources'"})
    expect(dialog.get_by_role("alert")).to_have_text(
        "Step 1: the key “opens” is not known. Known keys: question, open, notes."
    )
    expect_no_violations(page)
    files.set_input_files({**FILE, "buffer": SCRIPT.encode()})
    expect(dialog.get_by_role("listitem")).to_have_count(3)
    expect(dialog.get_by_role("listitem").first).to_contain_text("Opens citation 1")
    expect(dialog.get_by_role("alert")).to_be_empty()
    dialog.get_by_role("button", name="Remove script").click()
    expect(dialog.get_by_role("listitem")).to_have_count(0)
    page.evaluate(
        """script => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([script], "dropped.toml"));
            const place = document.querySelector(".script-dialog .framed-body");
            place.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        }""",
        SCRIPT,
    )
    expect(dialog.get_by_text("dropped.toml")).to_be_visible()
    expect(dialog.get_by_role("listitem")).to_have_count(3)

    # A running request is awaited, and the newer of two counts.
    held = held_requests(page, "**/api/scripts/")
    with page.expect_request("**/api/scripts/"):
        files.set_input_files({**FILE, "name": "older.toml", "buffer": b"[[step]]\nquestion = 'Older?'"})
    expect(dialog.get_by_role("button", name="Present", exact=True)).to_be_disabled()
    page.unroute("**/api/scripts/")
    files.set_input_files({**FILE, "name": "newer.toml", "buffer": SCRIPT.encode()})
    expect(dialog.get_by_text("newer.toml")).to_be_visible()
    expect(dialog.get_by_role("button", name="Present", exact=True)).to_be_enabled()
    assert len(held) == 1
    expect(dialog.get_by_role("listitem")).to_have_count(3)
    leave(dialog)
    expect_no_key_for_a_stage_that_did_not_load(page, stages)


class Refused:
    """Requests to paths like `path`, each refused after a press of Escape while `is_on`.

    The route is set before the page opens: it may miss requests of a page at work.
    """

    is_on = True

    def __init__(self, context: BrowserContext, path: str) -> None:
        context.route(re.compile(path), self._answer)

    def _answer(self, route: Route) -> None:
        if not self.is_on:
            route.continue_()
            return
        route.request.frame.page.keyboard.press("Escape")
        route.abort()


def expect_no_key_for_a_stage_that_did_not_load(page: Page, stages: Refused) -> None:
    """The next stage does not take the key."""
    listen(page)
    page.keyboard.press("F2")
    assert heard_to(page, "Loading failed").said[-1] == "Loading failed. Try again in a moment."
    expect(page.get_by_role("button", name="New chat")).to_be_visible()
    stages.is_on = False
    page.keyboard.press("F2")
    expect(stage(page)).to_be_attached()
    page.keyboard.press("b")
    expect(page.get_by_role("button", name="Show the page again")).to_be_focused()


def test_a_step_asks_its_question_and_waits_also_over_a_reload(new_context: NewContext, stand_in: StandIn):
    backend = stand_in.streaming(CONTEXT, delta("It costs "), stand_in.WAIT_UNTIL_TOLD, delta("ten euros [plans.md]."))
    page = open_page(new_context(viewport=SCREEN, reduced_motion="reduce"), backend=backend)
    message(page).fill("a draft of mine")
    notes = presented(page)
    expect(message(page)).to_have_value("")
    page.keyboard.press("PageDown")
    expect(notes.locator("#status")).to_have_text(re.compile(r"First text after [\d.]+ s, writing"))
    page.keyboard.press("PageDown")
    expect(notes.locator("#remark")).to_have_text("The answer is still being written.")
    expect(notes.locator("#notes")).to_have_text("Point at the marked sentence.")
    expect(notes.locator("#next-question")).to_have_text("How much leave is there?")
    # The start key of a clicker does nothing.
    page.evaluate("() => { window.isTheSame = true; }")
    page.keyboard.press("F5")
    page.keyboard.press("b")
    expect(page.get_by_role("button", name="Show the page again")).to_be_visible()
    assert page.evaluate("window.isTheSame")
    reload(page)
    page.get_by_role("button", name="Show the page again").click()
    expect(page.get_by_role("button", name="New chat")).to_be_hidden()
    stand_in.go_on()
    expect(sources(page).locator(".passage:has(mark)")).to_have_text("The plan costs ten euros.")
    expect(notes.locator("#status")).to_have_text(re.compile(r"Done in [\d.]+ s, first text after [\d.]+ s"))
    assert page.evaluate(SMALL) == []
    expect_no_violations(notes)
    # A duplicated tab does not ask again.
    with page.expect_popup() as opened:
        page.evaluate("() => void window.open('/')")
    expect(opened.value.get_by_role("button", name="New chat")).to_be_visible()
    expect(stage(page)).to_be_attached()
    page.keyboard.press("Escape")
    expect(message(page)).to_have_value("a draft of mine")
    expect(sources(page)).to_be_visible()
    expect(notes.locator("#status")).to_have_text(APART)
    # Keys act only while the page presents.
    page.get_by_role("log", name="Conversation").focus()
    page.keyboard.press("b")
    page.keyboard.press("PageDown")
    expect(page.get_by_role("button", name="Show the page again")).to_have_count(0)
    assert asked(stand_in, backend) == [QUESTIONS[:1]]


def test_the_presenters_window_drives_the_steps_and_has_private_notes(new_context: NewContext, stand_in: StandIn):
    backend = stand_in.one_after_the_other(
        [CONTEXT, delta("It was so.")],
        [CONTEXT, delta("It costs ten euros [plans.md].")],
        [CONTEXT, delta("It is 20 weeks [leave.md], not 30 [plans.md].")],
        [{"error": {"message": "the machine secret-host-7 is out of order"}}],
        [CONTEXT, delta("Because of the plan [plans.md].")],
    )
    stand_in.shelve(backend, "plans.md", "# Plans\n\nThe plan costs ten euros.")
    page = open_page(new_context(viewport=SCREEN, reduced_motion="reduce"), backend=backend)
    # A presentation has a new conversation.
    get_answer(page, "What was asked before?")
    notes = presented(page)
    plan = page.get_by_role("heading", name="What does the plan cost?")
    leave = page.get_by_role("heading", name="How much leave is there?")
    document = page.locator(".document-text")
    blank = page.get_by_role("button", name="Show the page again")

    notes.keyboard.press("PageDown")
    expect(sources(page).locator(".passage:has(mark)")).to_have_text("The plan costs ten euros.")
    notes.get_by_role("button", name="Next step").click()
    expect(document).to_contain_text("The plan costs ten euros.")
    expect(plan).to_be_hidden()
    notes.keyboard.press("PageUp")
    expect(plan).to_be_visible()
    expect(leave).to_be_hidden()
    expect(sources(page).locator(".passage:has(mark)")).to_have_text("The plan costs ten euros.")
    notes.keyboard.press("b")
    expect(blank).to_be_visible()
    page.keyboard.press("PageDown")
    expect(document).to_contain_text("The plan costs ten euros.")
    expect(blank).to_have_count(0)

    page.keyboard.press("PageDown")
    expect(page.get_by_text("No answer arrived.")).to_be_visible()
    assert "secret-host-7" not in everything_said(page)
    expect(notes.locator("#status")).to_contain_text("secret-host-7")
    notes.get_by_role("button", name="Ask again").click()
    expect(page.get_by_role("dialog", name="Thoughts").get_by_role("heading", name="Search")).to_be_visible()
    page.keyboard.press("PageDown")
    for said in (notes.locator("#remark"), notes.locator("#next-question")):
        expect(said).to_have_text("End of the script")
    page.mouse.move(20, 20)
    expect(page.get_by_role("button", name="End of the script")).to_have_attribute("aria-disabled", "true")
    expect(notes.locator("#place")).to_have_text("3 of 3")
    before, *of_script = asked(stand_in, backend)
    assert before == ["What was asked before?"]
    assert {said[0] for said in of_script} == {QUESTIONS[0]}
    assert [said[-1] for said in of_script] == [*QUESTIONS, QUESTIONS[-1]]
    page.close()
    expect(notes.locator("#status")).to_have_text(GONE)

    policy = notes.request.get("/present/notes").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
