"""The folder of a run: what is kept of one that was killed, and what is not overwritten."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.backends.stand_in import Received, Reply, StandIn, lines
from tests.commands import start
from tests.evaluation.made import (
    POINTS,
    SOUND,
    Held,
    asked,
    evaluating,
    files,
    in_turn,
    numbered,
    question_set,
    rows,
    saying,
)
from tests.patience import PATIENCE

KEY = "sk-proj-4fJ8dKq0Zt7Xw2Lm9Rb5Vc1N"
CODE = "mZ3xT8vQ1bN6kW0pY4cR7sD2fH9jL5gA"
SEARCH_KEY = "Aq7Lw9Zx2Cv5Bn8Mk1Jh4Gf6Ds3Po0Iu"


async def leave(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.communicate()


@asynccontextmanager
async def process_of(url: str, path: Path, out: Path, *options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await start("evaluate", url, str(path), "--out", str(out), *options)
    try:
        yield process
    finally:
        await leave(process)


@pytest.mark.parametrize("by", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.thorough)])
async def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path, by: signal.Signals):
    path, out = question_set(tmp_path / "set.jsonl", *numbered(6)), tmp_path / "out"
    async with StandIn(held := Held()).running() as stand_in:
        async with process_of(stand_in.url, path, out, "--concurrency", "2") as process:
            for count in (1, 2, 2):
                await held.until(count)
                if count == 2 and len(stand_in.requests) > 3:
                    break
                held.let_go()
            process.send_signal(by)
            async with asyncio.timeout(PATIENCE):
                await process.wait()
        kept = (out / "results.jsonl").read_bytes()
        before = asked(stand_in)
        held.let_go()
        running = asyncio.create_task(evaluating(stand_in.url, path, out, "--concurrency", "1"))
        for _ in range(3):
            await held.until(1)
            held.let_go()
        ran = await running
    answered = [json.loads(line)["question"] for line in kept.splitlines()]
    assert sorted(answered) == sorted(before[:3]) == ["Who pays 1?", "Who pays 2?", "Who pays 3?"]
    assert asked(stand_in)[len(before) :] == ["Who pays 4?", "Who pays 5?", "Who pays 6?"]
    assert "3 of 6 were asked before" in ran.err
    assert (out / "results.jsonl").read_bytes().startswith(kept)
    assert [row["number"] for row in rows(out)] == [1, 2, 3, 4, 5, 6]
    assert ran.status == 0


async def test_a_line_is_written_as_each_answer_ends(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", *numbered(3)), tmp_path / "out"
    async with StandIn(held := Held()).running() as stand_in:
        running = asyncio.create_task(evaluating(stand_in.url, path, out, "--concurrency", "1"))
        written = []
        for _ in range(3):
            await held.until(1)
            written.append(len(rows(out)) if "results.jsonl" in files(out) else 0)
            held.let_go()
        await running
    assert written == [0, 1, 2]


async def test_what_a_killed_run_left_of_a_last_line_is_cut(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", *numbered(4)), tmp_path / "out"
    torn = b'{"number":2,"time":1,"ques', b'{"number":2,"time":1,"question":"\xc5', b"{"
    async with StandIn(SOUND).running() as stand_in:
        await evaluating(stand_in.url, path, out, "--limit", "1")
        for limit, left in enumerate(torn, 2):
            with (out / "results.jsonl").open("ab") as file:
                file.write(left)
            ran = await evaluating(stand_in.url, path, out, "--limit", str(limit))
            assert (ran.status, len(rows(out))) == (0, limit)
    assert asked(stand_in) == ["Who pays 1?", "Who pays 2?", "Who pays 3?", "Who pays 4?"]
    assert [row["number"] for row in rows(out)] == [1, 2, 3, 4]


async def test_the_limit_may_grow_and_a_run_that_is_whole_asks_nothing(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", *numbered(4)), tmp_path / "out"
    async with StandIn(SOUND).running() as stand_in:
        for limit in ("1", "3", "2"):
            assert (await evaluating(stand_in.url, path, out, "--limit", limit)).status == 0
        await evaluating(stand_in.url, path, out)
        kept = files(out)
        again = await evaluating(stand_in.url, path, out)
    assert sorted(asked(stand_in)) == [f"Who pays {number}?" for number in range(1, 5)]
    assert (again.status, files(out)) == (0, kept)
    assert again.err == f"4 of 4 were asked before, with their answers in {out}.\n"
    assert again.out.startswith("failed               | total 0, rate 0\n")


async def test_what_would_mix_two_runs_is_named_and_overwrites_nothing(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", *numbered(2)), tmp_path / "out"
    other = question_set(tmp_path / "other.jsonl", *numbered(2, "Another truth."))
    same = "--overrides", '{"top": 3}'
    async with StandIn(SOUND).running() as stand_in:
        url = stand_in.url
        await evaluating(url, path, out, *same)
        before = files(out)
        rans = {
            "the questions": await evaluating(url, other, out, *same),
            "the address": await evaluating(f"{url}/v2", path, out, *same),
            "the model": await evaluating(url, path, out, *same, "--model", "big"),
            "the dialect": await evaluating(url, path, out, *same, "--dialect", "flat"),
            "whether answers are streamed": await evaluating(url, path, out, *same, "--no-stream"),
            "the options": await evaluating(url, path, out, "--overrides", '{"top": 4}'),
            "the questions, the model": await evaluating(url, other, out, *same, "--model", "big"),
        }
    refusal = f"{out} holds another run, and stays as it is. What differs: {{}}. Give another folder.\n"
    assert rans == {words: (2, "", refusal.format(words)) for words in rans}
    assert (files(out), len(stand_in.requests)) == (before, 2)


async def test_the_same_questions_in_another_file_and_of_another_format_are_the_same_run(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", "Who?", {"question": "Why?", "truth": "So."}), tmp_path / "out"
    (table := tmp_path / "table.csv").write_text("id,question,truth\n1,Who?,\n2,Why?,So.\n")
    async with StandIn(SOUND).running() as stand_in:
        await evaluating(stand_in.url, path, out, "--limit", "1")
        ran = await evaluating(stand_in.url, table, out, "--concurrency", "1")
    assert (ran.status, asked(stand_in)) == (0, ["Who?", "Why?"])


async def test_a_folder_of_something_else_stays_as_it_is(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", "Who?"), tmp_path / "out"
    no_run = [
        b"mine", b'{"format": 1, "count": null}', b"[" * 100_000, b'{"format": 1, "x": 1}', b"[]", b"\xff",
    ]  # fmt: skip
    cases = [
        ("notes.txt", b"mine", "holds something that is no run"),
        ("results.jsonl", b"{}\n", "holds something that is no run"),
        ("run.json", b'{"format": 2}', "run.json is of another version of this program"),
        *(("run.json", content, "run.json is not of a run") for content in no_run),
    ]
    async with StandIn(SOUND).running() as stand_in:
        for name, content, words in cases:
            out.mkdir()
            (out / name).write_bytes(content)
            ran = await evaluating(stand_in.url, path, out)
            assert (ran.status, files(out)) == (2, {name: content})
            assert words in ran.err
            assert "Give another folder." in ran.err
            (out / name).unlink()
            out.rmdir()
    assert stand_in.requests == []


async def test_a_folder_that_is_a_file_cannot_be_written(tmp_path: Path):
    path = question_set(tmp_path / "set.jsonl", "Who?")
    async with StandIn(SOUND).running() as stand_in:
        ran = await evaluating(stand_in.url, path, path)
        below = await evaluating(stand_in.url, path, path / "out")
    assert (ran.status, below.status, stand_in.requests) == (2, 2, [])
    assert ran.err == f"{path} is a file. Give the name of a folder.\n"


async def test_a_line_that_is_no_result_is_named_and_nothing_is_asked(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", *numbered(3)), tmp_path / "out"
    async with StandIn(SOUND).running() as stand_in:
        await evaluating(stand_in.url, path, out, "--limit", "2")
        kept = (out / "results.jsonl").read_bytes()
        (out / "results.jsonl").write_bytes(kept + b'{"number": "two"}\n')
        ran = await evaluating(stand_in.url, path, out)
        (out / "results.jsonl").write_bytes(kept)
        again = await evaluating(stand_in.url, path, out)
    assert (ran.status, ran.err) == (
        2,
        f"Line 3 of {out / 'results.jsonl'} is no result. Take the line out, or give another folder.\n",
    )
    assert (again.status, len(stand_in.requests)) == (0, 3)


async def test_a_folder_that_another_run_is_writing_is_not_taken(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", *numbered(2)), tmp_path / "out"
    async with StandIn(held := Held()).running() as stand_in, process_of(stand_in.url, path, out) as process:
        await held.until(1)
        ran = await evaluating(stand_in.url, path, out)
        count = len(stand_in.requests)
        held.let_go()
        await held.until(1)
        begun = await evaluating(stand_in.url, path, out)
        held.let_go()
        async with asyncio.timeout(PATIENCE):
            status = await process.wait()
    assert (ran.status, ran.err, count) == (2, f"{out} is in use by another run.\n", 1)
    assert (begun.status, begun.err) == (2, f"{out} is in use by another run.\n")
    assert (status, len(rows(out))) == (0, 2)


def repeating(request: Received) -> Reply:
    """An answer in which all that was sent comes back."""
    sent = json.dumps([request.path, request.headers, request.json])
    context = {"data_points": POINTS, "thoughts": [{"title": "Sent", "description": sent, "props": {"sent": sent}}]}
    said = {"delta": {"content": sent}}, {"usage": {"completion_tokens": 3, "sent": sent}}, {"odd": sent}
    if len(request.json["messages"][-1]["content"]) % 2:
        return Reply([lines({"error": {"message": sent, "code": sent}})], 500)
    return Reply([lines({"context": context, "session_state": {"sent": sent}}, *said, {"error": {"message": sent}})])


async def test_no_key_is_in_a_file_or_in_what_is_said(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", "Who?", "Why??"), tmp_path / "out"
    overrides = {"top": 3, "source": {"api_key": SEARCH_KEY}}
    (given := tmp_path / "overrides.json").write_text(json.dumps(overrides))
    options = "--overrides", f"@{given}", "--junit", str(tmp_path / "junit.xml"), "--fail-if", "failed>0"
    async with StandIn(repeating).running() as stand_in:
        url = f"{stand_in.url}/chat?code={CODE}&top=1"
        ran = await evaluating(url, path, out, *options, CHAT_UI_KEY=KEY)
        again = await evaluating(url, path, tmp_path / "second", *options, "--against", str(out), CHAT_UI_KEY=KEY)
        told = await evaluating(url, path, out, *options, "--json", CHAT_UI_KEY=KEY)
    assert [one.json["context"]["overrides"] for one in stand_in.requests] == [overrides] * 4
    assert all(KEY in str(one.headers) and CODE in one.path for one in stand_in.requests)
    assert [one.status for one in (ran, again, told)] == [1, 1, 1]
    written = {**files(out), **files(tmp_path / "second"), "junit.xml": (tmp_path / "junit.xml").read_bytes()}
    written |= {f"said {place}": f"{one.out}{one.err}".encode() for place, one in enumerate((ran, again, told))}
    holders = {name: key for name, data in written.items() for key in (KEY, CODE, SEARCH_KEY) if key.encode() in data}
    assert holders == {}
    kept = json.loads((out / "run.json").read_bytes())
    assert kept["shown_options"] == {"top": 3, "source": {"api_key": "…"}}
    assert kept["url"] == f"{stand_in.url}/chat?code=…&top=1"


async def test_nobody_there_names_no_key(tmp_path: Path):
    path = question_set(tmp_path / "set.jsonl", "Who?")
    ran = await evaluating(f"http://127.0.0.1:1/chat?code={CODE}", path, tmp_path / "out", CHAT_UI_KEY=KEY)
    assert (ran.status, ran.out, CODE in ran.err, KEY in ran.err) == (3, "", False, False)
    assert "the connection was refused" in ran.err


async def test_a_disk_that_is_full_ends_the_run_with_a_word_and_keeps_what_is_written(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", *numbered(9)), tmp_path / "out"
    long = saying("The company pays ten euros a day. " * 300)
    async with StandIn(in_turn([long])).running() as stand_in:
        command = sys.executable, "-m", "chat_ui", "evaluate", stand_in.url, str(path), "--out", str(out)
        process = await asyncio.create_subprocess_exec(
            "bash", "-c", 'ulimit -f 32 && exec "$@"', "", *command,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        async with asyncio.timeout(PATIENCE):
            _, err = await process.communicate()
        ran = await evaluating(stand_in.url, path, out)
    assert process.returncode == 2
    assert err.decode().splitlines()[-1] == f"{out / 'results.jsonl'} cannot be written: File too large."
    assert (ran.status, [row["number"] for row in rows(out)]) == (0, [1, 2, 3, 4, 5, 6, 7, 8, 9])


async def test_no_file_of_the_run_or_of_its_questions_is_overwritten(tmp_path: Path):
    path, out, before = question_set(tmp_path / "set.jsonl", "Who?"), tmp_path / "out", tmp_path / "before"
    async with StandIn(SOUND).running() as stand_in:
        await evaluating(stand_in.url, path, before)
        await evaluating(stand_in.url, path, out)
        kept = path.read_bytes(), files(out), files(before)
        for number, target in enumerate(
            ("set.jsonl", "out/results.jsonl", "out/run.json", "before/results.jsonl", "out")
        ):
            option = ("--html", "--junit")[number % 2]
            ran = await evaluating(stand_in.url, path, out, "--against", str(before), option, str(tmp_path / target))
            assert (ran.status, path.read_bytes(), files(out), files(before)) == (2, *kept), target
    assert len(stand_in.requests) == 2


async def test_one_file_is_not_both_reports(tmp_path: Path):
    path, file = question_set(tmp_path / "set.jsonl", "Who?"), str(tmp_path / "file")
    async with StandIn(SOUND).running() as stand_in:
        ran = await evaluating(stand_in.url, path, tmp_path / "out", "--html", file, "--junit", file)
    assert (ran.status, stand_in.requests) == (2, [])


async def test_a_report_is_written_where_a_link_leads(tmp_path: Path):
    path, target = question_set(tmp_path / "set.jsonl", "Who?"), tmp_path / "target.html"
    (link := tmp_path / "link.html").symlink_to(target)
    async with StandIn(SOUND).running() as stand_in:
        ran = await evaluating(stand_in.url, path, tmp_path / "out", "--html", str(link))
    assert (ran.status, link.is_symlink()) == (0, True)
    assert target.read_text().startswith('<!doctype html><html lang="en"')


async def test_a_folder_of_the_users_stays_where_nobody_answers_and_one_that_was_made_goes(tmp_path: Path):
    path = question_set(tmp_path / "set.jsonl", "Who?")
    (mine := tmp_path / "mine").mkdir()
    async with StandIn(SOUND).running() as stand_in:
        url = stand_in.url
    for out in (mine, tmp_path / "a" / "b"):
        assert (await evaluating(url, path, out)).status == 3
    assert (list(mine.iterdir()), (tmp_path / "a").exists()) == ([], False)


async def test_a_last_line_that_an_editor_left_without_its_end_is_kept(tmp_path: Path):
    path, out = question_set(tmp_path / "set.jsonl", *numbered(3)), tmp_path / "out"
    async with StandIn(SOUND).running() as stand_in:
        await evaluating(stand_in.url, path, out, "--limit", "2")
        kept = (out / "results.jsonl").read_bytes()
        (out / "results.jsonl").write_bytes(kept.removesuffix(b"\n"))
        ran = await evaluating(stand_in.url, path, out)
    assert (ran.status, asked(stand_in)) == (0, ["Who pays 1?", "Who pays 2?", "Who pays 3?"])
    assert (out / "results.jsonl").read_bytes().startswith(kept)
    assert [row["number"] for row in rows(out)] == [1, 2, 3]
