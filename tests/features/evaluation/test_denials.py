"""Evaluations of agents that wait for a person."""

import json
from pathlib import Path

from chat_ui.protocol.recordings.request_facts import asked_in
from tests.commands import run
from tests.features.evaluation.made import evaluating, question_set, rows, trial
from tests.stand_ins.recorded_agent import recorded_agent, sent_decisions
from tests.stand_ins.stand_in import Received, Reply, StandIn

AGENT = recorded_agent()
YES, NO = [{"approved": True}], [{"approved": False}]


async def test_requests_are_denied_and_counted_unless_their_tool_is_named(tmp_path: Path):
    async with trial(tmp_path, AGENT, ["mail", "mail"], "/agent") as one:
        ran = await one.run("--json")
        assert (ran.status, json.loads(ran.out)["measures"]["denied"]["mean"]) == (0, 1.0)
        told = [(row["denied"], row["failed"], row["answer"]) for row in one.rows]
        assert told == [(1, False, "Done: sent to bob@example.com")] * 2
        assert "approved tools" in (await one.run("--approve", "send_email")).err
        await one.run("--approve", "send_email", out=tmp_path / "approved")
        assert [row["denied"] for row in rows(tmp_path / "approved")] == [0, 0]
        assert sent_decisions(one.stand_in.requests) == [NO, NO, YES, YES]


async def test_a_decision_is_not_sent_again_and_an_endless_agent_fails(tmp_path: Path):
    def busy(received: Received) -> Reply:
        is_question = asked_in(received.json) is not None
        return AGENT(received) if is_question else Reply([b"busy"], status=503, headers={"Retry-After": "0"})

    def endless(_: Received) -> Reply:
        return AGENT(Received("POST", "/agent", {}, b'{"query": "mail"}'))

    for number, (reply, most) in enumerate(((busy, 1), (endless, 3))):
        async with trial(tmp_path, reply, ["mail"], "/agent") as one:
            ran = await one.run("--approve", "send_email", out=tmp_path / str(number))
            assert (ran.status, sent_decisions(one.stand_in.requests)) == (4, [YES] * most)


async def test_a_recorded_request_is_a_failure_without_a_decision(tmp_path: Path):
    recording = tmp_path / "showing.jsonl"
    async with StandIn(AGENT).running() as stand_in:
        await run("ask", f"{stand_in.url}/agent", "mail", "--approve", "send_email", "--record", str(recording))
    ran = await evaluating(str(recording), question_set(tmp_path / "set.jsonl", "mail"), tmp_path / "out")
    [row] = rows(tmp_path / "out")
    assert (ran.status, row["answer"], row["error"]) == (4, "I will write to Ann.", "The agent waits for a decision.")
