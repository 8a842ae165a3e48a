import json
from pathlib import Path

import pytest

from chat_ui.protocol.recordings.recording import Recording
from tests.app import free_port
from tests.commands import run
from tests.features.evaluation.made import by_question
from tests.stand_ins.stand_in import Reply, StandIn, lines

SCRIPT = """\
[[step]]
question = "Who pays?"
open = "citation 1"
[[step]]
question = "How much?"
open = "document 2"
[[step]]
question = "Why?"
open = "thoughts"
"""
POINTS = {"text": ["a.pdf: The company pays.", "b.pdf: Ten euros."]}
CONTEXT = {"data_points": POINTS, "thoughts": [{"title": "Search", "description": "pays"}]}
SOUND = Reply([lines({"context": CONTEXT, "sessionState": "s1"}), lines({"delta": {"content": "It pays [a.pdf]."}})])
UNCITED = Reply([lines({"delta": {"content": "I do not know."}})])
MADE_UP = Reply([lines({"context": CONTEXT}), lines({"delta": {"content": "It pays [a.pdf]. Or not [c.pdf]."}})])
SILENT = Reply([lines({"delta": {"role": "assistant"}})])
BROKEN = Reply([lines({"delta": {"content": "It pa"}})], end="abrupt")
REFUSED = Reply([lines({"error": {"message": "out of order"}})], status=500)


@pytest.fixture
def script(tmp_path: Path) -> str:
    (path := tmp_path / "script.toml").write_text(SCRIPT)
    return str(path)


async def test_a_rehearsal_passes_when_each_answer_has_the_opened_parts(script: str, tmp_path: Path):
    file = tmp_path / "showing.jsonl"
    async with StandIn(SOUND).running() as stand_in:
        ran = await run(
            "rehearse", script, "--backend", f"{stand_in.url}/chat", "--overrides", '{"top": 2}', "--model", "m",
            "--record", str(file), CHAT_UI_KEY="secret",
        )  # fmt: skip
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("1. Who pays?\n   first text after ")
    assert ran.out.count("1 citation of 1 source\n") == 3
    assert ran.out.endswith("\nNo problems found.\n")
    bodies = [request.json for request in stand_in.requests]
    assert [[one["content"] for one in body["messages"]] for body in bodies] == [
        ["Who pays?"],
        ["Who pays?", "It pays [a.pdf].", "How much?"],
        ["Who pays?", "It pays [a.pdf].", "How much?", "It pays [a.pdf].", "Why?"],
    ]
    assert [body.get("sessionState") for body in bodies] == [None, "s1", "s1"]
    assert {(body["model"], body["context"]["overrides"]["top"]) for body in bodies} == {("m", 2)}
    assert {request.headers["authorization"] for request in stand_in.requests} == {"Bearer secret"}
    exchanges = Recording.open(file).exchanges
    assert [(one.question, one.status, one.place) for one in exchanges] == [
        ("Who pays?", 200, 1), ("How much?", 200, 2), ("Why?", 200, 3),
    ]  # fmt: skip
    assert "secret" not in file.read_text("utf-8")


async def test_each_fault_is_named_beside_its_question(script: str):
    replies = {"Who pays?": UNCITED, "How much?": MADE_UP, "Why?": SOUND}
    async with StandIn(by_question(replies)).running() as stand_in:
        ran = await run("rehearse", script, "--backend", f"{stand_in.url}/chat")
        late = await run("rehearse", script, "--backend", f"{stand_in.url}/chat", "--within", "0.0001")
    assert ran.status == 1
    first, second, third = ran.out.split("\n1. ")[0].split("\n2. ")[0], *ran.out.split("\n2. ")[1].split("\n3. ")
    assert "! no citations\n   ! nothing to open: the answer has no citation 1" in first
    assert "! citations not found: c.pdf" in second
    assert "!" not in third
    assert ran.out.endswith("\n2 of 3 questions had problems.\n")
    assert late.out.count("! too late: first text after ") == 3
    assert late.out.endswith("\n3 of 3 questions had problems.\n")


async def test_missing_answers_are_told_also_as_json(script: str):
    replies = {"Who pays?": SILENT, "How much?": BROKEN, "Why?": REFUSED}
    async with StandIn(by_question(replies)).running() as stand_in:
        ran = await run("rehearse", script, "--backend", f"{stand_in.url}/chat", "--json")
    told = json.loads(ran.out)
    assert (ran.status, told["all_well"], told["within_s"]) == (1, False, 10)
    assert [[problem["code"] for problem in step["problems"]] for step in told["steps"]] == [
        ["no_answer"],
        ["cut_off", "no_citations", "nothing_to_open"],
        ["no_answer"],
    ]
    assert "out of order" in told["steps"][2]["problems"][0]["words"]
    assert told["steps"][1]["answer"]["text"] == "It pa"
    assert told["steps"][2]["open"] == "thoughts"


async def test_a_missing_backend_ends_it_at_once_with_its_own_status(script: str):
    ran = await run("rehearse", script, "--backend", f"http://127.0.0.1:{free_port()}/chat")
    assert ran.status == 3
    assert "2. " not in ran.out
    assert ran.out.endswith("\nThe backend is not reachable, so the other questions were not asked.\n")


async def test_unusable_input_is_refused_before_any_question(script: str, tmp_path: Path):
    (tmp_path / "wrong.toml").write_text("[[step]]\nquestion = 'a'\nopens = 'sources'")
    async with StandIn(SOUND).running() as stand_in:
        wrong = await run("rehearse", str(tmp_path / "wrong.toml"), "--backend", stand_in.url)
        gone = await run("rehearse", str(tmp_path / "gone.toml"), "--backend", stand_in.url)
        lost = await run("rehearse", script, "--backend", stand_in.url, "--record", str(tmp_path / "no" / "a.jsonl"))
        unsaid = await run("rehearse", script)
    assert {ran.status for ran in (wrong, gone, lost, unsaid)} == {2}
    assert "wrong.toml: Step 1: the key “opens” is not known." in wrong.err
    assert "gone.toml cannot be read: No such file or directory." in gone.err
    assert "a.jsonl" in lost.err
    assert "--backend" in unsaid.err
    assert stand_in.requests == []
