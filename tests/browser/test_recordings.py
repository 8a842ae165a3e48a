"""Recordings in the page: made, shown, dropped, played at another pace, and answering instead of a backend."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.app import App, free_port
from tests.browser.axe import expect_no_violations_in_both_schemes
from tests.browser.places import open_settings, opened_switcher, run_command, sources
from tests.browser.reflow import sideways
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    ask_at_once,
    choose,
    copied,
    expect_alive,
    expect_settled,
    leaving_its_address,
    open_page,
    text_of,
)
from tests.profiles.recorded import QUESTION, RECORDED, recording_of

pytestmark = pytest.mark.timeout(400)

SIGN = re.compile(r"^Recorded on \d")
LONG_AGO = "Recorded on 20 November 2025"
CONTEXT = {"context": {"data_points": {"text": ["glasses.txt: The plan pays."]}}}
HOSTILE = "<img src=x onerror='window.pwned=1'><script>window.pwned=1</script>Words"
_DROP = """([text, name]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    const init = { bubbles: true, cancelable: true, dataTransfer: data };
    for (const type of ["dragover", "drop"]) document.querySelector("main").dispatchEvent(new DragEvent(type, init));
}"""


def drop(page: Page, text: str, name: str = "showing.jsonl") -> None:
    page.evaluate(_DROP, [text, name])


def bar(page: Page) -> Locator:
    return page.get_by_role("region", name="Recording that answers")


def selected_and_copied(page: Page, text: Locator) -> str:
    """What the clipboard has once a person has selected `text` and copied it by the keyboard."""
    text.evaluate("element => getSelection().selectAllChildren(element)")
    page.keyboard.press("ControlOrMeta+c")
    copied_text: str = page.evaluate("navigator.clipboard.readText()")
    return copied_text


def test_a_person_records_by_keyboard_and_shows_it_without_the_backend(context: BrowserContext, stand_in: StandIn):
    backend = stand_in.streaming(CONTEXT, {"delta": {"content": "The plan pays [glasses.txt]."}})
    stand_in.shelve(backend, "glasses.txt", "The plan pays. It always did.")
    page = open_page(context, backend=backend)
    page.get_by_role("button", name="More", exact=True).press("Enter")
    page.keyboard.type("Rec")
    expect(page.get_by_role("menuitemcheckbox", name="Record")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Recording what you ask")).to_be_visible()
    ask(page, QUESTION)
    expect_settled(page).get_by_role("button", name="Citation 1").click()
    sources(page).get_by_role("button", name=re.compile("^Open ")).first.click()
    expect(sources(page).get_by_text("It always did.")).to_be_visible()
    address_of(page)
    page.reload()
    expect_alive(page)
    page.get_by_role("button", name="Stop recording").press("Enter")
    with page.expect_download() as file:
        page.get_by_role("link", name="Download").press("Enter")
    assert QUESTION in file.value.path().read_text()
    page.get_by_role("button", name="Show it here").press("Enter")
    expect(bar(page)).to_contain_text(SIGN)
    with leaving_its_address(page):
        run_command(page, "New chat")
    stand_in.shelve(backend, "glasses.txt", "Changed since.")
    before = len(stand_in.asked(backend))
    expect(page.get_by_role("button", name=QUESTION)).to_be_visible()
    ask(page, QUESTION.upper())
    answer = expect_settled(page)
    assert "Theplanpays" in text_of(answer)
    expect(answer.get_by_text(SIGN)).to_be_visible()
    assert "Recorded on" in copied(page, answer.get_by_role("button", name="Copy answer"))
    answer.get_by_role("button", name="Citation 1").click()
    sources(page).get_by_role("button", name=re.compile("^Open ")).first.click()
    expect(sources(page).get_by_text("It always did.")).to_be_visible()
    assert len(stand_in.asked(backend)) == before
    expect_no_violations_in_both_schemes(page)


def test_a_dropped_file_is_shown_at_its_pace_and_harms_nobody(page: Page, tmp_path: Path):
    drop(page, "words\n")
    expect(page.get_by_role("alert").filter(has_text="not a recording")).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).click()
    text = recording_of(tmp_path / "a.jsonl", HOSTILE, question=HOSTILE, rest=" to the end.", after=3600).read_text()
    drop(page, text)
    expect(bar(page)).to_contain_text(LONG_AGO)
    page.get_by_role("group", name="Starter questions").get_by_role("button").first.click()
    answer = answers(page).last
    expect(answer).to_contain_text("Words")
    expect(answer).to_contain_text(LONG_AGO)
    run_command(page, "Play the recording faster")
    expect(page.get_by_role("combobox", name="Speed")).to_have_value("2")
    run_command(page, "Skip to the end of the answer")
    assert text_of(expect_settled(page)).endswith("Wordstotheend.")
    assert page.evaluate("window.pwned") is None
    expect(page.get_by_role("button", name="Skip to the end")).to_have_count(0)
    page.reload()
    expect_alive(page)
    expect(bar(page)).to_contain_text(LONG_AGO)
    expect(page.get_by_role("combobox", name="Speed")).to_have_value("2")
    expect(page.locator(".backend > .backend-recorded")).to_be_visible()
    expect(page.locator(".backend > .backend-dot")).to_have_count(0)
    page.set_viewport_size({"width": 390, "height": 844})
    assert sideways(page) == 0
    sign, speed = bar(page).get_by_text(LONG_AGO).bounding_box(), page.get_by_label("Speed").bounding_box()
    assert sign
    assert speed
    assert speed["y"] < sign["y"] + sign["height"]
    assert LONG_AGO in selected_and_copied(page, answers(page).last.locator(".answer-text"))


def test_both_arms_of_a_comparison_are_signed_and_played_to_their_end(page: Page, tmp_path: Path):
    drop(page, recording_of(tmp_path / "a.jsonl", "The plan", rest=" pays.", after=3600).read_text())
    choose(page.get_by_role("button", name="More", exact=True), "Compare")
    sides = [page.get_by_role("region", name=name, exact=True) for name in ("Left", "Right")]
    for name in ("Left", "Right"):
        expect(bar(page).get_by_text(re.compile(f"^{name}:")).locator("..")).to_contain_text(LONG_AGO)
    ask_at_once(page, QUESTION)
    for side in sides:
        expect(side.locator(".answer-text")).to_have_text("The plan")
        expect(side.get_by_role("article", name="Answer")).to_contain_text(LONG_AGO)
    bar(page).get_by_role("button", name="Skip to the end").click()
    for side in sides:
        expect(side.locator(".answer-text")).to_have_text("The plan pays.")
    page.get_by_role("combobox", name="Backend of the right arm").select_option(index=0)
    expect(bar(page).get_by_text(re.compile("^Right:"))).to_have_count(0)
    expect(bar(page).get_by_text(re.compile("^Left:"))).to_be_visible()
    page.get_by_role("button", name="End the comparison").click()
    expect(bar(page).get_by_text(SIGN)).to_be_visible()


def test_a_file_that_is_being_taken_can_be_cancelled(page: Page, tmp_path: Path):
    """Also while the server checks it: the answer to the upload is held back here."""
    text = recording_of(tmp_path / "a.jsonl", RECORDED).read_text()

    def hold(route: Route) -> None:
        """Answer nothing."""

    page.route("**/recordings/", hold)
    with page.expect_request("**/recordings/"):
        drop(page, text, "slow.jsonl")
    line = page.get_by_text("Taking slow.jsonl…")
    expect(line).to_be_visible()
    with page.expect_event("requestfailed") as failed:
        page.get_by_role("button", name="Cancel", exact=True).press("Enter")
    assert failed.value.method == "POST"
    expect(line).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)
    page.unroute("**/recordings/")
    drop(page, text)
    expect(bar(page)).to_contain_text(LONG_AGO)


@pytest.fixture(scope="module")
def operated(built_app: Path, tmp_path_factory: pytest.TempPathFactory, stand_in: StandIn) -> Iterator[App]:
    """A page with a recording instead of a backend that is not there, and of one that answers."""
    folder = tmp_path_factory.mktemp("recordings")
    recording_of(folder / "showing.jsonl", RECORDED)
    address = stand_in.streaming({"delta": {"content": "Live."}})
    profiles = [
        f'name = "Gone"\nurl = "http://127.0.0.1:{free_port()}/chat"\nfallback = "showing.jsonl"',
        f'name = "There"\nurl = "{address}"\nfallback = "showing.jsonl"',
        'name = "Shown"\nkind = "recording"\nfile = "showing.jsonl"',
    ]
    (folder / "backends.toml").write_text("".join(f"[[backends]]\n{profile}\n" for profile in profiles))
    made = App(folder, {"CHAT_UI_BACKENDS": str(folder / "backends.toml")}, built_app)
    made.start()
    yield made
    made.end()


def test_a_recording_answers_where_the_backend_fails_and_says_so(operated: App, new_context: NewContext):
    page = open_page(new_context(base_url=operated.url))
    ask(page, QUESTION)
    answer = expect_settled(page)
    assert text_of(answer) == "Theplanpays.(recorded)"
    why = "Answered from the recording of 20 November 2025: the backend failed. Could not connect"
    expect(answer.get_by_role("alert")).to_contain_text(why)
    expect(answer.get_by_text(LONG_AGO, exact=True)).to_be_visible()
    expect(bar(page)).to_have_count(0)
    page.reload()
    expect_alive(page)
    expect(answers(page).last).to_contain_text("Answered from the recording of 20 November 2025")
    expect(page.get_by_role("combobox", name="Backend")).to_have_value("given:Gone")
    ask(page, "What is not in it?")
    expect(expect_settled(page, turns=2).get_by_role("alert")).to_contain_text("Could not connect")
    page.get_by_role("combobox", name="Backend").select_option(label="There")
    ask(page, QUESTION)
    answer = expect_settled(page, turns=3)
    assert text_of(answer) == "Live."
    expect(answer.get_by_text(LONG_AGO)).to_have_count(0)


def test_a_recording_is_shown_after_a_restart(operated: App, new_context: NewContext, tmp_path: Path):
    page = open_page(new_context(base_url=operated.url))
    file = recording_of(tmp_path / "mine.jsonl", "Mine.", question="Whose?")
    dialog = open_settings(page)
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Open a recording…").click()
    chooser.value.set_files(file)
    expect(bar(page)).to_contain_text(LONG_AGO)
    ask(page, "Whose?")
    expect_settled(page)
    operated.end()
    operated.start()
    page.reload()
    expect_alive(page)
    expect(answers(page).last.get_by_text(LONG_AGO, exact=True)).to_be_visible()
    ask(page, "Whose?")
    assert text_of(expect_settled(page, turns=2)) == "Mine."
    menu = opened_switcher(page)
    expect(menu.get_by_role("menuitemradio", name="Shown")).to_contain_text(LONG_AGO)
    menu.get_by_role("menuitemradio", name="Shown").click()
    ask(page, QUESTION)
    answer = expect_settled(page, turns=3)
    expect(answer.get_by_text(LONG_AGO, exact=True)).to_be_visible()
    dialog = open_settings(page)
    expect(dialog).to_contain_text("Nothing is asked over a network.")
    expect(dialog.get_by_role("button", name="Save")).to_have_count(0)
