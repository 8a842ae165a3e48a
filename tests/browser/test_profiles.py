"""Backends by name: the operator's, a person's own, their options and keys, and what the operator locks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.app import running_app
from tests.browser.axe import expect_no_violations
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, answers, ask, expect_alive, expect_settled, message, open_page

OPERATORS_KEY = "operators-key-0123456789"
OWN_KEY = "own-key-that-nobody-sees-0123456789"
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="4"/></svg>'


@pytest.fixture(scope="module")
def locked_url(tmp_path_factory: pytest.TempPathFactory, stand_in: StandIn) -> Iterator[str]:
    """An app as an operator may configure it: two backends, no others, few questions, a face of its own."""
    folder = tmp_path_factory.mktemp("locked")
    handbook = stand_in.streaming({"delta": {"content": "From the handbook."}})
    notes = stand_in.streaming({"delta": {"content": "From the notes."}})
    (folder / "backends.toml").write_text(
        f'[[backends]]\nname = "Handbook"\nurl = "{handbook}"\nstarter_questions = ["Who pays?"]\n'
        'options = { temperature = 0.3 }\n[backends.credential]\nkind = "api-key"\nenv = "HANDBOOK_KEY"\n'
        f'[[backends]]\nname = "Notes"\nurl = "{notes}"\n'
    )
    (folder / "logo.svg").write_text(LOGO)
    settings = {
        "CHAT_UI_BACKENDS": str(folder / "backends.toml"),
        "HANDBOOK_KEY": OPERATORS_KEY,
        "CHAT_UI_POLICY": "public",
        "CHAT_UI_ALLOW_CUSTOM_BACKENDS": "false",
        "CHAT_UI_SETTINGS_ACCESS": "read-only",
        "CHAT_UI_SHOW_THOUGHTS": "false",
        "CHAT_UI_QUESTIONS_PER_MINUTE": "2",
        "CHAT_UI_QUESTION_CHARACTERS": "100",
        "CHAT_UI_TITLE": "Ask Tern & Gull",
        "CHAT_UI_LOGO": str(folder / "logo.svg"),
        "CHAT_UI_ACCENT": "teal",
        "CHAT_UI_NOTICE": "A demonstration <b>only</b>.",
        "CHAT_UI_FOOTER": "Answers can be wrong.",
    }
    app = tmp_path_factory.mktemp("locked_app")
    with running_app(app, settings) as url:
        yield url


@pytest.fixture
def locked(new_context: NewContext, locked_url: str) -> BrowserContext:
    return new_context(base_url=locked_url)


def open_settings(page: Page) -> Locator:
    page.get_by_role("button", name="Backend settings").click()
    return page.get_by_role("dialog", name="Backend settings")


def save(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)


def test_an_operators_page_has_its_face_and_its_backends(locked: BrowserContext, stand_in: StandIn):
    page = open_page(locked)
    expect(page).to_have_title("Ask Tern & Gull")
    expect(page.get_by_role("heading", name="Ask Tern & Gull")).to_be_visible()
    expect(page.get_by_role("note")).to_have_text("A demonstration <b>only</b>.")
    expect(page.get_by_text("Answers can be wrong.")).to_be_visible()
    expect(page.locator("[data-is-root-theme=true]")).to_have_attribute("data-accent-color", "teal")
    expect(page.locator("img.logo")).to_have_js_property("naturalWidth", 8)
    page.get_by_role("button", name="Who pays?").click()
    expect(expect_settled(page)).to_contain_text("From the handbook.")
    expect(page.get_by_role("button", name="Thoughts")).to_have_count(0)
    page.get_by_role("combobox", name="Backend").select_option(label="Notes")
    ask(page, "And the notes?")
    expect(expect_settled(page, turns=2)).to_contain_text("From the notes.")


def test_what_an_operator_locked_stays_locked(locked: BrowserContext, stand_in: StandIn):
    other = stand_in.streaming({"delta": {"content": "Elsewhere."}})
    page = open_page(locked, backend=other)
    dialog = open_settings(page)
    expect(dialog.get_by_role("textbox", name="Backend URL")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Save")).to_have_count(0)
    expect(dialog.get_by_role("switch", name="Suggest follow-up questions")).to_be_disabled()
    dialog.get_by_role("button", name="Close").click()
    ask(page, "Who answers?")
    answer = expect_settled(page)
    expect(answer).to_contain_text("From the handbook.")
    assert stand_in.asked(other) == []
    address = answer.locator(".answer-text").get_attribute("data-address")
    assert page.request.get(f"{address}/thoughts").status == 404


def test_a_link_selects_an_operators_backend_and_no_other(locked: BrowserContext):
    page = open_page(locked, path="/?backend=Notes&q=Hello%20there")
    expect(page.get_by_role("combobox", name="Backend")).to_have_value("given:Notes")
    expect(message(page)).to_have_value("Hello there")
    page.goto("/?backend=http://127.0.0.1:9/chat")
    expect_alive(page)
    expect(page.get_by_role("combobox", name="Backend")).to_have_value("given:Notes")
    expect(page.get_by_role("article")).to_have_count(0)


def test_more_than_a_persons_share_is_refused_in_words_and_the_question_comes_back(locked: BrowserContext):
    page = open_page(locked)
    ask(page, "x" * 101)
    expect(page.get_by_role("alert")).to_contain_text("101 characters; 100 are allowed")
    for turn in (1, 2):
        ask(page, f"Question {turn}")
        expect_settled(page, turns=turn)
    for _ in range(2):
        ask(page, "One too many")
        expect(page.get_by_role("alert")).to_contain_text(
            re.compile(r"asked 2 questions within a minute.*Try again in \d+ s")
        )
        expect(message(page)).to_have_value("One too many")


def test_a_key_goes_to_its_origin_and_is_seen_nowhere_else(context: BrowserContext, stand_in: StandIn):
    address = stand_in.streaming({"error": f"your key {OWN_KEY} is wrong"})
    frames: list[str] = []

    def listen(page: Page) -> None:
        page.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))),
        )

    context.on("page", listen)
    page = open_page(context, backend=address)
    dialog = open_settings(page)
    dialog.get_by_label("Key", exact=True).fill(OWN_KEY)
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.get_by_role("status")).to_contain_text("is wrong")
    save(dialog)
    ask(page, "Am I let in?")
    expect_settled(page)
    assert stand_in.header(address, "authorization") == f"Bearer {OWN_KEY}"
    dialog = open_settings(page)
    expect(dialog.get_by_label("Key", exact=True)).to_have_value("")
    expect(dialog.get_by_role("button", name="Remove key")).to_be_visible()
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    for text in (kept, page.content(), *frames):
        assert OWN_KEY not in text
    assert frames

    dialog.get_by_role("textbox", name="Backend URL").fill(address.replace("127.0.0.1", "localhost"))
    save(dialog)
    ask(page, "Still?")
    expect_settled(page, turns=2)
    assert stand_in.header(address, "authorization") is None
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill(address)
    save(dialog)
    ask(page, "And back?")
    expect_settled(page, turns=3)
    assert stand_in.header(address, "authorization") is None


def test_options_travel_with_each_question_and_what_differs_is_shown(context: BrowserContext, stand_in: StandIn):
    address = stand_in.streaming({"delta": {"content": "Yes."}})
    page = open_page(context, backend=address)
    dialog = open_settings(page)
    dialog.get_by_text("Request settings").click()
    dialog.get_by_role("textbox", name="Temperature").fill("warm")
    expect(dialog.get_by_role("alert")).to_have_text("Enter a number.")
    dialog.get_by_role("textbox", name="Temperature").fill("0.7")
    expect(dialog.get_by_role("alert")).to_have_count(0)
    dialog.get_by_role("combobox", name="Retrieval").select_option(label="Text")
    dialog.get_by_role("textbox", name="Other options").fill('{"seed": 7')
    expect(dialog.get_by_role("alert")).to_contain_text("Line 1, column 11")
    dialog.get_by_role("textbox", name="Other options").fill('{"seed": 7}')
    expect(dialog.get_by_role("alert")).to_have_count(0)
    save(dialog)
    ask(page, "One?")
    expect_settled(page)
    sent = stand_in.asked(address)[-1]["context"]["overrides"]
    assert sent == {"suggest_followup_questions": True, "temperature": 0.7, "retrieval_mode": "text", "seed": 7}
    page.reload()
    expect(page.get_by_role("button", name="Backend settings, 3 changed")).to_have_text("3")
    expect_no_violations(page)
    dialog = open_settings(page)
    expect(dialog.get_by_text("3 changed")).to_be_visible()
    dialog.get_by_text("Request settings").click()
    dialog.get_by_role("button", name="Reset").click()
    expect(dialog.get_by_role("textbox", name="Temperature")).to_have_value("")
    save(dialog)
    expect(page.get_by_role("button", name="Backend settings", exact=True)).to_have_text("")
    ask(page, "Two?")
    expect_settled(page, turns=2)
    assert stand_in.asked(address)[-1]["context"]["overrides"] == {"suggest_followup_questions": True}


def test_a_person_has_several_backends_and_switches_in_the_header(page: Page, stand_in: StandIn):
    for name in ("First", "Second"):
        page.get_by_role("combobox", name="Backend").or_(page.get_by_text("Demo backend")).first.wait_for()
        if name == "Second":
            page.get_by_role("combobox", name="Backend").select_option(label="Demo backend")
        dialog = open_settings(page)
        dialog.get_by_role("textbox", name="Backend URL").fill(
            stand_in.streaming({"delta": {"content": f"{name} here."}})
        )
        save(dialog)
        dialog = open_settings(page)
        dialog.get_by_role("textbox", name="Name").fill(name)
        save(dialog)
    page.get_by_role("combobox", name="Backend").select_option(label="First")
    ask(page, "Who is it?")
    expect(expect_settled(page)).to_contain_text("First here.")
    dialog = open_settings(page)
    dialog.get_by_role("button", name="Remove", exact=True).click()
    expect(dialog).to_have_count(0)
    names = page.get_by_role("combobox", name="Backend").locator("option")
    expect(names).to_have_text(["Demo backend", "Second"])


def test_a_conversation_goes_on_with_the_backend_that_answered_it(context: BrowserContext, stand_in: StandIn):
    own = [
        {"id": f"own:{name}", "name": name, "url": stand_in.streaming({"delta": {"content": f"{name} here."}})}
        for name in ("First", "Second")
    ]
    saved = json.dumps({"selected": "own:First", "own": own})
    context.add_init_script(f"localStorage['chat-ui-backend'] ||= {json.dumps(saved)}")
    page = open_page(context)
    chosen = page.get_by_role("combobox", name="Backend")
    ask(page, "Who is it?")
    expect(expect_settled(page)).to_contain_text("First here.")
    page.get_by_role("button", name="New chat").click()
    expect(page.get_by_role("article")).to_have_count(0)
    chosen.select_option(label="Second")
    ask(page, "And who is this?")
    expect(expect_settled(page)).to_contain_text("Second here.")

    page.get_by_role("button", name="Conversations", exact=True).click()
    page.get_by_role("navigation", name="Conversations").get_by_role("link", name="Who is it?").click()
    expect(answers(page)).to_contain_text("First here.")
    expect(chosen).to_have_value("own:First")
    ask(page, "Still you?")
    expect(expect_settled(page, turns=2)).to_contain_text("First here.")
    page.get_by_role("button", name="New chat").click()
    expect(chosen).to_have_value("own:Second")
    expect(page.get_by_role("article")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/$"))

    page.go_back()
    expect(answers(page).first).to_contain_text("First here.")
    chosen.select_option(label="Second")
    expect(chosen).to_have_value("own:Second")
    page.reload()
    expect(answers(page).first).to_contain_text("First here.")
    expect(chosen).to_have_value("own:Second")


def test_an_address_that_may_not_be_called_says_so(page: Page):
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill("http://169.254.169.254/latest/meta-data")
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.get_by_role("status")).to_contain_text("link-local address, and may not be called from here")


def test_hostile_names_in_the_browsers_storage_are_text(context: BrowserContext, stand_in: StandIn):
    name = "<img src=x onerror=\"window.ran = 'name'\">"
    own = {"id": "own:1", "url": stand_in.streaming({"delta": {"content": "Yes."}}), "name": name}
    saved = json.dumps({"selected": "own:1", "own": [own]})
    context.add_init_script(f"localStorage.setItem('chat-ui-backend', {saved!r})")
    page = open_page(context)
    expect(page.get_by_role("combobox", name="Backend").locator("option:checked")).to_have_text(name)
    assert page.evaluate("window.ran") is None
