"""Sets of questions that people send, and the reports and results of these, over HTTP."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from chat_ui.conversations.people.limits import Allowance, Limits
from chat_ui.evaluation.people.evaluations import Evaluations
from chat_ui.evaluation.people.person_runs import MOST_QUESTIONS, MOST_RUNS, SENT, SET_BYTES, KeptRun, PersonRuns
from chat_ui.evaluation.question_set import parse_questions
from chat_ui.evaluation.report.report import report_policy
from chat_ui.languages.catalogues import offered
from chat_ui.processes.pool import Processes
from chat_ui.processes.uploads import Uploads
from chat_ui.protocol.byte_sizes import in_words
from chat_ui.rendering.exported_page.page_document import Look
from chat_ui.routes.uploads.evaluation_runs import EvaluationRoutes
from chat_ui.server.middleware.request_language import Languages
from tests.app import ROOT, App
from tests.backends.stand_in import StandIn, lines
from tests.conversations.keeping import until
from tests.evaluation.made import REFUSED, SOUND, Held, by_question, numbered, rows, saying
from tests.evaluation.people.made import (
    ask_all,
    asking,
    backends,
    ended,
    put,
    runs_in,
    there,
    told,
)
from tests.routes.serving import served
from tests.routes.test_recording_uploads import named_by_cookie

LOOK = Look(b"wOF2 a typeface", ":root{--accent-9:#123456}")
ONE = lines({"question": "Who?"})
GERMAN = {"Accept-Language": "de"}


@dataclass(frozen=True)
class Page:
    """What `ann` has of the page."""

    client: httpx.AsyncClient
    evaluations: Evaluations
    runs: PersonRuns
    folder: Path

    async def send(self, data: bytes, name: str = "Set.jsonl") -> httpx.Response:
        return await self.client.post("/evaluations/", params={"name": name}, content=data)

    async def taken(self, data: bytes, name: str = "Set.jsonl") -> str:
        answer = await self.send(data, name)
        assert answer.status_code == 201
        return str(answer.json()["id"])

    async def report(self, run_id: str, language: str = "en", **query: str) -> httpx.Response:
        headers = {"Accept-Language": language}
        return await self.client.get(f"/evaluations/{run_id}/report", params=query, headers=headers)

    def kept(self, run_id: str) -> KeptRun:
        return there(self.runs, "ann", run_id)

    def report_file(self, run_id: str) -> tuple[str, int, int]:
        """The newest file of the report that is kept: its name, and which writing of it this is."""
        path = max(self.kept(run_id).folder.glob("report-*"), key=lambda one: one.stat().st_mtime_ns)
        return path.name, path.stat().st_ino, path.stat().st_mtime_ns

    def nothing_is_kept(self) -> bool:
        return [path for path in self.folder.glob("*/*")] == []  # noqa: C416 - the folders of evaluations


@asynccontextmanager
async def page(folder: Path, *framing: str) -> AsyncIterator[Page]:
    runs, allowance = runs_in(folder), Allowance(Limits(questions_per_minute=1_000))
    evaluations = Evaluations(runs, allowance, reading=Processes(at_once=1), writing=Processes(at_once=1))
    uploads = Uploads()
    app = Starlette(
        routes=[Mount("/evaluations", routes=EvaluationRoutes(evaluations, uploads, LOOK, framing).routes())]
    )
    app.add_middleware(named_by_cookie)
    app.add_middleware(Languages, languages=offered())
    try:
        async with served(app) as url, httpx.AsyncClient(base_url=url, headers={"Cookie": "ann"}) as client:
            yield Page(client, evaluations, runs, folder / "evaluations")
    finally:
        await evaluations.close()
        await uploads.end()


async def test_a_file_is_taken_for_its_person_alone(tmp_path: Path):
    async with page(tmp_path) as here:
        answer = await here.send(lines(*numbered(2), {"question": "Why?"}), "../../Plans \r\n of 2025.jsonl")
        assert answer.status_code == 201
        kept = here.kept(answer.json()["id"])
        assert [question for question, _ in told(kept)] == ["Who pays 1?", "Who pays 2?", "Why?"]
        assert (kept.about.name, kept.about.count, kept.about.with_truth) == ("Plans of 2025.jsonl", 3, 2)
        assert sorted(path.name for path in kept.folder.iterdir()) == ["about.json", "questions.jsonl"]
        assert here.runs.all("bob") == []
        nobody = await here.client.post("/evaluations/", content=ONE, headers={"Cookie": ""})
        assert (nobody.status_code, nobody.text) == (403, "Open the page first.")


async def test_what_another_person_has_is_not_there(tmp_path: Path):
    stand_in = StandIn(saying("The secret of Bob."))
    async with backends(stand_in) as client, page(tmp_path) as here:
        other, mine = put(here.runs, "bob", "What?"), put(here.runs, "ann", "Who?")
        for person, run_id in (("bob", other), ("ann", mine)):
            await ask_all(here.evaluations, person, run_id, asking(client, stand_in.url))
        of_bob = there(here.runs, "bob", other)
        person = of_bob.folder.parent.name
        tricks = (
            other, other[:-1], f"{other}a", "a" * 22, ".", "..", "%2e%2e", "", f"{mine}%0A", f"{mine}%00",
            f"..%2F{person}%2F{other}", f"%2e%2e/{person}/{other}", f"{mine}%2F..%2F{mine}", "%C3%A4" * 22,
        )  # fmt: skip
        for run_id in tricks:
            for what in ("report", "results"):
                answer = await here.client.get(f"/evaluations/{run_id}/{what}")
                assert answer.status_code == 404, (run_id, what)
                assert "Bob" not in answer.text
        for run_id in (other, f"../{person}/{other}", "a" * 22):
            beside = await here.report(mine, against=run_id)
            assert beside.status_code == 404
            assert "Bob" not in beside.text
        for headers, status in (({"Cookie": "bob"}, 200), ({"Cookie": "ann"}, 404), ({"Cookie": ""}, 403)):
            for what in ("report", "results"):
                answer = await here.client.get(f"/evaluations/{other}/{what}", headers=headers)
                assert (answer.status_code, "The secret of Bob." in answer.text) == (status, status == 200)


REFUSED_FILES = {
    "a line that is no JSON": (b'{"question": "Who?"}\nWhy?\n', "Line 2 is not JSON."),
    "a NUL": (b'{"question": "Who?"}\n\n{"question": "W\\u0000hy?"}', "Line 3 holds a NUL character."),
    "a blank question": (b'{"question": "Who?"}\r\n{"question": " "}\r\n', "Line 2 has an empty question."),
    "a truth that is none": (b'{"question": "Who?", "truth": [1]}', "Line 1 has a truth that is not text."),
    "a table that goes wrong": (b"question,truth\nWho?,We.\nWhy?,So.,And?\n", "Line 3 has more fields"),
    "a quotation mark": (b'question\nWho?\n"Why?\n', "Line 3 is not CSV"),
    "an empty file": (b"", "There is no question in it."),
    "another encoding": (b"question\nW\xe4r?\n", "Line 2 is not text in UTF-8."),
    "another file": (b"%PDF-1.7\n%\xff\xfe\n", "This is not a text file."),
    "too many questions": (ONE * (MOST_QUESTIONS + 1), "more than 1,000 questions"),
    "too much as it is kept": (
        lines({"question": "a" * (SET_BYTES // MOST_QUESTIONS - 40)}) * MOST_QUESTIONS,
        f"larger than {in_words(SET_BYTES)}",
    ),
}


async def test_what_cannot_be_asked_is_refused_with_the_reason_and_not_kept(tmp_path: Path):
    async with page(tmp_path) as here:
        for case, (data, words) in REFUSED_FILES.items():
            assert len(data) <= SET_BYTES, case
            refused = await here.send(data)
            assert (refused.status_code, words in refused.text) == (415, True), (case, refused.text)
            assert str(tmp_path) not in refused.text
            assert refused.headers["cache-control"] == "no-store"
            assert here.nothing_is_kept(), case
        await here.taken(ONE * MOST_QUESTIONS)


async def test_the_reason_is_told_in_the_language_of_the_person(tmp_path: Path):
    async with page(tmp_path) as here:
        english = await here.send(b"Why?\n")
        german = await here.client.post("/evaluations/", content=b"Why?\n", headers=GERMAN)
    assert "Line 1" in english.text
    assert "Zeile 1" in german.text


async def test_a_file_that_is_too_large_is_refused_and_not_kept(tmp_path: Path):
    async with page(tmp_path) as here:
        large = await here.send(ONE + b"\n" * SET_BYTES)
        assert large.status_code == 413
        assert in_words(SET_BYTES) in large.text
        assert here.nothing_is_kept()
        await here.taken(ONE + b"\n" * (SET_BYTES - len(ONE)))


async def test_a_file_that_does_not_arrive_is_not_kept(tmp_path: Path):
    async with page(tmp_path) as here:

        async def has_begun() -> bool:
            return bool(list(here.folder.glob(f"*/*/{SENT}")))

        async def is_gone() -> bool:
            return here.nothing_is_kept()

        address = urlsplit(str(here.client.base_url))
        with socket.create_connection((address.hostname, address.port)) as connection:
            head = "POST /evaluations/ HTTP/1.1", "Host: x", "Cookie: ann", "Content-Length: 1000", "", ""
            connection.sendall("\r\n".join(head).encode() + ONE)
            await until(has_begun)
            assert here.runs.all("ann") == []
        await until(is_gone)
        await here.taken(ONE)


async def test_a_person_sends_so_many_files_and_not_one_more(tmp_path: Path):
    async with page(tmp_path) as here:
        for _ in range(MOST_RUNS):
            await here.taken(ONE)
        refused = await here.send(ONE)
        assert (refused.status_code, f"You have {MOST_RUNS} sets of questions here" in refused.text) == (507, True)
        assert len(here.runs.all("ann")) == len(list(here.folder.glob("*/*"))) == MOST_RUNS
        other = await here.client.post("/evaluations/", content=ONE, headers={"Cookie": "bob"})
        assert other.status_code == 201


async def test_a_table_is_known_by_its_name_or_by_its_header(tmp_path: Path):
    by_name = b"sep=;\r\nquestion;truth\r\nWho?;We.\r\n"
    by_header = b'\xef\xbb\xbf"Question","Truth"\r\n"Who\r\npays?","We."\r\nWhy?,\r\nWhy?,\r\n'
    async with page(tmp_path) as here:
        for name in ("Set.csv", "Set.CSV", "a/b.tsv"):
            assert told(here.kept(await here.taken(by_name, name))) == [("Who?", "We.")]
        assert (await here.send(by_name, "Set.txt")).status_code == 415
        for name in ("", "Set", "Set.jsonl", "Set.csv"):
            kept = here.kept(await here.taken(by_header, name))
            assert told(kept) == [("Who\npays?", "We."), ("Why?", ""), ("Why?", "")]
            assert (kept.about.count, kept.about.with_truth) == (3, 1)


async def test_a_report_has_the_answers_and_may_do_nothing_on_the_page(tmp_path: Path):
    stand_in = StandIn(by_question({"Who pays 2?": REFUSED}))
    async with backends(stand_in) as client, page(tmp_path) as here:
        run_id = await here.taken(lines(*numbered(2), {"question": "<script>alert(1)</script>"}), "Pläne; 2025.jsonl")
        early = await here.report(run_id)
        assert (early.status_code, early.text) == (404, "No question is answered yet.")
        await ask_all(here.evaluations, "ann", run_id, asking(client, stand_in.url))
        shown = await here.report(run_id)
        saved = await here.report(run_id, **{"as": "file"})
    assert shown.status_code == saved.status_code == 200
    assert shown.headers["content-type"].startswith("text/html")
    for words in ("Who pays 1?", "The company pays ten euros", "out of order", f"{stand_in.url}/chat"):
        assert words in shown.text
    assert "<script>alert(1)" not in shown.text
    policies = [one.strip() for one in shown.headers["content-security-policy"].split(";")]
    assert set(report_policy(LOOK).split("; ")) <= set(policies)
    (sandbox,) = (one for one in policies if one.startswith("sandbox"))
    assert set(sandbox.split()[1:]) == {"allow-scripts", "allow-popups", "allow-popups-to-escape-sandbox"}
    assert "frame-ancestors 'self'" in policies
    assert (shown.headers["cache-control"], shown.headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert "content-disposition" not in shown.headers
    assert saved.text == shown.text
    assert (
        saved.headers["content-disposition"] == "attachment; filename*=UTF-8''Pl%C3%A4ne%202025%20-%20Evaluation.html"
    )
    assert saved.headers["content-security-policy"] == shown.headers["content-security-policy"]


async def test_a_report_is_compared_with_another_of_the_person(tmp_path: Path):
    stand_in, other = StandIn(SOUND), StandIn(saying("Nobody pays."))
    async with backends(stand_in, other) as client, page(tmp_path) as here:
        before = await here.taken(lines(*numbered(2)))
        now = await here.evaluations.copy("ann", before)
        for run_id, backend in ((before, stand_in), (now, other)):
            await ask_all(here.evaluations, "ann", run_id, asking(client, backend.url))
        alone = await here.report(now)
        alone_file = here.report_file(now)
        compared = await here.report(now, against=before)
        assert here.report_file(now)[0] != alone_file[0]
        assert (await here.report(now)).text == alone.text
    assert ("The run before" in alone.text, "The run before" in compared.text) == (False, True)
    assert (stand_in.url in alone.text, stand_in.url in compared.text) == (False, True)
    assert "Nobody pays." in alone.text
    assert "Nobody pays." in compared.text


async def test_a_report_stands_alone_beside_a_set_without_answers_and_damage_is_told(tmp_path: Path):
    stand_in = StandIn(SOUND)
    async with backends(stand_in) as client, page(tmp_path) as here:
        run_id = await here.taken(lines(*numbered(2)))
        await ask_all(here.evaluations, "ann", run_id, asking(client, stand_in.url))
        empty = await here.evaluations.copy("ann", run_id)
        compared = await here.report(run_id, against=empty)
        assert (compared.status_code, "The run before" in compared.text) == (200, False)
        assert (await here.report(empty)).status_code == 404
        results = here.kept(run_id).results
        results.write_bytes(b"{}\n" + results.read_bytes())
        damaged = await here.report(run_id)
    assert damaged.status_code == 422
    assert "cannot be read any more" in damaged.text


async def test_a_page_that_may_frame_the_chat_may_frame_its_report(tmp_path: Path):
    stand_in = StandIn(SOUND)
    async with backends(stand_in) as client, page(tmp_path, "https://intranet.example") as here:
        run_id = await here.taken(ONE)
        await ask_all(here.evaluations, "ann", run_id, asking(client, stand_in.url))
        policy = (await here.report(run_id)).headers["content-security-policy"]
    assert "frame-ancestors 'self' https://intranet.example; sandbox allow-scripts" in policy


async def test_a_report_is_made_once_and_anew_when_there_are_more_answers(tmp_path: Path):
    held = Held()
    stand_in = StandIn(held)
    async with backends(stand_in) as client, page(tmp_path) as here:
        run_id = await here.taken(lines(*numbered(3)))
        await here.evaluations.begin("ann", run_id, asking(client, stand_in.url))
        await held.until(1)
        held.let_go()
        await held.until(2)
        first = await here.report(run_id)
        first_file = here.report_file(run_id)
        assert (await here.report(run_id)).text == first.text
        assert (await here.report(run_id, **{"as": "file"})).text == first.text
        assert here.report_file(run_id) == first_file
        held.let_go()
        await ended(here.evaluations, "ann")
        then = await here.report(run_id)
        assert here.report_file(run_id)[0] != first_file[0]
    assert ("Who pays 1?" in first.text, "Who pays 3?" in first.text) == (True, False)
    assert ("Who pays 1?" in then.text, "Who pays 3?" in then.text) == (True, True)


async def test_a_report_is_in_the_language_of_the_person(tmp_path: Path):
    stand_in = StandIn(SOUND)
    async with backends(stand_in) as client, page(tmp_path) as here:
        run_id = await here.taken(ONE)
        await ask_all(here.evaluations, "ann", run_id, asking(client, stand_in.url))
        for language, kept in (("en", 1), ("de", 2), ("en", 2), ("fr", 3), ("it", 4), ("es", 4)):
            shown = await here.report(run_id, language)
            assert f'<html lang="{language}"' in shown.text
            assert len(list(here.kept(run_id).folder.glob("report-*"))) == kept


async def test_results_are_questions_again(tmp_path: Path):
    talk = {"messages": [{"role": "user", "content": "Who?"}, {"role": "user", "content": "Why?"}], "truth": "So."}
    stand_in = StandIn(by_question({"Who pays 2?": REFUSED}))
    async with backends(stand_in) as client, page(tmp_path) as here:
        run_id = await here.taken(lines(*numbered(2), talk), "Plans.csv.jsonl")
        assert (await here.client.get(f"/evaluations/{run_id}/results")).status_code == 404
        await ask_all(here.evaluations, "ann", run_id, asking(client, stand_in.url))
        results = await here.client.get(f"/evaluations/{run_id}/results")
        again = await here.taken(results.content)
        assert results.content == here.kept(run_id).results.read_bytes()
        assert [row["number"] for row in rows(here.kept(run_id).run)] == [1, 2, 3]
    found = {one.text: one for one in parse_questions(results.content)}
    assert {text: one.truth for text, one in found.items()} == {
        "Who pays 1?": "It pays [plan.pdf#page=1].", "Who pays 2?": "It pays [plan.pdf#page=1].", "Why?": "So.",
    }  # fmt: skip
    assert [one.role for one in found["Why?"].messages] == ["user", "assistant", "user"]
    assert told(there(runs_in(tmp_path), "ann", again)) == [(one.text, one.truth) for one in found.values()]
    assert results.headers["content-type"].startswith("application/jsonl")
    assert results.headers["content-disposition"] == "attachment; filename*=UTF-8''Plans.csv%20-%20Results.jsonl"
    assert (results.headers["cache-control"], results.headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert {json.loads(line)["answer"] for line in results.content.splitlines()} == {"", SOUND_TEXT}


SOUND_TEXT = "The company pays ten euros a day for the bus [plan.pdf#page=1]."


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("", "Results.jsonl"),
        ("..", "Results.jsonl"),
        ("Who pays?", "Who%20pays%20-%20Results.jsonl"),
        ("v1.2 of\u202eit", "v1.2%20of%20it%20-%20Results.jsonl"),
        ("n" * 500 + ".csv", "n" * 80 + ".jsonl"),
    ],
)
async def test_what_is_saved_has_a_harmless_name(tmp_path: Path, name: str, saved: str):
    async with page(tmp_path) as here:
        run_id = put(here.runs, "ann", "Who?", name=name)
        kept = here.kept(run_id)
        kept.run.mkdir()
        kept.results.write_bytes(b'{"number":1,"time":1}\n')
        results = await here.client.get(f"/evaluations/{run_id}/results")
    assert results.headers["content-disposition"] == f"attachment; filename*=UTF-8''{saved}"


@pytest.fixture
def without_a_page(tmp_path: Path) -> Path:
    """A folder in which the app begins without the page itself, which takes long to build."""
    folder = tmp_path / "built"
    pages = folder / ".web" / "build" / "client"
    pages.mkdir(parents=True)
    (pages / "index.html").write_text("<!doctype html><html><head></head><body></body></html>")
    shutil.copy(ROOT / "rxconfig.py", folder)
    return folder


def test_all_that_a_person_has_is_deleted_with_their_conversations(tmp_path: Path, without_a_page: Path):
    app = App(tmp_path, built=without_a_page)
    app.start()
    try:
        with httpx.Client(base_url=app.url) as ann, httpx.Client(base_url=app.url) as bob:
            taken = {}
            for person in (ann, bob):
                person.get("/")
                taken[person] = person.post("/api/evaluations/", content=ONE).json()["id"]
            assert sorted(path.name for path in (app.data / "evaluations").glob("*/*")) == sorted(taken.values())
            assert ann.delete("/api/conversations/").status_code == 200
            assert [path.name for path in (app.data / "evaluations").glob("*/*")] == [taken[bob]]
    finally:
        app.end()


@pytest.mark.thorough
def test_where_nobody_may_evaluate_nothing_is_taken(tmp_path: Path, without_a_page: Path):
    app = App(tmp_path, {"CHAT_UI_EVALUATION": "false"}, built=without_a_page)
    app.start()
    try:
        with httpx.Client(base_url=app.url) as ann:
            ann.get("/")
            assert ann.post("/api/evaluations/", content=ONE).status_code == 404
        assert not (app.data / "evaluations").exists()
    finally:
        app.end()
