"""`chat-ui feedback`: its output for each store, and its refusals."""

import asyncio
import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text, update

from chat_ui.conversations.records.feedback import DoubtedCitation, Feedback, Rating, Reason
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store import schema
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.conversations.store.migrations.upgrade import upgrade
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.stored_feedback import StoredFeedback
from chat_ui.protocol.answers.answer import Answer
from tests.app import ROOT
from tests.commands import Ran, run, start
from tests.conversations.kept import conversation, generation, turn
from tests.conversations.kept import rated as with_rating
from tests.postgresql import postgresql_for_tests
from tests.timeouts import TIMEOUT

DOUBT = DoubtedCitation(use=0, label="Buoys.pdf", claim="All are red.")


@asynccontextmanager
async def store_of(folder: Path) -> AsyncIterator[Database]:
    database = await Database.open(url_of(folder))
    try:
        yield database
    finally:
        await database.close()


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder / 'chat.db'}"


async def rate(database: Database, questions: list[str], given_at: float | None = None) -> None:
    """A conversation with these questions, whose answers are rated good, bad, doubted, and so on in turn."""
    talk = conversation()
    turns = [turn(talk, place, question) for place, question in enumerate(questions, 1)]
    answers = [generation(one, answer=Answer(text=f"On “{one.question}” [plan.pdf#page=1].")) for one in turns]
    await Store(database).write(Changes((talk,), tuple(turns), tuple(answers)))
    stored = StoredFeedback(database)
    changes = [
        lambda one: with_rating(one, Rating.GOOD, comment="Yes."),
        lambda one: with_rating(one, Rating.BAD, Reason.WRONG, comment="Zoë\r\nsays no."),
        lambda one: one.doubting(DOUBT),
    ]
    for number, one in enumerate(answers):
        await stored.change("me", one.id, changes[number % 3])
    if given_at is not None:
        async with database.writing() as connection:
            await connection.execute(update(schema.feedback).values(given_at=given_at))


async def rated(folder: Path, questions: list[str], given_at: float | None = None) -> None:
    async with store_of(folder) as database:
        await rate(database, questions, given_at)


async def feedback(folder: Path, *options: str, **environment: str) -> Ran:
    return await run("feedback", *options, CHAT_UI_DATA_DIR=str(folder), **environment)


def unread(ran: Ran, words: str, status: int = 3) -> None:
    """Check that nothing was read, with this message."""
    assert (ran.status, ran.out) == (status, "")
    assert words in ran.err
    assert "s3cr3t" not in ran.err


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def questions_in(ran: Ran) -> list[str]:
    return [json.loads(line)["question"] for line in ran.out.splitlines()]


def in_shell(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A shell line with `$FEEDBACK` as the command, in a child process."""
    own = {"CHAT_UI_DATA_DIR": str(folder), "FEEDBACK": f"{sys.executable} -m chat_ui feedback", **environment}
    return subprocess.run(["bash", "-c", line], cwd=ROOT, env={**os.environ, **own}, capture_output=True, check=False)


async def test_feedback_is_printed_and_counted(tmp_path: Path):
    await rated(tmp_path, ["One?", "Two?", "Three?", "Four?"])
    ran = await feedback(tmp_path)
    assert (ran.status, ran.err) == (0, "Feedback on 4 answers: 2 good, 1 bad, 1 citation doubted.\n")
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert [one["question"] for one in told] == ["One?", "Two?", "Three?", "Four?"]
    assert [(one["rating"], len(one["doubted"])) for one in told[:3]] == [("good", 0), ("bad", 0), (None, 1)]
    assert await feedback(tmp_path, "--jsonl") == ran
    table = await feedback(tmp_path, "--csv")
    assert (table.status, table.err) == (0, ran.err)
    read = list(csv.DictReader(io.StringIO(table.out.removeprefix("\ufeff"), newline="")))
    assert [row["comment"] for row in read] == ["Yes.", "Zoë\nsays no.", "", "Yes."]


@pytest.mark.thorough
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_the_bytes_are_the_same_in_every_locale(tmp_path: Path, locale: str):
    asyncio.run(rated(tmp_path, ["Who’s Zoë \N{OK HAND SIGN}?", "Who else?"]))
    as_it_is = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONIOENCODING": "", "PYTHONCOERCECLOCALE": "0"}
    lines, table = [in_shell(tmp_path, f"$FEEDBACK {option}", **as_it_is) for option in ("", "--csv")]
    assert "Who’s Zoë \N{OK HAND SIGN}?".encode() in lines.stdout
    assert b"\r\n" not in lines.stdout
    assert table.stdout.startswith(b'\xef\xbb\xbf"question",')
    assert b"\r\r" not in table.stdout
    assert 'Zoë\r\nsays no."'.encode() in table.stdout
    assert (lines.returncode, table.returncode) == (0, 0)


async def test_a_note_tells_of_missing_feedback(tmp_path: Path):
    await rated(tmp_path, [])
    assert await feedback(tmp_path) == Ran(0, "", "No feedback found.\n")
    head = await feedback(tmp_path, "--csv")
    assert (head.status, head.err) == (0, "No feedback found.\n")
    assert head.out.startswith('\ufeff"question","truth",')
    assert head.out.count("\n") == 1


async def test_only_changes_since_a_time_are_printed(tmp_path: Path):
    await rated(tmp_path, ["One?"], datetime(2026, 11, 23, 8, 30, tzinfo=UTC).timestamp())
    before = ["2026-11-23", "2026-11-23T08:30:00", "2026-11-23T08:30:00Z", "2026-11-23T09:30:00+01:00", "0001-01-01"]
    after = ["2026-11-24", "2026-11-23T08:30:01Z", "2026-11-23T09:30:01+01:00", "9999-12-31T23:59:59-14:00"]
    found = {since: questions_in(await feedback(tmp_path, "--since", since)) for since in before + after}
    assert found == {**{key: ["One?"] for key in before}, **{key: [] for key in after}}
    await rated(tmp_path, ["One?", "Two?"], 1_764_000_000.75)
    last = json.loads((await feedback(tmp_path)).out.splitlines()[-1])["given_at"]
    assert questions_in(await feedback(tmp_path, "--since", last)) == ["One?", "Two?"], "the next time begins there"


async def test_a_missing_store_is_not_created(tmp_path: Path):
    folder = tmp_path / "none"
    ran = await feedback(folder)
    unread(ran, f"{folder / 'chat.db'} is missing or empty")
    assert "CHAT_UI_DATA_DIR" in ran.err
    away = await feedback(tmp_path, CHAT_UI_DATABASE_URL="postgresql://me:s3cr3t@127.0.0.1:1/chat")
    unread(away, "CHAT_UI_DATABASE_URL")
    (tmp_path / "chat.db").write_bytes(b"no database" * 1000)
    unread(await feedback(tmp_path), "damaged")
    (tmp_path / "chat.db").write_bytes(b"")
    unread(await feedback(tmp_path), "")
    assert names_in(tmp_path) == ["chat.db"]
    assert (tmp_path / "chat.db").read_bytes() == b""


async def test_bad_usage_and_settings_without_a_store_are_told(tmp_path: Path):
    dates = [["--since", date] for date in ("tomorrow", "", "1e9")]
    for given in (["--jsonl", "--csv"], *dates, ["more"]):
        unread(await feedback(tmp_path, *given), "usage: chat-ui", status=2)
    for name, value, words in (
        ("CHAT_UI_RETENTION_DAYS", "0", "/api/feedback/all"),
        ("CHAT_UI_RETENTION_DAYS", "ever", "CHAT_UI_RETENTION_DAYS"),
        ("CHAT_UI_DATABASE_URL", "mysql://a:s3cr3t@b/c", "CHAT_UI_DATABASE_URL"),
        ("CHAT_UI_DATABASE_URL", "sqlite://", "/api/feedback/all"),
    ):
        unread(await feedback(tmp_path, **{name: value}), words, status=2)
    assert names_in(tmp_path) == []


async def test_the_settings_file_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CHAT_UI_CONFIG", raising=False)
    monkeypatch.delenv("CHAT_UI_DATA_DIR", raising=False)
    await rated(tmp_path / "data", ["One?"])
    (file := tmp_path / "chat.toml").write_text('data_dir = "data"\n')
    assert questions_in(await run("feedback", "--config", str(file))) == ["One?"]
    gone = await run("feedback", "--config", str(tmp_path / "gone.toml"))
    unread(gone, "gone.toml cannot be read", status=2)
    assert "Did you mean CHAT_UI_DATA_DIR?" in (await feedback(tmp_path / "data", CHAT_UI_DATADIR="x")).err


async def test_a_store_of_another_version_is_left_unchanged(tmp_path: Path):
    engine = engine_at(url_of(tmp_path))
    await upgrade(engine, "0005")
    await engine.dispose()
    unread(await feedback(tmp_path), "start the server once to upgrade it")
    async with store_of(tmp_path) as database:
        assert (await feedback(tmp_path)).status == 0
        async with database.writing() as connection:
            await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    unread(await feedback(tmp_path), "newer version of this app")


@pytest.mark.thorough
async def test_a_postgresql_is_read_and_never_migrated(tmp_path: Path):
    with postgresql_for_tests() as server:
        url = server.create_database("feedback")
        unread(await feedback(tmp_path, CHAT_UI_DATABASE_URL=url), "the database is empty")
        database = await Database.open(url)
        try:
            await rate(database, ["One?", "Two?"])
        finally:
            await database.close()
        assert questions_in(await feedback(tmp_path, CHAT_UI_DATABASE_URL=url)) == ["One?", "Two?"]


async def test_the_store_is_read_during_writes(tmp_path: Path):
    async with store_of(tmp_path) as database:
        await rate(database, [f"Question {number}" for number in range(20)])
        async with database.writing() as connection:
            await connection.execute(update(schema.feedback).values(comment="never committed"))
            ran = await feedback(tmp_path)
            await connection.rollback()
        assert len(questions_in(ran)) == 20
        assert "never committed" not in ran.out
        running = asyncio.create_task(feedback(tmp_path))
        changes = 0
        while not running.done():
            changes += 1
            now = Feedback(Rating.BAD, (), f"Change {changes}")
            await StoredFeedback(database).change("me", f"{conversation().id}-t1.1", lambda _, now=now: now)
        ran = await running
        assert ran.status == 0
        assert set(questions_in(ran)) == {f"Question {number}" for number in range(20)}
        kept = await StoredFeedback(database).of("me", f"{conversation().id}-t1.1")
        assert kept.comment == f"Change {changes}"


@pytest.mark.thorough
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_closed_output_ends_in_no_traceback(tmp_path: Path, closed: str):
    asyncio.run(rated(tmp_path, ["One?"]))
    ran = in_shell(tmp_path, f"$FEEDBACK {closed}")
    told = b"" if "2>" in closed else b"Feedback on 1 answer: 1 good, 0 bad, 0 citations doubted.\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", told)


@pytest.mark.thorough
def test_a_closed_reader_ends_it_quietly_and_a_full_output_is_told(tmp_path: Path):
    asyncio.run(rated(tmp_path, [f"{number} {'long ' * 20_000}" for number in range(20)]))
    ran = in_shell(tmp_path, "$FEEDBACK | head -c 100; exit ${PIPESTATUS[0]}")
    assert (ran.returncode, len(ran.stdout), ran.stderr) == (0, 100, b"")
    full = in_shell(tmp_path, "$FEEDBACK >/dev/full")
    assert (full.returncode, full.stderr) == (2, b"The output cannot be written: No space left on device.\n")


@pytest.mark.thorough
async def test_an_interrupt_ends_the_command(tmp_path: Path):
    await rated(tmp_path, [f"{number} {'long ' * 20_000}" for number in range(20)])
    running = await start("feedback", CHAT_UI_DATA_DIR=str(tmp_path))
    assert running.stdout is not None
    assert running.stderr is not None
    async with asyncio.timeout(TIMEOUT):
        assert await running.stdout.read(10)
        running.send_signal(2)
        await running.stdout.read()
        assert (await running.stderr.read(), await running.wait()) == (b"", 130)
