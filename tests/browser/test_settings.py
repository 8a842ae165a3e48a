"""Choosing the backend that answers."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.app import free_port
from tests.backends.own_data import DEPLOYMENT, SOURCES, only_with_data
from tests.backends.stand_in import StandIn, in_thread
from tests.browser.places import open_settings
from tests.browser.questions import LEAVE
from tests.browser.talking import answers, ask, expect_settled, open_page


def test_a_saved_backend_answers_also_after_a_reload(page: Page, stand_in):
    address = stand_in.streaming({"delta": {"content": "Here is the other backend."}})
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill(address)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    page.reload()
    ask(page, "Who is there?")
    expect(expect_settled(page)).to_contain_text("Here is the other backend.")


@pytest.mark.parametrize("typed", ["not an address", "ftp://example.com/chat", "http://", "javascript:alert(1)", ""])
def test_an_address_that_cannot_be_one_is_refused_at_its_field(page: Page, typed: str):
    dialog = open_settings(page)
    field = dialog.get_by_role("textbox", name="Backend URL")
    field.fill(typed)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    expect(field).to_have_attribute("aria-invalid", "true")
    dialog.get_by_role("button", name="Cancel").click()
    page.reload()
    expect(open_settings(page).get_by_role("textbox", name="Backend URL")).to_have_value(re.compile("/demo/chat$"))


def test_test_connection_says_what_is_there(page: Page):
    dialog = open_settings(page)
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.get_by_role("status")).to_contain_text("A chat backend answered")


def test_test_connection_finds_the_backend_below_the_address_of_its_server(page: Page):
    dialog = open_settings(page)
    field = dialog.get_by_role("textbox", name="Backend URL")
    whole = field.input_value()
    field.fill(whole.removesuffix("/chat"))
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.get_by_role("status")).to_contain_text(f"A chat backend answered at {whole}")
    expect(field).to_have_value(whole)
    dialog.get_by_text("What was tried").click()
    expect(dialog.get_by_role("listitem").filter(has_text="OPTIONS").first).to_be_visible()


def test_test_connection_says_why_nothing_is_there(page: Page):
    port = free_port()
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill(f"http://127.0.0.1:{port}/chat")
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.get_by_role("status")).to_contain_text(re.compile("refused", re.IGNORECASE))


def test_a_test_that_takes_long_is_stopped(page: Page, stand_in):
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill(stand_in.streaming(stand_in.WAIT_UNTIL_TOLD))
    dialog.get_by_role("button", name="Test connection").click()
    dialog.get_by_role("button", name="Stop the test").click()
    expect(dialog.get_by_role("status")).to_contain_text("The test was stopped.")
    expect(dialog.get_by_role("button", name="Test connection")).to_be_visible()


def test_a_question_to_the_address_of_a_server_is_answered_where_its_chat_is(page: Page):
    dialog = open_settings(page)
    field = dialog.get_by_role("textbox", name="Backend URL")
    whole = field.input_value()
    field.fill(whole.removesuffix("/chat"))
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    ask(page, LEAVE)
    answer = expect_settled(page)
    expect(answer.get_by_role("button", name=re.compile("^Citation 1")).first).to_be_visible()
    answer.get_by_role("button", name="Thoughts").click()
    expect(page.get_by_role("dialog", name="Thoughts")).to_contain_text(f"the chat backend answered at {whole}")


def test_an_address_is_kept_as_the_one_where_its_chat_was_found(context: BrowserContext, app_url: str):
    whole = f"{app_url.replace('localhost', '127.0.0.1')}/demo/chat"
    page = open_page(context, backend=whole.removesuffix("/chat"))
    ask(page, LEAVE)
    expect_settled(page)
    kept = page.wait_for_function(
        """whole => JSON.parse(localStorage["chat-ui-backend"]).own?.find((own) => own.url === whole)""", arg=whole
    )
    assert kept.json_value()["kind"] == "ai-chat-protocol"
    page.reload()
    expect(open_settings(page).get_by_role("textbox", name="Backend URL")).to_have_value(whole)


def test_a_deployment_gets_the_data_sources_that_were_set(page: Page):
    with in_thread(StandIn(only_with_data)) as azure:
        dialog = open_settings(page)
        dialog.get_by_role("textbox", name="Backend URL").fill(azure.url + DEPLOYMENT)
        dialog.get_by_role("button", name="Test connection").click()
        expect(dialog.get_by_role("status")).to_contain_text(
            'among the other options of the request, as {"data_sources"'
        )
        dialog.get_by_text("Request settings").click()
        dialog.get_by_role("textbox", name="Other options, as JSON").fill(json.dumps({"data_sources": SOURCES}))
        dialog.get_by_role("button", name="Test connection").click()
        expect(dialog.get_by_role("status")).to_contain_text("Azure OpenAI On Your Data")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        ask(page, "Who pays for glasses?")
        expect(expect_settled(page)).to_contain_text("One pair.")
        assert azure.requests[-1].json["data_sources"] == SOURCES


def test_follow_up_questions_are_asked_for_unless_switched_off(context: BrowserContext, stand_in):
    address = stand_in.streaming({"delta": {"content": "Yes."}})
    page = open_page(context, backend=address)
    ask(page, "One?")
    expect_settled(page)
    dialog = open_settings(page)
    dialog.get_by_role("switch", name="Suggest follow-up questions").click()
    expect(dialog.get_by_role("switch", name="Suggest follow-up questions")).not_to_be_checked()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    ask(page, "Two?")
    expect_settled(page, turns=2)
    wanted = [body["context"]["overrides"]["suggest_followup_questions"] for body in stand_in.asked(address)]
    assert wanted == [True, False]


def test_each_dialect_of_the_demo_answers(page: Page):
    for turn, path in enumerate(("a", "b", "c", "e"), start=1):
        dialog = open_settings(page)
        field = dialog.get_by_role("textbox", name="Backend URL")
        field.fill(re.sub(r"/demo(/\w)?/chat$", f"/demo/{path}/chat", field.input_value()))
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        ask(page, "How much parental leave do I get?")
        expect(expect_settled(page, turns=turn)).to_contain_text("20 weeks of parental leave")
    expect(answers(page).get_by_role("alert")).to_have_count(0)


def test_the_history_and_the_session_state_are_sent_back(context: BrowserContext, stand_in):
    address = stand_in.streaming({"delta": {"content": "Yes."}, "sessionState": {"thread": 7}})
    page = open_page(context, backend=address)
    ask(page, "One?")
    expect_settled(page)
    ask(page, "Two?")
    expect_settled(page, turns=2)
    first, second = stand_in.asked(address)
    assert "sessionState" not in first
    assert second["sessionState"] == {"thread": 7}
    assert [message["content"] for message in second["messages"]] == ["One?", "Yes.", "Two?"]


def test_the_theme_can_be_chosen(page: Page):
    page.get_by_role("button", name="Colour theme").click()
    page.get_by_role("menuitem", name="Dark").click()
    expect(page.locator("html")).to_have_class(re.compile("dark"))
    page.reload()
    expect(page.locator("html")).to_have_class(re.compile("dark"))
