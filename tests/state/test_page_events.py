"""Which events a page may send, and what of them is heard."""

from __future__ import annotations

from typing import Any

import pytest

from chat_ui.profiles.personal_choices import LONGEST_STORED
from chat_ui.settings import settings
from chat_ui.state.page_events import LONGEST_ADDRESS, LONGEST_TEXT, problem_of, sanitized
from tests.page_socket import BACKEND, CHAT, DIALOG, ROOT, SECOND_ARM
from tests.state.pages import STATES

LONGEST_QUESTION = 2 * settings().question_characters
STORED = {"name": f"{ROOT}.hydrate_and_load", "router_data": {"pathname": "/"}}


def asking(question: Any, **beside: Any) -> dict[str, Any]:
    return {"name": f"{CHAT}.ask", "payload": {"question": question}, **beside}


@pytest.mark.parametrize(
    "event",
    [
        asking("x" * LONGEST_QUESTION),
        asking("x", router_data={"pathname": "/", "asPath": "/?a=b", "query": {"a": ["b", "c"], "d": None}, "more": 1}),
        asking("x", router_data={"asPath": "/" * LONGEST_ADDRESS}),
        {"name": f"{SECOND_ARM}.ask_both", "payload": {"question": "x", "attached": []}},
        {"name": f"{DIALOG}.set_text", "payload": {"field": "name", "text": "x" * LONGEST_TEXT}},
        {"name": f"{CHAT}.ping"},
        {"name": f"{ROOT}.hydrate_and_load", "payload": {}},
        {**STORED, "payload": {"vars": {f"{BACKEND}.saved_rx_state_": "{}", f"{CHAT}.remembered": "a"}}},
    ],
    ids=lambda event: str(event)[:60],
)
def test_what_a_page_sends_is_heard(event: dict[str, Any]):
    assert STATES
    assert problem_of(event) is None


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (None, "no event"),
        ({"name": 1}, "no event"),
        ({"name": f"{CHAT}.none_such"}, "no page sends it"),
        ({"name": f"{CHAT}.setvar", "payload": {"var_name": "refusal", "value": "x"}}, "no page sends it"),
        (asking("x" * (LONGEST_QUESTION + 1)), "not those of ask (1 differ)"),
        (asking(1), "not those of ask"),
        ({"name": f"{CHAT}.ask", "payload": {}}, "not those of ask"),
        ({"name": f"{CHAT}.ask", "payload": {"question": "x", "more": 1}}, "not those of ask"),
        ({"name": f"{DIALOG}.set_text", "payload": {"field": "name", "text": "x" * (LONGEST_TEXT + 1)}}, "set_text"),
        ({"name": f"{DIALOG}.set_text", "payload": {"field": "saved", "text": "x"}}, "set_text"),
        (asking("x", router_data={"asPath": "/" * (LONGEST_ADDRESS + 1)}), "not those of ask"),
        (asking("x", router_data={"query": {"a": ["b" * 100] * LONGEST_ADDRESS}}), "not those of ask"),
        (asking("x", router_data={"query": {"a": 1}}), "not those of ask"),
        ({**STORED, "payload": {"vars": {f"{CHAT}.refusal": "x"}}}, "no browser stores"),
        ({**STORED, "payload": {"vars": {f"{BACKEND}.saved": 1}}}, "no browser stores"),
        ({**STORED, "payload": {"vars": {f"{BACKEND}.saved": "{}", f"{CHAT}.turns": "x"}}}, "no browser stores"),
    ],
    ids=lambda value: str(value)[:80],
)
def test_what_no_page_sends_is_told_without_a_word_of_it(event: Any, why: str):
    assert why in (problem_of(event) or "")


def test_of_an_event_only_what_is_meant_is_heard():
    event = asking("x", token="t", router_data={"pathname": "/", "more": 1})
    assert sanitized(event) == {**asking("x"), "router_data": {"pathname": "/"}}
    assert sanitized({"name": f"{CHAT}.ping"}) == {"name": f"{CHAT}.ping", "router_data": {}}


def test_what_is_stored_is_taken_up_to_what_is_kept_there():
    kept, beyond = "x" * LONGEST_STORED, "x" * (LONGEST_STORED + 1)
    stored = {f"{BACKEND}.saved": kept, f"{BACKEND}.keys": beyond}
    heard = sanitized({**STORED, "payload": {"vars": stored, "other": 1}})
    assert heard["payload"] == {"vars": {f"{BACKEND}.saved": kept}, "other": 1}
