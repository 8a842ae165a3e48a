import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.answering import answers, expect_settled, get_answer, start_answer
from tests.browser.asking import message, new_chat, questions
from tests.browser.axe import expect_no_violations
from tests.browser.opening import address_of, expect_alive, leaving_its_address, open_page, use
from tests.browser.places import box, choose, leave, opened_data, opened_list, options_of
from tests.browser.stand_in import StandIn, delta

GONE = re.compile("^The conversation was deleted, or")


def entries(listed: Locator) -> Locator:
    return listed.get_by_role("link")


def words_of(page: Page) -> Locator:
    return questions(page).locator(".question-text")


def ask_in_new_chat(page: Page, question: str) -> str:
    """The address of a new conversation with this question."""
    new_chat(page)
    get_answer(page, question)
    return address_of(page)


def test_a_new_tab_begins_a_new_chat_and_a_link_opens_the_last(page: Page, stand_in: StandIn):
    asked = ["What colour are buoys?"]
    use(page, stand_in.held(delta("Buoys "), delta("are red.")))
    start_answer(page, asked[0])
    page.reload()
    expect(questions(page)).to_have_text(asked)
    stand_in.go_on()
    expect_settled(page)
    address = address_of(page)
    other = page.context.new_page()
    for _ in range(2):
        other.goto("/")
        expect_alive(other)
        expect(questions(other)).to_have_count(0)
        other.get_by_role("link", name=f"Continue: {asked[0]}").click()
        expect(questions(other)).to_have_text(asked)
        assert other.url == address
    other.goto("/")
    expect_alive(other)
    other.go_back()
    expect(questions(other)).to_have_text(asked)


@pytest.mark.wcag("2.4.5")
def test_conversations_are_listed_newest_first_opened_and_searched(page: Page, stand_in: StandIn):
    use(page, stand_in.saying("Buoys are red.", "The cormorant dives."))
    ask_in_new_chat(page, "What colour are buoys?")
    ask_in_new_chat(page, "Which bird?")
    listed = opened_list(page)
    expect(entries(listed)).to_have_text(["Which bird?", "What colour are buoys?"])
    expect(listed.get_by_role("region", name="Today")).to_be_visible()
    entries(listed).nth(1).click()
    expect(questions(page)).to_have_text(["What colour are buoys?"])
    expect(answers(page)).to_contain_text("Buoys are red.")
    opened = page.url
    page.go_back()
    expect(questions(page)).to_have_text(["Which bird?"])
    expect(page).not_to_have_url(opened)
    search = listed.get_by_role("searchbox", name="Search conversations")
    search.fill("cormor")
    expect(listed.get_by_role("region", name="Found").get_by_role("link")).to_contain_text(["The cormorant dives."])
    expect(entries(listed)).to_have_count(1)
    search.fill("albatross")
    expect(listed).to_contain_text("No results.")
    page.set_viewport_size({"width": 360, "height": 640})
    search.fill("buoys")
    expect(listed.get_by_role("button", name="Options of")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    entries(listed).click()
    expect(listed).to_have_count(0)
    expect(questions(page)).to_have_text(["What colour are buoys?"])


@pytest.mark.wcag("3.3.4")
def test_a_conversation_is_renamed_pinned_deleted_and_restored(page: Page, stand_in: StandIn):
    use(page, stand_in.saying("The cormorant dives.", "Nothing of note."))
    first = ask_in_new_chat(page, "First?").rpartition("/")[2]
    ask_in_new_chat(page, "Second?")
    listed = opened_list(page)
    choose(options_of(listed, "First?"), "Rename")
    title = listed.get_by_role("textbox", name="Title")
    title.fill("The begin")
    # A half-typed title survives another page and a new list.
    page.reload()
    expect(title).to_have_value("The begin")
    assert page.request.patch(f"/api/conversations/{first}", data={"pinned": True}).ok
    title.press("End")
    title.press_sequentially("ning")
    title.press("Enter")
    pinned = listed.get_by_role("region", name="Pinned")
    expect(pinned.get_by_role("link")).to_have_text(["The beginning"])
    expect(entries(listed)).to_have_text(["The beginning", "Second?"])
    choose(options_of(listed, "The beginning"), "Delete")
    expect(entries(listed)).to_have_text(["Second?"])
    listed.get_by_role("button", name="Undo").click()
    expect(entries(listed)).to_have_text(["The beginning", "Second?"])
    changes: list[Route] = []
    page.route(
        re.compile("/api/conversations/"),
        lambda route: changes.append(route) if route.request.method == "PATCH" else route.fallback(),
    )
    choose(options_of(listed, "Second?"), "Pin")
    listed.get_by_role("searchbox", name="Search conversations").fill("cormor")
    expect(listed.get_by_role("region", name="Found").get_by_role("link")).to_have_count(1)
    with page.expect_response(re.compile(r"/api/conversations/\?q=cormor$")):
        changes.pop().continue_()
    expect(entries(listed)).to_contain_text(["The cormorant dives."])
    listed.get_by_role("searchbox").fill("")
    expect(pinned.get_by_role("link")).to_have_count(2)
    choose(options_of(listed, "Second?"), "Delete")
    expect(questions(page)).to_have_count(0)
    expect_alive(page)


def test_the_address_of_a_conversation_opens_it_until_it_is_deleted(page: Page, stand_in: StandIn, app_url: str):
    use(page, stand_in.saying("Buoys are red."))
    former = ask_in_new_chat(page, "What colour are buoys?")
    at_its_address = open_page(page.context, path=former)
    expect(expect_settled(at_its_address)).to_contain_text("Buoys are red.")
    get_answer(at_its_address, "Why?", turns=2)
    for tab in (page, at_its_address):
        message(tab).fill("Half typed")
    with leaving_its_address(at_its_address):
        assert page.request.delete(f"/api/conversations/{former.rpartition('/')[2]}").ok
    for tab in (page, at_its_address):
        expect(tab.get_by_role("status").get_by_text(GONE)).to_be_visible()
        expect(tab).to_have_url(f"{app_url}/")
        expect(questions(tab)).to_have_count(0)
        expect(message(tab)).to_have_value("Half typed")
    page.goto(former)
    expect_alive(page)
    expect(page.get_by_role("heading", name="Conversation not found")).to_be_visible()
    for tab in (page, at_its_address):
        get_answer(tab, "And now?")
        assert address_of(tab) != former
        expect(tab.get_by_role("status").get_by_text(GONE)).to_have_count(0)
    page.reload()
    expect_settled(page)
    expect(questions(page)).to_have_text(["And now?"])


def test_an_edited_question_waits_for_the_answer_and_all_versions_stay(page: Page, stand_in: StandIn):
    said = [[delta(text)] for text in ("One.", "Two.", "Three.", "Four.")]
    said[2].append(stand_in.WAIT_UNTIL_TOLD)
    use(page, stand_in.one_after_the_other(*said))
    get_answer(page, "First?")
    page.get_by_role("button", name="Regenerate").click()
    expect(answers(page)).to_contain_text("Two.")
    expect_settled(page)
    versions = page.get_by_role("group", name="Versions of this answer")
    expect(versions).to_contain_text("2 / 2")
    expect(versions.get_by_role("button", name="Next answer")).to_be_disabled()
    versions.get_by_role("button", name="Previous answer").click()
    expect(answers(page)).to_contain_text("One.")
    expect(versions.get_by_role("button", name="Previous answer")).to_be_disabled()
    edit = page.get_by_role("button", name="Edit question")
    edit.click()
    edited = page.get_by_role("textbox", name="Edited question")
    expect(edited).to_have_value("First?")
    bubble, column = box(questions(page).last), box(answers(page).last)
    assert (bubble["x"], bubble["width"]) == (column["x"], column["width"])
    assert edited.evaluate("box => box.getBoundingClientRect().right") < bubble["x"] + bubble["width"]
    edited.fill("First, really?")
    start_answer(page, "Second?")
    expect(edit).to_have_count(0)
    edited.press("Enter")
    expect(questions(page).get_by_role("alert")).to_contain_text("still being written")
    expect(edited).to_have_value("First, really?")
    stand_in.go_on()
    expect_settled(page, turns=2)
    expect(questions(page).get_by_role("alert")).to_have_count(0)
    edited.press("Enter")
    expect(words_of(page)).to_have_text(["First, really?"])
    expect(expect_settled(page)).to_contain_text("Four.")
    versions = page.get_by_role("group", name="Versions of this question")
    expect(versions).to_contain_text("2 / 2")
    expect_no_violations(page)
    versions.get_by_role("button", name="Previous question").click()
    expect(words_of(page)).to_have_text(["First?", "Second?"])
    expect(answers(page).first).to_contain_text("One.")
    page.reload()
    expect(words_of(page)).to_have_text(["First?", "Second?"])


def test_a_conversation_is_exported_and_imported_without_its_backend(page: Page, tmp_path: Path, stand_in: StandIn):
    backend, stranger = stand_in.saying("Buoys are **red**."), stand_in.saying("Not asked.")
    use(page, backend)
    get_answer(page, "What colour are buoys?")
    here = urlsplit(address_of(page)).path
    listed = opened_list(page)
    expect(entries(listed)).to_have_count(1)
    taken = {}
    for form in ("Markdown", "JSON"):
        choose(options_of(listed, "What colour are buoys?"), "Export…")
        page.get_by_role("radio", name=form).check()
        with page.expect_download() as download:
            page.get_by_role("dialog", name="Export").get_by_role("button", name="Export").click()
        taken[form] = tmp_path / download.value.suggested_filename
        download.value.save_as(taken[form])
    assert "Buoys are **red**." in taken["Markdown"].read_text()
    taken["JSON"].write_text(taken["JSON"].read_text().replace(backend, stranger))
    data = opened_data(listed)
    data.get_by_label("File to import").set_input_files(taken["JSON"])
    expect(data).to_contain_text("Imported 1 conversation.")
    with page.expect_download() as download:
        data.get_by_role("link", name="Export all").click()
    leave(data)
    both = listed.get_by_role("link", name="What colour are buoys?")
    expect(both).to_have_count(2)
    exported = json.loads(Path(download.value.path()).read_text())["conversations"]
    assert [one["turns"][0]["question"] for one in exported] == ["What colour are buoys?"] * 2
    new_chat(page)
    both.and_(page.locator(f"a:not([href$='{here}'])")).click()
    expect(answers(page)).to_contain_text("Buoys are red.")
    page.get_by_role("button", name="Regenerate").click()
    expect(page.get_by_role("group", name="Versions of this answer")).to_contain_text("2 / 2")
    expect_settled(page)
    assert (len(stand_in.asked(backend)), stand_in.asked(stranger)) == (2, [])
