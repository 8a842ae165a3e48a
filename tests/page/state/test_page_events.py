"""Allowed events of a page, their rate, and the owner of its socket."""

import ast
import inspect
from typing import Any

from reflex_base.registry import RegistrationContext

from chat_ui.backends.personal_choices import LONGEST_STORED
from chat_ui.page.state.page_events import LONGEST_ADDRESS, LONGEST_TEXT, allowed_events, problem_of, sanitized
from chat_ui.page.state.socket_people import SocketPeople
from chat_ui.page.state.sockets import Rate, page_of
from chat_ui.settings import settings
from tests.page.state.pages import STATES
from tests.page_socket import BACKEND, CHAT, DIALOG, ROOT, SECOND_ARM

LONGEST_QUESTION = 2 * settings().question_characters


def event_of(name: str, **payload: Any) -> dict[str, Any]:
    return {"name": name, "payload": payload}


def asking(question: Any, **beside: Any) -> dict[str, Any]:
    return {**event_of(f"{CHAT}.ask", question=question), **beside}


def saving(form: Any, **beside: Any) -> dict[str, Any]:
    return {**event_of(f"{DIALOG}.save", form=form), **beside}


def storing(**stored: Any) -> dict[str, Any]:
    return event_of(f"{ROOT}.hydrate_and_load", vars=stored)


def test_events_of_a_page_are_accepted():
    assert STATES
    place = {"pathname": "/", "asPath": "/?a=b", "query": {"a": ["b", "c"], "d": None}, "more": 1}
    for event in (
        asking("x" * LONGEST_QUESTION, router_data=place),
        asking("x", router_data={"asPath": "/" * LONGEST_ADDRESS}),
        event_of(f"{SECOND_ARM}.ask_both", question="x", attached=[]),
        event_of(f"{DIALOG}.set_text", field="name", text="x" * LONGEST_TEXT),
        {"name": f"{CHAT}.ping"},
        storing(**{f"{BACKEND}.saved_rx_state_": "{}", f"{CHAT}.remembered": "a"}),
    ):
        assert problem_of(event) is None, str(event)[:100]


def test_foreign_events_are_logged_without_their_content():
    beside: list[Any] = ["sk-in", {"query": "sk-in"}, {"query": {"a": 1}}, {"pathname": {"sk-in": 1}}]
    beside += [{"asPath": "/" * (LONGEST_ADDRESS + 1)}, {"query": {"a": ["b" * 100] * LONGEST_ADDRESS}}]
    refused: dict[str, list[Any]] = {
        "no event": [None, '{"name": "sk-in-a-text"}', {}, {"name": ["sk-in-a-name"]}],
        "unknown event": [
            event_of("sk-in-a-name", form={"backend-key": "sk-in-a-payload"}),
            event_of(f"{BACKEND}.saved"),
            event_of(f"{CHAT}.setvar", var_name="refusal", value="sk-in-a-value"),
            event_of(f"{DIALOG}.typed", secret="sk-in-a-payload"),
            event_of(f"{ROOT}.set_is_hydrated", value="sk-in-a-value"),
        ],
        "not those of save": [
            *(saving("sk-in-a-payload"), saving({}, payload="sk-in-a-payload")),
            event_of(f"{DIALOG}.save", form={}, **{"sk-in-an-argument": 1}),
            *(saving({}, router_data=one) for one in beside),
        ],
        "not those of set_text": [
            event_of(f"{DIALOG}.set_text", field="name", text="x" * (LONGEST_TEXT + 1)),
            event_of(f"{DIALOG}.set_text", field="saved", text="sk-in-a-payload"),
        ],
        "not those of set_switch": [event_of(f"{DIALOG}.set_switch", field="is_own", is_on=True)],
        "not those of ask (1 differ)": [asking("x" * (LONGEST_QUESTION + 1)), asking(None), asking(["sk-in"])],
        "not those of ask": [event_of(f"{CHAT}.ask"), event_of(f"{CHAT}.ask", question="x", more=1)],
        "hydrate_and_load": [event_of(f"{ROOT}.hydrate_and_load", vars=["sk-in-vars"])],
        "browsers do not store": [
            storing(**{f"{BACKEND}.saved": "{}", f"{CHAT}.refusal": "sk-in-vars"}),
            storing(**{f"{BACKEND}.saved_rx_state_": {"sk-in-vars": 1}}),
        ],
    }
    for why, events in refused.items():
        for event in events:
            told = problem_of(event) or ""
            assert why in told, str(event)[:200]
            assert "sk-" not in told


def test_only_the_expected_parts_of_an_event_are_used():
    event = asking("x", token="t", router_data={"pathname": "/", "more": 1})
    assert sanitized(event) == {**asking("x"), "router_data": {"pathname": "/"}}
    assert sanitized({"name": f"{CHAT}.ping"}) == {"name": f"{CHAT}.ping", "router_data": {}}


def test_stored_values_are_accepted_up_to_their_limits():
    kept, beyond = "x" * LONGEST_STORED, "x" * (LONGEST_STORED + 1)
    stored = {f"{BACKEND}.saved": kept, f"{BACKEND}.keys": beyond}
    heard = sanitized(event_of(f"{ROOT}.hydrate_and_load", vars=stored, other=1))
    assert heard["payload"] == {"vars": {f"{BACKEND}.saved": kept}, "other": 1}


def test_a_page_can_send_only_marked_events():
    from chat_ui.page.page import chat  # noqa: F401 - registers the states

    for name in allowed_events():
        if name.startswith(f"{ROOT}.chat_ui"):
            function = RegistrationContext.get().event_handlers[name].handler.fn
            (definition,) = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function))).body
            assert isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef)
            assert any("rx.event" in ast.unparse(one) for one in definition.decorator_list), name


def test_a_page_is_identified_by_its_person_and_its_token():
    names = {page_of(person, token) for person in ("ann", "bea") for token in ("one", "two")}
    assert len(names) == 4
    assert page_of("ann", "one") in names
    assert len(page_of("ann", "one")) == 36


def test_a_closed_socket_keeps_its_person_for_a_while():
    people = SocketPeople()
    for number in range(10_001):
        people.open(str(number), f"person {number}")
        assert people.of(str(number)) == f"person {number}"
        people.close(str(number))
    assert people.of("0") == ""
    assert people.of("1") == "person 1"
    assert people.of("10000") == "person 10000"
    assert people.of("none such") == ""


def test_events_have_a_burst_and_then_a_rate():
    now = [100.0]
    rate = Rate(4, 2.0, clock=lambda: now[0])
    assert rate.allows("ann", 3)
    assert not rate.allows("ann", 2)
    assert rate.allows("ann", 1)
    assert rate.allows("bea", 4)
    assert [rate.turn("ann") for _ in range(3)] == [0.5, 1.0, 1.5]
    now[0] += 2.0
    assert [rate.turn("ann") for _ in range(2)] == [0.0, 0.5]
    now[0] += 100.0
    assert rate.allows("ann", 4)
    assert not rate.allows("ann", 1)


def test_the_longest_silent_of_very_many_people_are_counted_anew():
    now = [0.0]
    rate = Rate(1, 1.0, clock=lambda: now[0])
    for number in range(10_000):
        assert rate.allows(str(number), 1)
    assert rate.turn("0") == 1.0
    assert rate.allows("10000", 1)
    assert not rate.allows("0", 1)
    assert rate.allows("1", 1)
