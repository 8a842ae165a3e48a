"""Pauses of real servers, each with the decisions that the server accepted, and the rest of its answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from chat_ui.protocol.answers.pause import Decision, Resume, checked
from chat_ui.protocol.recordings.request_facts import asked_in
from tests.protocol.pausing import pause_of, read, written

RECORDED: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parent / "recorded_pauses").glob("*.json"))
}


@pytest.mark.parametrize("name", RECORDED)
def test_decisions_are_written_as_the_server_accepted_them(name: str) -> None:
    case = RECORDED[name]
    answer = read(case["pause"])
    pause = pause_of(answer)
    shown = [[one.kind, one.tool, one.message, one.server, one.arguments, sorted(one.may)] for one in pause.interrupts]
    assert shown == case["requests"]
    assert (answer.error, answer.warnings, pause.wire) == (None, (), case["wire"])
    assert pause.is_joint == (name == "agent-framework-two")

    decisions = checked(pause, [Decision(*decision) for decision in case["decisions"]], now=0)
    resume = Resume(((pause, decisions),))
    state = answer.session_state if case["has_state"] else None
    sent = written(resume, case["question"], state, case["body"].get("id") or f"thread-{name}")
    sent |= {"runId": "…"} if "runId" in sent else {"model": "m"} if "model" in case["body"] else {}
    assert sent == case["body"]
    # A recording must not take a decision for the question.
    assert asked_in(sent) is None

    rest = read(case["rest"], resume)
    assert (rest.text, rest.error, rest.warnings, rest.pause) == (case["text"], None, (), None)
    assert [thought.title for thought in rest.thoughts if thought.description is not None] == case["results"]
    arguments = {one.tool: one.arguments for one in pause.interrupts}
    props = {thought.title: thought.props for thought in rest.thoughts if thought.title in arguments}
    assert all(props.values()), props
