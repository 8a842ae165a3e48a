"""`python -m chat_ui ask` with an agent that waits for a person."""

import json
from typing import Any

import pytest

from tests.commands import Ran, run, run_on_a_terminal
from tests.stand_ins.recorded_agent import MAIL, recorded_agent, sent_decisions
from tests.stand_ins.stand_in import Received, StandIn

YES, NO, EDITED = {"approved": True}, {"approved": False}, {"approved": True, "editedArgs": {"to": "bob"}}
PROMPT, ALL = "send_email? [y/N/e] ", "all 2? [y/N] "


async def asked(name: str, *options: str, **changes: Any) -> tuple[Ran, list[Any]]:
    """The command's output, and the decisions that it sent."""
    async with StandIn(recorded_agent(name, **changes)).running() as stand_in:
        ran = await run("ask", f"{stand_in.url}/agent", "mail", *options)
        return ran, sent_decisions(stand_in.requests)


async def test_a_script_approves_named_tools_and_denies_all_others() -> None:
    ran, decisions = await asked(MAIL, "--approve", "send_email")
    assert (ran.status, ran.out) == (0, "I will write to Ann.\nDone: sent to bob@example.com\n")
    assert decisions == [[YES]]
    for options in (["--deny-all"], ["--approve", "delete_file"]):
        assert (await asked(MAIL, *options))[1] == [[NO]]
    _, [body] = await asked("ai-sdk-6", "--approve", "sendEmail")
    assert body["messages"][-1]["parts"][-1]["approval"]["approved"] is True
    _, [body] = await asked("responses-state", "--approve", "delete_file")
    assert [one["approve"] for one in body["input"]] == [False, True]
    ran, decisions = await asked(MAIL, "--approve", "send_email", expiresAt="2020-01-01T00:00:00Z")
    assert (ran.status, decisions, "This request has lapsed." in ran.err) == (4, [], True)


async def test_an_agent_that_asks_for_the_same_forever_gets_three_decisions() -> None:
    agent, question = recorded_agent(MAIL), Received("POST", "/agent", {}, b'{"query": "mail"}')
    async with StandIn(lambda _: agent(question)).running() as stand_in:
        ran = await run("ask", f"{stand_in.url}/agent", "mail", "--approve", "send_email")
        assert (ran.status, sent_decisions(stand_in.requests)) == (4, [[YES]] * 3)
        assert "The agent asked for the same after 3 decisions." in ran.err


async def test_without_a_terminal_and_a_decision_the_agent_waits() -> None:
    ran, decisions = await asked(MAIL, message="Run?\n  Decided: approved.")
    assert (ran.status, ran.out, decisions) == (4, "I will write to Ann.\n", [])
    assert ran.err.splitlines() == [
        "The agent asks for your approval.",
        "  Tool: send_email",
        "  Message: Run? Decided: approved.",
        '  Arguments: {"to": "ann@example.com", "subject": "Report", "body": "Hello"}',
        "Decide with --approve NAME or --deny-all.",
        "The agent waits for a decision.",
    ]
    answer = json.loads((await asked(MAIL, "--json"))[0].out)
    assert (answer["pause"].keys(), answer["paused_answers"]) == ({"wire", "interrupts"}, [])
    answer = json.loads((await asked(MAIL, "--json", "--deny-all"))[0].out)
    assert (answer["pause"], answer["paused_answers"][0]["text"]) == (None, "I will write to Ann.")


@pytest.mark.parametrize(
    ("name", "typed", "decisions"),
    [
        (MAIL, {PROMPT: "y\n"}, [[YES]]),
        (MAIL, {PROMPT: "\n"}, [[NO]]),
        (MAIL, {PROMPT: "e\n", "as JSON: ": '{"to": "bob"}\n'}, [[EDITED]]),
        (MAIL, {PROMPT: "e\n", "as JSON: ": "bob\n"}, [[NO]]),
        (MAIL, {PROMPT: "\x04"}, []),
        ("agent-framework-two", {ALL: "y\n"}, [[YES, YES]]),
        ("agent-framework-two", {ALL: "n\n"}, [[NO, NO]]),
        ("strands-words", {"for none: ": "Blue\n"}, [["Blue"]]),
    ],
)
async def test_a_person_decides_on_the_terminal(name: str, typed: dict[str, str], decisions: list[Any]) -> None:
    async with StandIn(recorded_agent(name)).running() as stand_in:
        status, _ = await run_on_a_terminal("ask", f"{stand_in.url}/agent", "mail", typed=typed)
        assert (status, sent_decisions(stand_in.requests)) == (0 if decisions else 4, decisions)
