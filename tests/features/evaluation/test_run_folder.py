"""The folder of a run: a killed run resumes, and foreign files are not overwritten."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests.commands import start
from tests.features.evaluation.made import (
    POINTS,
    SOUND,
    Held,
    Trial,
    evaluating,
    files,
    numbered,
    question_set,
    saying,
    trial,
)
from tests.stand_ins.stand_in import Received, Reply, lines
from tests.timeouts import TIMEOUT

KEY = "sk-proj-4fJ8dKq0Zt7Xw2Lm9Rb5Vc1N"
CODE = "mZ3xT8vQ1bN6kW0pY4cR7sD2fH9jL5gA"
SEARCH_KEY = "Aq7Lw9Zx2Cv5Bn8Mk1Jh4Gf6Ds3Po0Iu"


@asynccontextmanager
async def process_of(one: Trial, *options: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await start("evaluate", one.url, str(one.path), "--out", str(one.out), *options)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


@pytest.mark.parametrize("by", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.thorough)])
async def test_a_killed_run_resumes(tmp_path: Path, by: signal.Signals):
    async with trial(tmp_path, held := Held(), 6) as one:
        async with process_of(one, "--concurrency", "2") as process:
            for count in (1, 2, 2):
                await held.until(count)
                if count == 2 and len(one.asked) > 3:
                    break
                held.let_go()
            process.send_signal(by)
            await asyncio.wait_for(process.wait(), TIMEOUT)
        kept = (one.out / "results.jsonl").read_bytes()
        before = one.asked
        held.let_go()
        running = asyncio.create_task(one.run("--concurrency", "1"))
        for _ in range(3):
            await held.until(1)
            held.let_go()
        ran = await running
    answered = [json.loads(line)["question"] for line in kept.splitlines()]
    assert sorted(answered) == sorted(before[:3]) == ["Who pays 1?", "Who pays 2?", "Who pays 3?"]
    assert one.asked[len(before) :] == ["Who pays 4?", "Who pays 5?", "Who pays 6?"]
    assert (ran.status, "3 of 6 are already answered" in ran.err) == (0, True)
    assert (one.out / "results.jsonl").read_bytes().startswith(kept)
    assert [row["number"] for row in one.rows] == [1, 2, 3, 4, 5, 6]


async def test_a_line_is_written_as_each_answer_ends(tmp_path: Path):
    async with trial(tmp_path, held := Held(), 3) as one:
        running = asyncio.create_task(one.run("--concurrency", "1"))
        written = []
        for _ in range(3):
            await held.until(1)
            written.append(len(one.rows) if "results.jsonl" in files(one.out) else 0)
            held.let_go()
        await running
    assert written == [0, 1, 2]


async def test_a_torn_last_line_is_cut_and_a_whole_one_kept(tmp_path: Path):
    torn = b'{"number":2,"time":1,"ques', b'{"number":2,"time":1,"question":"\xc5', b"{"
    async with trial(tmp_path, SOUND, 5) as one:
        await one.run("--limit", "1")
        results = one.out / "results.jsonl"
        for limit, left in enumerate(torn, 2):
            results.write_bytes(results.read_bytes() + left)
            ran = await one.run("--limit", str(limit))
            assert (ran.status, len(one.rows)) == (0, limit)
        kept = results.read_bytes()
        results.write_bytes(kept.removesuffix(b"\n"))
        assert (await one.run()).status == 0
    assert results.read_bytes().startswith(kept)
    assert one.asked == [f"Who pays {number}?" for number in range(1, 6)]
    assert [row["number"] for row in one.rows] == [1, 2, 3, 4, 5]


async def test_the_limit_may_grow_and_a_complete_run_asks_nothing(tmp_path: Path):
    async with trial(tmp_path, SOUND, 4) as one:
        for limit in ("1", "3", "2"):
            assert (await one.run("--limit", limit)).status == 0
        await one.run()
        kept = files(one.out)
        again = await one.run()
    assert sorted(one.asked) == [f"Who pays {number}?" for number in range(1, 5)]
    assert (again.status, files(one.out)) == (0, kept)
    assert again.err == f"4 of 4 are already answered in {one.out}.\n"
    assert again.out.startswith("failed               | total 0, rate 0\n")


async def test_a_mix_of_two_runs_is_refused_and_overwrites_nothing(tmp_path: Path):
    other = question_set(tmp_path / "other.jsonl", *numbered(2, "Another truth."))
    same = "--overrides", '{"top": 3}'
    async with trial(tmp_path, SOUND, 2) as one:
        url, out = one.url, one.out
        await one.run(*same)
        before = files(out)
        rans = {
            "questions": await evaluating(url, other, out, *same),
            "URL": await evaluating(f"{url}/v2", one.path, out, *same),
            "model": await one.run(*same, "--model", "big"),
            "dialect": await one.run(*same, "--dialect", "flat"),
            "streaming": await one.run(*same, "--no-stream"),
            "options": await one.run("--overrides", '{"top": 4}'),
            "questions, model": await evaluating(url, other, out, *same, "--model", "big"),
        }
    refusal = f"{out} has a run with other settings ({{}}). Name another folder.\n"
    assert rans == {words: (2, "", refusal.format(words)) for words in rans}
    assert (files(out), len(one.asked)) == (before, 2)


async def test_equal_questions_in_another_file_or_format_are_the_same_run(tmp_path: Path):
    (table := tmp_path / "table.csv").write_text("id,question,truth\n1,Who?,\n2,Why?,So.\n")
    async with trial(tmp_path, SOUND, ["Who?", {"question": "Why?", "truth": "So."}]) as one:
        await one.run("--limit", "1")
        ran = await evaluating(one.url, table, one.out, "--concurrency", "1")
    assert (ran.status, one.asked) == (0, ["Who?", "Why?"])


async def test_a_foreign_folder_stays_unchanged_and_a_file_is_refused(tmp_path: Path):
    no_run = b"mine", b'{"format": 1, "count": null}', b"[" * 100_000, b'{"format": 1, "x": 1}', b"[]", b"\xff"
    cases = [
        ("notes.txt", b"mine", "contains other files"),
        ("results.jsonl", b"{}\n", "contains other files"),
        ("run.json", b'{"format": 2}', "run.json was written by another version"),
        *(("run.json", content, "run.json is not a run") for content in no_run),
    ]
    async with trial(tmp_path, SOUND) as one:
        for name, content, words in cases:
            one.out.mkdir()
            (one.out / name).write_bytes(content)
            ran = await one.run()
            assert (ran.status, files(one.out)) == (2, {name: content})
            assert words in ran.err
            assert "Name another folder." in ran.err
            (one.out / name).unlink()
            one.out.rmdir()
        ran, below = await one.run(out=one.path), await one.run(out=one.path / "out")
    assert (ran.status, below.status, one.asked) == (2, 2, [])
    assert ran.err == f"{one.path} is a file. Name a folder.\n"


async def test_an_invalid_result_line_is_named_and_nothing_is_asked(tmp_path: Path):
    async with trial(tmp_path, SOUND, 3) as one:
        await one.run("--limit", "2")
        kept = (results := one.out / "results.jsonl").read_bytes()
        results.write_bytes(kept + b'{"number": "two"}\n')
        ran = await one.run()
        results.write_bytes(kept)
        again = await one.run()
    words = f"Line 3 of {results} is not a result. Remove the line or name another folder.\n"
    assert (ran.status, ran.err) == (2, words)
    assert (again.status, len(one.asked)) == (0, 3)


async def test_a_folder_in_use_by_another_run_is_refused(tmp_path: Path):
    async with trial(tmp_path, held := Held(), 2) as one, process_of(one) as process:
        for count in (1, 2):
            await held.until(1)
            ran = await one.run()
            assert (ran.status, ran.err) == (2, f"{one.out} is in use by another run. Name another folder.\n")
            assert len(one.asked) == count
            held.let_go()
        status = await asyncio.wait_for(process.wait(), TIMEOUT)
    assert (status, len(one.rows)) == (0, 2)


def repeating(request: Received) -> Reply:
    """An answer that echoes the request."""
    sent = json.dumps([request.path, request.headers, request.json])
    context = {"data_points": POINTS, "thoughts": [{"title": "Sent", "description": sent, "props": {"sent": sent}}]}
    said = {"delta": {"content": sent}}, {"usage": {"completion_tokens": 3, "sent": sent}}, {"odd": sent}
    if len(request.json["messages"][-1]["content"]) % 2:
        return Reply([lines({"error": {"message": sent, "code": sent}})], 500)
    return Reply([lines({"context": context, "session_state": {"sent": sent}}, *said, {"error": {"message": sent}})])


async def test_a_key_is_neither_in_a_file_nor_in_the_output(tmp_path: Path):
    overrides = {"top": 3, "source": {"api_key": SEARCH_KEY}}
    (given := tmp_path / "overrides.json").write_text(json.dumps(overrides))
    options = "--overrides", f"@{given}", "--junit", str(tmp_path / "junit.xml"), "--fail-if", "failed>0"
    second = tmp_path / "second"
    async with trial(tmp_path, repeating, ["Who?", "Why??"], f"/chat?code={CODE}&top=1") as one:
        ran = await one.run(*options, CHAT_UI_KEY=KEY)
        again = await one.run(*options, "--against", str(one.out), out=second, CHAT_UI_KEY=KEY)
        told = await one.run(*options, "--json", CHAT_UI_KEY=KEY)
    requests = one.stand_in.requests
    assert [request.json["context"]["overrides"] for request in requests] == [overrides] * 4
    assert all(KEY in str(request.headers) and CODE in request.path for request in requests)
    assert [one.status for one in (ran, again, told)] == [1, 1, 1]
    away = await evaluating(f"http://127.0.0.1:1/chat?code={CODE}", one.path, tmp_path / "away", CHAT_UI_KEY=KEY)
    assert (away.status, away.out, "the connection was refused" in away.err) == (3, "", True)
    written = {**files(one.out), **files(second), "junit.xml": (tmp_path / "junit.xml").read_bytes()}
    written |= {f"said {place}": f"{said}".encode() for place, said in enumerate((ran, again, told, away))}
    holders = {name: key for name, data in written.items() for key in (KEY, CODE, SEARCH_KEY) if key.encode() in data}
    assert holders == {}
    kept = json.loads((one.out / "run.json").read_bytes())
    assert kept["shown_options"] == {"top": 3, "source": {"api_key": "…"}}
    assert kept["url"] == f"{one.stand_in.url}/chat?code=…&top=1"


async def test_a_full_disk_ends_the_run_with_a_message_and_keeps_results(tmp_path: Path):
    async with trial(tmp_path, saying("The company pays ten euros a day. " * 300), 9) as one:
        command = sys.executable, "-m", "chat_ui", "evaluate", one.url, str(one.path), "--out", str(one.out)
        process = await asyncio.create_subprocess_exec(
            "bash", "-c", 'ulimit -f 32 && exec "$@"', "", *command,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, err = await asyncio.wait_for(process.communicate(), TIMEOUT)
        ran = await one.run()
    assert process.returncode == 2
    assert err.decode().splitlines()[-1] == f"{one.out / 'results.jsonl'} cannot be written: File too large."
    assert (ran.status, [row["number"] for row in one.rows]) == (0, [1, 2, 3, 4, 5, 6, 7, 8, 9])


async def test_a_report_overwrites_no_file_of_a_run_or_its_questions(tmp_path: Path):
    before, file = tmp_path / "before", str(tmp_path / "file")
    async with trial(tmp_path, SOUND) as one:
        await one.run(out=before)
        await one.run()
        kept = one.path.read_bytes(), files(one.out), files(before)
        targets = "set.jsonl", "out/results.jsonl", "out/run.json", "before/results.jsonl", "out"
        for number, target in enumerate(targets):
            option = ("--html", "--junit")[number % 2]
            ran = await one.run("--against", str(before), option, str(tmp_path / target))
            found = one.path.read_bytes(), files(one.out), files(before)
            assert (ran.status, *found) == (2, *kept), target
        assert (await one.run("--html", file, "--junit", file, out=tmp_path / "new")).status == 2
    assert len(one.asked) == 2


async def test_a_report_is_written_through_a_symlink(tmp_path: Path):
    (link := tmp_path / "link.html").symlink_to(target := tmp_path / "target.html")
    async with trial(tmp_path, SOUND, ["Who?"]) as one:
        ran = await one.run("--html", str(link))
    assert (ran.status, link.is_symlink()) == (0, True)
    assert target.read_text().startswith('<!doctype html><html lang="en"')


async def test_an_outage_keeps_existing_folders_and_removes_a_new_one(tmp_path: Path):
    (mine := tmp_path / "mine").mkdir()
    async with trial(tmp_path, SOUND, 4, "/chat") as one:
        await one.run("--limit", "2")
    before = files(one.out)
    for out in (one.out, mine, tmp_path / "a" / "b"):
        assert (await one.run(out=out)).status == 3
    assert (files(one.out), list(mine.iterdir()), (tmp_path / "a").exists()) == (before, [], False)
