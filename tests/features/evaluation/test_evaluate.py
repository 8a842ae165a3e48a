import io
import json
import shlex
from pathlib import Path

import pytest

from chat_ui.backends.profile import Profile
from chat_ui.command_line.arguments import parser
from chat_ui.command_line.terminal import Counted
from chat_ui.features.demo.app import demo_app
from chat_ui.features.demo.settings import DemoSettings
from chat_ui.features.evaluation.page import evaluate_command
from chat_ui.installed import FEATURES
from tests.commands import run
from tests.features.demo.questions import ANSWERED
from tests.features.demo.serving import serving
from tests.features.evaluation.made import (
    REFUSED,
    SOUND,
    by_question,
    evaluating,
    files,
    in_turn,
    numbered,
    question_set,
    rows,
    saying,
    trial,
)
from tests.features.recordings.test_recordings import handmade
from tests.stand_ins.stand_in import Reply, lines


def test_the_command_of_the_page_is_accepted_and_has_no_credentials():
    profile = Profile(name="Plans", url="https://plans.example/chat?key=s3cr3t-k3y&v=1", dialect="flat", model="large")
    words = shlex.split(evaluate_command(profile))
    assert words[:3] == ["python", "-m", "chat_ui"]
    options = parser(FEATURES).parse_args(words[3:])
    assert (options.command, options.dialect, options.model) == ("evaluate", "flat", "large")
    assert options.url == "https://plans.example/chat?key=…&v=1"


async def test_the_figures_are_printed_as_lines_and_as_one_object(tmp_path: Path):
    replies = {"Who pays 1?": saying("Nobody pays."), "Who pays 2?": REFUSED}
    async with trial(tmp_path, by_question(replies), 4) as one:
        ran = await one.run()
        told = await one.run("--json")
    assert (ran.status, told.status) == (4, 4)
    printed = dict(line.split(" | ", 1) for line in ran.out.splitlines())
    assert {name.strip(): printed[name] for name in printed if not name.strip().endswith("_s")} == {
        "failed": "total 1, rate 0.25",
        "answer_length": "mean 34.5, min 0, p50 37.5, p95 63, max 63",
        "sentences": "mean 0.5, min 0, p50 0.5, p95 1, max 1",
        "sentences_cited": "mean 0.5, min 0, p50 0.5, p95 1, max 1",
        "citations": "mean 0.5, min 0, p50 0.5, p95 1, max 1",
        "citations_not_found": "mean 0, min 0, p50 0, p95 0, max 0",
        "sources_retrieved": "mean 2.25, min 0, p50 3, p95 3, max 3",
        "truth_citations": "mean 1, min 1, p50 1, p95 1, max 1",
        "citation_recall": "mean 0.5, min 0, p50 0.5, p95 1, max 1",
        "citation_precision": "mean 1, min 1, p50 1, p95 1, max 1",
        "has_citation": "total 2, rate 0.5",
        "citation_match": "total 2, rate 0.5",
        "support": "mean 1, min 1, p50 1, p95 1, max 1",
        "claims_found": "mean 1, min 1, p50 1, p95 1, max 1",
        "parts_differ": "mean 0, min 0, p50 0, p95 0, max 0",
        "warnings": "mean 0, min 0, p50 0, p95 0, max 0",
    }
    found = json.loads(told.out)
    assert (found["out"], found["results"], found["times"]) == (str(one.out), 4, 1)
    assert (found["failed"], found["changes"], found["checks"]) == ({"count": 4, "total": 1, "rate": 0.25}, [], [])
    assert found["measures"]["citation_recall"]["mean"] == 0.5
    kept = json.loads((one.out / "summary.json").read_bytes())
    assert {name: found[name] for name in kept} == kept


async def test_progress_is_a_line_for_each_tenth_without_a_terminal(tmp_path: Path):
    async with trial(tmp_path, by_question({"Who pays 7?": REFUSED}), 20) as one:
        ran = await one.run()
    told = ran.err.splitlines()[:-1]
    assert told[0] == "Asking: 0 done, 20 left, 0 failed"
    assert [int(line.split()[1]) for line in told] == list(range(0, 21, 2))
    assert told[-1] == "Asking: 20 done, 0 left, 1 failed"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    with Counted("Asking", 4) as counted:
        counted.show(0, 0, None)
        counted.show(3, 1, 12.3)
    assert "3 done, 1 left, 1 failed; the backend asks to wait 12 s" in " ".join(terminal.getvalue().split())


async def test_unusable_input_is_refused_and_nothing_is_asked(tmp_path: Path):
    async with trial(tmp_path, SOUND) as one:
        url, questions, out = one.url, str(one.path), ("--out", str(one.out))
        complete = url, questions, *out
        cases = [
            (url, questions), (url, *out), out, ("ftp://x", questions, *out), (questions, questions, *out),
            (*complete, "--concurrency", "0"), (*complete, "--concurrency", "101"), (*complete, "--times", "0"),
            (*complete, "--limit", "-1"), (*complete, "--timeout", "0"), (*complete, "--overrides", "[1]"),
        ]  # fmt: skip
        for given in cases:
            ran = await run("evaluate", *given)
            assert (ran.status, ran.out, bool(ran.err)) == (2, "", True), given
            assert "Traceback" not in ran.err
        ran = await run("evaluate", questions, *complete[1:])
    assert ran.err == "This file is not a recording: its first line does not say that it is one.\n"
    assert (one.asked, list(files(tmp_path))) == ([], ["set.jsonl"])


async def test_questions_and_answers_cannot_move_the_cursor(tmp_path: Path):
    odd = "Who \u009b2J\u001b[2J\u0085\r pays?"
    broken = Reply([lines({"error": {"message": odd}})], 500)
    async with trial(tmp_path, in_turn([SOUND, broken]), [{**numbered(1)[0], "question": odd}]) as one:
        await one.run(out=tmp_path / "before")
        ran = await one.run("--against", str(tmp_path / "before"))
    assert "1 question got worse:\n  1. Who 2J[2J pays?\n" in ran.out
    assert {character for character in ran.out + ran.err if not character.isprintable()} == {"\n"}


async def record(url: str, to: Path, *questions: str) -> None:
    for question in questions:
        assert (await run("ask", url, question, "--record", str(to))).status in (0, 1)


async def test_a_recording_answers_in_place_of_its_backend_without_a_network(tmp_path: Path):
    said = Reply([lines({"delta": {"content": "We "}}), lines({"delta": {"content": "pay."}})])
    replies, tape = {"Who pays 2?": said, "Who pays 3?": REFUSED}, tmp_path / "tape.jsonl"
    async with trial(tmp_path, by_question(replies), [*numbered(3), "Who else?"], "/chat") as one:
        await record(one.url, tape, "Who pays 1?", "Who pays 2?", "Who pays 3?")
        count = len(one.asked)
        ran = await evaluating(str(tape), one.path, one.out, CHAT_UI_KEY="top-secret-key")
        assert len(one.asked) == count
    assert ran.status == 4
    first, second, third, other = one.rows
    assert (first["answer"], first["citation_recall"], first["failed"]) == (
        "The company pays ten euros a day for the bus [plan.pdf#page=1].", 1.0, False,
    )  # fmt: skip
    assert (second["answer"], second["failed"]) == ("We pay.", False)
    assert first["reply"]["recorded_at"]
    assert (first["first_text_s"], first["total_s"], "timing" in first["reply"]) == (None, None, False)
    assert (third["failed"], "out of order" in third["error"]) == (True, True)
    assert (other["failed"], "not in the recording" in other["error"]) == (True, True)
    assert json.loads((one.out / "run.json").read_bytes())["url"] == str(tape)


async def test_a_long_pause_in_a_recording_is_skipped(tmp_path: Path):
    tape, path = handmade(tmp_path / "tape.jsonl", 0.0, 3600.0, 7200.0), question_set(tmp_path / "set.jsonl", "Who?")
    ran = await evaluating(str(tape), path, tmp_path / "out", "--fail-if", "failed>0")
    assert (ran.status, rows(tmp_path / "out")[0]["answer"]) == (0, "One One One ")


async def test_two_runs_over_a_recording_are_equal(tmp_path: Path):
    tape, before = str(tmp_path / "tape.jsonl"), tmp_path / "before"
    async with trial(tmp_path, SOUND, 3, "/chat") as one:
        await record(one.url, tmp_path / "tape.jsonl", *(one["question"] for one in numbered(3)))
    await evaluating(tape, one.path, before)
    bound = "--fail-if-worse", "citation_recall"
    ran = await evaluating(tape, one.path, tmp_path / "now", "--against", str(before), *bound, "--json")
    told = json.loads(ran.out)
    assert (ran.status, told["questions"]) == (0, {"compared": 3, "better": [], "worse": []})
    assert (tmp_path / "now" / "changes.jsonl").read_bytes() == b""


async def test_a_question_recorded_twice_gets_each_answer_in_turn(tmp_path: Path):
    busy = Reply([b"{}"], 429, {"Retry-After": "30", "Content-Type": "application/json"})
    async with trial(tmp_path, in_turn([saying("One."), busy, saying("Two.")]), ["Who?"], "/chat") as one:
        await record(one.url, tape := tmp_path / "tape.jsonl", "Who?", "Who?", "Who?")
    ran = await evaluating(str(tape), one.path, one.out, "--times", "2")
    assert (ran.status, [row["answer"] for row in one.rows]) == (0, ["One.", "Two."])


async def test_demo_questions_are_answered_from_the_named_passage(tmp_path: Path):
    questions = [{"question": words, "truth": f"See [{passage}]."} for words, passage in ANSWERED[:12]]
    path, out = question_set(tmp_path / "set.jsonl", *questions), tmp_path / "out"
    bounds = "--fail-if", "citation_recall<1", "--fail-if", "failed>0"
    with serving(demo_app(DemoSettings(demo_delay=0))) as url:
        ran = await evaluating(f"{url}/chat", path, out, "--json", *bounds)
    told = json.loads(ran.out)
    assert ran.status == 0
    assert told["measures"]["citation_recall"]["mean"] == 1.0
    assert told["measures"]["support"]["mean"] > 0.5
    assert all(row["sources_retrieved"] for row in rows(out))
