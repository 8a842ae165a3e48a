"""Recordings in the page: made, shown, and answering instead of a backend."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.app import App, free_port
from tests.browser.axe import expect_no_violations_in_both_schemes
from tests.browser.opening import NewContext, expect_alive, open_page
from tests.browser.places import open_settings, sources
from tests.browser.stand_in import StandIn, delta
from tests.browser.talking import answers, ask, copied, expect_settled, text_of
from tests.profiles.recorded import QUESTION, RECORDED, recording_of

pytestmark = [pytest.mark.timeout(400), pytest.mark.thorough]

CLIPBOARD = ["clipboard-read", "clipboard-write"]
SIGN = re.compile(r"^Recorded on \d")
LONG_AGO = "Recorded on 20 November 2025"
CONTEXT = {"context": {"data_points": {"text": ["glasses.txt: The plan pays."]}}}


def selected_and_copied(page: Page, text: Locator) -> str:
    """What the clipboard has once a person has selected `text` and copied it by the keyboard."""
    text.evaluate("element => getSelection().selectAllChildren(element)")
    page.keyboard.press("ControlOrMeta+c")
    copied_text: str = page.evaluate("navigator.clipboard.readText()")
    return copied_text


def test_what_is_recorded_is_shown_again_without_the_backend(
    built_app: Path, tmp_path: Path, stand_in: StandIn, new_context: NewContext
):
    backend = stand_in.streaming(CONTEXT, delta("The plan pays [glasses.txt]."))
    stand_in.shelve(backend, "glasses.txt", "The plan pays. It always did.")
    recorded = str(tmp_path / "showing.jsonl")
    with serving(built_app, tmp_path / "live", {"CHAT_UI_BACKEND_URL": backend, "CHAT_UI_RECORD": recorded}) as url:
        page = open_page(new_context(base_url=url, permissions=CLIPBOARD))
        expect(page.get_by_text("What is asked on this page is recorded")).to_be_visible()
        ask(page, QUESTION)
        open_source(page)
    stand_in.shelve(backend, "glasses.txt", "Changed since.")
    before = len(stand_in.asked(backend))
    with serving(built_app, tmp_path / "shown", {"CHAT_UI_REPLAY": recorded}) as url:
        page = open_page(new_context(base_url=url, permissions=CLIPBOARD))
        expect(page.get_by_text("What is asked on this page is recorded")).to_have_count(0)
        expect(page.locator(".backend > .backend-recorded")).to_be_visible()
        expect(page.locator(".backend > .backend-dot")).to_have_count(0)
        expect(page.get_by_role("button", name=QUESTION)).to_be_visible()
        ask(page, QUESTION.upper())
        answer = expect_settled(page)
        assert "Theplanpays" in text_of(answer)
        expect(answer.get_by_text(SIGN)).to_be_visible()
        assert "Recorded on" in copied(page, answer.get_by_role("button", name="Copy answer"))
        open_source(page)
        expect_no_violations_in_both_schemes(page)
        dialog = open_settings(page)
        expect(dialog).to_contain_text("Nothing is asked over a network.")
        expect(dialog.get_by_role("button", name="Save")).to_have_count(0)
    assert len(stand_in.asked(backend)) == before


@contextmanager
def serving(built_app: Path, folder: Path, variables: dict[str, str]) -> Iterator[str]:
    """The address of a page of its own."""
    folder.mkdir()
    app = App(folder, variables, built_app)
    app.start()
    try:
        yield app.url
    finally:
        app.end()


def open_source(page: Page) -> None:
    expect_settled(page).get_by_role("button", name="Citation 1").click()
    sources(page).get_by_role("button", name=re.compile("^Open ")).first.click()
    expect(sources(page).get_by_text("It always did.")).to_be_visible()


@pytest.fixture(scope="module")
def operated(built_app: Path, tmp_path_factory: pytest.TempPathFactory, stand_in: StandIn) -> Iterator[App]:
    """A page with a recording instead of a backend that is not there, and of one that answers."""
    folder = tmp_path_factory.mktemp("recordings")
    recording_of(folder / "showing.jsonl", RECORDED)
    address = stand_in.streaming(delta("Live."))
    profiles = [
        f'name = "Gone"\nurl = "http://127.0.0.1:{free_port()}/chat"\nfallback = "showing.jsonl"',
        f'name = "There"\nurl = "{address}"\nfallback = "showing.jsonl"',
    ]
    (folder / "backends.toml").write_text("".join(f"[[backends]]\n{profile}\n" for profile in profiles))
    made = App(folder, {"CHAT_UI_BACKENDS": str(folder / "backends.toml")}, built_app)
    made.start()
    yield made
    made.end()


def test_a_recording_answers_where_the_backend_fails_and_says_so(operated: App, new_context: NewContext):
    page = open_page(new_context(base_url=operated.url, permissions=CLIPBOARD))
    ask(page, QUESTION)
    answer = expect_settled(page)
    assert text_of(answer) == "Theplanpays.(recorded)"
    why = "Answered from the recording of 20 November 2025: the backend failed. Could not connect"
    expect(answer.get_by_role("alert")).to_contain_text(why)
    expect(answer.get_by_text(LONG_AGO, exact=True)).to_be_visible()
    assert LONG_AGO in selected_and_copied(page, answer.locator(".answer-text"))
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
